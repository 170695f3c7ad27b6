//! Declarations as JavaScript, TypeScript and Rust have them, and what a value begins with in any language.

use super::{Declared, Money, is_money, is_wrong};
use crate::source::brackets::Brackets;
use crate::source::{Kind, Token};

pub(super) fn find(code: &[Token<'_>], money: Money) -> Vec<Declared> {
    let brackets = Brackets::of(code);
    let named =
        (0..code.len()).filter(|place| code[*place].kind == Kind::Word && is_money(code[*place].text));
    named
        .filter_map(|place| {
            Some((code[place].line, code[place].text.to_owned(), declared(code, &brackets, place, money)?))
        })
        .collect()
}

/// How many tokens of a column's own are looked at.
const COLUMN: usize = 40;

/// As what the name at `place` is declared, if that is wrong.
fn declared(code: &[Token<'_>], brackets: &Brackets, place: usize, money: Money) -> Option<String> {
    let before = place.checked_sub(1).map_or("", |before| code[before].text);
    let mut after = place + 1;
    if code.get(after).is_some_and(|token| token.is_mark("?") || token.is_mark("!")) {
        after += 1;
    }
    let token = code.get(after)?;
    match token.text {
        ":" => {
            let rest = &code[after + 1..];
            let assigned = || value_at(&rest[value_start(rest)?..], money);
            type_at(rest, money).or_else(|| value_at(rest, money)).or_else(assigned)
        }
        "=" | ":=" if before == "type" => type_at(&code[after + 1..], money),
        "=" | ":=" => value_at(&code[after + 1..], money),
        // `struct Price(f64)`
        "(" if before == "struct" => {
            let end = brackets.closing(after);
            code[after..end].iter().find(|token| is_type(token, money)).map(|token| token.text.to_owned())
        }
        // `fn total() -> f64`, `total(): Decimal`
        "(" => {
            let result = code.get(brackets.closing(after) + 1..).unwrap_or_default();
            let [sign, rest @ ..] = result else { return None };
            (sign.is_mark("->") || sign.is_mark(":")).then(|| type_at(rest, money))?
        }
        _ => None,
    }
}

fn is_type(token: &Token<'_>, money: Money) -> bool {
    token.kind == Kind::Word && is_wrong(token.text, money)
}

/// A wrong type at the start: up to where the type ends, or a call begins.
fn type_at(tokens: &[Token<'_>], money: Money) -> Option<String> {
    let ends = |token: &&Token<'_>| {
        !(token.kind == Kind::Break
            || matches!(
                token.text,
                "," | ";" | "=" | ")" | "}" | "{" | "(" | "=>" | ":" | "*" | "/" | "+" | "-"
            ))
    };
    let mut of_type = tokens.iter().take_while(ends);
    of_type.find(|token| is_type(token, money)).map(|token| token.text.to_owned())
}

/// Where the value after a type begins.
fn value_start(tokens: &[Token<'_>]) -> Option<usize> {
    let ends = |token: &Token<'_>| {
        token.kind == Kind::Break || matches!(token.text, "," | ";" | "=" | ")" | "}" | "{" | "=>")
    };
    let end = tokens.iter().position(ends)?;
    tokens[end].is_mark("=").then_some(end + 1)
}

/// A value that is wrong by what it begins with: a fraction that is all of it, or a call that makes such a number.
pub(super) fn value_at(tokens: &[Token<'_>], money: Money) -> Option<String> {
    let signs = tokens.iter().take_while(|token| token.is_mark("-") || token.is_mark("+")).count();
    let tokens = &tokens[signs..];
    let words = tokens.iter().take_while(|token| token.is_word("new") || token.is_word("await")).count();
    let tokens = &tokens[words..];
    let first = tokens.first()?;
    if first.kind == Kind::Number {
        let ends = tokens
            .get(1)
            .is_none_or(|next| next.kind == Kind::Break || matches!(next.text, "," | ";" | ")" | "}" | "]"));
        return (is_fraction(first.text) && ends).then(|| first.text.to_owned());
    }
    let path = tokens
        .iter()
        .take_while(|token| token.kind == Kind::Word || token.is_mark(".") || token.is_mark("::"))
        .count();
    let is_call = tokens.get(path).is_some_and(|token| token.is_mark("("));
    let last = tokens[..path].iter().rev().find(|token| token.kind == Kind::Word).filter(|_| is_call)?;
    // `Decimal::new(…)` by its type, `models.FloatField(…)` by its last name, columns by what is in them.
    let by_name = tokens[..path]
        .iter()
        .find(|token| is_type(token, money) && (token.text == last.text || is_static(tokens, token)));
    let in_column = || {
        let is_column = matches!(last.text, "Column" | "mapped_column" | "Field" | "field");
        let inside = tokens[path..].iter().take_while(|token| !token.is_mark(")")).take(COLUMN);
        inside.into_iter().find(|token| is_type(token, money)).filter(|_| is_column)
    };
    by_name.or_else(in_column).map(|token| token.text.to_owned())
}

/// Whether `::` follows: a type's own function.
fn is_static(tokens: &[Token<'_>], token: &Token<'_>) -> bool {
    let next = tokens.iter().find(|other| other.start > token.start);
    next.is_some_and(|next| next.is_mark("::"))
}

fn is_fraction(number: &str) -> bool {
    let is_other_base = number.starts_with("0x") || number.starts_with("0b");
    !is_other_base && (number.contains('.') || number.ends_with("f64") || number.ends_with("f32"))
}
