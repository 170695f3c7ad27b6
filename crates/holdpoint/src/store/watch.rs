//! What is noted of a run between an agent's shell calls: the calls that are open, what was seen before them, and what came
//! of it that is not settled yet. It lies in the user's state folder, a file a run, out of the project's reach.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use holdpoint_core::supposition::Objection;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::folder::{Access, FileError, Folder};
use super::layout;
use super::lock::{self, Lock, LockError};
use super::state_folder::{StateFolder, StateFolderError};
use crate::caller::Process;
use crate::env::Env;
use crate::watch::refs::Head;
use crate::watch::settings::Standings;
use crate::watch::touched::Instant;

/// The largest note that is read.
const BYTES_MAX: u64 = 32 * 1024 * 1024;
/// The most calls that are noted, and the most breaches: the newest.
const CALLS_MAX: usize = 64;
const BREACHES_MAX: usize = 100;
/// The folder, in the state folder.
const FOLDER: &str = "watch";

/// What is noted of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Note {
    /// The calls that are open, the oldest first.
    pub calls: Vec<Call>,
    /// What was seen at the last look.
    pub look: Look,
    /// What a call has done although a rule holds it, and nobody has settled.
    pub breaches: Vec<Breach>,
    /// Whether files could not be compared at that look.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_blind: bool,
}

/// A shell call that may still be at work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The agent's id of it, or a digest of its words.
    pub id: String,
    /// The agent's session.
    pub session: String,
    /// The command, in short.
    pub command: String,
    /// When it began, in seconds since 1970.
    pub at: i64,
    /// The number of the process that noted it.
    pub pid: u32,
    /// Whether it is over, and only what it has left running is not.
    #[serde(default)]
    pub is_over: bool,
    /// The processes that it has left running.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Process>,
    /// The rules that the user has let it pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<String>,
}

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Look {
    /// When.
    pub at: Instant,
    /// The branches and where they point; none if no rule looks at commits.
    pub branches: Option<BTreeMap<String, String>>,
    /// Whether there are too many, and only those that are held were noted.
    pub is_partial: bool,
    /// The commit of a head that is on no branch.
    pub detached: Option<String>,
    /// The commit that the worktree was on.
    pub head: Option<String>,
    /// What rules held then.
    pub held: Vec<Held>,
    /// The settings, and the files that are put back.
    pub files: Standings,
}

impl Look {
    /// Adds what a later look has seen that this one did not look at, and what rules hold since.
    pub(crate) fn widen(&mut self, later: Look) {
        if self.branches.is_none() && later.branches.is_some() {
            self.branches = later.branches;
            self.is_partial = later.is_partial;
            self.detached = later.detached;
        }
        if self.head.is_none() {
            self.head = later.head;
        }
        for (path, standing) in later.files {
            self.files.entry(path).or_insert(standing);
        }
        // What a rule held when the other calls began is held of them.
        for held in later.held {
            if !self.held.contains(&held) {
                self.held.push(held);
            }
        }
    }

    /// Takes a commit for known that the engine made where the head is now, if that was at the commit's parent.
    pub(crate) fn acknowledge(&mut self, head: &Head, commit: &str, parent: Option<&str>) {
        if self.head.as_deref() == parent {
            self.head = Some(commit.to_owned());
        }
        match (head, &mut self.branches) {
            (Head::On(branch), Some(branches)) if branches.get(branch).map(String::as_str) == parent => {
                branches.insert(branch.clone(), commit.to_owned());
            }
            (Head::At(_), Some(_)) if self.detached.as_deref() == parent => {
                self.detached = Some(commit.to_owned());
            }
            _ => {}
        }
    }
}

/// A rule that holds something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The branch; none: on every branch.
    pub branch: Option<String>,
    /// The rule.
    pub rule: String,
    /// Its code.
    pub code: Option<String>,
    /// Its line in the workflow file; 0 where the engine itself protects it.
    #[serde(default)]
    pub line: u32,
}

impl From<Objection> for Held {
    fn from(objection: Objection) -> Held {
        let Objection { about, rule, code, line } = objection;
        Held { branch: about, rule, code, line }
    }
}

/// Something that a call has done although a rule holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breach {
    /// What it is.
    pub what: What,
    /// The rule that holds it.
    pub held: Held,
    /// The calls of which one has done it.
    pub calls: Vec<String>,
    /// When it was seen, in seconds since 1970.
    pub at: i64,
}

/// What a call has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// A ref, or `HEAD` where it is on no branch: the commit before and after.
    Ref {
        /// The full name.
        name: String,
        /// None: there was no such ref.
        before: Option<String>,
        /// None: there is none any more.
        after: Option<String>,
    },
    /// A file that a rule protects, and the commit that it was at.
    File {
        /// The path from the project's home.
        path: String,
        /// The commit.
        head: String,
    },
    /// The agents' settings.
    Settings {
        /// The path from the project's home.
        path: String,
        /// The digest before; none: there was no file.
        before: Option<String>,
    },
}

