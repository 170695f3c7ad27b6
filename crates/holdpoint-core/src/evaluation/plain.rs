//! Sources that only name values, such as `state.phase` and `Round {{ round }}`. Compiling them costs more than reading
//! them, so they are read as they are. Whatever is undefined or wrong is left to the compiled source, which says it best.

use minijinja::value::{Value, ValueKind};

use crate::budget::{Budget, VALUE_MAX};

/// Words that are no names at the beginning of an expression.
const RESERVED: [&str; 13] =
    ["true", "True", "false", "False", "none", "None", "not", "in", "is", "and", "or", "if", "else"];
/// What it knows is asked for each time, so it is asked only once.
const NOT_REMEMBERED: &str = "git";

/// The value that an expression names, if it does only that.
pub(super) fn value(budget: &Budget, source: &str, context: &Value) -> Option<Value> {
    if !is_path(source) {
        return None;
    }
    let mut steps = 0;
    let value = at(source, context, &mut steps)?;
    budget.step(Some(steps));
    Some(value)
}

/// The value of an expression that is false because the first thing it names is: what comes after `and` is not asked.
pub(super) fn refuted(budget: &Budget, source: &str, context: &Value) -> Option<Value> {
    let (first, rest) = source.trim_start().split_once(" and ")?;
    if !is_path(first) || !is_conjunction(rest) {
        return None;
    }
    let mut value = context.clone();
    let mut steps = 0;
    for name in first.split('.') {
        value = value.get_attr(name).ok()?;
        steps += 1;
        match value.kind() {
            ValueKind::Invalid => return None,
            ValueKind::Undefined => break,
            _ => {}
        }
    }
    budget.step(Some(steps));
    (!value.is_true()).then_some(value)
}

/// Whether no word of a source binds less than `and`, outside of brackets and texts.
fn is_conjunction(source: &str) -> bool {
    let (mut depth, mut quote, mut start) = (0_usize, None, None);
    for (at, sign) in source.char_indices().chain([(source.len(), ' ')]) {
        match quote {
            Some(open) if sign == open => quote = None,
            Some(_) if sign == '\\' => return false,
            Some(_) => {}
            None => match sign {
                '\'' | '"' => quote = Some(sign),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ if sign.is_alphanumeric() || sign == '_' => {
                    start.get_or_insert(at);
                    continue;
                }
                _ => {}
            },
        }
        if let Some(from) = start.take()
            && depth == 0
            && matches!(&source[from..at], "or" | "if" | "else")
        {
            return false;
        }
    }
    true
}

/// The text of a template that only names values.
pub(super) fn text(budget: &Budget, source: &str, context: &Value) -> Option<String> {
    // MiniJinja leaves the last line's end out.
    let source = source.strip_suffix('\n').unwrap_or(source);
    let source = source.strip_suffix('\r').unwrap_or(source);
    let mut rest = source;
    while let Some((_, block)) = parted(rest) {
        rest = block?.1;
    }
    let (mut rest, mut text, mut steps) = (source, String::new(), 1);
    while let Some((before, block)) = parted(rest) {
        let (path, after) = block?;
        let value = at(path, context, &mut steps)?;
        text.push_str(before);
        match value.as_str() {
            Some(value) => {
                budget.create(value.len()).ok()?;
                text.push_str(value);
            }
            None => text.push_str(&budget.text(&value).ok()?),
        }
        rest = after;
    }
    text.push_str(rest);
    budget.step(Some(steps));
    (text.len() <= VALUE_MAX).then_some(text)
}

/// What is before the next block of a template; then the path in it and what comes after, if it only names a value.
/// None if there is no further block.
fn parted(rest: &str) -> Option<(&str, Option<(&str, &str)>)> {
    let is_open = |at: &usize| matches!(rest.as_bytes().get(at + 1), Some(b'{' | b'%' | b'#'));
    let open = rest.match_indices('{').map(|(at, _)| at).find(is_open)?;
    let named = || {
        // There is no bracket in a path.
        let (path, after) = rest[open..].strip_prefix("{{")?.split_once('}')?;
        let (path, after) = (path.trim_matches(' '), after.strip_prefix('}')?);
        is_path(path).then_some((path, after))
    };
    Some((&rest[..open], named()))
}

fn at(path: &str, context: &Value, steps: &mut u64) -> Option<Value> {
    let mut value: Option<Value> = None;
    for name in path.split('.') {
        let next = value.as_ref().unwrap_or(context).get_attr(name).ok()?;
        if matches!(next.kind(), ValueKind::Undefined | ValueKind::Invalid) {
            return None;
        }
        *steps += 1;
        value = Some(next);
    }
    value
}

/// Whether a source is names with dots between them.
fn is_path(source: &str) -> bool {
    let mut is_start = true;
    for byte in source.bytes() {
        is_start = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => false,
            b'0'..=b'9' | b'.' if !is_start => byte == b'.',
            _ => return false,
        };
    }
    let first = source.split('.').next().unwrap_or_default();
    !is_start && !RESERVED.contains(&first) && first != NOT_REMEMBERED
}

#[cfg(test)]
#[path = "plain_tests.rs"]
mod plain_tests;
