//! A repository as an attestation sees it: commits, trees and notes as they are stored, whatever its configuration,
//! attributes, replacements and grafts say. The user's repository is only read.

use std::io;
use std::path::{Path, PathBuf};

use holdpoint_core::path::fits;
use tempfile::TempDir;
use thiserror::Error;

use super::git::{Git, GitError};
use super::identity::ObjectId;
use crate::store::atomic;

/// The most commits of a range.
const COMMITS_MAX: usize = 1_000;
/// Outranks every `.gitattributes`: files are what was committed, byte for byte.
const ATTRIBUTES: &str = "* -text !eol !crlf !ident !filter !working-tree-encoding\n";

/// A repository, and a store of our own that reads its objects.
#[derive(Debug)]
pub struct Repository {
    folder: PathBuf,
    scratch: TempDir,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: ObjectId,
    /// Its tree.
    pub tree: ObjectId,
    /// The first line of its message.
    pub subject: String,
}

/// What can go wrong with a repository.
#[derive(Debug, Error)]
pub enum RepositoryError {
    /// A call of git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The store cannot be made.
    #[error("no room for a copy of the commit")]
    Scratch(#[source] io::Error),
    /// The path of the repository's objects cannot be given to git.
    #[error("the repository's path has a line break")]
    Path,
    /// A name is no commit's.
    #[error("`{0}` is not a commit")]
    NoCommit(String),
    /// A range is written in a form that is not known.
    #[error("`{0}` is not a range: write COMMIT or COMMIT..COMMIT")]
    NoRange(String),
    /// A range has no commits.
    #[error("there are no commits in `{0}`")]
    Empty(String),
    /// A range has too many commits.
    #[error("there are more than {COMMITS_MAX} commits in `{0}`")]
    TooMany(String),
    /// An object is not what it should be.
    #[error("{0} cannot be read")]
    Unreadable(String),
}

impl Repository {
    /// Opens the repository that a folder lies in.
    pub fn at(folder: &Path) -> Result<Repository, RepositoryError> {
        let asked = |args: &[&str]| Git::users(folder, args).line();
        let objects = asked(&["rev-parse", "--path-format=absolute", "--git-path", "objects"])?;
        let format = asked(&["rev-parse", "--show-object-format"])?;
        if objects.contains('\n') {
            return Err(RepositoryError::Path);
        }
        let scratch = tempfile::tempdir().map_err(RepositoryError::Scratch)?;
        let repository = Repository { folder: folder.to_path_buf(), scratch };
        repository.prepare(&objects, &format).map_err(RepositoryError::Scratch)??;
        Ok(repository)
    }

    fn prepare(&self, objects: &str, format: &str) -> io::Result<Result<(), RepositoryError>> {
        std::fs::create_dir(self.nowhere())?;
        let format = format!("--object-format={format}");
        let args = ["init", "--quiet", "--bare", "--template=", &format];
        // A work tree and a bare store do not go together here.
        let made = Git::isolated(&self.store(), &self.nowhere(), &args).without_work_tree().printed();
        if let Err(error) = made {
            return Ok(Err(error.into()));
        }
        std::fs::create_dir_all(self.store().join("info"))?;
        std::fs::create_dir_all(self.store().join("objects/info"))?;
        atomic::create(&self.store().join("objects/info/alternates"), format!("{objects}\n").as_bytes())?;
        atomic::create(&self.store().join("info/attributes"), ATTRIBUTES.as_bytes())?;
        Ok(Ok(()))
    }

    fn store(&self) -> PathBuf {
        self.scratch.path().join("store")
    }

    /// An empty work tree, for calls that need none.
    fn nowhere(&self) -> PathBuf {
        self.scratch.path().join("nowhere")
    }

    fn git(&self, args: &[&str]) -> Git {
        Git::isolated(&self.store(), &self.nowhere(), args)
    }

    /// Prepares a call in the user's repository.
    pub(super) fn users(&self, args: &[&str]) -> Git {
        Git::users(&self.folder, args)
    }

    /// Returns a value of the user's git configuration.
    pub(super) fn setting(&self, args: &[&str]) -> Result<Option<String>, RepositoryError> {
        Ok(self.users(&[&["config"], args].concat()).answer()?)
    }

    /// Finds the top of the working tree; the folder itself if there is none.
    pub fn root(&self) -> PathBuf {
        let top = self.users(&["rev-parse", "--show-toplevel"]).answer();
        top.ok().flatten().map_or_else(|| self.folder.clone(), PathBuf::from)
    }

    /// Finds a commit by any name that git knows it by.
    pub fn commit(&self, name: &str) -> Result<Commit, RepositoryError> {
        let unknown = || RepositoryError::NoCommit(name.to_owned());
        let revision = format!("{name}^{{commit}}");
        let found =
            self.users(&["rev-parse", "--verify", "--quiet", "--end-of-options", &revision]).answer()?;
        let id = ObjectId::read(&found.ok_or_else(unknown)?).map_err(|_| unknown())?;
        self.read_commit(id)
    }

