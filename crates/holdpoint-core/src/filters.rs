//! The filters and tests of workflow files. An environment has only those that a source applies (`kit.rs`), because
//! setting up the full set costs more than most decisions.

mod kit;
mod operators;
mod pattern;
mod record;
mod standard;

use std::sync::Arc;

use minijinja::Error;
use minijinja::value::{Rest, Value, ValueKind};

use crate::budget::Budget;
use crate::facts::FactError;

pub use kit::Environments;
use kit::Kit;
pub(crate) use pattern::{glob_fault, pattern, pattern_fault};

/// Every filter's name.
pub const FILTERS: [&str; 42] = [
    "appending",
    "dated",
    "default",
    "epoch",
    "except",
    "first",
    "float",
    "holding",
    "int",
    "items",
    "join",
    "last",
    "length",
    "list",
    "lower",
    "map",
    "match",
    "max",
    "mentions",
    "merged",
    "min",
    "number",
    "only",
    "quoted",
    "reject",
    "rejectattr",
    "replace",
    "segment",
    "select",
    "selectattr",
    "sort",
    "span",
    "split",
    "spell",
    "string",
    "text",
    "trim",
    "unique",
    "unlike",
    "upper",
    "whole",
    "with_fields",
];

/// The names of all tests.
pub const TESTS: [&str; 23] = [
    "boolean",
    "defined",
    "digits",
    "endingwith",
    "eq",
    "false",
    "found_in",
    "ge",
    "gt",
    "has",
    "in",
    "le",
    "like",
    "lt",
    "mapping",
    "ne",
    "none",
    "number",
    "sequence",
    "startingwith",
    "string",
    "true",
    "undefined",
];

/// How many characters of globs a byte of a path meets for one unit of work.
const GLOB_SIGNS: usize = 4;

/// Adds the filters and tests whose work is small.
fn add_plain(kit: &mut Kit<'_>) {
    kit.filter("number", number);
    kit.filter("segment", segment);
    kit.filter("span", span);
    kit.filter("text", text);
    kit.filter("whole", whole);
    kit.test("digits", |value: &Value| value.as_str().is_some_and(is_digits));
}

/// Adds the filters and tests whose work depends on what they are given.
fn add_counted(kit: &mut Kit<'_>, budget: &Arc<Budget>) {
    let with = || Arc::clone(budget);
    let own = with();
    kit.filter("match", move |value: &Value, of: &str| pattern::find(value, of, &own));
    let own = with();
    kit.test("found_in", move |of: &str, value: &Value| pattern::found_in(of, value, &own));
    let own = with();
    kit.filter("holding", move |entries: &Value, path: &str| {
        own.read(entries)?;
        holding(entries, path)
    });
    let own = with();
    kit.filter("mentions", move |value: &Value, words: &Value| mentions(value, words, &own));
    let own = with();
    kit.filter("except", move |files: &Value, globs: Rest<Value>| sorted_out(files, &globs, false, &own));
    let own = with();
    kit.filter("only", move |files: &Value, globs: Rest<Value>| sorted_out(files, &globs, true, &own));
    let own = with();
    kit.filter("quoted", move |value: &Value| quoted(value, &own));
    let own = with();
    kit.filter("spell", move |value: &Value| spell(value, &own));
    let own = with();
    kit.filter("unlike", move |value: &Value, word: &str| unlike(value, word, &own));
    let own = with();
    kit.filter("with_fields", move |list: &Value, fields: &Value| with_fields(list, fields, &own));
    let own = with();
    kit.test("has", move |value: &Value, part: &str| has(value, part, &own));
    let own = with();
    kit.test("like", move |value: &Value, globs: &Value| like(value, globs, &own));
}

/// Implements `x | number`: returns a number unchanged, and `fallback` (0) for anything else.
fn number(value: &Value, fallback: Option<Value>) -> Value {
    if value.kind() == ValueKind::Number { value.clone() } else { fallback.unwrap_or_else(|| Value::from(0)) }
}

