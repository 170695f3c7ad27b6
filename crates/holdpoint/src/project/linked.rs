//! Linked working trees: what is active in the main working tree of a repository, where a linked one has nothing of its own.

use std::path::{Path, PathBuf};

use crate::git::folders::GitFolders;

/// Finds the same place in the main working tree, where `path` is in a linked one.
pub fn in_main(path: &Path) -> Option<PathBuf> {
    let (linked, main) = trees(path)?;
    let below = path.strip_prefix(linked).ok()?;
    Some(if below.as_os_str().is_empty() { main } else { main.join(below) })
}

/// Returns whether a home is in the main working tree, and `path` in a linked one of it.
pub fn is_of_main(home: &Path, path: &Path) -> bool {
    trees(path).is_some_and(|(linked, main)| home.starts_with(main) && !home.starts_with(linked))
}

/// Finds the linked working tree that `path` is in, and the main one.
fn trees(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let git = GitFolders::of(path)?;
    let main = git.main()?;
    let tree = main.parent().filter(|_| main.file_name().is_some_and(|name| name == ".git"))?;
    Some((git.root, tree.to_path_buf()))
}
