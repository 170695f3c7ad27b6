//! The checks that a spec wants run on what was made: the rows of its tables that have an id of a given form.
//!
//! Invariant: a row is never lost. Any line that begins with a bar and such an id is a row, whether or not the table
//! around it is well formed, and a row whose command nobody can tell is one for people.

mod expected;

use std::time::Duration;

#[cfg(test)]
use expected::Exit;
pub use expected::Expected;

use holdpoint_core::document::cells::{self, Cell};
use holdpoint_core::document::prose;
use holdpoint_core::path;

use crate::reader::Reader;

/// How long a row's command may take if the row does not say.
const TIMEOUT: Duration = Duration::from_mins(1);
/// How long it may take at the most.
const TIMEOUT_MAX: Duration = Duration::from_hours(1);

/// The columns of a table without a head, unless others are told.
const COLUMNS: [&str; 5] = ["id", "check", "command", "expected", "timeout"];

/// A reader of the rows of a section whose ids are of one form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AcceptanceRows {
    /// A glob for the ids, such as `T-*`; upper and lower case are one.
    pub ids: String,
    /// The columns of a table without a head. None: an id, a check, a command, what is expected, and a timeout.
    pub columns: Vec<String>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its id, such as `T-1`.
    pub id: String,
    /// What it is about.
    pub check: String,
    /// A command that comes before it, if the cell for that is one.
    pub setup: Option<String>,
    /// What is to be run. None: someone has to do it by hand.
    pub command: Option<String>,
    /// What must come of it.
    pub expected: Expected,
    /// How long it may take.
    pub timeout: Duration,
}

impl Reader for AcceptanceRows {
    type Found = Vec<Row>;

    /// Reads the Markdown of the section.
    fn read(&self, section: &str) -> Option<Vec<Row>> {
        let text = prose::without_blocks(section);
        let mut found = Vec::new();
        let (mut columns, mut before): (Vec<String>, Vec<Cell>) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let cells = cells::cells(line).unwrap_or_default();
            if cells::is_rule(&cells) {
                columns = before.iter().map(|cell| cell.text.to_lowercase()).collect();
            } else if cells.is_empty() {
                columns.clear();
            } else if let Some(id) = cells.iter().find_map(|cell| self.id(&cell.text)) {
                found.push(row(id, &cells, &self.columns_of(&columns)));
            }
            before = cells;
        }
        Some(found)
    }
}

impl AcceptanceRows {
    fn columns_of(&self, head: &[String]) -> Vec<String> {
        match (head, &self.columns[..]) {
            ([], []) => COLUMNS.map(str::to_owned).to_vec(),
            ([], told) => told.to_vec(),
            (head, _) => head.to_vec(),
        }
    }

    /// A cell that is an id.
    fn id(&self, text: &str) -> Option<String> {
        let (id, glob) = (text.trim().to_uppercase(), self.ids.to_uppercase());
        let is_one_word = id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'));
        // Of `T-*`, `T-TESTS` is a word and no id.
        let is_numbered = id == glob.replace('*', "") || id.chars().any(|c| c.is_ascii_digit());
        (is_one_word && is_numbered && path::fits(&glob, &id)).then_some(id)
    }
}

fn row(id: String, cells: &[Cell], columns: &[String]) -> Row {
    let nothing = Cell::default();
    let cell = |names: &[&str]| {
        let column = names.iter().find_map(|name| columns.iter().position(|column| column.contains(name)));
        column.and_then(|column| cells.get(column)).unwrap_or(&nothing)
    };
    let setup = cell(&["setup"]);
    Row {
        id,
        check: cell(&["check", "what", "description"]).text.clone(),
        setup: (!setup.codes.is_empty() && only_joins(&setup.prose)).then(|| setup.codes.join(" && ")),
        command: command(cell(&["command", "action"])),
        expected: Expected::read(cell(&["expect", "result"])),
        timeout: timeout(&cell(&["timeout"]).text),
    }
}

/// The command of a cell. Code that fills the cell is one, several in it are run one after the other. In the midst of
/// prose the first code that looks like a command is one: `status` or `/route` there are things spoken of.
fn command(cell: &Cell) -> Option<String> {
    if only_joins(&cell.prose) {
        return (!cell.codes.is_empty()).then(|| cell.codes.join(" && "));
    }
    let lower = cell.prose.to_lowercase();
    let is_told = ["run", "runs", "execute", "start", "call"]
        .contains(&lower.split_whitespace().next().unwrap_or_default());
    cell.codes.iter().find(|code| looks_like_command(code) || (is_told && !code.starts_with('/'))).cloned()
}

/// Whether nothing stands between codes but words and marks that join commands.
fn only_joins(prose: &str) -> bool {
    let mut words =
        prose.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '.' | '&' | '+' | '→'));
    words.all(|word| matches!(word.to_lowercase().as_str(), "" | "then" | "and"))
}

/// A program with arguments, or a script of this folder; no request, no route.
fn looks_like_command(code: &str) -> bool {
    let first = code.split_whitespace().next().unwrap_or_default();
    let is_request = matches!(first, "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS");
    let is_program =
        first.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '=' | '$'));
    let has_arguments = first.len() < code.len() && !first.starts_with('/');
    (has_arguments || first.starts_with("./")) && is_program && !is_request
}

/// `30s`, `2m`, `1m 30s`, `500 ms`, `90`; none for zero, or what cannot be read.
fn timeout(text: &str) -> Duration {
    let mut total = Duration::ZERO;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let Ok(number) = rest[..digits].parse::<f64>() else { return TIMEOUT };
        let after = rest[digits..].trim_start();
        let letters = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let seconds = match &after[..letters] {
            "ms" => 0.001,
            "" | "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            _ => return TIMEOUT,
        };
        let part = Duration::try_from_secs_f64(number * seconds).unwrap_or(TIMEOUT_MAX);
        total = total.saturating_add(part);
        rest = after[letters..].trim_start_matches([' ', '.', ',']);
    }
    if total.is_zero() { TIMEOUT } else { total.min(TIMEOUT_MAX) }
}

#[cfg(test)]
#[path = "acceptance_tests.rs"]
mod acceptance_tests;
