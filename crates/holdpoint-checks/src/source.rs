//! Source code as tokens: code, comments and strings told apart, for the languages that checks look into.
//!
//! Invariant: any text is read to its end. Code that no compiler would take is read as well as can be, and a
//! string that is never closed ends with its line where the language says so.

pub(crate) mod brackets;
mod cursor;
mod go;
mod javascript;
mod jsx;
pub(crate) mod line;
mod python;
mod rust;
pub(crate) mod test_item;

use cursor::Cursor;

/// A language that checks can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// Python.
    Python,
    /// JavaScript and TypeScript.
    JavaScript,
    /// Rust.
    Rust,
    /// Go.
    Go,
}

impl Language {
    /// The language of a file, by its ending.
    pub(crate) fn of(path: &str) -> Option<Language> {
        Some(match ending(path)? {
            "py" | "pyi" => Language::Python,
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => Language::JavaScript,
            "rs" => Language::Rust,
            "go" => Language::Go,
            _ => return None,
        })
    }
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Word,
    /// A number.
    Number,
    /// A sign: one character, or one of `:: := -> => == !=`.
    Mark,
    /// A string, a part of one between its holes, a character, a regular expression, or text between JSX tags.
    Text,
    /// A comment with its marks.
    Comment,
    /// The end of a line, outside strings and comments.
    Break,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    /// What it is.
    pub(crate) kind: Kind,
    /// How it is spelled; a string without its quotes.
    pub(crate) text: &'a str,
    /// The line it starts on, from 1.
    pub(crate) line: usize,
    /// The byte it starts at.
    pub(crate) start: usize,
}

impl Token<'_> {
    /// Whether it is this name or keyword.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }

    /// Whether it is this sign.
    pub(crate) fn is_mark(&self, mark: &str) -> bool {
        self.kind == Kind::Mark && self.text == mark
    }

    /// Whether it opens a bracket.
    pub(crate) fn opens(&self) -> bool {
        self.kind == Kind::Mark && matches!(self.text, "(" | "[" | "{")
    }

    /// Whether it closes a bracket.
    pub(crate) fn closes(&self) -> bool {
        self.kind == Kind::Mark && matches!(self.text, ")" | "]" | "}")
    }
}

/// The tokens of a file; none if its language is not known.
pub(crate) fn read<'a>(path: &str, text: &'a str) -> Vec<Token<'a>> {
    let cursor = Cursor::new(text);
    match Language::of(path) {
        Some(Language::Python) => python::read(cursor),
        Some(Language::JavaScript) => javascript::read(cursor, has_jsx(path)),
        Some(Language::Rust) => rust::read(cursor),
        Some(Language::Go) => go::read(cursor),
        None => Vec::new(),
    }
}

/// The tokens that a compiler would look at.
pub(crate) fn code<'a>(path: &str, text: &'a str) -> Vec<Token<'a>> {
    let mut tokens = read(path, text);
    tokens.retain(|token| token.kind != Kind::Comment);
    tokens
}

/// Whether a file holds tests: by whole names of its folders and by the forms of its own name, so that `latest.py`
/// and `contest.py` do not.
pub(crate) fn is_test(path: &str) -> bool {
    let path = holdpoint_core::path::tidy(path);
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let in_tests = folders.split('/').any(|part| matches!(part, "tests" | "test" | "__tests__"));
    let has_ending = |end: &str| stem.len() > end.len() && stem.ends_with(end) && !ending.is_empty();
    in_tests
        || matches!(stem, "tests" | "test")
        || (ending == "py" && stem.starts_with("test_"))
        || ["_test", "_tests", ".test", ".spec"].into_iter().any(has_ending)
}

/// TypeScript files have no JSX: there `<T>` at the start of an expression is a cast or a parameter.
fn has_jsx(path: &str) -> bool {
    !matches!(ending(path), Some("ts" | "mts" | "cts"))
}

fn ending(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\']).next()?;
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending)
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod source_tests;
