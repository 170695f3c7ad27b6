//! A scratch index: its entries, what is added and removed, and the tree it makes.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use holdpoint_core::path::fits;
use tempfile::TempDir;

use super::call::Call;
use super::doubt::{SUBMODULE, doubtful};
use super::entries::{self, Entry};
use super::error::TreeError;
use super::head;
use super::repository::Repository;
use crate::git::folders::to_path;
use crate::store::git_folder;

/// An index that is deleted when it is dropped.
#[derive(Debug)]
pub(super) struct Index<'a> {
    repository: &'a Repository,
    scratch: TempDir,
    path: PathBuf,
    /// The commit that it began with.
    base: Option<String>,
}

impl<'a> Index<'a> {
    fn empty(repository: &'a Repository) -> Result<Index<'a>, TreeError> {
        let scratch = repository.ours.scratch().map_err(|source| TreeError::Scratch { source })?;
        let path = scratch.path().join("index");
        Ok(Index { repository, scratch, path, base: None })
    }

    /// Makes an index that holds the commit that is checked out, with the times of files as they were last looked at. What
    /// the user's index says does not count: an agent writes it.
    pub(super) fn of_the_commit(repository: &'a Repository) -> Result<Index<'a>, TreeError> {
        let index = Index { base: head::id(repository)?, ..Index::empty(repository)? };
        let base = index.base.as_deref().unwrap_or("--empty");
        let args: &[&str] = if index.base.is_some() { &["--reset", base] } else { &[base] };
        let known = repository.ours.known_index(&repository.root);
        // One that cannot be used, for whatever reason, costs no more than reading all files.
        let is_used =
            git_folder::copy_index(&known, &index.path).is_ok() && index.run("read-tree", args).is_ok();
        if !is_used {
            let _ = std::fs::remove_file(&index.path);
            index.run("read-tree", args)?;
        }
        Ok(index)
    }

    /// Makes an index that holds a tree.
    pub(super) fn of(repository: &'a Repository, tree: &str) -> Result<Index<'a>, TreeError> {
        let index = Index::empty(repository)?;
        index.call("read-tree", &[tree]).printed()?;
        Ok(index)
    }

    /// Adds the working tree as it is, byte for byte, except files that are ignored and not in the commit.
    pub(super) fn take_in_all(&self) -> Result<Vec<Entry>, TreeError> {
        let Repository { root, ours, .. } = self.repository;
        let begun = self.begun()?;
        let ignored = self.repository.ignored_by_user()?;
        self.add_all(&ignored)?;
        self.take_back_hidden()?;
        let entries = self.entries()?;
        let doubtful = doubtful(&entries, root, ours.looked(root, begun))?;
        if doubtful.is_empty() {
            // With doubtful files, they must be compared again next time.
            ours.set_looked(root, begun, &self.scratch);
        }
        let entries = if self.forget(&doubtful)? {
            self.add_all(&ignored)?;
            self.entries()?
        } else {
            entries
        };
        ours.know_index(root, &self.path, &self.scratch);
        Ok(entries)
    }

    /// Returns when this index was created, by the file system's clock, which also dates the files.
    fn begun(&self) -> Result<SystemTime, TreeError> {
        let made = self.scratch.path().metadata().and_then(|folder| folder.modified());
        made.map_err(|source| TreeError::Io { path: self.scratch.path().to_path_buf(), source })
    }

    fn add_all(&self, ignored: &[String]) -> Result<(), TreeError> {
        Call::with(self.repository, ignored, "add", &["--all"]).index(&self.path).printed()?;
        Ok(())
    }

    /// Keeps what a sparse checkout leaves out as it is in the commit: it is not deleted, only not here.
    fn take_back_hidden(&self) -> Result<(), TreeError> {
        let Some(base) = self.base.as_deref().filter(|_| self.repository.is_sparse()) else { return Ok(()) };
        let listed = Call::users(self.repository, "ls-files", &["-t", "-z"]).printed()?;
        let is_here = |path: &[u8]| self.repository.root.join(to_path(path)).symlink_metadata().is_ok();
        let hidden = listed.split(|byte| *byte == 0).filter_map(|line| line.strip_prefix(b"S "));
        let hidden: HashSet<&[u8]> = hidden.filter(|path| !is_here(path)).collect();
        self.take_from(base, |path| hidden.contains(path))
    }

    /// Takes the files of a tree that are meant.
    pub(super) fn take_from(&self, tree: &str, is_meant: impl Fn(&[u8]) -> bool) -> Result<(), TreeError> {
        let listed = self.call("ls-tree", &["-r", "-z", tree]).printed()?;
        let is_meant = |line: &&[u8]| {
            let path = line.iter().position(|byte| *byte == b'\t').map(|tab| &line[tab + 1..]);
            path.is_some_and(&is_meant)
        };
        let lines: Vec<&[u8]> = listed.split(|byte| *byte == 0).filter(is_meant).collect();
        self.put(&lines)
    }

    /// Returns the submodules that the commit this began with does not have, among these entries.
    pub(super) fn nested(&self, entries: &[Entry]) -> Result<Vec<String>, TreeError> {
        let links: Vec<&Entry> = entries.iter().filter(|entry| entry.mode == SUBMODULE).collect();
        if links.is_empty() {
            return Ok(Vec::new());
        }
        let listed = match &self.base {
            Some(base) => self.call("ls-tree", &["-r", "-z", base]).printed()?,
            None => Vec::new(),
        };
        let is_known = |entry: &Entry| {
            let has_path = |line: &[u8]| {
                line.starts_with(b"160000 ") && line.ends_with(&[b"\t", &entry.path[..]].concat())
            };
            listed.split(|byte| *byte == 0).any(has_path)
        };
        let new = links.into_iter().filter(|entry| !is_known(entry));
        Ok(new.map(|entry| String::from_utf8_lossy(&entry.path).into_owned()).collect())
    }

    /// Makes the index forget the times of these files, and returns whether there are any.
    fn forget(&self, entries: &[&Entry]) -> Result<bool, TreeError> {
        let lines: Vec<Vec<u8>> = entries.iter().map(|entry| entry.line()).collect();
        self.put(&lines)?;
        Ok(!lines.is_empty())
    }

    /// Puts lines as `git ls-tree` prints them into the index.
    fn put(&self, lines: &[impl AsRef<[u8]>]) -> Result<(), TreeError> {
        if !lines.is_empty() {
            self.call("update-index", &["-z", "--index-info"]).input(ended(lines)).printed()?;
        }
        Ok(())
    }

    /// Adds these files of the working tree, ignored or not.
    pub(super) fn take_in(&self, paths: &[PathBuf]) -> Result<(), TreeError> {
        let names: Vec<&[u8]> = paths.iter().map(|path| path.as_os_str().as_encoded_bytes()).collect();
        let args = ["--force", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"];
        self.call("add", &args).input(ended(&names)).printed()?;
        Ok(())
    }

    /// Removes these paths.
    pub(super) fn drop_paths(&self, paths: &[&[u8]]) -> Result<(), TreeError> {
        self.update("--force-remove", paths)
    }

    /// Removes the entries that match one of the globs.
    pub(super) fn take_out(&self, globs: &[String], entries: &[Entry]) -> Result<(), TreeError> {
        let fits_one = |entry: &Entry| {
            let path = String::from_utf8_lossy(&entry.path);
            globs.iter().any(|glob| fits(glob, &path))
        };
        self.drop_paths(&paths(entries, fits_one))
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

    fn update(&self, option: &str, paths: &[&[u8]]) -> Result<(), TreeError> {
        if !paths.is_empty() {
            self.call("update-index", &[option, "-z", "--stdin"]).input(ended(paths)).printed()?;
        }
        Ok(())
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
pub(super) fn ended(names: &[impl AsRef<[u8]>]) -> Vec<u8> {
    names.iter().flat_map(|name| name.as_ref().iter().copied().chain([0])).collect()
}
