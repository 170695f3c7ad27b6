//! Go's errors that are dropped without a word: `_ = f()`, and `if err != nil { }`.
//!
//! Types are not known here. But who writes `_ = f()` for `f()` has an error to drop, and a comment on that line or
//! the one above says why; `v, _ := f()` may be about anything and is left alone.

use std::collections::HashSet;

use super::Found;
use crate::source::brackets::Brackets;
use crate::source::{Kind, Token};

pub(super) fn find(tokens: &[Token<'_>]) -> Vec<Found> {
    let mut found = Vec::new();
    let brackets = Brackets::of(tokens);
    let explained = explained(tokens);
    let mut open: Vec<&str> = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let is_dropped = open.last() == Some(&"{") && drops_result(tokens, &brackets, place);
        if is_dropped && !explained.contains(&token.line) {
            let message = "`_ =` drops an error: handle it, or say in a comment why not".to_owned();
            found.push((token.line, "IGNORED_ERROR", message));
        }
        if has_empty_branch(tokens, place) {
            let message =
                "an error is looked at and nothing done: handle it, or say in a comment why not".to_owned();
            found.push((token.line, "IGNORED_ERROR", message));
        }
        if token.opens() {
            open.push(token.text);
        } else if token.closes() {
            open.pop();
        }
    }
    found
}

/// Whether a statement `_ = f(…)` stands here: a call and nothing after it.
fn drops_result(tokens: &[Token<'_>], brackets: &Brackets, place: usize) -> bool {
    let starts = place == 0
        || matches!(
            (tokens[place - 1].kind, tokens[place - 1].text),
            (Kind::Break | Kind::Comment, _) | (_, "{" | "}" | ";")
        );
    if !starts
        || !tokens[place].is_word("_")
        || !tokens.get(place + 1).is_some_and(|token| token.is_mark("="))
    {
        return false;
    }
    let mut at = place + 2;
    while tokens.get(at).is_some_and(|token| token.kind == Kind::Word || token.is_mark(".")) {
        at += 1;
    }
    while tokens.get(at).is_some_and(|token| token.is_mark("(") || token.is_mark("[")) {
        at = brackets.closing(at) + 1;
        while tokens.get(at).is_some_and(|token| token.kind == Kind::Word || token.is_mark(".")) {
            at += 1;
        }
    }
    let is_call = at > place + 2 && tokens.get(at - 1).is_some_and(|token| token.is_mark(")"));
    is_call && ends_statement(tokens.get(at))
}

fn ends_statement(token: Option<&Token<'_>>) -> bool {
    token.is_none_or(|token| {
        matches!(token.kind, Kind::Break | Kind::Comment) || token.is_mark(";") || token.is_mark("}")
    })
}

/// The lines that a comment stands on, or ends above.
fn explained(tokens: &[Token<'_>]) -> HashSet<usize> {
    let comments = tokens.iter().filter(|token| token.kind == Kind::Comment);
    comments.flat_map(|token| [token.line, token.line + token.text.matches('\n').count() + 1]).collect()
}

/// Whether `err != nil { }` stands here.
fn has_empty_branch(tokens: &[Token<'_>], place: usize) -> bool {
    let [name, unequal, nil, open, rest @ ..] = &tokens[place..] else { return false };
    let is_error = name.kind == Kind::Word && (name.text == "err" || name.text.ends_with("Err"));
    let is_branch = is_error && unequal.is_mark("!=") && nil.is_word("nil") && open.is_mark("{");
    is_branch && rest.iter().find(|token| token.kind != Kind::Break).is_some_and(|token| token.is_mark("}"))
}
