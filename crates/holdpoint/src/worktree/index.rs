//! A scratch index: its entries, what is added and removed, and the tree it makes.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use holdpoint_core::path::fits;
use tempfile::TempDir;

use super::call::Call;
use super::doubt::doubtful;
use super::entries::{self, Entry};
use super::error::TreeError;
use super::repository::Repository;
use crate::store::git_folder;

/// An index that is deleted when it is dropped.
#[derive(Debug)]
pub(super) struct Index<'a> {
    repository: &'a Repository,
    scratch: TempDir,
    path: PathBuf,
}

impl<'a> Index<'a> {
    fn empty(repository: &'a Repository) -> Result<Index<'a>, TreeError> {
        let scratch = repository.ours.scratch().map_err(|source| TreeError::Scratch { source })?;
        let path = scratch.path().join("index");
        Ok(Index { repository, scratch, path })
    }

    /// Copies the user's index: it lists the tracked files, and saves reading those that have not changed.
    pub(super) fn like_the_users(repository: &'a Repository) -> Result<Index<'a>, TreeError> {
        let index = Index::empty(repository)?;
        git_folder::copy_index(&repository.index, &index.path)
            .map_err(|source| TreeError::CopyIndex { path: repository.index.clone(), source })?;
        Ok(index)
    }

    /// Makes an index that holds a tree.
    pub(super) fn of(repository: &'a Repository, tree: &str) -> Result<Index<'a>, TreeError> {
        let index = Index::empty(repository)?;
        index.call("read-tree", &[tree]).printed()?;
        Ok(index)
    }

    /// Adds the working tree as it is, except files that are ignored and not tracked.
    pub(super) fn take_in_all(&self) -> Result<Vec<Entry>, TreeError> {
        let Repository { root, ours, .. } = self.repository;
        let begun = self.begun()?;
        self.add_all()?;
        let entries = self.entries()?;
        // The flags that keep git from checking a file are the user's, and must not hide a change here.
        let doubtful = doubtful(&entries, root, ours.looked(begun))?;
        if doubtful.is_empty() {
            // With doubtful files, the user's index stays as it is and they must be compared again next time.
            ours.set_looked(begun, &self.scratch);
        }
        if !(self.reveal(&entries)? | self.forget(&doubtful)?) {
            return Ok(entries);
        }
        self.add_all()?;
        self.entries()
    }

    /// Returns when this index was created, by the file system's clock, which also dates the files.
    fn begun(&self) -> Result<SystemTime, TreeError> {
        let made = self.scratch.path().metadata().and_then(|folder| folder.modified());
        made.map_err(|source| TreeError::Io { path: self.scratch.path().to_path_buf(), source })
    }

    fn add_all(&self) -> Result<(), TreeError> {
        self.run("add", &["--all", "--sparse"])
    }

    /// Clears the flags that keep git from checking files, and returns whether there were any. In a sparse checkout git
    /// sets them itself, and clears them for files that exist anyway.
    fn reveal(&self, entries: &[Entry]) -> Result<bool, TreeError> {
        let assumed = paths(entries, |entry| entry.is_assumed_unchanged);
        let skipped = paths(entries, |entry| entry.is_skipped);
        let mut any = self.update("--no-assume-unchanged", &assumed)?;
        if !skipped.is_empty() && !self.is_sparse()? {
            any |= self.update("--no-skip-worktree", &skipped)?;
        }
        Ok(any)
    }

    /// Makes the index forget the times of these files, and returns whether there are any.
    fn forget(&self, entries: &[&Entry]) -> Result<bool, TreeError> {
        let lines: Vec<Vec<u8>> = entries.iter().map(|entry| entry.line()).collect();
        if !lines.is_empty() {
            self.call("update-index", &["-z", "--index-info"]).input(ended(&lines)).printed()?;
        }
        Ok(!lines.is_empty())
    }

    fn is_sparse(&self) -> Result<bool, TreeError> {
        let asked = self.call("config", &["--type=bool", "--get", "core.sparseCheckout"]).done()?;
        Ok(asked.printed.starts_with(b"true"))
    }

    /// Adds these files of the working tree, ignored or not.
    pub(super) fn take_in(&self, paths: &[PathBuf]) -> Result<(), TreeError> {
        let names: Vec<&[u8]> = paths.iter().map(|path| path.as_os_str().as_encoded_bytes()).collect();
        let args = ["--force", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"];
        self.call("add", &args).input(ended(&names)).printed()?;
        Ok(())
    }

    /// Removes the entries that match one of the globs.
    pub(super) fn take_out(&self, globs: &[String], entries: &[Entry]) -> Result<(), TreeError> {
        let fits_one = |entry: &Entry| {
            let path = String::from_utf8_lossy(&entry.path);
            globs.iter().any(|glob| fits(glob, &path))
        };
        self.update("--force-remove", &paths(entries, fits_one)).map(drop)
    }

    /// Writes the tree and returns its id. Does not check that all objects exist: a partial clone lacks some.
    pub(super) fn tree(&self) -> Result<String, TreeError> {
        let printed = self.call("write-tree", &["--missing-ok"]).printed()?;
        Ok(String::from_utf8_lossy(&printed).trim().to_owned())
    }

    /// Writes all files of the index into a folder.
    pub(super) fn write_into(&self, folder: &Path) -> Result<(), TreeError> {
        self.call("checkout-index", &["--all", "--quiet"]).working_tree(folder).printed()?;
        Ok(())
    }

    fn update(&self, option: &str, paths: &[&[u8]]) -> Result<bool, TreeError> {
        if paths.is_empty() {
            return Ok(false);
        }
        self.call("update-index", &[option, "-z", "--stdin"]).input(ended(paths)).printed()?;
        Ok(true)
    }

    /// Reads all entries.
    pub(super) fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        match std::fs::read(&self.path) {
            Ok(file) => entries::read(&file).ok_or(TreeError::IndexFormat),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(source) => Err(TreeError::ReadIndex { source }),
        }
    }

    fn run(&self, name: &'static str, args: &[&str]) -> Result<(), TreeError> {
        self.call(name, args).printed()?;
        Ok(())
    }

    fn call(&self, name: &'static str, args: &[&str]) -> Call {
        Call::new(self.repository, name, args).index(&self.path)
    }
}

fn paths(entries: &[Entry], is_meant: impl Fn(&Entry) -> bool) -> Vec<&[u8]> {
    entries.iter().filter(|entry| is_meant(entry)).map(|entry| entry.path.as_slice()).collect()
}

/// Joins names as git reads them from standard input: NUL-terminated, so that any name can be given.
fn ended(names: &[impl AsRef<[u8]>]) -> Vec<u8> {
    names.iter().flat_map(|name| name.as_ref().iter().copied().chain([0])).collect()
}
