//! The working tree as one id, so that a result can be bound to the files it was true of.
//!
//! The id is git's own for a tree: of all files that are tracked or would be, so that a commit of them has the same.
//! Nothing of the user's is touched: not the index, not the objects, no reference, no file.

pub mod entries;

mod call;
mod doubt;
mod head;
mod index;
mod repository;

#[cfg(all(test, unix))]
mod worktree_tests;

use std::path::{Path, PathBuf};

pub use head::head;
use index::Index;
use repository::Repository;

/// The id of the working tree at `root`, the top of a repository or of one of its working trees, as it is now: tracked
/// and untracked files, without those that are ignored, and without paths that fit one of the globs `aside`.
///
/// A submodule is the commit that is checked out in it.
pub fn hash(root: &Path, aside: &[String]) -> Result<String, String> {
    let repository = Repository::at(root)?;
    let index = Index::like_the_users(&repository)?;
    let entries = index.take_in_all()?;
    index.take_out(aside, &entries)?;
    index.tree()
}

/// The tree of a commit, or a tree, without the paths that fit one of the globs `aside`: what `hash` says of a working
/// tree that is exactly this commit.
pub fn tree_without(root: &Path, tree: &str, aside: &[String]) -> Result<String, String> {
    let repository = Repository::at(root)?;
    let index = Index::of(&repository, id(tree)?)?;
    if !aside.is_empty() {
        index.take_out(aside, &index.entries()?)?;
    }
    index.tree()
}

/// The paths that differ between two trees or commits, sorted; a renamed file is both of its names.
pub fn changed(root: &Path, from: &str, to: &str) -> Result<Vec<String>, String> {
    let repository = Repository::at(root)?;
    head::differing(&repository, &[id(from)?, id(to)?])
}

/// Writes a tree's files into the folder `into`, which must be empty or missing, with the files `adding` of the working
/// tree as they are now: a test can be tried on the code as it was before.
pub fn materialise(root: &Path, tree: &str, into: &Path, adding: &[PathBuf]) -> Result<(), String> {
    let repository = Repository::at(root)?;
    let into = empty_folder(into)?;
    let index = Index::of(&repository, id(tree)?)?;
    // Git would take a file that is not there for one that is to be taken out.
    if let Some(missing) = adding.iter().find(|path| repository.root.join(path).symlink_metadata().is_err()) {
        return Err(format!("{} is not there", missing.display()));
    }
    if !adding.is_empty() {
        index.take_in(adding)?;
    }
    index.write_into(&into)
}

fn empty_folder(path: &Path) -> Result<PathBuf, String> {
    let because = |error: std::io::Error| format!("{}: {error}", path.display());
    std::fs::create_dir_all(path).map_err(because)?;
    if path.read_dir().map_err(because)?.next().is_some() {
        return Err(format!("{} is not empty", path.display()));
    }
    path.canonicalize().map_err(because)
}

/// What is written down as an id may be anything; what git is given as one is nothing else.
fn id(text: &str) -> Result<&str, String> {
    let is_id = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_id { Ok(text) } else { Err(format!("{text:?} is not the id of a tree")) }
}
