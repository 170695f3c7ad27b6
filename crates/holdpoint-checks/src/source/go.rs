//! Go's comments and strings.

use super::Token;
use super::cursor::Cursor;

pub(super) fn read(mut cursor: Cursor<'_>) -> Vec<Token<'_>> {
    while let Some(char) = cursor.peek() {
        match char {
            '/' if cursor.starts("//") => cursor.line_comment(),
            '/' if cursor.starts("/*") => cursor.block_comment(),
            '"' => cursor.quoted(1, "\"", false),
            '\'' => cursor.quoted(1, "'", false),
            '`' => raw(&mut cursor),
            _ => cursor.plain(),
        }
    }
    cursor.finish()
}

/// Between backquotes a backslash is a backslash.
fn raw(cursor: &mut Cursor<'_>) {
    let inside = &cursor.rest()[1..];
    let end = inside.find('`');
    cursor.take_inside(super::Kind::Text, 1, end.unwrap_or(inside.len()), usize::from(end.is_some()));
}
