//! Rust's items that are there for tests only.

use super::Token;
use super::brackets::Brackets;

/// Where the item ends that an attribute at `place` says is for tests; the whole file, if it says so of the file.
/// `tokens` have no comments and no line ends.
pub(crate) fn test_until(tokens: &[Token<'_>], brackets: &Brackets, place: usize) -> Option<usize> {
    let is = |place: usize, mark: &str| tokens.get(place).is_some_and(|token| token.is_mark(mark));
    let of_file = usize::from(is(place + 1, "!"));
    if !is(place, "#") || !is(place + 1 + of_file, "[") {
        return None;
    }
    let end = brackets.closing(place + 1 + of_file);
    let words = tokens.get(place..=end)?;
    let has = |word: &str| words.iter().any(|token| token.is_word(word));
    if !has("test") || has("not") || has("cfg_attr") {
        return None;
    }
    Some(if of_file == 1 { tokens.len() } else { item_end(tokens, brackets, end + 1) })
}

/// Where the item that starts at `from` ends: with its block, or with a semicolon before any block.
fn item_end(tokens: &[Token<'_>], brackets: &Brackets, from: usize) -> usize {
    let mut place = from;
    while let Some(token) = tokens.get(place) {
        if token.is_mark(";") {
            return place;
        }
        if token.opens() {
            let end = brackets.closing(place);
            if token.is_mark("{") {
                return end;
            }
            place = end;
        }
        place += 1;
    }
    tokens.len()
}
