//! An index of our own in a scratch folder: what it lists, what is added and taken out, and the tree it makes.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use holdpoint_core::path::fits;
use tempfile::TempDir;

use super::call::Call;
use super::doubt::doubtful;
use super::entries::{self, Entry};
use super::repository::Repository;
use crate::store::git_folder;

/// An index that goes when it is dropped.
#[derive(Debug)]
pub(super) struct Index<'a> {
    repository: &'a Repository,
    scratch: TempDir,
    path: PathBuf,
}

impl<'a> Index<'a> {
    fn empty(repository: &'a Repository) -> Result<Index<'a>, String> {
        let scratch = repository
            .ours
            .scratch()
            .map_err(|error| format!("there is no room for an index of our own: {error}"))?;
        let path = scratch.path().join("index");
        Ok(Index { repository, scratch, path })
    }

    /// The user's index as it is now: it says which files are tracked, and spares reading those that are unchanged.
    pub(super) fn like_the_users(repository: &'a Repository) -> Result<Index<'a>, String> {
        let index = Index::empty(repository)?;
        git_folder::copy_index(&repository.index, &index.path)
            .map_err(|error| format!("{} cannot be copied: {error}", repository.index.display()))?;
        Ok(index)
    }

    /// An index that holds a tree.
    pub(super) fn of(repository: &'a Repository, tree: &str) -> Result<Index<'a>, String> {
        let index = Index::empty(repository)?;
        index.call("read-tree", &[tree]).printed()?;
        Ok(index)
    }

    /// Takes in the working tree as it is: everything but what is ignored and not tracked.
    pub(super) fn take_in_all(&self) -> Result<Vec<Entry>, String> {
        let Repository { root, ours, .. } = self.repository;
        let begun = self.begun()?;
        self.add_all()?;
        let entries = self.entries()?;
        // What keeps git from looking at a file was not meant for us.
        let doubtful = doubtful(&entries, root, ours.looked(begun))?;
        if doubtful.is_empty() {
            // Otherwise the user's index goes on saying what must be doubted.
            ours.set_looked(begun, &self.scratch);
        }
        if !(self.reveal(&entries)? | self.forget(&doubtful)?) {
            return Ok(entries);
        }
        self.add_all()?;
        self.entries()
    }

    /// When this index was made, by the clock of the file system, which is the one that files are dated by.
    fn begun(&self) -> Result<SystemTime, String> {
        let made = self.scratch.path().metadata().and_then(|folder| folder.modified());
        made.map_err(|error| format!("{}: {error}", self.scratch.path().display()))
    }

    fn add_all(&self) -> Result<(), String> {
        self.call("add", &["--all", "--sparse"]).printed().map(drop)
    }

    /// Takes the marks away that keep git from looking at files, and says whether there were any. In a sparse
    /// checkout git has put them there itself, and takes them from files that are there all the same.
    fn reveal(&self, entries: &[Entry]) -> Result<bool, String> {
        let assumed = paths(entries, |entry| entry.is_assumed_unchanged);
        let skipped = paths(entries, |entry| entry.is_skipped);
        let mut any = self.update("--no-assume-unchanged", &assumed)?;
        if !skipped.is_empty() && !self.is_sparse()? {
            any |= self.update("--no-skip-worktree", &skipped)?;
        }
        Ok(any)
    }

    /// Makes the index forget when it looked at these files, and says whether there are any.
    fn forget(&self, entries: &[&Entry]) -> Result<bool, String> {
        let lines: Vec<Vec<u8>> = entries.iter().map(|entry| entry.line()).collect();
        if !lines.is_empty() {
            self.call("update-index", &["-z", "--index-info"]).input(ended(&lines)).printed()?;
        }
        Ok(!lines.is_empty())
    }

    fn is_sparse(&self) -> Result<bool, String> {
        let asked = self.call("config", &["--type=bool", "--get", "core.sparseCheckout"]).done()?;
        Ok(asked.printed.starts_with(b"true"))
    }

    /// Takes in these files of the working tree, ignored or not.
    pub(super) fn take_in(&self, paths: &[PathBuf]) -> Result<(), String> {
        let names: Vec<&[u8]> = paths.iter().map(|path| path.as_os_str().as_encoded_bytes()).collect();
        let args = ["--force", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"];
        self.call("add", &args).input(ended(&names)).printed().map(drop)
    }

    /// Takes those of its entries out that fit one of the globs.
    pub(super) fn take_out(&self, globs: &[String], entries: &[Entry]) -> Result<(), String> {
        let fits_one = |entry: &Entry| {
            let path = String::from_utf8_lossy(&entry.path);
            globs.iter().any(|glob| fits(glob, &path))
        };
        self.update("--force-remove", &paths(entries, fits_one)).map(drop)
    }

    /// The id of the tree that the index makes. That its objects are there need not be checked: those that are not
    /// ours are the user's, and a partial clone lacks some.
    pub(super) fn tree(&self) -> Result<String, String> {
        let printed = self.call("write-tree", &["--missing-ok"]).printed()?;
        Ok(String::from_utf8_lossy(&printed).trim().to_owned())
    }

    /// Writes all its files into a folder.
    pub(super) fn write_into(&self, folder: &Path) -> Result<(), String> {
        self.call("checkout-index", &["--all", "--quiet"]).working_tree(folder).printed().map(drop)
    }

    fn update(&self, option: &str, paths: &[&[u8]]) -> Result<bool, String> {
        if paths.is_empty() {
            return Ok(false);
        }
        self.call("update-index", &[option, "-z", "--stdin"]).input(ended(paths)).printed()?;
        Ok(true)
    }

    /// What it says of each path.
    pub(super) fn entries(&self) -> Result<Vec<Entry>, String> {
        let because = |why: &dyn std::fmt::Display| format!("the index of our own cannot be read: {why}");
        match std::fs::read(&self.path) {
            Ok(file) => entries::read(&file).ok_or_else(|| because(&"it is in no form we know")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(because(&error)),
        }
    }

    fn call(&self, name: &'static str, args: &[&str]) -> Call {
        Call::new(self.repository, name, args).index(&self.path)
    }
}

fn paths(entries: &[Entry], is_meant: impl Fn(&Entry) -> bool) -> Vec<&[u8]> {
    entries.iter().filter(|entry| is_meant(entry)).map(|entry| entry.path.as_slice()).collect()
}

/// Names as git reads them from standard input: any name can be told, because none has a zero.
fn ended(names: &[impl AsRef<[u8]>]) -> Vec<u8> {
    names.iter().flat_map(|name| name.as_ref().iter().copied().chain([0])).collect()
}
