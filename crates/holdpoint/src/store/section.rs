//! Documents that people read and the engine adds to: lines under a heading, and a word that follows the state.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::files;
use super::folder::{Access, FileError, Folder};

/// The largest document that is added to: people read it.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Why a document was not added to.
#[derive(Debug, Error)]
pub enum SectionError {
    /// It cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is not text. What cannot be read letter for letter would not be written back so either.
    #[error("{path}: it is not UTF-8")]
    NotText {
        /// The document.
        path: String,
    },
    /// The pattern for the word cannot be used. The message has the reason, so it is not a source.
    #[error("`{find}`: {why}")]
    Pattern {
        /// The pattern.
        find: String,
        /// Why.
        why: regex_lite::Error,
    },
}

/// Appends lines to the section of this heading, at its end. Creates the section if it is missing, but no document.
pub fn append(home: &Path, path: &str, under: &str, lines: &[String]) -> Result<(), SectionError> {
    let Some(document) = Document::open(home, path)? else { return Ok(()) };
    Ok(document.write(&appended(&document.text, under, lines))?)
}

/// Makes the first group of the pattern this word, if the document has it and says something else.
pub fn mirror(home: &Path, path: &str, find: &str, word: &str) -> Result<(), SectionError> {
    let Some(document) = Document::open(home, path)? else { return Ok(()) };
    let text = &document.text;
    let regex = regex_lite::Regex::new(&format!("(?m){find}"))
        .map_err(|why| SectionError::Pattern { find: find.to_owned(), why })?;
    let Some(place) = regex.captures(text).and_then(|captures| captures.get(1)) else { return Ok(()) };
    if place.as_str() == word {
        return Ok(());
    }
    Ok(document.write(&format!("{}{word}{}", &text[..place.start()], &text[place.end()..]))?)
}

/// A document of the project, which is no link.
struct Document {
    project: Folder,
    path: PathBuf,
    text: String,
}

impl Document {
    fn open(home: &Path, path: &str) -> Result<Option<Document>, SectionError> {
        let project = Folder::project(home)?;
        let place = project.place(&files::named(path)?)?;
        let Some(bytes) = project.read(&place, BYTES_MAX)? else { return Ok(None) };
        let text = String::from_utf8(bytes).map_err(|_| SectionError::NotText { path: path.to_owned() })?;
        Ok(Some(Document { project, path: place, text }))
    }

    fn write(&self, text: &str) -> Result<(), FileError> {
        self.project.replace(&self.path, text.as_bytes(), Access::Users)
    }
}

/// The text with the lines at the end of the section: before the next heading that is not below it, fences aside.
fn appended(text: &str, under: &str, lines: &[String]) -> String {
    let (mut end, mut inside, mut fenced) = (None, false, false);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
        }
        let level = line.chars().take_while(|c| *c == '#').count();
        let is_heading = !fenced && (1..=2).contains(&level) && line[level..].starts_with(' ');
        if is_heading && inside {
            break;
        }
        if is_heading && line[level..].trim().eq_ignore_ascii_case(under) {
            inside = true;
        }
        at += line.len();
        if inside && !trimmed.is_empty() {
            end = Some(at);
        }
    }
    let (before, after) = text.split_at(end.unwrap_or(text.len()));
    let before = before.trim_end_matches(['\n', '\r']);
    let title = end.is_none().then(|| format!("## {under}"));
    let mut last = before.lines().next_back().unwrap_or_default().to_owned();
    let mut added = String::new();
    for line in title.into_iter().chain(lines.iter().map(|line| item(line))) {
        let is_first = before.is_empty() && added.is_empty();
        let is_next_item = last.starts_with("- ") && line.starts_with("- ");
        added.push_str(if is_first || is_next_item { "\n" } else { "\n\n" });
        added.push_str(&line);
        last = line;
    }
    added.push('\n');
    let added = if text.contains("\r\n") { added.replace('\n', "\r\n") } else { added };
    format!("{before}{added}{after}")
}

/// A line as it stands in a document: a heading as it is, anything else as an item of a list.
fn item(line: &str) -> String {
    if line.starts_with('#') { line.to_owned() } else { format!("- {}", line.replace('\n', " ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(text: &str, lines: &[&str]) -> String {
        appended(text, "Log", &lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn lines_go_to_the_end_of_their_section() {
        assert_eq!(add("# A\n", &["one"]), "# A\n\n## Log\n\n- one\n");
        let once = add("# A\n\n## Log\n\n## Next\ntext\n", &["### Task 1", "one"]);
        assert_eq!(once, "# A\n\n## Log\n\n### Task 1\n\n- one\n\n## Next\ntext\n");
        assert_eq!(add(&once, &["two"]), "# A\n\n## Log\n\n### Task 1\n\n- one\n- two\n\n## Next\ntext\n");
        assert_eq!(
            add("## Log\n```\n## no heading\n```", &["x"]),
            "## Log\n```\n## no heading\n```\n\n- x\n"
        );
        assert_eq!(
            add("# A\r\n\r\n## Log\r\n\r\n- one\r\n", &["two"]),
            "# A\r\n\r\n## Log\r\n\r\n- one\r\n- two\r\n"
        );
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a person's document")]
    fn a_word_follows_the_state() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("spec.md");
        std::fs::write(&file, "# S\n**Status:** queued | **Priority:** P1\n").unwrap();
        let find = r"\*\*Status:\*\* (\w+)";
        mirror(home.path(), "spec.md", find, "blocked").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "# S\n**Status:** blocked | **Priority:** P1\n");
        mirror(home.path(), "none.md", find, "x").unwrap();
        assert!(mirror(home.path(), "../x.md", find, "x").is_err());
        assert!(mirror(home.path(), "spec.md", "(", "x").is_err());
        let foreign = b"caf\xe9\n## Log\n**Status:** queued\n";
        std::fs::write(&file, foreign).unwrap();
        assert!(mirror(home.path(), "spec.md", find, "blocked").is_err());
        assert!(append(home.path(), "spec.md", "Log", &["one".into()]).is_err());
        assert_eq!(std::fs::read(&file).unwrap(), foreign, "nothing is lost of what cannot be read");
    }
}