/// Implements `x | whole(fallback)`: returns a positive integer, also from a string, and `fallback` (0) otherwise.
fn whole(value: &Value, fallback: Option<Value>) -> Value {
    let parsed = value.as_i64().or_else(|| value.as_str()?.trim().parse().ok());
    parsed
        .filter(|number| *number > 0)
        .map_or_else(|| fallback.unwrap_or_else(|| Value::from(0)), Value::from)
}

/// Implements `x | quoted`: quotes the value as one shell word.
fn quoted(value: &Value, budget: &Budget) -> Result<String, Error> {
    Ok(format!("'{}'", budget.text(value)?.replace('\'', "'\\''")))
}

/// Implements `text | unlike(word)`: lengthens the word until it differs from every line of the text, so that it can
/// end a here-document.
fn unlike(value: &Value, word: &str, budget: &Budget) -> Result<String, Error> {
    let text = budget.text(value)?;
    let mut word = word.to_owned();
    while text.split('\n').any(|line| line.trim() == word) {
        budget.spend(text.len())?;
        word.push('_');
    }
    Ok(word)
}

/// Implements `list | with_fields(table)`: adds the fields to each table of the list. Existing fields win.
fn with_fields(list: &Value, fields: &Value, budget: &Budget) -> Result<Value, Error> {
    budget.read(list)?;
    budget.spend(crate::budget::size(fields)?.saturating_mul(list.len().unwrap_or(0)))?;
    let pairs = |table: &Value| -> Result<Vec<(String, Value)>, Error> {
        table.try_iter()?.map(|key| Ok((key.to_string(), table.get_item(&key)?))).collect()
    };
    let with = |own: Value| {
        let (mut all, added) = (pairs(&own)?, pairs(fields)?);
        let is_new = |(key, _): &(String, Value)| own.get_attr(key).is_ok_and(|own| own.is_undefined());
        all.extend(added.into_iter().filter(is_new));
        Ok(Value::from_pairs(all))
    };
    let list = list.try_iter()?.map(with).collect::<Result<Vec<_>, Error>>()?;
    operators::created(Value::from(list), budget)
}

/// Implements `seconds | span`: renders `45s`, `3m 12s` or `2h 5m`.
fn span(value: &Value) -> String {
    let seconds = value.as_i64().unwrap_or(0).max(0);
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s}s"),
        (0, m, s) => format!("{m}m {s}s"),
        (h, m, _) => format!("{h}h {m}m"),
    }
}

/// Implements `x | text`: returns a string unchanged, and undefined for anything else.
fn text(value: &Value) -> Value {
    if value.kind() == ValueKind::String { value.clone() } else { Value::UNDEFINED }
}

/// Implements `x | spell`: renders a value for a message, as `undefined`, `null`, the string itself, or JSON.
fn spell(value: &Value, budget: &Budget) -> Result<String, Error> {
    budget.read(value)?;
    Ok(match value.kind() {
        ValueKind::Undefined => "undefined".into(),
        ValueKind::None => "null".into(),
        ValueKind::String => value.to_string(),
        _ => serde_json::to_string(value).unwrap_or_else(|_| value.to_string()),
    })
}

/// Implements `text | mentions(words)`: returns the first of the words or phrases that the text contains as whole
/// words. Ignores case.
fn mentions(value: &Value, words: &Value, budget: &Budget) -> Result<Value, Error> {
    let Some(text) = value.as_str() else { return Ok(Value::UNDEFINED) };
    budget.spend(text.len())?;
    let text = text.to_lowercase();
    for word in words.try_iter()? {
        budget.spend(text.len())?;
        if word.as_str().is_some_and(|word| has_word(&text, word)) {
            return Ok(word);
        }
    }
    Ok(Value::UNDEFINED)
}

/// Returns whether `text` (in lower case) contains `word` as a whole word: no letter, digit, `-` or `_` next to it.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    word_at(text, &word.to_lowercase()).is_some()
}

/// Returns the position of the first `word` in `text` that is a whole word.
pub(crate) fn word_at(text: &str, word: &str) -> Option<usize> {
    let bounded = |at: usize| ends_before(&text[..at]) && starts_after(&text[at + word.len()..]);
    text.match_indices(word).map(|(at, _)| at).find(|at| !word.is_empty() && bounded(*at))
}

