//! The output of commands: data on standard output, messages on standard error, color only on a terminal.
//!
//! Everything that a command prints goes through here. Most of it was written by others: an agent, a state file, a test
//! suite. So whatever could steer a terminal is blanked, and secrets are replaced, whoever wrote the text. Only what the user
//! is to judge is shown with all that looks like a secret. Styles are applied last: until then they are marks that no text
//! can know.
//!
//! Prose and tables are folded to the width that there is: the terminal's, otherwise that of `COLUMNS`, otherwise 80.
//! What programs and agents read line by line is folded on a terminal only, and data never is.

mod fold;

use std::fmt::Display;
use std::io::{IsTerminal, Write};

use holdpoint_core::secret;

use crate::env::Env;
use crate::env_vars::{COLUMNS, NO_COLOR};
use crate::error::CommandError;

/// The output of commands.
#[derive(Clone, Copy, Debug)]
pub struct Ui {
    color_out: bool,
    color_err: bool,
    width_out: usize,
    width_err: usize,
    /// Begins a style in a text that is not printed yet: another one in each process.
    mark: char,
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
    /// The letter that stands after a mark.
    fn letter(self) -> char {
        match self {
            Style::Bold => 'b',
            Style::Dim => 'd',
            Style::Red => 'r',
            Style::Green => 'g',
            Style::Yellow => 'y',
            Style::Cyan => 'c',
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
            width_out: width(env, &std::io::stdout()),
            width_err: width(env, &std::io::stderr()),
            mark: mark(env),
        }
    }

    /// Prints prose or a row of a table, folded. A closed stream is not an error.
    pub fn line(&self, text: impl Display) {
        let text = self.styled(&text.to_string(), self.color_out);
        let _ = writeln!(std::io::stdout(), "{}", fold::fold(&text, self.width_out));
    }

    /// Prints what programs or agents read line by line. It is folded on a terminal only.
    pub fn record(&self, text: impl Display) {
        if self.is_terminal() { self.line(text) } else { self.data(text) }
    }

    /// Prints data, as it is.
    pub fn data(&self, text: impl Display) {
        let _ = writeln!(std::io::stdout(), "{}", self.styled(&text.to_string(), self.color_out));
    }

    /// Prints a line that the user is to judge: blanked, but whole. A command could hide where a secret would be replaced.
    pub fn whole_line(&self, text: impl Display) {
        let text = self.applied(&text.to_string(), self.color_out, &blanked);
        let _ = writeln!(std::io::stdout(), "{}", fold::fold(&text, self.width_out));
    }

    /// Asks for an answer in the same line.
    pub fn ask(&self, text: impl Display) {
        let mut stderr = std::io::stderr();
        let _ = write!(stderr, "{text}").and_then(|()| stderr.flush());
    }

    /// Prints a line for people.
    pub fn note(&self, text: impl Display) {
        let text = self.styled(&text.to_string(), self.color_err);
        let _ = writeln!(std::io::stderr(), "{}", fold::fold(&text, self.width_err));
    }

    /// Prints a line of JSON. What it was made from was kept without secrets.
    pub fn json(&self, json: impl Display) {
        let _ = writeln!(std::io::stdout(), "{}", blanked(&json.to_string()));
    }

    /// Prints a drawing that has styles of its own. All that it was drawn from must be `blanked`.
    pub fn drawing(&self, text: &str) {
        let _ = writeln!(std::io::stdout(), "{text}");
    }

    /// Returns whether standard error is a terminal, which can show progress.
    pub fn shows_progress(&self) -> bool {
        std::io::stderr().is_terminal()
    }

    /// Shows the progress of a command, replacing the previous text. An empty text clears the line.
    pub fn progress(&self, text: impl Display) {
        let mut stderr = std::io::stderr();
        let text = self.styled(&text.to_string(), false);
        let _ = write!(stderr, "\r{text}\u{1b}[K").and_then(|()| stderr.flush());
    }

    /// Returns whether standard output is a terminal.
    pub fn is_terminal(&self) -> bool {
        std::io::stdout().is_terminal()
    }

    /// Prints an error and its hints.
    pub fn error(&self, error: &CommandError) {
        self.message(Style::Red, "error", &error.what());
        for hint in &error.hints {
            self.message(Style::Cyan, "hint", hint);
        }
    }

    /// Prints a message for people under its word.
    fn message(&self, style: Style, word: &str, text: &str) {
        let text = self.styled(&format!("{}: {text}", self.paint(style, word)), self.color_err);
        let hang = word.len() + ": ".len();
        let _ = writeln!(std::io::stderr(), "{}", fold::fold_message(&text, self.width_err, hang));
    }

    /// Returns a line of prose in lines that fit into this many columns.
    pub fn folded(&self, line: &str, columns: usize) -> Vec<String> {
        fold::fold(line, columns).split('\n').map(str::to_owned).collect()
    }

    /// Returns the number of columns of standard output.
    pub fn width(&self) -> usize {
        self.width_out
    }

    /// Marks a text with a style. It is applied when the text is printed, if there are colors then.
    pub fn paint(&self, style: Style, text: impl Display) -> String {
        format!("{}{}{text}{}{END}", self.mark, style.letter(), self.mark)
    }

