//! Rust's comments and strings: comments nest, raw strings count their hashes, and a quote may begin a lifetime.

use super::cursor::{Cursor, in_word};
use super::{Kind, Token};

pub(super) fn read(mut cursor: Cursor<'_>) -> Vec<Token<'_>> {
    while let Some(char) = cursor.peek() {
        match char {
            '/' if cursor.starts("//") => cursor.line_comment(),
            '/' if cursor.starts("/*") => nested_comment(&mut cursor),
            '"' => cursor.quoted(1, "\"", true),
            '\'' => quote(&mut cursor),
            'r' | 'b' | 'c' if prefixed(&mut cursor) => {}
            _ => cursor.plain(),
        }
    }
    cursor.finish()
}

fn nested_comment(cursor: &mut Cursor<'_>) {
    let bytes = cursor.rest().as_bytes();
    let (mut at, mut depth) = (0, 0usize);
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    cursor.take(Kind::Comment, at);
}

/// A character, or the quote of a lifetime or a label.
fn quote(cursor: &mut Cursor<'_>) {
    let mut inside = cursor.rest().chars().skip(1);
    let (first, second) = (inside.next(), inside.next());
    if first == Some('\\') || second == Some('\'') && first != Some('\'') {
        cursor.quoted(1, "'", false);
    } else {
        cursor.plain();
    }
}

/// A string or a name with letters before it: `b"…"`, `r#"…"#`, `cr"…"`, `r#name`. False: none of these.
fn prefixed(cursor: &mut Cursor<'_>) -> bool {
    let rest = cursor.rest();
    let prefix =
        ["br", "cr", "r", "b", "c"].into_iter().find(|prefix| rest.starts_with(prefix)).unwrap_or("");
    let after = &rest[prefix.len()..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    if after[hashes..].starts_with('"') && prefix.ends_with('r') {
        let open = prefix.len() + hashes + 1;
        let close = format!("\"{}", "#".repeat(hashes));
        let end = rest[open..].find(&close);
        let length = end.unwrap_or(rest.len() - open);
        cursor.take_inside(Kind::Text, open, length, if end.is_some() { close.len() } else { 0 });
    } else if after.starts_with('"') {
        cursor.quoted(prefix.len() + 1, "\"", true);
    } else if prefix == "r" && hashes == 1 && after[1..].starts_with(in_word) {
        let length = after[1..].find(|c| !in_word(c)).unwrap_or(after.len() - 1);
        cursor.take_inside(Kind::Word, 2, length, 0);
    } else {
        return false;
    }
    true
}
