//! The paths of a repository, read from its files: a call of git must not depend on which repository git finds.

use std::path::{Path, PathBuf};

use super::error::TreeError;
use crate::pinned;
use crate::store::git_folder::GitFolder;

/// A repository with a working tree, and Holdpoint's folder in it.
#[derive(Debug)]
pub(super) struct Repository {
    /// The top of the working tree.
    pub(super) root: PathBuf,
    /// The user's index. Never written.
    pub(super) index: PathBuf,
    /// The user's objects. Never written.
    pub(super) objects: PathBuf,
    /// The program, and the PATH that it gets if it is pinned.
    pub(super) git: (PathBuf, Option<String>),
    /// Holdpoint's own index files and objects.
    pub(super) ours: GitFolder,
}

impl Repository {
    /// Opens the repository that has a working tree with its top at `root`.
    pub(super) fn at(root: &Path) -> Result<Repository, TreeError> {
        let root =
            std::path::absolute(root).map_err(|source| TreeError::Io { path: root.to_path_buf(), source })?;
        let git = git_folder(&root)?;
        let shared = linked(&git.join("commondir"), "", &git).unwrap_or_else(|| git.clone());
        let ours =
            GitFolder::open(&root).map_err(|source| TreeError::OurFolder { root: root.clone(), source })?;
        let (index, objects) = (git.join("index"), shared.join("objects"));
        let git = pinned::git(&root)?;
        Ok(Repository { root, index, objects, git, ours })
    }
}

/// Finds the git folder that a linked working tree shares with the others; none where it lies in the tree.
pub fn shared(root: &Path) -> Option<PathBuf> {
    let git = linked(&root.join(".git"), "gitdir: ", root)?;
    let shared = linked(&git.join("commondir"), "", &git)?;
    shared.join("objects").is_dir().then_some(shared)
}

/// Finds the git folder: `.git`, or what it points to if it is a file, as in a linked working tree or a submodule.
fn git_folder(root: &Path) -> Result<PathBuf, TreeError> {
    let git = root.join(".git");
    if git.is_dir() {
        return Ok(git);
    }
    linked(&git, "gitdir: ", root).ok_or_else(|| TreeError::NotARepository { root: root.to_path_buf() })
}

/// Reads the path that a file contains after `prefix`, relative to `from`.
fn linked(file: &Path, prefix: &str, from: &Path) -> Option<PathBuf> {
    let bytes = std::fs::read(file).ok()?;
    let named = bytes.strip_prefix(prefix.as_bytes())?;
    let end = named.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    Some(from.join(path(&named[..end])))
}

/// Decodes a path as git writes it.
#[cfg(unix)]
fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes))
}

/// Decodes a path as git writes it.
#[cfg(not(unix))]
fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
