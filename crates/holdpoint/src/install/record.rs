//! The record of an installation: what a file was before and after, so that exactly Holdpoint's changes can be undone.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::{FileError, RecordError};
use super::place::{Place, Scope};
use crate::error::{CommandError, Kind};
use crate::store::error::StoreError;
use crate::store::folder::Access;
use crate::store::layout;

/// The largest record or copy that is read: no file that `init` edits is larger.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The record of an installation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// The version of the program that wrote it.
    pub holdpoint: String,
    /// The programs that were registered, the latest last.
    pub programs: Vec<PathBuf>,
    /// What the user chose.
    #[serde(flatten)]
    pub choices: Choices,
    /// The files.
    pub files: Vec<Kept>,
    /// Folders that `init` created, each before those in it.
    pub folders: Vec<String>,
    /// Whether `init` created the `.gitignore` of Holdpoint's folder.
    pub made_ignore: bool,
}

/// What the user chose with `init`, and an `init` without options chooses again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Choices {
    /// The agents that the user named. Empty: those found.
    pub agents: Vec<String>,
    /// The workflows that the user named. Empty: all.
    pub workflows: Vec<String>,
    /// Whether the settings are for this user alone.
    pub is_local: bool,
    /// Whether agents may call the workflows' commands without asking.
    pub allows_commands: bool,
    /// Whether git's hook before a push is wanted.
    pub pre_push: bool,
}

/// The record of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Its path, in the form of [`Place::shown`].
    pub path: String,
    /// The agent it is for. Empty if it is for none.
    pub agent: String,
    /// Its purpose.
    pub part: Part,
    /// Its content before.
    pub before: Before,
    /// The digest of its content after.
    pub left: String,
    /// Keys that were created for Holdpoint's entries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<Vec<String>>,
}

/// The purpose of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// A settings file with Holdpoint's entries among others.
    Hooks,
    /// A slash command, a skill or a sub-agent. The whole file is Holdpoint's.
    Command,
    /// The project's choice of workflows.
    Choices,
    /// Git's hook before a push. The whole file is Holdpoint's.
    PrePush,
}

/// A file's content before `init`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Before {
    /// There was no file.
    Nothing,
    /// There was a file. Its copy has this name among the backups.
    File(String),
    /// The user edited the file between two runs of `init`, so its first version must not be restored. The copy is the
    /// version before the last write.
    Edited(String),
}

impl Record {
    /// Reads the record at a place, if there is one.
    pub fn read(place: &Place) -> Result<Option<Record>, CommandError> {
        let path = place.record();
        let Some(bytes) = read_ours(place, &path)? else { return Ok(None) };
        let read = serde_json::from_slice(&bytes).map_err(RecordError::from);
        let read = read.and_then(|record: Record| record.checked(place));
        read.map(Some).map_err(|source| {
            let hint = format!(
                "remove it, and what it names can be put there again by `holdpoint init`: rm '{}'",
                path.display()
            );
            CommandError::new(Kind::Files, FileError::Record { path, source }).hinted(hint)
        })
    }

    /// Rejects paths that lead out of the project: a project's record comes with the project, from anyone.
    fn checked(self, place: &Place) -> Result<Record, RecordError> {
        let paths = self.files.iter().map(|kept| &kept.path).chain(&self.folders);
        let outside = |path: &&String| place.scope == Scope::Project && !is_below(path);
        let copies = self.files.iter().filter_map(|kept| match &kept.before {
            Before::File(name) | Before::Edited(name) => Some(name),
            Before::Nothing => None,
        });
        let strange = |name: &&String| name.contains(['/', '\\']) || !is_below(name);
        match paths.into_iter().find(outside).or_else(|| copies.into_iter().find(strange)) {
            Some(path) => Err(RecordError::Elsewhere { path: path.clone() }),
            None => Ok(self),
        }
    }

    /// Writes the record.
    pub fn write(&self, place: &Place) -> Result<(), StoreError> {
        let text = serde_json::to_string_pretty(self)?;
        let path = place.record();
        Ok(place.prepare(&path)?.replace(&path, format!("{text}\n").as_bytes(), Access::Ours)?)
    }

    /// Returns the record of a file.
    pub fn file(&self, shown: &str) -> Option<&Kept> {
        self.files.iter().find(|kept| kept.path == shown)
    }
}

fn is_below(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    !path.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Returns the digest by which texts are compared.
pub fn digest(text: &str) -> String {
    layout::digest(&[text])
}

/// Returns the path of a file's copy.
pub fn backup_path(place: &Place, name: &str) -> PathBuf {
    place.ours().join("backups").join(name)
}

/// Reads a file's copy; none if it is missing.
pub fn backup(place: &Place, name: &str) -> Result<Option<String>, CommandError> {
    let path = backup_path(place, name);
    let bytes = read_ours(place, &path)?;
    bytes
        .map(|bytes| String::from_utf8(bytes).map_err(|_| FileError::NotText { path }))
        .transpose()
        .map_err(|error| CommandError::new(Kind::Files, error))
}

fn read_ours(place: &Place, path: &Path) -> Result<Option<Vec<u8>>, CommandError> {
    let ours = place.open_ours().map_err(|error| CommandError::new(Kind::Files, error))?;
    let Some(folder) = ours else { return Ok(None) };
    folder.read(path, BYTES_MAX).map_err(|error| CommandError::new(Kind::Files, error))
}
