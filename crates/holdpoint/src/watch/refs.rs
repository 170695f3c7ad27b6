//! The branches of a repository and where each points, read from git's own files.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use holdpoint_core::world::Answer;

use super::place::Place;
use super::touched::Instant;
use crate::git;
use crate::git::folders::GitFolders;

/// The largest `packed-refs` that is read: some half a million refs.
const PACKED_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The largest file of one ref that is read.
const REF_BYTES_MAX: u64 = 4096;
/// The most branches that are looked at.
pub const BRANCHES_MAX: usize = 10_000;
/// How deep names of branches are nested at most, and how many symbolic refs lead to each other.
const DEPTH_MAX: usize = 32;

/// What a repository's branches are called in full.
const HEADS: &str = "refs/heads/";

/// The branches of a repository, and its head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refs {
    /// Each branch with the commit that it points to.
    pub branches: BTreeMap<String, String>,
    /// What the worktree's head is.
    pub head: Head,
}

/// The head of a worktree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Head {
    /// On a branch, which need not have a commit yet.
    On(String),
    /// On this commit, and on no branch.
    At(String),
    /// It cannot be told.
    #[default]
    Unknown,
}

/// The reason why refs are not known.
#[derive(Debug, thiserror::Error)]
pub enum RefsError {
    /// A file of git's cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There are too many.
    #[error("there are more than {BRANCHES_MAX} branches")]
    TooMany,
    /// The refs are kept in a form that only git reads, and git gave no answer.
    #[error("git did not list the branches")]
    NoAnswer,
}

impl GitFolders {
    /// The index of the worktree.
    pub fn index(&self) -> PathBuf {
        self.own.join("index")
    }

    /// Reads the branches and the head.
    pub fn refs(&self) -> Result<Refs, RefsError> {
        let head = match small(&self.own.join("HEAD")) {
            Some(text) => match text.trim().strip_prefix("ref:") {
                Some(name) => {
                    name.trim().strip_prefix(HEADS).map_or(Head::Unknown, |name| Head::On(name.to_owned()))
                }
                None => Head::At(text.trim().to_owned()),
            },
            None => Head::Unknown,
        };
        let shared = Shared(self.common());
        if shared.0.join("reftable").is_dir() {
            return self.listed();
        }
        let mut branches = shared.packed()?;
        shared.loose(&shared.0.join("refs/heads"), "", 0, &mut branches)?;
        if branches.len() > BRANCHES_MAX {
            return Err(RefsError::TooMany);
        }
        Ok(Refs { branches, head })
    }

    /// The same from git, where refs are kept in another form than files.
    fn listed(&self) -> Result<Refs, RefsError> {
        let folder = self.own.to_string_lossy();
        let Answer::Is(list) = git::branches(&folder) else { return Err(RefsError::NoAnswer) };
        let line = |line: &str| line.split_once(' ').map(|(id, name)| (name.to_owned(), id.to_owned()));
        let branches: BTreeMap<String, String> = list.lines().filter_map(line).collect();
        let head = match git::head(&folder) {
            Answer::Is(name) => {
                name.strip_prefix(HEADS).map_or(Head::At(name.clone()), |name| Head::On(name.to_owned()))
            }
            _ => Head::Unknown,
        };
        Ok(Refs { branches, head })
    }

    /// Whether a tag or a branch of another repository pointed to a commit at a moment: one that is made here did not. Whoever
    /// makes a commit can make a tag for it, too, so what was written since then counts only if it was fetched.
    pub fn was_known_elsewhere(&self, id: &str, moment: Instant) -> bool {
        let shared = Shared(self.common());
        let Some(top) = Place::top(&shared.0) else { return false };
        let is_older = |at: Option<Instant>| at.is_some_and(|at| at < moment);
        let fetched = read(&self.own.join("FETCH_HEAD"), PACKED_BYTES_MAX).unwrap_or_default();
        let is_fetched = fetched.lines().any(|line| line.starts_with(id));
        let packed = read(&shared.0.join("packed-refs"), PACKED_BYTES_MAX).unwrap_or_default();
        let is_it = |line: &str| line.starts_with(id) && !line.contains(HEADS);
        if (is_fetched || is_older(top.changed_in(b"packed-refs"))) && packed.lines().any(is_it) {
            return true;
        }
        ["refs/remotes", "refs/tags"].iter().any(|folder| {
            let mut loose = BTreeMap::new();
            let is_read = shared.loose(&shared.0.join(folder), "", 0, &mut loose).is_ok();
            let mut pointing = loose.iter().filter(|(_, known)| *known == id).map(|(name, _)| name);
            let is_old = |name: &String| is_older(top.changed_in(format!("{folder}/{name}").as_bytes()));
            is_read && pointing.any(|name| is_fetched || is_old(name))
        })
    }
}

/// The folder in which a repository keeps the refs of all its working trees.
struct Shared(PathBuf);

impl Shared {
    /// The branches in `packed-refs`.
    fn packed(&self) -> Result<BTreeMap<String, String>, RefsError> {
        let path = self.0.join("packed-refs");
        let text = match read(&path, PACKED_BYTES_MAX) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(source) => return Err(RefsError::Unreadable { path, source }),
        };
        let branch = |line: &str| {
            let (id, name) = line.split_once(' ')?;
            Some((name.strip_prefix(HEADS)?.to_owned(), id.to_owned()))
        };
        Ok(text.lines().filter_map(branch).collect())
    }

    /// The branches that are files, which count before the packed ones.
    fn loose(
        &self,
        folder: &Path,
        prefix: &str,
        depth: usize,
        branches: &mut BTreeMap<String, String>,
    ) -> Result<(), RefsError> {
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(RefsError::Unreadable { path: folder.to_path_buf(), source }),
        };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let name = format!("{prefix}{name}");
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && depth < DEPTH_MAX {
                self.loose(&entry.path(), &format!("{name}/"), depth + 1, branches)?;
            } else if !is_folder
                && !name.ends_with(".lock")
                && let Some(id) = self.value(&entry.path(), 0)
            {
                branches.insert(name, id);
            }
            if branches.len() > BRANCHES_MAX {
                return Err(RefsError::TooMany);
            }
        }
        Ok(())
    }

    /// What the file of a ref points to, through symbolic refs.
    fn value(&self, path: &Path, depth: usize) -> Option<String> {
        let text = small(path)?;
        match text.trim().strip_prefix("ref:").map(str::trim) {
            None => Some(text.trim().to_owned()).filter(|id| !id.is_empty()),
            Some(name) if depth < DEPTH_MAX && !name.contains("..") => {
                self.value(&self.0.join(name), depth + 1)
            }
            Some(_) => None,
        }
    }
}

fn small(path: &Path) -> Option<String> {
    read(path, REF_BYTES_MAX).ok()
}

fn read(path: &Path, limit: u64) -> io::Result<String> {
    match crate::world::read_file(path, limit) {
        Ok(Some(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(None) => Err(io::ErrorKind::NotFound.into()),
        Err(error) => Err(io::Error::other(error)),
    }
}

#[cfg(all(test, unix))]
#[path = "refs_tests.rs"]
#[expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a repository of others'")]
mod refs_tests;
