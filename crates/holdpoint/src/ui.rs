//! The output of commands: data on standard output, messages on standard error, color only on a terminal.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

use crate::env::Env;
use crate::env_vars::NO_COLOR;
use crate::error::CommandError;

/// The output of commands.
#[derive(Clone, Copy, Debug)]
pub struct Ui {
    color_out: bool,
    color_err: bool,
}

/// A text style. No meaning depends on it alone.
#[derive(Clone, Copy, Debug)]
pub enum Style {
    /// Names and headings.
    Bold,
    /// Less important text.
    Dim,
    /// Errors.
    Red,
    /// Success.
    Green,
    /// Warnings.
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
    /// Creates an output with colors if the terminal and the environment want them.
    pub fn new(env: &dyn Env) -> Ui {
        let wanted = env.var(NO_COLOR).is_none_or(|value| value.is_empty());
        Ui {
            color_out: wanted && std::io::stdout().is_terminal(),
            color_err: wanted && std::io::stderr().is_terminal(),
        }
    }

    /// Prints a line of data. A closed stream is not an error.
    pub fn line(&self, text: impl Display) {
        let _ = writeln!(std::io::stdout(), "{text}");
    }

    /// Asks for an answer in the same line.
    pub fn ask(&self, text: impl Display) {
        let mut stderr = std::io::stderr();
        let _ = write!(stderr, "{text}").and_then(|()| stderr.flush());
    }

    /// Prints a line for people.
    pub fn note(&self, text: impl Display) {
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    /// Returns whether standard error is a terminal, which can show progress.
    pub fn shows_progress(&self) -> bool {
        std::io::stderr().is_terminal()
    }

    /// Shows the progress of a command, replacing the previous text. An empty text clears the line.
    pub fn progress(&self, text: impl Display) {
        let mut stderr = std::io::stderr();
        let _ = write!(stderr, "\r{text}\u{1b}[K").and_then(|()| stderr.flush());
    }

    /// Returns whether standard output is a terminal.
    pub fn is_terminal(&self) -> bool {
        std::io::stdout().is_terminal()
    }

    /// Prints an error and its hints.
    pub fn error(&self, error: &CommandError) {
        self.note(format!("{}: {}", paint(self.color_err, Style::Red, "error"), error.what()));
        for hint in &error.hints {
            self.note(format!("{}: {hint}", paint(self.color_err, Style::Cyan, "hint")));
        }
    }

    /// Applies a style to a text for standard output.
    pub fn paint(&self, style: Style, text: impl Display) -> String {
        paint(self.color_out, style, text)
    }

    /// Returns whether standard output shows colors.
    pub fn has_color(&self) -> bool {
        self.color_out
    }
}

fn paint(color: bool, style: Style, text: impl Display) -> String {
    if color { format!("\u{1b}[{}m{text}\u{1b}[0m", style.code()) } else { text.to_string() }
}
