//! MiniJinja's own filters and tests, with their work counted.

use std::sync::{Arc, OnceLock};

use minijinja::value::{Kwargs, Rest, Value, ValueKind};
use minijinja::{Error, State, filters, tests};

use super::kit::Kit;
use super::operators;
use crate::budget::Budget;

pub(super) fn add(kit: &mut Kit<'_>, budget: &Arc<Budget>) {
    add_filters(kit, budget);
    add_comparing_tests(kit, budget);
    kit.test("boolean", tests::is_boolean);
    kit.test("defined", tests::is_defined);
    kit.test("endingwith", tests::is_endingwith);
    kit.test("false", tests::is_false);
    kit.test("mapping", tests::is_mapping);
    kit.test("none", tests::is_none);
    kit.test("number", |value: &Value| value.kind() == ValueKind::Number);
    kit.test("sequence", |value: &Value| value.kind() == ValueKind::Seq);
    kit.test("startingwith", tests::is_startingwith);
    kit.test("string", tests::is_string);
    kit.test("true", tests::is_true);
    kit.test("undefined", tests::is_undefined);
}

fn add_filters(kit: &mut Kit<'_>, budget: &Arc<Budget>) {
    kit.filter("default", filters::default);
    kit.filter("first", filters::first);
    let mut shallow = |name, filter: fn() -> Value| counted(kit, budget, name, filter, Reads::Elements);
    shallow("float", || Value::from_function(filters::float));
    shallow("int", || Value::from_function(filters::int));
    shallow("items", || Value::from_function(filters::items));
    shallow("last", || Value::from_function(filters::last));
    shallow("length", || Value::from_function(filters::length));
    shallow("list", || Value::from_function(filters::list));
    shallow("lower", || Value::from_function(filters::lower));
    shallow("map", || Value::from_function(filters::map));
    shallow("reject", || Value::from_function(filters::reject));
    shallow("rejectattr", || Value::from_function(filters::rejectattr));
    shallow("select", || Value::from_function(filters::select));
    shallow("selectattr", || Value::from_function(filters::selectattr));
    shallow("trim", || Value::from_function(filters::trim));
    shallow("upper", || Value::from_function(filters::upper));
    let mut deep = |name, filter: fn() -> Value| counted(kit, budget, name, filter, Reads::All);
    deep("max", || Value::from_function(filters::max));
    deep("min", || Value::from_function(filters::min));
    deep("sort", || Value::from_function(filters::sort));
    deep("string", || Value::from_function(filters::string));
    deep("unique", || Value::from_function(filters::unique));
    let own = Arc::clone(budget);
    let join = OnceLock::new();
    kit.filter("join", move |state: &mut State, args: Rest<Value>, kwargs: Kwargs| {
        joined(state, join.get_or_init(|| Value::from_function(filters::join)), &all(args, kwargs), &own)
    });
    let own = Arc::clone(budget);
    kit.filter("replace", move |text: &Value, from: &Value, to: &Value| replaced(text, from, to, &own));
    let own = Arc::clone(budget);
    let split = OnceLock::new();
    kit.filter("split", move |state: &mut State, args: Rest<Value>, kwargs: Kwargs| {
        parted(state, split.get_or_init(|| Value::from_function(filters::split)), &all(args, kwargs), &own)
    });
}

/// How far a filter reads the lists it is given.
#[derive(Clone, Copy, PartialEq)]
enum Reads {
    Elements,
    All,
}

/// Adds a filter whose work is counted by the size of what it is given, and of what it makes of it.
fn counted(kit: &mut Kit<'_>, budget: &Arc<Budget>, name: &'static str, filter: fn() -> Value, reads: Reads) {
    if !kit.wants(name) {
        return;
    }
    let (budget, filter) = (Arc::clone(budget), filter());
    kit.filter(name, move |state: &mut State, args: Rest<Value>, kwargs: Kwargs| {
        let args = all(args, kwargs);
        for arg in &args {
            match arg.as_str() {
                Some(text) => budget.spend(text.len())?,
                None if reads == Reads::All && arg.as_object().is_some() => drop(budget.read(arg)?),
                None => {}
            }
        }
        let value = filter.call(state, &args)?;
        if name == "map" {
            return operators::created(value, &budget);
        }
        if let Some(text) = value.as_str() {
            budget.create(text.len())?;
        }
        Ok::<Value, Error>(value)
    });
}

/// The arguments of a call, those with names last, as a filter wants them.
fn all(mut args: Rest<Value>, kwargs: Kwargs) -> Vec<Value> {
    if kwargs.args().next().is_some() {
        args.push(Value::from(kwargs));
    }
    args.0
}

fn add_comparing_tests(kit: &mut Kit<'_>, budget: &Arc<Budget>) {
    let mut add = |name: &'static str, made: fn() -> Value| {
        if !kit.wants(name) {
            return;
        }
        let (budget, compares) = (Arc::clone(budget), made());
        kit.test(name, move |state: &mut State, args: Rest<Value>| {
            for arg in args.iter() {
                match arg.as_str() {
                    Some(text) => budget.spend(text.len())?,
                    None if arg.as_object().is_some() => drop(budget.read(arg)?),
                    None => {}
                }
            }
            Ok::<bool, Error>(compares.call(state, &args)?.is_true())
        });
    };
    add("eq", || Value::from_function(tests::is_eq));
    add("ge", || Value::from_function(tests::is_ge));
    add("gt", || Value::from_function(tests::is_gt));
    add("in", || Value::from_function(tests::is_in));
    add("le", || Value::from_function(tests::is_le));
    add("lt", || Value::from_function(tests::is_lt));
    add("ne", || Value::from_function(tests::is_ne));
}

/// Joins a list whose elements and what stands between them are not too large together.
fn joined(state: &mut State, join: &Value, args: &[Value], budget: &Budget) -> Result<Value, Error> {
    let size = args.first().map_or(Ok(0), crate::budget::size)?;
    let between = args.get(1).and_then(Value::as_str).map_or(0, str::len);
    let length = args.first().and_then(Value::len).unwrap_or(0);
    budget.create(size.saturating_add(between.saturating_mul(length)))?;
    join.call(state, args)
}

/// Implements `text | replace(from, to)`.
fn replaced(text: &Value, from: &Value, to: &Value, budget: &Budget) -> Result<Value, Error> {
    let (text, from, to) = (budget.text(text)?, budget.text(from)?, budget.text(to)?);
    let times = if from.is_empty() { text.len() + 1 } else { text.matches(&from).count() };
    budget.create(text.len().saturating_add(to.len().saturating_mul(times)))?;
    Ok(Value::from(text.replace(&from, &to)))
}

/// Splits a text that does not have too many parts.
fn parted(state: &mut State, split: &Value, args: &[Value], budget: &Budget) -> Result<Value, Error> {
    /// What a part counts for besides its text.
    const PART: usize = 16;
    let text = args.first().and_then(Value::as_str).unwrap_or_default();
    let parts = match args.get(1).and_then(Value::as_str) {
        Some("") => text.len(),
        Some(mark) => text.matches(mark).count(),
        None => text.bytes().filter(u8::is_ascii_whitespace).count(),
    };
    budget.create(text.len().saturating_add(parts.saturating_mul(PART)))?;
    split.call(state, args)
}
