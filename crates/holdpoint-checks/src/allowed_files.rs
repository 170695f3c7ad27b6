//! The files that a spec allows to be changed, read from a section of it: bullets, numbers, checkboxes, tables and
//! bare paths, with or without code marks.
//!
//! Invariant: what cannot be read allows nothing. Prose is never taken for a path, and a list of files that must not
//! be touched is no list of files that may.

mod entry;

pub(crate) use entry::paths_in;

use holdpoint_core::document::cells::{self, Cell};
use holdpoint_core::document::{outline, prose};

use crate::reader::Reader;

/// A reader of the paths and globs that a spec allows. None: it has no such section. Empty: it has one that names no
/// file, and so allows none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedFiles {
    /// What the section's title may begin with.
    pub titles: Vec<String>,
}

impl Reader for AllowedFiles {
    type Found = Vec<String>;

    fn read(&self, document: &str) -> Option<Vec<String>> {
        let wanted: Vec<String> = self.titles.iter().map(|title| title.to_lowercase()).collect();
        // A title may say more, such as `(strict)`, but not begin with something else.
        let is_titled = |title: &str| {
            let title = plain(title).to_lowercase();
            wanted.iter().any(|wanted| title.starts_with(wanted))
        };
        let heading = outline::headings(document).into_iter().find(|heading| is_titled(&heading.title))?;
        Some(listed(document.get(heading.body)?))
    }
}

/// What begins a list of files that must stay as they are.
const FORBIDDEN: [&str; 10] = [
    "forbidden",
    "not allowed",
    "do not",
    "don't",
    "never",
    "read-only",
    "readonly",
    "out of scope",
    "off-limits",
    "excluded",
];

/// The paths and globs that stand in a section, each once and in order.
pub(crate) fn listed(section: &str) -> Vec<String> {
    let text = prose::without_comments(section);
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<String> = Vec::new();
    let (mut is_forbidden, mut column) = (false, None);
    for (place, line) in lines.iter().enumerate() {
        let paths = if let Some(cells) = cells::cells(line) {
            if lines
                .get(place + 1)
                .and_then(|next| cells::cells(next))
                .is_some_and(|next| cells::is_rule(&next))
            {
                column = path_column(&cells);
                continue;
            }
            of_row(&cells, column)
        } else {
            column = None;
            is_forbidden = forbids(line).unwrap_or(is_forbidden);
            entry::paths(line)
        };
        for path in paths.into_iter().filter(|_| !is_forbidden) {
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

/// Whether a line begins a list of files that must not, or may, be changed; nothing if it begins none.
fn forbids(line: &str) -> Option<bool> {
    if entry::is_item(line) {
        return None;
    }
    let text = plain(line).to_lowercase();
    // "Do not touch any other file" speaks of what is not in the list.
    let of_the_rest = ["other", "else", "outside", "beyond"].into_iter().any(|word| text.contains(word));
    if !of_the_rest && is_forbidden(&text) {
        return Some(true);
    }
    let is_label =
        line.trim_start().starts_with('#') || line.trim_end_matches(['*', '_', ' ']).ends_with(':');
    is_label.then_some(false)
}

/// Whether a text in lower case begins by saying that something must not be changed.
fn is_forbidden(text: &str) -> bool {
    FORBIDDEN.into_iter().any(|word| text.starts_with(word))
}

fn plain(text: &str) -> &str {
    text.trim_start_matches(|c: char| !c.is_alphanumeric())
}

/// The column whose head says that it has the paths.
fn path_column(head: &[Cell]) -> Option<usize> {
    head.iter().position(|cell| {
        let name = cell.text.to_lowercase();
        ["file", "path"].into_iter().any(|word| name.contains(word))
    })
}

/// The paths of a row: in the column that has them, or in the first cell that has any.
fn of_row(row: &[Cell], column: Option<usize>) -> Vec<String> {
    let in_cell = |cell: &Cell| paths_in(&cell.raw);
    match column {
        Some(column) => row.get(column).map(in_cell).unwrap_or_default(),
        None => row.iter().map(in_cell).find(|paths| !paths.is_empty()).unwrap_or_default(),
    }
}

#[cfg(test)]
#[path = "allowed_files_tests.rs"]
mod allowed_files_tests;
