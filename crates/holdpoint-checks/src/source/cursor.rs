//! A place in a source text, and what all languages' tokens have in common.

use super::{Kind, Token};

/// Signs of two characters that stand for one thing.
const PAIRS: [&str; 6] = ["::", ":=", "->", "=>", "==", "!="];

pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    tokens: Vec<Token<'a>>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Cursor { text, at, line: 1, tokens: Vec::new() }
    }

    /// What is still to be read.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn starts(&self, with: &str) -> bool {
        self.rest().starts_with(with)
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn is_at_start(&self) -> bool {
        self.tokens.is_empty()
    }

    pub(super) fn finish(self) -> Vec<Token<'a>> {
        self.tokens
    }

    /// The tokens so far, the latest first, without comments and line ends.
    pub(super) fn before(&self) -> impl Iterator<Item = &Token<'a>> {
        self.tokens.iter().rev().filter(|token| !matches!(token.kind, Kind::Comment | Kind::Break))
    }

    /// Passes over `length` bytes.
    pub(super) fn skip(&mut self, length: usize) {
        let passed = self.rest().get(..length).unwrap_or(self.rest());
        self.line += passed.matches('\n').count();
        self.at += passed.len();
    }

    /// Makes a token of the next `length` bytes.
    pub(super) fn take(&mut self, kind: Kind, length: usize) {
        self.take_inside(kind, 0, length, 0);
    }

    /// Makes a token of the next `length` bytes, without the `before` and `after` them, which are passed over.
    pub(super) fn take_inside(&mut self, kind: Kind, before: usize, length: usize, after: usize) {
        let text = self.rest().get(before..before + length).unwrap_or_default();
        self.tokens.push(Token { kind, text, line: self.line, start: self.at });
        self.skip(before + length + after);
    }

    /// A comment up to the end of the line.
    pub(super) fn line_comment(&mut self) {
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        self.take(Kind::Comment, length);
    }

    /// A comment from `/*` to the next `*/`.
    pub(super) fn block_comment(&mut self) {
        let rest = self.rest();
        let length = rest.get(2..).and_then(|inside| inside.find("*/")).map_or(rest.len(), |end| end + 4);
        self.take(Kind::Comment, length);
    }

    /// A string from here: `open` bytes of quotes, then up to `close`, where a backslash hides what follows it.
    /// Unless it `spans` lines, the end of the line ends it too.
    pub(super) fn quoted(&mut self, open: usize, close: &str, spans: bool) {
        let inside = self.rest().get(open..).unwrap_or_default();
        let mut chars = inside.char_indices();
        while let Some((place, char)) = chars.next() {
            match char {
                '\\' => drop(chars.next()),
                _ if inside[place..].starts_with(close) => {
                    return self.take_inside(Kind::Text, open, place, close.len());
                }
                '\n' if !spans => return self.take_inside(Kind::Text, open, place, 0),
                _ => {}
            }
        }
        self.take_inside(Kind::Text, open, inside.len(), 0);
    }

    /// What looks the same in every language: white space, line ends, names, numbers, signs.
    pub(super) fn plain(&mut self) {
        let rest = self.rest();
        let Some(char) = rest.chars().next() else { return };
        let length = |fits: fn(char) -> bool| rest.find(|c| !fits(c)).unwrap_or(rest.len());
        if char == '\n' {
            self.take(Kind::Break, 1);
        } else if char.is_whitespace() {
            self.skip(length(|c| c.is_whitespace() && c != '\n'));
        } else if char.is_ascii_digit() {
            self.take(Kind::Number, number(rest));
        } else if in_word(char) {
            self.take(Kind::Word, length(in_word));
        } else {
            let pair = PAIRS.into_iter().find(|pair| rest.starts_with(pair));
            self.take(Kind::Mark, pair.map_or(char.len_utf8(), str::len));
        }
    }
}

/// Whether a character can stand in a name.
pub(super) fn in_word(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$')
}

/// The length of the number at the start: a point is part of it where a digit or nothing of a name follows, so that
/// `1..2` and `1.max(2)` are not one.
fn number(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let mut before = ' ';
    while let Some((place, char)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_part = match char {
            '.' => !next.is_some_and(|next| next == '.' || next == '_' || next.is_alphabetic()),
            '+' | '-' => matches!(before, 'e' | 'E') && !text.starts_with("0x"),
            _ => in_word(char),
        };
        if !is_part {
            return place;
        }
        before = char;
    }
    text.len()
}