/// Returns whether a word can begin after this text, not inside a longer word or a path.
fn ends_before(text: &str) -> bool {
    let mut back = text.chars().rev();
    match back.next() {
        Some(c) if is_part(c) => false,
        Some('/' | '\\' | '.') => !back.next().is_some_and(|c| is_part(c) || c == '.'),
        _ => true,
    }
}

/// Returns whether a word can end before this text, not inside a longer word, a folder or a file name.
fn starts_after(text: &str) -> bool {
    let mut on = text.chars();
    match on.next() {
        Some(c) if is_part(c) => false,
        Some('/' | '\\') => false,
        Some('.') => !on.next().is_some_and(char::is_alphanumeric),
        _ => true,
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '-' || c == '_'
}

/// Implements `x | segment`: returns a string that is a valid folder name. Any other string is a fault, because it
/// could lead out of the folder.
fn segment(value: &Value) -> Result<Value, Error> {
    let plain =
        |text: &str| !text.is_empty() && !text.starts_with('.') && !text.contains(['/', '\\', ':', '\0']);
    match value.as_str() {
        Some(text) if plain(text) => Ok(value.clone()),
        Some(text) => {
            let what =
                format!("the name `{text}` leaves the project folder it stands for: it must be a plain name");
            Err(FactError::Outside(what).into())
        }
        None => Ok(Value::UNDEFINED),
    }
}

/// Returns the texts among values, those in lists included.
pub(crate) fn texts(values: &[Value]) -> Vec<String> {
    let mut all = Vec::new();
    for value in values {
        match value.as_str() {
            Some(one) => all.push(one.to_owned()),
            None => {
                let items = value.try_iter().into_iter().flatten();
                all.extend(items.filter_map(|item| item.as_str().map(str::to_owned)));
            }
        }
    }
    all
}

/// Implements `files | only(globs, …)`, which returns the paths that fit, and `except`, which returns the others. A glob
/// with `!` in front leaves out what fits it.
fn sorted_out(files: &Value, globs: &[Value], wanted: bool, budget: &Budget) -> Result<Vec<Value>, Error> {
    let all = texts(globs);
    let paths = budget.read(files)?;
    budget.spend(paths.saturating_mul(1 + all.iter().map(String::len).sum::<usize>() / GLOB_SIGNS))?;
    let fits = |path: &str| {
        let fits = |glob: &str| fast_glob::glob_match(glob, path);
        let is_left_out = all.iter().filter_map(|glob| glob.strip_prefix('!')).any(fits);
        !is_left_out && all.iter().filter(|glob| !glob.starts_with('!')).any(|glob| fits(glob))
    };
    let files = files.try_iter().into_iter().flatten();
    let path = |file: &Value| file.as_str().map(crate::path::tidy);
    Ok(files.filter(|file| path(file).is_some_and(|path| fits(&path) == wanted)).collect())
}

/// `path is like(globs)`: the path fits one of the globs (`*` in a name, `**` over folders).
fn like(value: &Value, globs: &Value, budget: &Budget) -> Result<bool, Error> {
    let Some(path) = value.as_str() else { return Ok(false) };
    let signs = budget.read(globs)?;
    budget.spend(path.len().saturating_mul(1 + signs / GLOB_SIGNS))?;
    let path = crate::path::tidy(path);
    let fits = |glob: &Value| glob.as_str().is_some_and(|glob| fast_glob::glob_match(glob, &path));
    Ok(if globs.kind() == ValueKind::String {
        fits(globs)
    } else {
        globs.try_iter()?.any(|glob| fits(&glob))
    })
}

/// Implements `projects | holding(path)`: returns the name of the entry whose `path` contains this path. The deepest
/// one wins.
fn holding(entries: &Value, path: &str) -> Result<Value, Error> {
    let path = crate::path::tidy(path);
    let mut best: Option<(usize, Value)> = None;
    if entries.kind() != ValueKind::Map {
        return Ok(Value::UNDEFINED);
    }
    for name in entries.try_iter()? {
        let root = entries.get_item(&name)?.get_attr("path")?;
        let Some(root) = root.as_str().map(crate::path::tidy).filter(|root| !root.is_empty()) else {
            continue;
        };
        let deeper = best.as_ref().is_none_or(|(length, _)| root.len() > *length);
        if deeper && crate::path::below(&root, &path).is_some() {
            best = Some((root.len(), name));
        }
    }
    Ok(best.map_or(Value::UNDEFINED, |(_, name)| name))
}

/// Implements `text is has(part)`. Ignores case.
fn has(value: &Value, part: &str, budget: &Budget) -> Result<bool, Error> {
    let Some(text) = value.as_str() else { return Ok(false) };
    budget.spend(text.len().saturating_add(part.len()))?;
    Ok(text.to_lowercase().contains(&part.to_lowercase()))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests_of_filters {
    use super::*;
    use minijinja::context;

    fn eval(expression: &str) -> Value {
        let projects = Value::from(minijinja::value::Serde(serde_json::json!({
            "web": {"path": "apps/web"}, "web-admin": {"path": "apps/web/admin"}, "bad": 5,
        })));
        let env = Environments::default();
        crate::evaluation::value(&env, &env.budget, expression, context! { projects, one => [1] }).unwrap()
    }

    fn check(expression: &str, expect: &str) {
        assert_eq!(eval(expression).to_string(), expect, "{expression}");
    }

    #[test]
    fn filters_do_what_they_say() {
        check("'Phase 06' | match('(\\d+)')", "06");
        check("'x' | match('y') is undefined", "True");
        check("5 | match('5') is undefined", "True");
        check("'An initial Status.' | mentions(['init', 'status'])", "status");
        check("'re-init' | mentions(['init']) is undefined", "True");
        check("'a new  project' | mentions(['new project']) is undefined", "True");
        check("'a New Project!' | mentions(['new project'])", "new project");
        check("'see setup.py and src/setup/x' | mentions(['setup']) is undefined", "True");
        check("'run /discover now.' | mentions(['discover'])", "discover");
        check("missing | number < 1", "True");
        check("none | number < 1", "True");
        check("'7' | number < 1", "True");
        check("0.5 | number < 1", "True");
        check("missing.x.y | spell", "undefined");
        check("none | spell", "null");
        check("one | spell", "[1]");
        check("5 | text is undefined", "True");
        check("projects | holding('apps/web/admin/src')", "web-admin");
        check("projects | holding('apps/website') is undefined", "True");
        check("'/w/.flow/./state.json' is like(['**/.flow/state.json'])", "True");
        check("'/w/x.flow/state.json' is like(['**/.flow/state.json'])", "False");
        check("'auto[- ]?detect' is found_in('Auto-Detect')", "True");
        check("['a', 'b'] | reject('eq', 'a') | first", "b");
        check("'12' is digits", "True");
        check("'08' | whole(3)", "8");
        check("'abc' | whole(3)", "3");
        check("0 | whole(3)", "3");
        check("'99999999999999999999' | whole(3)", "3");
        check("missing | whole", "0");
        check("\"it's $(x)\" | quoted", "'it'\\''s $(x)'");
        check("'a\nEND\nEND_ \nb' | unlike('END')", "END__");
        check("59 | span", "59s");
        check("192 | span", "3m 12s");
        check("7500 | span", "2h 5m");
    }

    #[test]
    fn the_lists_of_names_are_what_the_environment_has() {
        let env = Environments::default().having(None);
        for name in FILTERS {
            assert!(env.compile_expression_owned(format!("x | {name}")).is_ok());
            let message = env
                .compile_expression_owned(format!("[] | {name}"))
                .unwrap()
                .eval(())
                .map_err(|e| e.to_string());
            assert!(!message.is_err_and(|m| m.contains("unknown filter")), "{name}");
        }
        for name in TESTS {
            let message = env
                .compile_expression_owned(format!("'' is {name}"))
                .unwrap()
                .eval(())
                .map_err(|e| e.to_string());
            assert!(!message.is_err_and(|m| m.contains("unknown test")), "{name}");
        }
    }
}