/// The reason why notes are not kept.
#[derive(Debug, Error)]
pub enum WatchError {
    /// There is no state folder.
    #[error(transparent)]
    NoFolder(#[from] StateFolderError),
    /// It cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Others write it.
    #[error("the notes of shell calls: {0}")]
    Lock(#[from] LockError),
    /// It has no JSON form.
    #[error("the notes of shell calls: {0}")]
    Json(#[from] serde_json::Error),
}

/// Where the notes of a run are.
#[derive(Debug)]
pub struct Notes {
    state: StateFolder,
    name: String,
}

/// The notes, locked.
#[derive(Debug)]
pub struct Opened {
    folder: Folder,
    file: PathBuf,
    _lock: Lock,
}

impl Notes {
    /// The notes of a workflow's run at a place.
    pub fn of(env: &dyn Env, home: &Path, place: &Path, workflow: &str) -> Result<Notes, WatchError> {
        // The same whatever way leads to the project: an event before a call and one after it may come by another.
        let real = home.canonicalize();
        let real = real.as_deref().unwrap_or(home);
        let name = layout::digest(&[&real.to_string_lossy(), &layout::name(home, place), workflow]);
        Ok(Notes { state: StateFolder::of(env)?, name: format!("{FOLDER}/{name}.json") })
    }

    /// Whether there are any.
    pub fn exist(&self) -> bool {
        self.state.has(&self.name)
    }

    /// Reads them as they are, without their lock.
    pub fn read(&self) -> Note {
        let bytes = self.state.read(&self.name).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Locks them.
    pub fn open(&self) -> Result<Opened, WatchError> {
        let (folder, _) = self.state.folder(FOLDER)?;
        let lock = lock::take(&folder, Path::new(&format!("{}.lock", self.name)), lock::PATIENCE)?;
        Ok(Opened { folder, file: PathBuf::from(&self.name), _lock: lock })
    }
}

impl Opened {
    /// Reads the note. One that cannot be read says nothing.
    pub fn note(&self) -> Result<Note, WatchError> {
        let bytes = self.folder.read(&self.file, BYTES_MAX)?.unwrap_or_default();
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Writes it whole, or removes it if it says nothing: whoever is killed meanwhile leaves the one before. It is written at
    /// every shell call and worth nothing after a crash of the machine, so it is not synced.
    pub fn keep(&self, note: &mut Note) -> Result<(), WatchError> {
        if note.calls.is_empty() && note.breaches.is_empty() {
            return Ok(self.folder.remove(&self.file)?);
        }
        let extra = note.calls.len().saturating_sub(CALLS_MAX);
        note.calls.drain(..extra);
        let extra = note.breaches.len().saturating_sub(BREACHES_MAX);
        note.breaches.drain(..extra);
        if note.calls.is_empty() {
            note.look = Look::default();
        }
        let bytes = serde_json::to_vec(note)?;
        // Under the note's own lock nobody else writes there.
        let beside = self.file.with_extension("new");
        let mut file = self.folder.rewrite(&beside, Access::Ours)?;
        file.write_all(&bytes).map_err(FileError::io(&beside))?;
        Ok(self.folder.rename(&beside, &self.file)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(branches: &[(&str, &str)]) -> Look {
        let branches = branches.iter().map(|(name, id)| ((*name).to_owned(), (*id).to_owned())).collect();
        Look { branches: Some(branches), head: Some("a".to_owned()), ..Look::default() }
    }

    #[test]
    fn only_a_commit_on_top_of_what_was_seen_is_known() {
        let on = |name: &str| Head::On(name.to_owned());
        let mut seen = look(&[("main", "a"), ("side", "a")]);
        seen.acknowledge(&on("main"), "b", Some("a"));
        let wanted = Look { head: Some("b".to_owned()), ..look(&[("main", "b"), ("side", "a")]) };
        assert_eq!(seen, wanted);
        // Somebody had moved the branch before the engine committed on top of that.
        seen.acknowledge(&on("side"), "d", Some("c"));
        assert_eq!(seen, wanted);
        let mut first = Look { head: None, ..look(&[]) };
        first.acknowledge(&on("main"), "a", None);
        assert_eq!(first, look(&[("main", "a")]));
        let mut detached = Look { detached: Some("a".to_owned()), ..look(&[]) };
        detached.acknowledge(&Head::At("b".to_owned()), "b", Some("a"));
        assert_eq!(detached.detached.as_deref(), Some("b"));
    }

    #[test]
    fn a_later_look_adds_only_what_was_not_looked_at() {
        let held = |rule: &str| Held { rule: rule.to_owned(), ..Held::default() };
        let mut seen = Look { held: vec![held("one")], ..look(&[("main", "a")]) };
        let later =
            Look { held: vec![held("one"), held("two")], head: Some("b".into()), ..look(&[("main", "b")]) };
        seen.widen(later);
        assert_eq!(seen, Look { held: vec![held("one"), held("two")], ..look(&[("main", "a")]) });
        let mut blank = Look::default();
        blank.widen(look(&[("main", "a")]));
        assert_eq!(blank, look(&[("main", "a")]));
    }
}
