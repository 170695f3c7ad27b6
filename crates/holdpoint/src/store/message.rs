//! Texts too long for an agent's answer: the start is said, the whole is kept in a file.

use std::path::Path;

use super::folder::{Access, FileError};
use super::layout;

/// What agents take in one text.
pub const CHARS_MAX: usize = 10_000;
/// How much of a longer text is said.
const CHARS_SAID: usize = 9_000;

/// The text if it is short enough; otherwise its start and the path of the file that has all of it. Without a home, no
/// file is written.
pub fn fit(home: Option<&Path>, text: String) -> String {
    if text.chars().count() <= CHARS_MAX {
        return text;
    }
    let start: String = text.chars().take(CHARS_SAID).collect();
    let cut = || format!("{start}\n\n… cut here: the text was too long.");
    let Some(home) = home else { return cut() };
    let path = layout::message(home, &text);
    match keep(home, &path, &text) {
        Ok(()) => format!("{start}\n\n… cut here. The whole text is in {}", path.display()),
        Err(_) => cut(),
    }
}

fn keep(home: &Path, path: &Path, text: &str) -> Result<(), FileError> {
    let project = layout::prepare(home, path)?;
    layout::clear_old_beside(&project, path);
    project.replace(path, text.as_bytes(), Access::Ours)
}
