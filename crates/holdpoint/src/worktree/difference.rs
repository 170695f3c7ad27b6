//! What differs between two trees, as text for a reader: in git's form, whatever the repository has been told to show
//! instead.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::call::Call;
use super::error::TreeError;
use super::repository::Repository;
use super::{id, tree_without};
use crate::env::Env;

/// A difference.
#[derive(Debug)]
pub struct Difference {
    /// The files, each with its path and what happened to it, as JSON.
    pub files: Json,
    /// Line by line; new files are in it whole.
    pub text: Vec<u8>,
}

/// Returns what differs between a commit or tree and a tree, without the paths that match a glob in `aside`. `COMMIT^` is
/// the commit before that one.
pub fn difference(
    root: &Path,
    from: &str,
    to: &str,
    aside: &[String],
    env: &dyn Env,
) -> Result<Difference, TreeError> {
    let repository = Repository::at(root, env)?;
    let from = match from.strip_suffix('^') {
        Some(commit) => before(&repository, id(commit)?)?,
        None => id(from)?.to_owned(),
    };
    let from = tree_without(root, &from, aside, env)?;
    let shown = |options: &[&str]| {
        let usual = ["-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
        Call::new(&repository, "diff-tree", &[&usual, options, &[from.as_str(), to]].concat()).printed()
    };
    let files = listed(&shown(&["-z", "--name-status"])?);
    let text = shown(&["-p", "--src-prefix=a/", "--dst-prefix=b/"])?;
    Ok(Difference { files, text })
}

/// The commit before one; before the first one there was nothing.
fn before(repository: &Repository, commit: &str) -> Result<String, TreeError> {
    let asked = ["--verify", "--quiet", &format!("{commit}^1")];
    let done = Call::users(repository, "rev-parse", &asked).done()?;
    let printed = match done.status.code() {
        Some(0) => done.printed,
        Some(1) => Call::new(repository, "hash-object", &["-t", "tree", "-w", "--stdin"]).printed()?,
        _ => return Err(done.error().into()),
    };
    Ok(String::from_utf8_lossy(&printed).trim().to_owned())
}

/// Reads pairs of a letter and a path.
fn listed(printed: &[u8]) -> Json {
    let parts: Vec<&[u8]> = printed.split(|byte| *byte == 0).collect();
    let files = parts.chunks_exact(2).map(|pair| {
        let what = match pair[0] {
            b"A" => "added",
            b"D" => "removed",
            _ => "changed",
        };
        json!({ "path": String::from_utf8_lossy(pair[1]), "what": what })
    });
    files.collect()
}
