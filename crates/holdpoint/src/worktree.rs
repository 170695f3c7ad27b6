//! The working tree as one id, so that a result can be bound to the files it was true of.
//!
//! The id is git's own tree id, over the bytes of all files that are tracked or would be, whatever filters, attributes,
//! sparse checkouts and flags the repository has been given: git is called in a repository of Holdpoint's own. The user's
//! index, objects, references and files are never changed.

pub mod entries;

mod call;
mod copy;
mod difference;
mod doubt;
mod error;
mod head;
mod index;
mod repository;
mod standing;

#[cfg(all(test, unix))]
mod worktree_tests;

use std::path::{Path, PathBuf};

pub use copy::{Copy, Kept};
pub use difference::{Difference, difference};
pub use error::TreeError;
pub use head::{commit, head};
use index::Index;
use repository::Repository;

use crate::env::Env;
pub use repository::shared as shared_git_folder;
pub use standing::Standing;

/// Returns the id of the working tree at `root`, as it is now. `root` is the top of a repository or of a linked
/// working tree. The id covers the files of the last commit and untracked files, except ignored ones and paths that match
/// a glob in `aside`.
///
/// A submodule counts as the commit that is checked out in it.
pub fn hash(root: &Path, aside: &[String], env: &dyn Env) -> Result<String, TreeError> {
    let repository = Repository::at(root, env)?;
    let index = Index::of_the_commit(&repository)?;
    let entries = index.take_in_all()?;
    index.take_out(aside, &entries)?;
    let mut nested = index.nested(&entries)?;
    nested.retain(|path| !aside.iter().any(|glob| holdpoint_core::path::fits(glob, path)));
    if nested.is_empty() { index.tree() } else { Err(TreeError::Nested { paths: nested }) }
}

/// Returns the tree of a commit (or a tree) without the paths that match a glob in `aside`: what `hash` returns for a
/// working tree that is exactly this commit.
pub fn tree_without(root: &Path, tree: &str, aside: &[String], env: &dyn Env) -> Result<String, TreeError> {
    let repository = Repository::at(root, env)?;
    let index = Index::of(&repository, id(tree)?)?;
    if !aside.is_empty() {
        index.take_out(aside, &index.entries()?)?;
    }
    index.tree()
}

/// Returns a tree (or a commit's) with these files as they are in another tree; one that is not there is removed.
pub fn tree_with(
    root: &Path,
    tree: &str,
    from: &str,
    files: &[String],
    env: &dyn Env,
) -> Result<String, TreeError> {
    let repository = Repository::at(root, env)?;
    let index = Index::of(&repository, id(tree)?)?;
    let names: Vec<&[u8]> = files.iter().map(String::as_bytes).collect();
    index.drop_paths(&names)?;
    index.take_from(id(from)?, |path| names.contains(&path))?;
    index.tree()
}

/// Returns the paths that differ between two trees or commits, sorted. A renamed file counts under both names.
pub fn changed(root: &Path, from: &str, to: &str, env: &dyn Env) -> Result<Vec<String>, TreeError> {
    let repository = Repository::at(root, env)?;
    head::differing(&repository, &[id(from)?, id(to)?])
}

/// Returns what is ignored at `root`, as it was last taken: files, and folders of which nothing is tracked.
pub fn ignored(root: &Path, env: &dyn Env) -> Result<Vec<String>, TreeError> {
    let repository = Repository::at(root, env)?;
    let args = ["--others", "--ignored", "--exclude-standard", "--directory", "-z"];
    let call = call::Call::with(&repository, &repository.ignored_by_user()?, "ls-files", &args);
    let printed = call.index(&repository.ours.known_index(&repository.root)).printed()?;
    let paths = printed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Ok(paths.map(|path| String::from_utf8_lossy(path).trim_end_matches('/').to_owned()).collect())
}

/// Writes a tree's files into the folder `into`, which must be empty or missing. The files `adding` come from the
/// working tree as it is now, so that a new test can be tried on the code as it was before.
pub fn materialise(
    root: &Path,
    tree: &str,
    into: &Path,
    adding: &[PathBuf],
    env: &dyn Env,
) -> Result<(), TreeError> {
    let repository = Repository::at(root, env)?;
    let into = empty_folder(into)?;
    let index = Index::of(&repository, id(tree)?)?;
    // Git would remove a missing file from the index instead of reporting it.
    if let Some(missing) = adding.iter().find(|path| repository.root.join(path).symlink_metadata().is_err()) {
        return Err(TreeError::Missing { path: missing.clone() });
    }
    if !adding.is_empty() {
        index.take_in(adding)?;
    }
    index.write_into(&into)
}

fn empty_folder(path: &Path) -> Result<PathBuf, TreeError> {
    let because = |source| TreeError::Io { path: path.to_path_buf(), source };
    std::fs::create_dir_all(path).map_err(because)?;
    if path.read_dir().map_err(because)?.next().is_some() {
        return Err(TreeError::NotEmpty { path: path.to_path_buf() });
    }
    path.canonicalize().map_err(because)
}

/// Checks that a text is an id. Recorded text may be anything, and git would read it as an option or a branch.
fn id(text: &str) -> Result<&str, TreeError> {
    let is_id = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_id { Ok(text) } else { Err(TreeError::NotAnId { text: text.to_owned() }) }
}
