//! Python's logical lines: what stands between two line ends outside brackets, and how far it is indented.

use super::{Kind, Token};

/// A logical line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'t, 'a> {
    /// How many columns it is indented; a tab goes to the next multiple of eight, as Python has it.
    pub(crate) indent: usize,
    /// Its tokens; at least one.
    pub(crate) tokens: &'t [Token<'a>],
}

impl Line<'_, '_> {
    /// Whether it begins with this word.
    pub(crate) fn begins(&self, word: &str) -> bool {
        self.tokens.first().is_some_and(|token| token.is_word(word))
    }

    /// The place of the first `mark` outside brackets.
    pub(crate) fn find(&self, mark: &str) -> Option<usize> {
        let mut depth = 0usize;
        self.tokens.iter().position(|token| {
            if token.opens() {
                depth += 1;
            } else if token.closes() {
                depth = depth.saturating_sub(1);
            }
            depth == 0 && token.is_mark(mark)
        })
    }
}

/// The lines of `tokens`, which were read from `text` and have no comments.
pub(crate) fn lines<'t, 'a>(text: &str, tokens: &'t [Token<'a>]) -> Vec<Line<'t, 'a>> {
    let mut lines = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    for (place, token) in tokens.iter().enumerate() {
        if token.opens() {
            depth += 1;
        } else if token.closes() {
            depth = depth.saturating_sub(1);
        } else if token.kind == Kind::Break && depth == 0 && !is_joined(tokens, place) {
            lines.extend(line(text, &tokens[start..place]));
            start = place + 1;
        }
    }
    lines.extend(line(text, &tokens[start..]));
    lines
}

/// A backslash before the line's end joins the next one to it.
fn is_joined(tokens: &[Token<'_>], place: usize) -> bool {
    place > 0 && tokens[place - 1].is_mark("\\")
}

fn line<'t, 'a>(text: &str, tokens: &'t [Token<'a>]) -> Option<Line<'t, 'a>> {
    let first = tokens.first()?;
    let before = text.get(..first.start)?;
    let margin = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    let indent = margin.chars().fold(0, |column, char| match char {
        '\t' => (column / 8 + 1) * 8,
        '\u{feff}' | '\u{c}' => column,
        _ => column + 1,
    });
    Some(Line { indent, tokens })
}
