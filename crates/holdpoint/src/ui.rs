//! What commands print: data to standard output, words for people to standard error, colour only on a terminal.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

use crate::env::Env;
use crate::env_vars::NO_COLOR;
use crate::error::CommandError;

/// Where commands print.
#[derive(Clone, Copy, Debug)]
pub struct Ui {
    colour_out: bool,
    colour_err: bool,
}

/// How a word is set off. Nothing's meaning rests on it.
#[derive(Clone, Copy, Debug)]
pub enum Style {
    /// Names and headings.
    Bold,
    /// Less important.
    Dim,
    /// Something wrong.
    Red,
    /// Something right.
    Green,
    /// Worth a look.
    Yellow,
    /// Paths and hints.
    Cyan,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Red => "31",
            Style::Green => "32",
            Style::Yellow => "33",
            Style::Cyan => "36",
        }
    }
}

impl Ui {
    /// The terminal, or whatever stands in for it.
    pub fn new(env: &dyn Env) -> Ui {
        let wanted = env.var(NO_COLOR).is_none_or(|value| value.is_empty());
        Ui {
            colour_out: wanted && std::io::stdout().is_terminal(),
            colour_err: wanted && std::io::stderr().is_terminal(),
        }
    }

    /// Prints a line of data. A reader that is gone is no fault.
    pub fn line(&self, text: impl Display) {
        let _ = writeln!(std::io::stdout(), "{text}");
    }

    /// Prints a line for people.
    pub fn note(&self, text: impl Display) {
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    /// Whether somebody looks at standard error while a command works.
    pub fn shows_progress(&self) -> bool {
        std::io::stderr().is_terminal()
    }

    /// Shows how far a command is, in place of what it showed before; an empty text clears the line.
    pub fn progress(&self, text: impl Display) {
        let mut stderr = std::io::stderr();
        let _ = write!(stderr, "\r{text}\u{1b}[K").and_then(|()| stderr.flush());
    }

    /// Whether standard output is a terminal.
    pub fn is_terminal(&self) -> bool {
        std::io::stdout().is_terminal()
    }

    /// Prints a failure and its hints.
    pub fn error(&self, error: &CommandError) {
        self.note(format!("{}: {}", paint(self.colour_err, Style::Red, "error"), error.what()));
        for hint in &error.hints {
            self.note(format!("{}: {hint}", paint(self.colour_err, Style::Cyan, "hint")));
        }
    }

    /// A word in a style, for standard output.
    pub fn paint(&self, style: Style, text: impl Display) -> String {
        paint(self.colour_out, style, text)
    }

    /// Whether standard output shows colours.
    pub fn has_colour(&self) -> bool {
        self.colour_out
    }
}

fn paint(colour: bool, style: Style, text: impl Display) -> String {
    if colour { format!("\u{1b}[{}m{text}\u{1b}[0m", style.code()) } else { text.to_string() }
}
