//! What must come of a check: an exit code, and what its output must have.

use holdpoint_core::document::cells::Cell;

/// How a command must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// With this code.
    Is(i32),
    /// With any code but zero.
    NotZero,
}

/// What must come of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// How the command must end; with zero, if nothing is said.
    pub exit: Exit,
    /// What its output must have, each of these.
    pub outputs: Vec<String>,
    /// The cell as it reads, for people.
    pub text: String,
}

/// Words around a quotation that say no more than that it is what comes out.
const SAYING: [&str; 26] = [
    "and",
    "code",
    "contain",
    "containing",
    "contains",
    "exit",
    "exits",
    "has",
    "in",
    "include",
    "includes",
    "is",
    "line",
    "non-zero",
    "nonzero",
    "output",
    "outputs",
    "print",
    "prints",
    "says",
    "show",
    "shows",
    "status",
    "stdout",
    "the",
    "with",
];

impl Expected {
    /// Reads the cell. A quotation, in code marks or double quotes, is what the output must have if it fills the cell
    /// or stands among words that say so (`prints`, `contains`); in any other prose it may be anything, and the prose
    /// is for people.
    pub(super) fn read(cell: &Cell) -> Expected {
        let (codes, exits): (Vec<&String>, Vec<&String>) =
            cell.codes.iter().partition(|code| exit(code).is_none());
        let (prose, quoted) = without_quotations(&cell.prose);
        let told = exits.first().map(|code| code.as_str()).and_then(exit).or_else(|| exit(&prose));
        let says = |word: &str| SAYING.contains(&word) || word.chars().all(|c| c.is_ascii_digit());
        let lower = prose.to_lowercase();
        let mut words = lower
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '\'')))
            .filter(|w| !w.is_empty());
        let outputs: Vec<String> =
            codes.into_iter().cloned().chain(quoted).filter(|text| !text.is_empty()).collect();
        let is_output = words.all(says);
        Expected {
            exit: told.unwrap_or(Exit::Is(0)),
            outputs: if is_output { outputs } else { Vec::new() },
            text: cell.text.clone(),
        }
    }

    /// Whether a command that ended with `code` and printed `output` did what was wanted.
    pub fn is_met(&self, code: i32, output: &str) -> bool {
        let ended = match self.exit {
            Exit::Is(wanted) => code == wanted,
            Exit::NotZero => code != 0,
        };
        ended && self.outputs.iter().all(|wanted| output.contains(wanted.as_str()))
    }
}

/// `exit 1`, `exit code: 1`, `exits with status 1`, `non-zero exit`, `exit != 0`.
fn exit(text: &str) -> Option<Exit> {
    let text = text.to_lowercase();
    let mut after = text.split("exit").skip(1).peekable();
    after.peek()?;
    let spaceless: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if ["non-zero", "nonzero", "notzero", "!=0", "≠0", ">0"].into_iter().any(|form| spaceless.contains(form))
    {
        return Some(Exit::NotZero);
    }
    after.find_map(|rest| {
        let mut words = rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let number =
            words.find(|word| !matches!(*word, "s" | "ed" | "code" | "status" | "with" | "is" | "of" | "a"));
        number?.parse().ok().map(Exit::Is)
    })
}

/// The text without what stands between double quotes, and that.
fn without_quotations(text: &str) -> (String, Vec<String>) {
    let mut parts = text.split(['"', '“', '”']);
    let (mut outside, mut inside) = (parts.next().unwrap_or_default().to_owned(), Vec::new());
    while let Some(quoted) = parts.next() {
        match parts.next() {
            Some(after) => {
                inside.push(quoted.to_owned());
                outside.push(' ');
                outside.push_str(after);
            }
            // A quote that nothing closes is a mark like others.
            None => outside.push_str(quoted),
        }
    }
    (outside, inside)
}
