//! The journals that concern a folder: those of the runs found from it upwards, read as one.

use std::path::PathBuf;

use crate::error::{CommandError, Kind};
use crate::project::Found;
use crate::store::journal::{self, Entry};

/// A line of a journal: as it stands in the file, and what it says.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) raw: String,
    pub(super) entry: Entry,
}

/// The folders whose journals concern what was found: each run's home, and the project's own folder.
pub(super) fn homes(found: &Found) -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = Vec::new();
    for home in found.runs.iter().map(|run| &run.home).chain(&found.base).chain(&found.journal) {
        if !homes.contains(home) {
            homes.push(home.clone());
        }
    }
    homes
}

/// Everything in these journals, oldest first.
pub(super) fn read(homes: &[PathBuf]) -> Result<Vec<Line>, CommandError> {
    read_files(homes.iter().flat_map(|home| journal::files(home)).collect())
}

/// Everything in these files, oldest first. A journal that cannot be read must not look like an empty one.
pub(super) fn read_files(paths: Vec<PathBuf>) -> Result<Vec<Line>, CommandError> {
    let mut all = Vec::new();
    for path in paths {
        let told = |error| CommandError::new(Kind::Files, format!("{}: {error}", path.display()));
        all.extend(lines(&std::fs::read(&path).map_err(told)?));
    }
    Ok(in_order(all))
}

/// The lines in a piece of a journal; a torn or foreign one is passed over, as the journal itself does.
pub(super) fn lines(bytes: &[u8]) -> Vec<Line> {
    let text = String::from_utf8_lossy(bytes);
    let whole = |raw: &str| Some(Line { raw: raw.to_owned(), entry: serde_json::from_str(raw).ok()? });
    text.lines().filter_map(whole).collect()
}

/// Lines of several journals by their time. The journal writes UTC with a fixed number of digits, so text order is
/// time order; lines of one instant keep the order of their file.
pub(super) fn in_order(mut lines: Vec<Line>) -> Vec<Line> {
    lines.sort_by(|one, other| one.entry.at.cmp(&other.entry.at));
    lines
}