    /// Reads a commit as it is stored.
    fn read_commit(&self, id: ObjectId) -> Result<Commit, RepositoryError> {
        let bytes = self.git(&["cat-file", "commit", id.as_str()]).printed()?;
        let text = String::from_utf8_lossy(&bytes);
        let unreadable = || RepositoryError::Unreadable(format!("commit {}", id.short()));
        let (head, message) = text.split_once("\n\n").ok_or_else(unreadable)?;
        let tree = head.lines().next().and_then(|line| line.strip_prefix("tree ")).ok_or_else(unreadable)?;
        let tree = ObjectId::read(tree).map_err(|_| unreadable())?;
        let subject = message.lines().next().unwrap_or_default().to_owned();
        Ok(Commit { id, tree, subject })
    }

    /// Lists the commits of a range, the oldest first. One name is that commit alone.
    pub fn range(&self, range: &str) -> Result<Vec<Commit>, RepositoryError> {
        let Some((from, to)) = range.split_once("..") else { return Ok(vec![self.commit(range)?]) };
        if to.starts_with('.') {
            return Err(RepositoryError::NoRange(range.to_owned()));
        }
        let end = |name: &str| self.commit(if name.is_empty() { "HEAD" } else { name });
        let (from, to) = (end(from)?, end(to)?);
        let most = format!("--max-count={}", COMMITS_MAX + 1);
        let not = format!("^{}", from.id.as_str());
        let listed = self.git(&["rev-list", "--topo-order", &most, to.id.as_str(), &not]).line()?;
        let ids: Vec<&str> = listed.lines().collect();
        match ids.len() {
            0 => Err(RepositoryError::Empty(range.to_owned())),
            n if n > COMMITS_MAX => Err(RepositoryError::TooMany(range.to_owned())),
            _ => ids.into_iter().rev().map(|id| self.read_commit(known(id)?)).collect(),
        }
    }

    /// Returns a tree without the paths that match one of the globs.
    pub fn tree_without(&self, tree: &ObjectId, globs: &[String]) -> Result<ObjectId, RepositoryError> {
        let listed =
            self.git(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree.as_str()]).printed()?;
        let is_aside = |name: &&[u8]| {
            let path = String::from_utf8_lossy(name);
            globs.iter().any(|glob| fits(glob, &path))
        };
        let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let aside: Vec<&[u8]> = names.filter(is_aside).collect();
        if aside.is_empty() {
            return Ok(tree.clone());
        }
        self.git(&["read-tree", tree.as_str()]).printed()?;
        let lines = aside.iter().flat_map(|name| name.iter().copied().chain([0])).collect();
        self.git(&["update-index", "--force-remove", "-z", "--stdin"]).input(lines).printed()?;
        let written = self.git(&["write-tree", "--missing-ok"]).line()?;
        known(&written)
    }

    /// Writes a tree's files into an empty folder, byte for byte.
    pub fn check_out(&self, tree: &ObjectId, into: &Path) -> Result<(), RepositoryError> {
        self.git(&["read-tree", tree.as_str()]).printed()?;
        let args = ["checkout-index", "--all", "--index", "--quiet"];
        Git::isolated(&self.store(), into, &args).printed()?;
        Ok(())
    }

    /// Lists the files that differ from the tree that was checked out last.
    pub fn changed_in(&self, folder: &Path) -> Result<Vec<String>, RepositoryError> {
        // It fails if a file has changed, which is the question.
        let refreshed = Git::isolated(&self.store(), folder, &["update-index", "-q", "--refresh"]).answer();
        refreshed?;
        let args = ["diff-files", "--name-only", "-z", "--ignore-submodules=all"];
        let listed = Git::isolated(&self.store(), folder, &args).printed()?;
        let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    /// Reads an object's bytes, up to a limit; none if there are more.
    pub(super) fn blob(&self, id: &str, most: usize) -> Result<Option<Vec<u8>>, RepositoryError> {
        let unreadable = || RepositoryError::Unreadable(id.to_owned());
        let size: usize = self.git(&["cat-file", "-s", id]).line()?.parse().map_err(|_| unreadable())?;
        if size > most {
            return Ok(None);
        }
        Ok(Some(self.git(&["cat-file", "blob", id]).printed()?))
    }

    /// Makes a reference of our own to an object of the repository.
    pub(super) fn refer(&self, reference: &str, id: &str) -> Result<(), RepositoryError> {
        self.git(&["update-ref", reference, id]).printed()?;
        Ok(())
    }

    /// Asks our own store; none if git says no.
    pub(super) fn ask(&self, args: &[&str]) -> Result<Option<String>, RepositoryError> {
        Ok(self.git(args).answer()?)
    }
}

/// Reads an id that git has printed.
fn known(id: &str) -> Result<ObjectId, RepositoryError> {
    ObjectId::read(id).map_err(|_| RepositoryError::Unreadable(id.to_owned()))
}
