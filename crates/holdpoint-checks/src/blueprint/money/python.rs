//! Declarations as Python has them: annotations of names and parameters, results, and what is assigned.

use super::declared::value_at;
use super::{Declared, Money, is_money, is_wrong};
use crate::source::brackets::Brackets;
use crate::source::line::lines;
use crate::source::{Kind, Token};

pub(super) fn find(text: &str, code: &[Token<'_>], money: Money) -> Vec<Declared> {
    let mut found = Vec::new();
    for line in lines(text, code) {
        let tokens: Vec<Token<'_>> =
            line.tokens.iter().filter(|token| token.kind != Kind::Break).copied().collect();
        let start = usize::from(line.begins("async"));
        if tokens.get(start).is_some_and(|token| token.is_word("def")) {
            found.extend(function(&tokens[start + 1..], money));
        } else {
            found.extend(annotated(&tokens, money));
        }
        found.extend(assigned(&tokens, money));
    }
    found
}

/// A wrong type in an annotation: up to where the name's value begins.
fn type_of(name: &Token<'_>, annotation: &[Token<'_>], money: Money) -> Option<Declared> {
    let mut depth = 0usize;
    let mut of_type = annotation.iter().take_while(|token| {
        depth = if token.opens() {
            depth + 1
        } else if token.closes() {
            depth.saturating_sub(1)
        } else {
            depth
        };
        depth > 0 || !matches!(token.text, "=" | ",")
    });
    let wrong = of_type.find(|token| token.kind == Kind::Word && is_wrong(token.text, money))?;
    is_money(name.text).then(|| (name.line, name.text.to_owned(), wrong.text.to_owned()))
}

/// `price: float`, `self.price: float = 0`: only at the start of a line, as a colon elsewhere says other things.
fn annotated(tokens: &[Token<'_>], money: Money) -> Option<Declared> {
    let name = annotated_name(tokens)?;
    type_of(&tokens[name], &tokens[name + 2..], money)
}

/// The place of a name that a line begins with, if it is annotated.
fn annotated_name(tokens: &[Token<'_>]) -> Option<usize> {
    let path = tokens.iter().take_while(|token| token.kind == Kind::Word || token.is_mark(".")).count();
    let is_word = |token: &Token<'_>| token.kind == Kind::Word;
    let is_dotted = tokens[..path].windows(2).all(|pair| is_word(&pair[0]) != is_word(&pair[1]));
    tokens.get(path).filter(|token| token.is_mark(":") && is_dotted)?;
    path.checked_sub(1)
}

/// A function's parameters and result.
fn function(tokens: &[Token<'_>], money: Money) -> Vec<Declared> {
    let Some(open) = tokens.iter().position(|token| token.is_mark("(")) else { return Vec::new() };
    let close = Brackets::of(tokens).closing(open);
    let mut found = Vec::new();
    let mut depth = 0usize;
    for place in open..close {
        if tokens[place].opens() {
            depth += 1;
        } else if tokens[place].closes() {
            depth = depth.saturating_sub(1);
        } else if depth == 1 && tokens[place].is_mark(":") {
            found.extend(type_of(&tokens[place - 1], &tokens[place + 1..close], money));
        }
    }
    let result = tokens.get(close + 1..).unwrap_or_default();
    if let ([name, ..], [arrow, result @ ..]) = (tokens, result)
        && arrow.is_mark("->")
    {
        found.extend(type_of(name, result, money));
    }
    found
}

/// `price = 9.99`, `f(price=float(x))`, `price: int = 9.99`.
fn assigned(tokens: &[Token<'_>], money: Money) -> Vec<Declared> {
    let is_function = tokens.iter().take(2).any(|token| token.is_word("def"));
    let annotated = annotated_name(tokens);
    let value = |place: usize| {
        let rest = &tokens[place + 1..];
        let equals = match rest.first()?.text {
            "=" => 0,
            ":" if is_function || annotated == Some(place) => value_start(rest)?,
            _ => return None,
        };
        let wrong = value_at(&rest[equals + 1..], money)?;
        Some((tokens[place].line, tokens[place].text.to_owned(), wrong))
    };
    let is_named = |place: &usize| tokens[*place].kind == Kind::Word && is_money(tokens[*place].text);
    (0..tokens.len()).filter(is_named).filter_map(value).collect()
}

/// Where the value after an annotation begins, before anything else does.
fn value_start(rest: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0usize;
    for (place, token) in rest.iter().enumerate() {
        match token.text {
            "=" if depth == 0 => return Some(place),
            "," | ")" if depth == 0 => return None,
            _ if token.opens() => depth += 1,
            _ if token.closes() => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}
