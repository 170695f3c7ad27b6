//! An index of our own in a scratch folder: what it lists, what is added and taken out, and the tree it makes.

use std::path::{Path, PathBuf};

use holdpoint_core::path::fits;
use tempfile::TempDir;

use super::call::Call;
use super::repository::Repository;
use crate::store::git_folder;

/// An index that goes when it is dropped.
#[derive(Debug)]
pub(super) struct Index<'a> {
    repository: &'a Repository,
    _scratch: TempDir,
    path: PathBuf,
}

/// A path in an index, and how git is to treat it.
#[derive(Debug)]
struct Entry {
    /// What `git ls-files -v` says: small letters for files taken as unchanged, `S` for files that need not be there.
    tag: u8,
    path: Vec<u8>,
}

impl<'a> Index<'a> {
    fn empty(repository: &'a Repository) -> Result<Index<'a>, String> {
        let scratch = repository
            .ours
            .scratch()
            .map_err(|error| format!("there is no room for an index of our own: {error}"))?;
        let path = scratch.path().join("index");
        Ok(Index { repository, _scratch: scratch, path })
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
        index.call("read-tree", &["--no-sparse-checkout", tree]).printed()?;
        Ok(index)
    }

    /// Takes in the working tree as it is: everything but what is ignored and not tracked.
    pub(super) fn take_in_all(&self) -> Result<(), String> {
        self.add()?;
        // Whoever marked a file so has not looked away from it for us.
        if self.reveal()? { self.add() } else { Ok(()) }
    }

    fn add(&self) -> Result<(), String> {
        self.call("add", &["--all", "--sparse"]).printed().map(drop)
    }

    /// Takes the marks away that keep git from looking at files, and says whether there were any. In a sparse
    /// checkout git has put them there itself, and takes them from files that are there all the same.
    fn reveal(&self) -> Result<bool, String> {
        let entries = self.entries()?;
        let assumed = entries.iter().filter(|entry| entry.tag.is_ascii_lowercase());
        let skipped = || entries.iter().filter(|entry| entry.tag.eq_ignore_ascii_case(&b'S'));
        let mut any = self.unmark("--no-assume-unchanged", assumed)?;
        if skipped().next().is_some() && !self.is_sparse()? {
            any |= self.unmark("--no-skip-worktree", skipped())?;
        }
        Ok(any)
    }

    fn unmark<'e>(&self, option: &str, entries: impl Iterator<Item = &'e Entry>) -> Result<bool, String> {
        let paths: Vec<&[u8]> = entries.map(|entry| entry.path.as_slice()).collect();
        self.update(option, &paths)
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

    /// Takes out the paths that fit one of the globs.
    pub(super) fn take_out(&self, globs: &[String]) -> Result<(), String> {
        if globs.is_empty() {
            return Ok(());
        }
        let entries = self.entries()?;
        let fits_one = |entry: &&Entry| {
            let path = String::from_utf8_lossy(&entry.path);
            globs.iter().any(|glob| fits(glob, &path))
        };
        let paths: Vec<&[u8]> = entries.iter().filter(fits_one).map(|entry| entry.path.as_slice()).collect();
        self.update("--force-remove", &paths).map(drop)
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

    fn entries(&self) -> Result<Vec<Entry>, String> {
        let printed = self.call("ls-files", &["-v", "-z"]).printed()?;
        let entry = |line: &[u8]| Some(Entry { tag: *line.first()?, path: line.get(2..)?.to_vec() });
        Ok(printed.split(|byte| *byte == 0).filter_map(entry).collect())
    }

    fn call(&self, name: &'static str, args: &[&str]) -> Call {
        Call::new(self.repository, name, args).index(&self.path)
    }
}

/// Names as git reads them from standard input: any name can be told, because none has a zero.
fn ended(names: &[&[u8]]) -> Vec<u8> {
    names.iter().flat_map(|name| name.iter().copied().chain([0])).collect()
}
