//! Python's comments and strings: prefixes, triple quotes, and the fields of format strings, which are code and may
//! hold strings with fields of their own.

use super::cursor::{Cursor, in_word};
use super::{Kind, Token};

/// How a format string is closed.
#[derive(Clone, Copy)]
struct Quote(&'static str);

/// What surrounds the code at hand, the innermost last.
#[derive(Clone, Copy)]
enum Around {
    /// The text of a format string.
    Format(Quote),
    /// A field of one: code, and how many brackets are open in it.
    Field(Quote, usize),
    /// How a field is to be printed: text up to the field's end.
    Style(Quote),
}

pub(super) fn read(mut cursor: Cursor<'_>) -> Vec<Token<'_>> {
    let mut around = Vec::new();
    while let Some(char) = cursor.peek() {
        match around.last().copied() {
            Some(Around::Format(quote)) => format_text(&mut cursor, quote, &mut around),
            Some(Around::Style(quote)) => style(&mut cursor, quote, &mut around),
            Some(Around::Field(..)) if ends_field(&mut cursor, &mut around) => {}
            Some(Around::Field(..)) | None => code(&mut cursor, char, &mut around),
        }
    }
    cursor.finish()
}

fn code(cursor: &mut Cursor<'_>, char: char, around: &mut Vec<Around>) {
    match char {
        '#' => cursor.line_comment(),
        '"' | '\'' => string(cursor, 0, around),
        _ if in_word(char) => {
            let rest = cursor.rest();
            let length = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
            if is_prefix(&rest[..length]) && rest[length..].starts_with(['"', '\'']) {
                string(cursor, length, around);
            } else {
                cursor.plain();
            }
        }
        _ => cursor.plain(),
    }
}

fn is_prefix(word: &str) -> bool {
    word.len() <= 2 && word.bytes().all(|b| b"rRbBuUfFtT".contains(&b))
}

/// A string whose prefix has `prefix` bytes.
fn string(cursor: &mut Cursor<'_>, prefix: usize, around: &mut Vec<Around>) {
    let (letters, rest) = cursor.rest().split_at(prefix);
    let close = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|close| rest.starts_with(close)).unwrap_or("'");
    if letters.contains(['f', 'F', 't', 'T']) {
        cursor.skip(prefix + close.len());
        around.push(Around::Format(Quote(close)));
    } else {
        cursor.quoted(prefix + close.len(), close, close.len() == 3);
    }
}

/// The text of a format string up to its next field or its end.
fn format_text(cursor: &mut Cursor<'_>, Quote(close): Quote, around: &mut Vec<Around>) {
    let rest = cursor.rest();
    let mut at = 0;
    while let Some(char) = rest[at..].chars().next() {
        let here = &rest[at..];
        if here.starts_with("{{") || here.starts_with("}}") {
            at += 2;
        } else if char == '{' {
            cursor.take(Kind::Text, at);
            cursor.take(Kind::Mark, 1);
            return around.push(Around::Field(Quote(close), 0));
        } else if here.starts_with(close) {
            cursor.take_inside(Kind::Text, 0, at, close.len());
            around.pop();
            return;
        } else if char == '\n' && close.len() == 1 {
            break;
        } else if here.starts_with("\\N{") {
            at += here.find('}').unwrap_or(3);
        } else {
            at += hidden(here);
        }
    }
    cursor.take(Kind::Text, at);
    around.pop();
}

/// The length of the next character, together with what a backslash hides: a quote, but no brace.
fn hidden(text: &str) -> usize {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some('\\'), Some(next)) if !matches!(next, '{' | '}') => 1 + next.len_utf8(),
        (first, _) => first.map_or(0, char::len_utf8),
    }
}

/// Whether the field ends here, or goes over into how it is to be printed.
fn ends_field(cursor: &mut Cursor<'_>, around: &mut Vec<Around>) -> bool {
    let Some(Around::Field(quote, depth)) = around.last_mut() else { return false };
    match cursor.peek() {
        Some('(' | '[' | '{') => *depth += 1,
        Some('}') if *depth == 0 => {
            around.pop();
            cursor.take(Kind::Mark, 1);
            return true;
        }
        Some(')' | ']' | '}') => *depth = depth.saturating_sub(1),
        Some(':') if *depth == 0 => {
            let quote = *quote;
            around.pop();
            around.push(Around::Style(quote));
            cursor.skip(1);
            return true;
        }
        _ => {}
    }
    false
}

fn style(cursor: &mut Cursor<'_>, Quote(close): Quote, around: &mut Vec<Around>) {
    let rest = cursor.rest();
    let ends = |place: &usize| {
        let here = &rest[*place..];
        here.starts_with(['{', '}'])
            || here.starts_with(close)
            || (close.len() == 1 && here.starts_with('\n'))
    };
    let length = rest.char_indices().map(|(place, _)| place).find(ends).unwrap_or(rest.len());
    cursor.skip(length);
    match cursor.peek() {
        Some('{') => {
            cursor.take(Kind::Mark, 1);
            around.push(Around::Field(Quote(close), 0));
        }
        Some('}') => {
            cursor.take(Kind::Mark, 1);
            around.pop();
        }
        // Never closed: what follows is the string's own text again.
        _ => drop(around.pop()),
    }
}
