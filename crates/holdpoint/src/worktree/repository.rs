//! A repository's own places, read from its files: what git is asked must not depend on where git thinks it is.

use std::path::{Path, PathBuf};

use crate::store::git_folder::GitFolder;

/// A repository with a working tree, and our folder in it.
#[derive(Debug)]
pub(super) struct Repository {
    /// The top of the working tree.
    pub(super) root: PathBuf,
    /// The user's index, which is only read.
    pub(super) index: PathBuf,
    /// The user's objects, which are only read.
    pub(super) objects: PathBuf,
    /// Our own.
    pub(super) ours: GitFolder,
}

impl Repository {
    /// The repository whose working tree, or one of whose working trees, has its top at `root`.
    pub(super) fn at(root: &Path) -> Result<Repository, String> {
        let root = std::path::absolute(root).map_err(|error| format!("{}: {error}", root.display()))?;
        let git = git_folder(&root)?;
        let shared = linked(&git.join("commondir"), "", &git).unwrap_or_else(|| git.clone());
        let ours = GitFolder::open(&root)
            .map_err(|error| format!("{}: our folder cannot be written: {error}", root.display()))?;
        Ok(Repository { root, index: git.join("index"), objects: shared.join("objects"), ours })
    }
}

/// `.git` is the folder itself, or a file that names it: in a linked working tree or a submodule.
fn git_folder(root: &Path) -> Result<PathBuf, String> {
    let git = root.join(".git");
    if git.is_dir() {
        return Ok(git);
    }
    linked(&git, "gitdir: ", root)
        .ok_or_else(|| format!("{} is not the top of a git repository: there is no .git", root.display()))
}

/// The path that a file names after `prefix`, seen from `from`.
fn linked(file: &Path, prefix: &str, from: &Path) -> Option<PathBuf> {
    let bytes = std::fs::read(file).ok()?;
    let named = bytes.strip_prefix(prefix.as_bytes())?;
    let end = named.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    Some(from.join(path(&named[..end])))
}

/// A path as git writes it.
#[cfg(unix)]
fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes))
}

/// A path as git writes it.
#[cfg(not(unix))]
fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
