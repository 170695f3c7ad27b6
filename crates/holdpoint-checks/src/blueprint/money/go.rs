//! Declarations as Go has them: names before their type, results after a function, and what is assigned.

use super::declared::value_at;
use super::{Declared, Money, is_money, is_wrong};
use crate::source::brackets::Brackets;
use crate::source::{Kind, Token};

pub(super) fn find(code: &[Token<'_>], money: Money) -> Vec<Declared> {
    let brackets = Brackets::of(code);
    let mut found = Vec::new();
    for (place, token) in code.iter().enumerate().filter(|(_, token)| token.kind == Kind::Word) {
        let is_conversion = code.get(place + 1).is_some_and(|next| next.is_mark("("));
        if is_wrong(token.text, money) && !is_conversion {
            let names = names_before(code, &brackets, place).into_iter().filter(|name| is_money(name.text));
            found.extend(names.map(|name| (name.line, name.text.to_owned(), token.text.to_owned())));
        }
        let is_assigned = code.get(place + 1).is_some_and(|next| next.is_mark("=") || next.is_mark(":="));
        if is_money(token.text) && is_assigned {
            let wrong = value_at(&code[place + 2..], money);
            found.extend(wrong.map(|wrong| (token.line, token.text.to_owned(), wrong)));
        }
    }
    found
}

/// The names that a type at `place` is of: `a, b *float64`, `f() float64`, `map[string]decimal.Decimal`.
fn names_before<'t, 'a>(code: &'t [Token<'a>], brackets: &Brackets, place: usize) -> Vec<&'t Token<'a>> {
    let mut at = place;
    let back = |at: usize| at.checked_sub(1).map(|at| &code[at]);
    // The package that the type is of.
    if back(at).is_some_and(|token| token.is_mark(".")) && at > 1 && code[at - 2].kind == Kind::Word {
        at -= 2;
    }
    while let Some(token) = back(at) {
        let is_map = token.is_mark("]") || token.is_word("map");
        if is_map {
            at = if token.is_mark("]") { brackets.opening(at - 1) } else { at - 1 };
        } else if token.is_mark("*") {
            at -= 1;
        } else {
            break;
        }
    }
    if back(at).is_some_and(|token| token.is_mark(")")) {
        let open = brackets.opening(at - 1);
        return back(open).filter(|token| token.kind == Kind::Word).into_iter().collect();
    }
    let mut names = Vec::new();
    while let Some(name) = back(at).filter(|token| token.kind == Kind::Word) {
        names.push(name);
        at -= 1;
        if !back(at).is_some_and(|token| token.is_mark(",")) {
            break;
        }
        at -= 1;
    }
    names
}