    /// Returns a text as it is printed: blanked, without secrets, and with its styles or without them.
    fn styled(&self, text: &str, has_color: bool) -> String {
        self.applied(text, has_color, &|part| blanked(&secret::replaced(part)))
    }

    /// Returns a text with its styles or without them, and everything between them made clean.
    fn applied(&self, text: &str, has_color: bool, clean: &dyn Fn(&str) -> String) -> String {
        let mut parts = text.split(self.mark);
        let mut result = clean(parts.next().unwrap_or_default());
        for part in parts {
            let mut rest = part.chars();
            let code = rest.next().and_then(code);
            if let Some(code) = code.filter(|_| has_color) {
                result.extend(["\u{1b}[", code, "m"]);
            }
            result.push_str(&clean(rest.as_str()));
        }
        result
    }

    /// Returns whether standard output shows colors.
    pub fn has_color(&self) -> bool {
        self.color_out
    }
}

/// The width where none is known.
const WIDTH: usize = 80;
/// The narrowest width that lines are folded to.
const WIDTH_MIN: usize = 40;

/// Returns the number of columns of a stream: the terminal's, those that the environment names, or the usual ones.
#[cfg(unix)]
fn width(env: &dyn Env, stream: &(impl IsTerminal + std::os::fd::AsFd)) -> usize {
    let size = stream.is_terminal().then(|| rustix::termios::tcgetwinsize(stream).ok()).flatten();
    columns(env, size.map(|size| usize::from(size.ws_col)))
}

#[cfg(not(unix))]
fn width(env: &dyn Env, _: &impl IsTerminal) -> usize {
    columns(env, None)
}

fn columns(env: &dyn Env, of_terminal: Option<usize>) -> usize {
    let known = of_terminal.filter(|columns| *columns > 0);
    let named = || env.var(COLUMNS).and_then(|columns| columns.parse().ok());
    known.or_else(named).unwrap_or(WIDTH).max(WIDTH_MIN)
}

/// Stands after the mark that ends a style.
const END: char = '0';

/// The terminal's code for the letter after a mark.
fn code(letter: char) -> Option<&'static str> {
    match letter {
        'b' => Some("1"),
        'd' => Some("2"),
        'r' => Some("31"),
        'g' => Some("32"),
        'y' => Some("33"),
        'c' => Some("36"),
        END => Some("0"),
        _ => None,
    }
}

/// A character of the supplementary private use area, which has no meaning and no place in any text.
fn mark(env: &dyn Env) -> char {
    const FIRST: u32 = 0xF_0000;
    const COUNT: u64 = 0xFFFE;
    let offset = u32::try_from(env.random_u64() % COUNT).unwrap_or(0);
    char::from_u32(FIRST + offset).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Returns a text with everything blank that could steer a terminal: control characters other than line breaks and tabs,
/// and what turns the direction of writing. It stays as long as it was, in bytes.
pub fn blanked(text: &str) -> String {
    text.chars().map(|c| if c == '\n' || c == '\t' { c } else { visible(c) }).collect()
}

/// Returns the character, or a blank of the same length if it could steer a terminal.
pub fn visible(c: char) -> char {
    let is_turn = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    match c.len_utf8() {
        1 if c.is_control() => ' ',
        2 if c.is_control() => '\u{a0}',
        _ if is_turn => '\u{2003}',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOREIGN: &str = "a\u{1b}]0;PWN\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{7f}\rz";

    #[test]
    fn no_text_steers_the_terminal_and_styles_are_ours() {
        let ui = Ui { color_out: true, color_err: true, width_out: 80, width_err: 80, mark: '\u{F1234}' };
        let text = format!("{} {FOREIGN}\n\tb", ui.paint(Style::Red, FOREIGN));
        let shown = "a ]0;PWN  [2J\u{a0}31m\u{2003}  z";
        assert_eq!(ui.styled(&text, true), format!("\u{1b}[31m{shown}\u{1b}[0m {shown}\n\tb"));
        assert_eq!(ui.styled(&text, false), format!("{shown} {shown}\n\tb"));
        assert_eq!(ui.styled("\u{F1234}\u{F1234}x\u{F1234}", true), "", "what is no mark of ours goes");
    }

    #[test]
    fn the_width_is_that_of_the_terminal_or_the_environment_or_the_usual_one() {
        let named = |columns: &str| crate::env::FixedEnv {
            variables: [(COLUMNS.to_owned(), columns.to_owned())].into(),
            now: None,
        };
        assert_eq!(columns(&named("100"), Some(120)), 120);
        assert_eq!(columns(&named("100"), Some(0)), 100);
        assert_eq!(columns(&named("many"), None), WIDTH);
        assert_eq!(columns(&named("1"), None), WIDTH_MIN);
    }

    #[test]
    fn a_blanked_text_has_its_places_where_they_were() {
        assert_eq!(blanked(FOREIGN).len(), FOREIGN.len());
        assert_eq!(blanked("plain text, äöü →\n"), "plain text, äöü →\n");
    }
}
