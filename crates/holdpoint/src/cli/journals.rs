//! The journals that apply to a folder, merged: those of the runs in it and in the folders above it.

use std::path::PathBuf;

use crate::env::Env;
use crate::error::{CommandError, Kind};
use crate::project::Found;
use crate::store::books::Books;
use crate::store::journal::{self, Entry};

/// A line of a journal: its source and its entry.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) raw: String,
    pub(super) entry: Entry,
}

/// Returns the books whose journals are to be read: those of each run, and of the project's folder.
pub(super) fn books(found: &Found, env: &dyn Env) -> Vec<Books> {
    let mut all: Vec<Books> = Vec::new();
    let others = found.base.iter().chain(&found.journal).map(|home| Books::of(home, env));
    for books in found.runs.iter().map(|run| run.books.clone()).chain(others) {
        if !all.iter().any(|known| known.base() == books.base()) {
            all.push(books);
        }
    }
    all
}

/// Reads all lines of these journals, oldest first.
pub(super) fn read(books: &[Books]) -> Result<Vec<Line>, CommandError> {
    read_files(books.iter().flat_map(journal::files).collect())
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
