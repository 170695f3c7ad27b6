//! The journals that apply to a folder, merged: those of the runs in it and in the folders above it.

use std::path::PathBuf;

use crate::error::{CommandError, Kind};
use crate::project::Found;
use crate::store::journal::{self, Entry};

/// A line of a journal: its source and its entry.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) raw: String,
    pub(super) entry: Entry,
}

/// Returns the folders of the journals to read: each run's home, and the project's folder.
pub(super) fn homes(found: &Found) -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = Vec::new();
    for home in found.runs.iter().map(|run| &run.home).chain(&found.base).chain(&found.journal) {
        if !homes.contains(home) {
            homes.push(home.clone());
        }
    }
    homes
}

/// Reads all lines of these journals, oldest first.
pub(super) fn read(homes: &[PathBuf]) -> Result<Vec<Line>, CommandError> {
    read_files(homes.iter().flat_map(|home| journal::files(home)).collect())
}

/// Reads all lines of these files, oldest first. Fails on an unreadable journal, which must not look like an empty one.
pub(super) fn read_files(paths: Vec<PathBuf>) -> Result<Vec<Line>, CommandError> {
    let mut all = Vec::new();
    for path in paths {
        let bytes = journal::contents(&path).map_err(|error| CommandError::new(Kind::Files, error))?;
        all.extend(lines(&bytes));
    }
    Ok(in_order(all))
}

/// Parses the lines in a part of a journal. Skips incomplete and foreign lines, as the journal itself does.
pub(super) fn lines(bytes: &[u8]) -> Vec<Line> {
    let text = String::from_utf8_lossy(bytes);
    let whole = |raw: &str| Some(Line { raw: raw.to_owned(), entry: serde_json::from_str(raw).ok()? });
    text.lines().filter_map(whole).collect()
}

/// Sorts the lines of several journals by time. The journal writes UTC with a fixed number of digits, so text order is
/// time order. Lines of the same instant keep the order of their file.
pub(super) fn in_order(mut lines: Vec<Line>) -> Vec<Line> {
    lines.sort_by(|one, other| one.entry.at.cmp(&other.entry.at));
    lines
}
