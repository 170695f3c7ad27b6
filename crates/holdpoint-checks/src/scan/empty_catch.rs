//! JavaScript's `catch` blocks with nothing in them, not even a comment that says why.

use super::Found;
use crate::source::brackets::Brackets;
use crate::source::{Kind, Token};

pub(super) fn find(tokens: &[Token<'_>]) -> Vec<Found> {
    // Comments stay: as there is no way to catch one error and not another, many an empty block is meant.
    let tokens: Vec<_> = tokens.iter().filter(|token| token.kind != Kind::Break).copied().collect();
    let brackets = Brackets::of(&tokens);
    let is_catch = |place: &usize| {
        let mut before = tokens[..*place].iter().rev().filter(|token| token.kind != Kind::Comment);
        tokens[*place].is_word("catch") && before.next().is_some_and(|token| token.is_mark("}"))
    };
    (0..tokens.len())
        .filter(is_catch)
        .filter(|place| is_empty(&tokens, &brackets, place + 1))
        .map(|place| {
            let message =
                "an empty `catch` swallows every error: handle it, or say in a comment why not".to_owned();
            (tokens[place].line, "EMPTY_CATCH", message)
        })
        .collect()
}

/// Whether what follows is an empty block, with or without a name for the error.
fn is_empty(tokens: &[Token<'_>], brackets: &Brackets, after: usize) -> bool {
    let has_name = tokens.get(after).is_some_and(|token| token.is_mark("("));
    let open = if has_name { brackets.closing(after) + 1 } else { after };
    let is = |place: usize, mark| tokens.get(place).is_some_and(|token| token.is_mark(mark));
    is(open, "{") && is(open + 1, "}")
}
