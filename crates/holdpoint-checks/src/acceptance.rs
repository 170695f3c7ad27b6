//! The checks that a spec wants run on what was made: the rows `AV-S…` (smoke) and `AV-F…` (functional) of its tables.
//!
//! Invariant: a row is never lost. Any line that begins with a bar and such an id is a row, whether or not the table
//! around it is well formed, and a row whose command nobody can tell is one for people.

mod expected;

use std::time::Duration;

pub use expected::{Exit, Expected};

use holdpoint_core::document::cells::{self, Cell};
use holdpoint_core::document::prose;

/// How long a row's command may take if the row does not say.
const TIMEOUT: Duration = Duration::from_mins(1);
/// How long it may take at the most.
const TIMEOUT_MAX: Duration = Duration::from_hours(1);

/// The columns of a table without a head.
const SMOKE_COLUMNS: [&str; 5] = ["id", "check", "command", "expected", "timeout"];
const FUNCTIONAL_COLUMNS: [&str; 5] = ["id", "check", "setup", "action", "expected"];

/// What a spec wants checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acceptance {
    /// Whether it runs at all.
    pub smoke: Vec<Row>,
    /// Whether it does what it should.
    pub functional: Vec<Row>,
    /// Whether the section has no rows and says that there is nothing to check.
    pub is_not_applicable: bool,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its id, such as `AV-S1`.
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

/// Reads the Markdown of the section.
pub fn rows(section: &str) -> Acceptance {
    let text = prose::without_blocks(section);
    let mut found = Acceptance::default();
    let (mut columns, mut before): (Vec<String>, Vec<Cell>) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let cells = cells::cells(line).unwrap_or_default();
        if cells::is_rule(&cells) {
            columns = before.iter().map(|cell| cell.text.to_lowercase()).collect();
        } else if cells.is_empty() {
            columns.clear();
        } else if let Some((id, is_smoke)) = cells.iter().find_map(|cell| id(&cell.text)) {
            let row = row(id, &cells, &columns_of(&columns, is_smoke));
            if is_smoke { &mut found.smoke } else { &mut found.functional }.push(row);
        }
        before = cells;
    }
    let has_rows = !(found.smoke.is_empty() && found.functional.is_empty());
    found.is_not_applicable = !has_rows && says_not_applicable(&text);
    found
}

fn columns_of(head: &[String], is_smoke: bool) -> Vec<String> {
    let usual = if is_smoke { SMOKE_COLUMNS } else { FUNCTIONAL_COLUMNS };
    if head.is_empty() { usual.map(str::to_owned).to_vec() } else { head.to_vec() }
}

/// A cell that is an id, and whether it is that of a smoke check.
fn id(text: &str) -> Option<(String, bool)> {
    let id = text.trim().to_uppercase();
    let (kind, rest) = (id.get(..4)?, id.get(4..)?);
    let is_id = matches!(kind, "AV-S" | "AV-F")
        && rest.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'));
    // `AV-SMOKE` is a word, not an id.
    let is_numbered = rest.is_empty() || rest.chars().any(|c| c.is_ascii_digit());
    (is_id && is_numbered).then(|| (id.clone(), kind == "AV-S"))
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

/// `30s`, `2m`, `1m 30s`, `500 ms`, `90`; what cannot be read, or is nothing, counts as not said.
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

fn says_not_applicable(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains("not applicable")
        || text.split(|c: char| !(c.is_alphanumeric() || c == '/')).any(|word| word == "n/a")
}

#[cfg(test)]
#[path = "acceptance_tests.rs"]
mod acceptance_tests;
