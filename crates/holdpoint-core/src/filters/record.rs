//! Filters for what a state keeps of events: tables that are laid over others, lists that grow up to a cap, and entries
//! by their time.

use std::sync::Arc;

use minijinja::Error;
use minijinja::value::{Value, ValueKind};

use super::kit::Kit;
use super::operators::{collected, created};
use crate::budget::Budget;
use crate::facts::{FactError, time};

/// How deep tables may lie in tables.
const DEPTH_MAX: usize = 50;

pub(super) fn add(kit: &mut Kit<'_>, budget: &Arc<Budget>) {
    let with = || Arc::clone(budget);
    let own = with();
    kit.filter("appending", move |list: &Value, item: &Value, most: Option<usize>| {
        appending(list, item, most, &own)
    });
    let own = with();
    kit.filter("dated", move |list: &Value, field: &str, from: &Value| dated(list, field, from, &own));
    kit.filter("epoch", epoch);
    let own = with();
    kit.filter("merged", move |table: &Value, over: &Value| {
        own.read(table)?;
        own.read(over)?;
        created(merged(table, over, 0)?, &own)
    });
}

/// Implements `list | appending(item, most)`: returns the list with the item at its end, and of that the last `most`.
/// Anything but a list counts as an empty one.
fn appending(list: &Value, item: &Value, most: Option<usize>, budget: &Budget) -> Result<Value, Error> {
    budget.read(list)?;
    let mut items: Vec<Value> = if is_list(list) { list.try_iter()?.collect() } else { Vec::new() };
    items.push(item.clone());
    let extra = most.map_or(0, |most| items.len().saturating_sub(most));
    collected(items.into_iter().skip(extra), budget)
}

/// Implements `table | merged(other)`: returns the table with the fields of the other laid over it. Tables merge all the
/// way down; lists and other values are replaced. A table that is missing counts as empty.
fn merged(table: &Value, over: &Value, depth: usize) -> Result<Value, Error> {
    if depth > DEPTH_MAX {
        return Err(FactError::TooLarge(DEPTH_MAX).into());
    }
    if table.kind() != ValueKind::Map || over.kind() != ValueKind::Map {
        let is_missing = over.is_undefined() || (depth == 0 && over.kind() != ValueKind::Map);
        return Ok(if is_missing { table.clone() } else { over.clone() });
    }
    let mut fields: Vec<(Value, Value)> = Vec::new();
    for key in table.try_iter()? {
        let (own, other) = (table.get_item(&key)?, over.get_item(&key)?);
        fields.push((key, merged(&own, &other, depth + 1)?));
    }
    for key in over.try_iter()? {
        if table.get_item(&key)?.is_undefined() {
            let value = over.get_item(&key)?;
            fields.push((key, value));
        }
    }
    Ok(Value::from_pairs(fields))
}

/// Implements `text | epoch`: returns the seconds since 1970, with their fraction, of a time that is written as text.
/// Undefined if it is none.
fn epoch(value: &Value) -> Value {
    let time = value.as_str().and_then(time::instant);
    time.map_or(Value::UNDEFINED, Value::from)
}

/// Implements `list | dated(field, from)`: returns the tables of the list whose field is a time that is not before `from`,
/// which is a time as text, or seconds since 1970. None are if `from` is no time.
fn dated(list: &Value, field: &str, from: &Value, budget: &Budget) -> Result<Value, Error> {
    budget.read(list)?;
    let given = if from.kind() == ValueKind::Number { f64::try_from(from.clone()).ok() } else { None };
    let Some(from) = given.or_else(|| from.as_str().and_then(time::instant)) else {
        return Ok(Value::from(Vec::<Value>::new()));
    };
    if !is_list(list) {
        return Ok(Value::from(Vec::<Value>::new()));
    }
    let at = |item: &Value| item.get_attr(field).ok().and_then(|at| time::instant(at.as_str()?));
    collected(list.try_iter()?.filter(|item| at(item).is_some_and(|at| at >= from)), budget)
}

fn is_list(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable)
}

#[cfg(test)]
mod tests {
    use crate::filters::Environments;

    fn check(expression: &str, expect: &str) {
        let env = Environments::default();
        let value = crate::evaluation::value(&env, &env.budget, expression, minijinja::context! {}).unwrap();
        assert_eq!(value.to_string(), expect, "{expression}");
    }

    #[test]
    fn a_list_grows_up_to_its_cap() {
        check("[1, 2] | appending(3) | join(' ')", "1 2 3");
        check("[1, 2] | appending(3, 2) | join(' ')", "2 3");
        check("missing | appending(3, 2) | join(' ')", "3");
        check("'text' | appending({'a': 1}) | length", "1");
    }

    #[test]
    fn tables_merge_all_the_way_down_and_the_rest_is_replaced() {
        let merged = "{'a': {'b': 1, 'c': [1, 2]}, 'd': 1} | merged({'a': {'c': [3], 'e': 4}, 'd': none})";
        check(&format!("({merged}).a.b"), "1");
        check(&format!("({merged}).a.c | join(' ')"), "3");
        check(&format!("({merged}).a.e"), "4");
        check(&format!("({merged}).d is none"), "True");
        check(&format!("({merged}) | list | join(' ')"), "a d");
        check("({'a': 1} | merged(missing)).a", "1");
        check("({'a': 1} | merged('x')).a", "1");
        check("(missing | merged({'a': 1})).a", "1");
    }

    #[test]
    fn times_are_read_as_others_write_them() {
        check("'2026-01-01T00:00:00.500Z' | epoch", "1767225600.5");
        check("'2026-01-01T01:00:00+01:00' | epoch", "1767225600.0");
        check("'2026-01-01' | epoch", "1767225600.0");
        check("'soon' | epoch is undefined", "True");
        check("5 | epoch is undefined", "True");
        let log = "[{'at': '2026-01-01T00:00:00.000Z'}, {'at': 'x'}, {'at': '2026-01-01T00:00:01Z'}, 7]";
        check(&format!("{log} | dated('at', '2026-01-01T00:00:00.000Z') | length"), "2");
        check(&format!("{log} | dated('at', 1767225600.5) | length"), "1");
        check(&format!("{log} | dated('at', missing) | length"), "0");
        check("'x' | dated('at', 0) | length", "0");
    }
}
