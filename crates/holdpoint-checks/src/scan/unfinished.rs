//! Rust's macros for code that is still to be written, outside tests.

use super::Found;
use crate::source::brackets::Brackets;
use crate::source::test_item::test_until;
use crate::source::{Kind, Token};

/// `tokens` have no comments.
pub(super) fn find(tokens: &[Token<'_>]) -> Vec<Found> {
    let tokens: Vec<_> = tokens.iter().filter(|token| token.kind != Kind::Break).copied().collect();
    let brackets = Brackets::of(&tokens);
    let mut found = Vec::new();
    let mut place = 0;
    while place < tokens.len() {
        if let Some(end) = test_until(&tokens, &brackets, place) {
            place = end;
        } else if is_call(&tokens[place..]) {
            let message = format!("`{}!` is left in the code: write what belongs there", tokens[place].text);
            found.push((tokens[place].line, "UNFINISHED", message));
        }
        place += 1;
    }
    found
}

fn is_call(tokens: &[Token<'_>]) -> bool {
    let [name, bang, open, ..] = tokens else { return false };
    (name.is_word("todo") || name.is_word("unimplemented")) && bang.is_mark("!") && open.opens()
}
