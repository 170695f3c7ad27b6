//! The cells of a table row. A bar in a code span never ends a cell, escaped or not, because no author means it to.

use pulldown_cmark::{Event, Parser};

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The Markdown source.
    pub raw: String,
    /// The text without markup.
    pub text: String,
    /// The code spans.
    pub codes: Vec<String>,
    /// The text outside the code spans.
    pub prose: String,
}

/// A prefix for a cell's source while it is parsed, so that nothing in it starts a list or a heading.
const GUARD: &str = "& ";

impl Cell {
    /// Parses the Markdown of a cell or of any single line.
    pub fn read(raw: &str) -> Cell {
        let mut cell = Cell { raw: raw.trim().to_owned(), ..Cell::default() };
        for event in Parser::new(&format!("{GUARD}{}", cell.raw)) {
            match event {
                Event::Code(code) => {
                    cell.text.push_str(&code);
                    cell.codes.push(code.trim().to_owned());
                }
                Event::Text(text) => {
                    cell.text.push_str(&text);
                    cell.prose.push_str(&text);
                }
                Event::SoftBreak | Event::HardBreak => cell.prose.push(' '),
                _ => {}
            }
        }
        let bare = |text: &str| text.strip_prefix(GUARD.trim_end()).unwrap_or(text).trim().to_owned();
        (cell.text, cell.prose) = (bare(&cell.text), bare(&cell.prose));
        cell
    }
}

/// Splits a line that begins with a bar into its cells. Returns none for any other line.
pub fn cells(line: &str) -> Option<Vec<Cell>> {
    let inside = line.trim().strip_prefix('|')?;
    let mut parts = split(inside);
    if parts.len() > 1 && parts.last().is_some_and(|last| last.trim().is_empty()) {
        parts.pop();
    }
    Some(parts.iter().map(|part| Cell::read(part)).collect())
}

/// Returns whether the cells are the rule under a table's head.
pub fn is_rule(cells: &[Cell]) -> bool {
    let is_dashes =
        |cell: &Cell| cell.raw.contains('-') && cell.raw.chars().all(|c| matches!(c, '-' | ':' | ' '));
    !cells.is_empty() && cells.iter().all(is_dashes)
}

fn split(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = line;
    while let Some(char) = rest.chars().next() {
        let (piece, length) = match char {
            '\\' if rest.starts_with("\\|") => ("|", 2),
            '\\' if rest.starts_with("\\`") => ("\\`", 2),
            '`' => {
                let length = span(rest);
                (&rest[..length], length)
            }
            '|' => {
                parts.push(String::new());
                ("", 1)
            }
            _ => (&rest[..char.len_utf8()], char.len_utf8()),
        };
        let piece = if char == '`' { piece.replace("\\|", "|") } else { piece.to_owned() };
        parts.iter_mut().last().into_iter().for_each(|part| part.push_str(&piece));
        rest = &rest[length..];
    }
    parts
}

/// Returns the length of the code span at the start, or of its backticks alone if nothing closes it.
pub fn span(text: &str) -> usize {
    let marks = text.len() - text.trim_start_matches('`').len();
    let mut at = marks;
    while let Some(start) = text[at..].find('`').map(|found| at + found) {
        let closing = text[start..].len() - text[start..].trim_start_matches('`').len();
        at = start + closing;
        if closing == marks {
            return at;
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        cells(line).unwrap().into_iter().map(|cell| cell.text).collect()
    }

    #[test]
    fn bars_in_code_and_escaped_bars_do_not_end_a_cell() {
        for (line, expect) in [
            ("| a | b |", vec!["a", "b"]),
            ("| a | b", vec!["a", "b"]),
            ("| a | | b |", vec!["a", "", "b"]),
            ("| `a | b` | c |", vec!["a | b", "c"]),
            (r"| `a \| b` | c \| d |", vec!["a | b", "c | d"]),
            ("| ``a ` | b`` | c |", vec!["a ` | b", "c"]),
            ("| a ` b | c |", vec!["a ` b", "c"]),
            ("| **a** | 1. b | # c | & d |", vec!["a", "1. b", "# c", "& d"]),
            ("|", vec![""]),
        ] {
            assert_eq!(texts(line), expect, "{line}");
        }
        assert_eq!(cells("a | b"), None);
    }

    #[test]
    fn code_and_prose_are_separated() {
        let cell = Cell::read("run `a b`, then `c`");
        assert_eq!((cell.codes, cell.prose), (vec!["a b".into(), "c".into()], "run , then".into()));
        assert!(is_rule(&cells("|---|:-:|").unwrap()) && !is_rule(&cells("| - | a |").unwrap()));
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_split(line in "[|`\\\\a -:é*<]{0,40}") {
            cells(&line);
            cells(&format!("|{line}"));
        }
    }
}
