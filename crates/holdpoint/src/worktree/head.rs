//! The commit that is checked out and what it changed, according to git itself.

use std::path::Path;

use holdpoint_core::world::Head;

use super::call::Call;
use super::error::TreeError;
use super::repository::Repository;
use crate::env::Env;

/// Returns the commit that is checked out at `root`, or `None` before the first commit.
pub fn head(root: &Path, env: &dyn Env) -> Result<Option<Head>, TreeError> {
    let repository = Repository::at(root, env)?;
    id(&repository)?.map(|id| read(&repository, &id)).transpose()
}

/// Returns a commit, whether it is checked out or not.
pub fn commit(root: &Path, id: &str, env: &dyn Env) -> Result<Head, TreeError> {
    read(&Repository::at(root, env)?, id)
}

/// Returns the id of the commit that is checked out, or `None` before the first commit.
pub(super) fn id(repository: &Repository) -> Result<Option<String>, TreeError> {
    // A branch without commits is not an error, and this call alone can tell it from one.
    let found = Call::users(repository, "rev-parse", &["--verify", "--quiet", "HEAD^{commit}"]).done()?;
    match found.status.code() {
        Some(0) => Ok(Some(String::from_utf8_lossy(&found.printed).trim().to_owned())),
        Some(1) => Ok(None),
        _ => Err(found.error().into()),
    }
}

fn read(repository: &Repository, id: &str) -> Result<Head, TreeError> {
    let args = ["--max-count=1", "--format=%T%n%P%n%s", id];
    let printed = Call::users(repository, "rev-list", &args).printed()?;
    let text = String::from_utf8_lossy(&printed);
    // The first line names the commit.
    let mut lines = text.lines().skip(1).map(str::to_owned);
    let mut line = || lines.next().unwrap_or_default();
    let (tree, parents, subject) = (line(), line(), line());
    let parents: Vec<&str> = parents.split_whitespace().collect();
    let parent = parents.first().map(|parent| (*parent).to_owned());
    let paths = match &parent {
        Some(parent) => differing(repository, &[parent, id])?,
        None => listed(&Call::new(repository, "ls-tree", &["-r", "-z", "--name-only", id]).printed()?),
    };
    Ok(Head { id: id.to_owned(), parent, parents: parents.len(), tree, subject, paths })
}

/// Returns the paths that `git diff-tree` lists, sorted.
pub(super) fn differing(repository: &Repository, args: &[&str]) -> Result<Vec<String>, TreeError> {
    let options = ["-r", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none"];
    let printed = Call::new(repository, "diff-tree", &[&options, args].concat()).printed()?;
    Ok(listed(&printed))
}

/// Returns the paths in what git printed, sorted.
fn listed(printed: &[u8]) -> Vec<String> {
    let names = printed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let mut paths: Vec<String> = names.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    paths.sort_unstable();
    paths
}
