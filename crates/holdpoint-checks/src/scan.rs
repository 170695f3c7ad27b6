//! What a script can find wrong with a file: remarks that something is left to do, errors that are swallowed, code
//! that is not there yet, and files that are too long.
//!
//! Files are read as syntax trees (`source`), so that a word in a string or in a name is no remark.

mod bare_except;
mod empty_catch;
mod ignored_error;
mod remark;
mod unfinished;

use crate::lint::{Finding, Linter, Source};
use crate::source::{self, Code, Language};

/// A look through changed files, and how long each may be, in lines of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scan {
    /// A file of code.
    pub code_lines: usize,
    /// A file of tests.
    pub test_lines: usize,
}

impl Default for Scan {
    fn default() -> Scan {
        Scan { code_lines: 400, test_lines: 600 }
    }
}

impl Linter for Scan {
    fn findings(&self, files: &[Source]) -> Vec<Finding> {
        files.iter().flat_map(|(path, text)| scan(path, text, self)).collect()
    }
}

/// What is found in a part of a file: the line, the code, the message.
type Found = (usize, &'static str, String);

/// Looks through one file, by the order of its lines. A file in a language that nobody here reads is only measured.
fn scan(path: &str, text: &str, limits: &Scan) -> Vec<Finding> {
    let code = Code::read(path, text);
    let mut found: Vec<Found> = code.iter().flat_map(|code| in_code(path, code)).collect();
    found.extend(too_long(path, text, limits));
    found.sort();
    found
        .into_iter()
        .map(|(line, code, message)| Finding { path: path.to_owned(), line, code, message })
        .collect()
}

fn in_code(path: &str, code: &Code<'_>) -> Vec<Found> {
    let mut found = remark::find(code);
    found.extend(match code.language {
        Language::Python => bare_except::find(code),
        Language::JavaScript => empty_catch::find(code),
        Language::Rust if !source::is_test(path) => unfinished::find(code),
        Language::Go if !source::is_test(path) => ignored_error::find(code),
        Language::Rust | Language::Go => Vec::new(),
    });
    found
}

fn too_long(path: &str, text: &str, limits: &Scan) -> Option<Found> {
    let (limit, what) =
        if source::is_test(path) { (limits.test_lines, "tests") } else { (limits.code_lines, "code") };
    let lines = text.lines().count();
    let message = || format!("{lines} lines: a file of {what} may have {limit}; split it by what it owns");
    (lines > limit && !is_data(path)).then(|| (limit + 1, "LOC_LIMIT", message()))
}

/// Whether a file is a document or data: nobody splits a lock file because it is long.
fn is_data(path: &str) -> bool {
    let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, end)| end);
    matches!(
        ending.to_ascii_lowercase().as_str(),
        "adoc"
            | "csv"
            | "json"
            | "json5"
            | "jsonc"
            | "jsonl"
            | "lock"
            | "map"
            | "md"
            | "mdx"
            | "ndjson"
            | "pem"
            | "po"
            | "pot"
            | "rst"
            | "snap"
            | "sum"
            | "svg"
            | "toml"
            | "tsv"
            | "txt"
            | "xml"
            | "yaml"
            | "yml"
    )
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod scan_tests;
