//! JSX: tags in the midst of JavaScript, and the text between them, where an apostrophe is no quote and two slashes
//! are no comment.

use super::Kind;
use super::cursor::in_word;
use super::javascript::{Around, Reader};

/// Opens a tag where one begins. False: it is a comparison or a type parameter.
pub(super) fn open(reader: &mut Reader<'_>) -> bool {
    let inside = &reader.cursor.rest()[1..];
    let name =
        &inside[..inside.find(|c| !(in_word(c) || matches!(c, '.' | '-' | ':'))).unwrap_or(inside.len())];
    let after = inside[name.len()..].trim_start();
    let is_fragment = name.is_empty() && after.starts_with('>');
    let is_parameter = after.starts_with(',') || after.starts_with("extends ") || after.starts_with('=');
    if !is_fragment && (is_parameter || !name.starts_with(|c: char| c.is_alphabetic() || c == '_')) {
        return false;
    }
    reader.cursor.take(Kind::Mark, 1);
    reader.cursor.skip(name.len());
    reader.around.push(Around::Tag(name));
    true
}

/// The next part of a tag that is open.
pub(super) fn tag<'a>(reader: &mut Reader<'a>, name: &'a str, char: char) {
    match char {
        '/' if reader.cursor.starts("/>") => {
            reader.cursor.take(Kind::Text, 2);
            reader.around.pop();
        }
        '/' if reader.cursor.starts("//") => reader.cursor.line_comment(),
        '/' if reader.cursor.starts("/*") => reader.cursor.block_comment(),
        '>' => {
            reader.around.pop();
            if is_closed(reader, name) {
                reader.around.push(Around::Children);
            }
            reader.cursor.take(Kind::Mark, 1);
        }
        '"' | '\'' => attribute(reader, char),
        '{' => hole(reader),
        _ => reader.cursor.plain(),
    }
}

/// What stands between two tags: text, code in braces, further tags.
pub(super) fn children(reader: &mut Reader<'_>) {
    let rest = reader.cursor.rest();
    let text = rest.find(['<', '{']).unwrap_or(rest.len());
    if text > 0 {
        return reader.cursor.take(Kind::Text, text);
    }
    if rest.starts_with('{') {
        hole(reader);
    } else if rest.starts_with("</") {
        reader.cursor.take(Kind::Text, rest.find('>').map_or(rest.len(), |end| end + 1));
        reader.around.pop();
    } else if !open(reader) {
        reader.cursor.take(Kind::Text, 1);
    }
}

fn hole(reader: &mut Reader<'_>) {
    reader.cursor.take(Kind::Mark, 1);
    reader.around.push(Around::Hole(0));
}

/// An attribute's text: it may span lines, and knows no backslash.
fn attribute(reader: &mut Reader<'_>, quote: char) {
    let inside = &reader.cursor.rest()[1..];
    let end = inside.find(quote);
    reader.cursor.take_inside(Kind::Text, 1, end.unwrap_or(inside.len()), usize::from(end.is_some()));
}

/// Whether a tag is closed further on. What is not is a type parameter, such as in `type F = <T>(x: T) => T`.
fn is_closed<'a>(reader: &mut Reader<'a>, name: &'a str) -> bool {
    if reader.unclosed.contains(name) {
        return false;
    }
    let closes = |place: usize, rest: &str| {
        let after = &rest[place + 2 + name.len()..];
        !after.starts_with(|c| in_word(c) || matches!(c, '.' | '-' | ':'))
    };
    let rest = reader.cursor.rest();
    let is_closed = rest.match_indices(&format!("</{name}")).any(|(place, _)| closes(place, rest));
    if !is_closed {
        reader.unclosed.insert(name);
    }
    is_closed
}
