//! Folds lines to a width, between words.
//!
//! A row of a table folds its last column. What is to be copied stays whole: a command in backticks, and a command that
//! ends a line after a colon.

use std::iter::Peekable;
use std::str::Chars;

/// The fewest columns that a folded column has.
const COLUMN_MIN: usize = 28;
/// The indent of what does not fit into a folded column, from the line's own.
const INDENT: usize = 4;

/// Folds each line that is wider than this. A word that is wider itself gets a line of its own.
pub(super) fn fold(text: &str, width: usize) -> String {
    let lines = text.split('\n').map(|line| fold_line(line, width, hang(line, width)));
    lines.collect::<Vec<_>>().join("\n")
}

/// The same for a message whose first line goes on in this column.
pub(super) fn fold_message(text: &str, width: usize, hang: usize) -> String {
    let (first, rest) = text.split_once('\n').map_or((text, None), |(first, rest)| (first, Some(rest)));
    let first = fold_line(first, width, hang);
    rest.map_or_else(|| first.clone(), |rest| format!("{first}\n{}", fold(rest, width)))
}

fn fold_line(line: &str, width: usize, hang: usize) -> String {
    if width_of(line) <= width {
        return line.to_owned();
    }
    let narrow = (indent(line) + INDENT).min(hang);
    let mut folded = String::new();
    let mut used = 0;
    for (gap, word) in words(line) {
        let wide = width_of(word);
        if used > 0 && used + gap + wide > width {
            let at = if hang + wide > width { narrow } else { hang };
            folded.push('\n');
            folded.extend(std::iter::repeat_n(' ', at));
            used = at;
        } else {
            folded.extend(std::iter::repeat_n(' ', gap));
            used += gap;
        }
        folded.push_str(word);
        used += wide;
    }
    folded
}

/// Returns the column at which a folded line goes on: where its last column begins, or its list's text, or its indent.
fn hang(line: &str, width: usize) -> usize {
    let fits = |at: &usize| *at + COLUMN_MIN <= width;
    let mut at = 0;
    let mut columns = vec![indent(line)];
    for (nth, (gap, word)) in words(line).enumerate() {
        at += gap;
        if nth > 0 && gap > 1 {
            columns.push(at);
        }
        at += width_of(word);
        if nth == 0 && is_bullet(word) {
            columns.push(at + 1);
        }
    }
    columns.into_iter().rev().find(fits).unwrap_or_else(|| indent(line))
}

fn is_bullet(word: &str) -> bool {
    let number = word.strip_suffix(['.', ')']);
    word == "-"
        || word == "*"
        || number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Splits a line into its words, each with the number of blanks before it.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = line.trim_end();
    let mut is_after_colon = false;
    std::iter::from_fn(move || {
        let gap = indent(rest);
        rest = &rest[gap..];
        let is_command = is_after_colon && rest.starts_with("holdpoint ");
        let length = if is_command { rest.len() } else { word_length(rest) };
        let (word, after) = rest.split_at(length);
        rest = after;
        is_after_colon = word.ends_with(':');
        (!word.is_empty()).then_some((gap, word))
    })
}

/// Returns the length of the first word in bytes. Blanks between backticks are part of it.
fn word_length(text: &str) -> usize {
    let mut is_quoted = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'`' => is_quoted = !is_quoted && text[at + 1..].contains('`'),
            b' ' if !is_quoted => return at,
            _ => {}
        }
    }
    text.len()
}

/// Returns the number of columns that a text takes. A style takes none.
fn width_of(text: &str) -> usize {
    let mut chars = text.chars().peekable();
    let mut width = 0;
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_style(&mut chars),
            _ => width += 1,
        }
    }
    width
}

fn skip_style(chars: &mut Peekable<Chars<'_>>) {
    for c in chars.by_ref() {
        if c.is_ascii_alphabetic() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_keeps_its_indent_and_a_table_its_last_column() {
        assert_eq!(fold("  one two three four", 12), "  one two\n  three four");
        let row = "  name  a text that is longer than there is room for in this row";
        assert_eq!(
            fold(row, 40),
            "  name  a text that is longer than there\n        is room for in this row"
        );
        assert_eq!(
            fold("1. one two three four five six seven eight", 35),
            "1. one two three four five six\n   seven eight"
        );
        assert_eq!(fold("short\n\n  rows  stay", 20), "short\n\n  rows  stay");
    }

    #[test]
    fn a_command_stays_in_one_line() {
        assert_eq!(fold("see `holdpoint log -n 0` now", 16), "see\n`holdpoint log -n 0`\nnow");
        assert_eq!(fold("it waits: holdpoint allow /a/b", 12), "it waits:\nholdpoint allow /a/b");
        assert_eq!(fold("an odd ` mark is a word", 12), "an odd `\nmark is a\nword");
    }

    #[test]
    fn styles_take_no_room_and_long_words_get_a_line() {
        let painted = "\u{1b}[31mone\u{1b}[0m two";
        assert_eq!(fold(painted, 7), painted);
        assert_eq!(
            fold("in /a/very/long/path/of/a/file it is", 10),
            "in\n/a/very/long/path/of/a/file\nit is"
        );
        let row = format!("  name  {}", "x".repeat(34));
        assert_eq!(fold(&row, 40), format!("  name\n      {}", "x".repeat(34)));
    }

    #[test]
    fn a_message_goes_on_below_its_first_word() {
        assert_eq!(fold_message("error: one two three", 14, 7), "error: one two\n       three");
        assert_eq!(fold_message("error: one\n  two", 14, 7), "error: one\n  two");
    }
}
