//! The record of an installation: what was there before, and what we left, so that exactly that can be taken out again.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::place::{Place, Scope};
use crate::error::{CommandError, Kind};
use crate::store::{atomic, layout};

/// What is written about an installation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// The version of the program that wrote it.
    pub holdpoint: String,
    /// The programs that were registered, the latest last.
    pub programs: Vec<PathBuf>,
    /// The workflows that were chosen; none: all.
    pub workflows: Vec<String>,
    /// The files.
    pub files: Vec<Kept>,
    /// Folders that were made, each before those in it.
    pub folders: Vec<String>,
    /// Whether our folder in the project got its `.gitignore` by us.
    pub made_ignore: bool,
}

/// What is kept about one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Where it is, as [`Place::shown`] says it.
    pub path: String,
    /// The agent it is for; empty: for none of them.
    pub agent: String,
    /// What it is.
    pub part: Part,
    /// What was there before.
    pub before: Before,
    /// The digest of what we left.
    pub left: String,
    /// Keys that were made for our entries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<Vec<String>>,
}

/// What a file is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// A settings file with our entries among others.
    Hooks,
    /// A slash command, a skill or a sub-agent, wholly ours.
    Command,
    /// The project's choice of workflows.
    Choices,
}

/// What was there before we wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Before {
    /// Nothing.
    Nothing,
    /// A file; its copy has this name among the backups.
    File(String),
    /// The user has edited the file between two of our writes: its first bytes are nobody's wish any more. The copy is
    /// what it was before the last write.
    Edited(String),
}

impl Record {
    /// The record at a place, if there is one.
    pub fn read(place: &Place) -> Result<Option<Record>, CommandError> {
        let path = place.record();
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(CommandError::new(Kind::Files, format!("{}: {error}", path.display())));
            }
        };
        let read = serde_json::from_slice(&bytes).map_err(|error| error.to_string());
        let read = read.and_then(|record: Record| record.checked(place));
        read.map(Some).map_err(|why| {
            CommandError::new(Kind::Files, format!("{} cannot be used: {why}", path.display())).hinted(
                format!(
                    "remove it, and what it names can be put there again by `holdpoint init`: rm '{}'",
                    path.display()
                ),
            )
        })
    }

    /// A project's record comes with the project, so it may be anybody's: it must not lead out of it.
    fn checked(self, place: &Place) -> Result<Record, String> {
        let paths = self.files.iter().map(|kept| &kept.path).chain(&self.folders);
        let outside = |path: &&String| place.scope == Scope::Project && !is_below(path);
        let copies = self.files.iter().filter_map(|kept| match &kept.before {
            Before::File(name) | Before::Edited(name) => Some(name),
            Before::Nothing => None,
        });
        let strange = |name: &&String| name.contains(['/', '\\']) || !is_below(name);
        match paths.into_iter().find(outside).or_else(|| copies.into_iter().find(strange)) {
            Some(path) => Err(format!("it names `{path}`, which is elsewhere")),
            None => Ok(self),
        }
    }

    /// Writes the record.
    pub fn write(&self, place: &Place) -> std::io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        atomic::replace(&place.record(), format!("{text}\n").as_bytes())
    }

    /// What is kept about a file.
    pub fn file(&self, shown: &str) -> Option<&Kept> {
        self.files.iter().find(|kept| kept.path == shown)
    }
}

fn is_below(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    !path.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// What tells one text from another.
pub fn digest(text: &str) -> String {
    layout::digest(&[text])
}

/// Where the copy of a file is.
pub fn backup(place: &Place, name: &str) -> PathBuf {
    place.ours().join("backups").join(name)
}
