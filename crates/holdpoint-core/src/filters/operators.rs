//! The operators of expressions as filters that count their work: `~`, `+`, `*`, comparisons, `in`, slices, lists and
//! tables. `evaluation` has MiniJinja apply them in place of its own instructions.

use std::cmp::Ordering;
use std::sync::Arc;

use minijinja::Error;
use minijinja::value::{ObjectRepr, Rest, Tuple, Value, ValueKind};

use super::kit::Kit;
use crate::budget::{self, Budget};
use crate::facts::FactError;

pub(super) fn add(kit: &mut Kit<'_>, budget: &Arc<Budget>) {
    let with = || Arc::clone(budget);
    let own = with();
    kit.filter("~", move |a: &Value, b: &Value| concatenated(a, b, &own));
    let own = with();
    kit.filter("+", move |a: &Value, b: &Value| sum(a, b, &own));
    let own = with();
    kit.filter("*", move |a: &Value, b: &Value| product(a, b, &own));
    let own = with();
    kit.filter("in", move |a: &Value, b: &Value| is_in(a, b, &own));
    let own = with();
    kit.filter("[:]", move |value: &Value, from: &Value, to: &Value, step: &Value| {
        slice(value, from, to, step, &own)
    });
    let own = with();
    kit.filter("[]", move |items: Rest<Value>| created(Value::from(items.0), &own));
    let own = with();
    kit.filter("()", move |items: Rest<Value>| created(Value::from(Tuple::from(items.0)), &own));
    let own = with();
    kit.filter("{}", move |words: Rest<Value>| {
        let pairs = words.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
        created(Value::from_pairs(pairs), &own)
    });
    add_comparisons(kit, budget);
}

fn add_comparisons(kit: &mut Kit<'_>, budget: &Arc<Budget>) {
    type Holds = fn(&Value, &Value) -> bool;
    let comparisons: [(&'static str, Holds); 6] = [
        ("==", |a, b| a == b),
        ("!=", |a, b| a != b),
        ("<", |a, b| a.cmp(b) == Ordering::Less),
        ("<=", |a, b| a.cmp(b) != Ordering::Greater),
        (">", |a, b| a.cmp(b) == Ordering::Greater),
        (">=", |a, b| a.cmp(b) != Ordering::Less),
    ];
    for (name, holds) in comparisons {
        let budget = Arc::clone(budget);
        kit.filter(name, move |a: &Value, b: &Value| {
            compared(a, b, &budget)?;
            Ok::<bool, Error>(holds(a, b))
        });
    }
}

/// Uses up the work of comparing two values.
pub(super) fn compared(a: &Value, b: &Value, budget: &Budget) -> Result<(), FactError> {
    match (a.as_str(), b.as_str()) {
        (Some(a), Some(b)) => budget.spend(a.len().min(b.len())),
        _ if a.as_object().is_some() && b.as_object().is_some() => {
            budget.read(a)?;
            budget.read(b).map(drop)
        }
        _ => Ok(()),
    }
}

/// A list or a table that was put together.
pub(super) fn created(value: Value, budget: &Budget) -> Result<Value, Error> {
    budget.create(budget::size(&value)?)?;
    Ok(value)
}

fn concatenated(a: &Value, b: &Value, budget: &Budget) -> Result<Value, Error> {
    if let (Some(a), Some(b)) = (a.as_str(), b.as_str()) {
        budget.create(a.len() + b.len())?;
        return Ok(Value::from([a, b].concat()));
    }
    let (mut text, more) = (budget.text(a)?, budget.text(b)?);
    budget.create(text.len() + more.len())?;
    text.push_str(&more);
    Ok(Value::from(text))
}

fn sum(a: &Value, b: &Value, budget: &Budget) -> Result<Value, Error> {
    if let Some((a, b)) = lists(a, b) {
        let items = a.try_iter()?.chain(b.try_iter()?);
        return collected(items, budget);
    }
    if let (Some(one), Some(other)) = (a.as_str(), b.as_str()) {
        budget.create(one.len() + other.len())?;
        return Ok(Value::from([one, other].concat()));
    }
    number(a, b, "+", i128::checked_add, |a, b| a + b)
}

fn product(a: &Value, b: &Value, budget: &Budget) -> Result<Value, Error> {
    let (repeated, times) = if a.kind() == ValueKind::Number { (b, a) } else { (a, b) };
    let is_list = matches!(repeated.kind(), ValueKind::Seq | ValueKind::Iterable);
    if !is_list && repeated.as_str().is_none() {
        return number(a, b, "*", i128::checked_mul, |a, b| a * b);
    }
    let Some(times) = times.as_usize() else {
        return Err(FactError::WrongType("only an integer can tell how often to repeat".into()).into());
    };
    budget.create(budget::size(repeated)?.saturating_mul(times))?;
    match repeated.as_str() {
        Some(text) => Ok(Value::from(text.repeat(times))),
        None => {
            let items: Vec<Value> = repeated.try_iter()?.collect();
            Ok(Value::from(vec![items; times].concat()))
        }
    }
}

fn lists<'a>(a: &'a Value, b: &'a Value) -> Option<(&'a Value, &'a Value)> {
    let is_list = |value: &Value| matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable);
    (is_list(a) && is_list(b)).then_some((a, b))
}

/// A list of these, which may not become too large.
pub(super) fn collected(items: impl Iterator<Item = Value>, budget: &Budget) -> Result<Value, Error> {
    created(items.collect(), budget)
}

fn number(
    a: &Value,
    b: &Value,
    sign: &str,
    whole: fn(i128, i128) -> Option<i128>,
    float: fn(f64, f64) -> f64,
) -> Result<Value, Error> {
    let wrong = || {
        let what = format!("`{sign}` does not work on a {} and a {}", a.kind(), b.kind());
        Error::from(FactError::WrongType(what))
    };
    let is_float = |value: &Value| value.kind() == ValueKind::Number && !value.is_integer();
    if is_float(a) || is_float(b) {
        let read = |value: &Value| f64::try_from(value.clone()).map_err(|_| wrong());
        return Ok(Value::from(float(read(a)?, read(b)?)));
    }
    let read = |value: &Value| i128::try_from(value.clone()).map_err(|_| wrong());
    let Some(result) = whole(read(a)?, read(b)?) else {
        return Err(FactError::TooLarge(size_of::<i128>()).into());
    };
    Ok(i64::try_from(result).map_or_else(|_| Value::from(result), Value::from))
}

fn is_in(item: &Value, container: &Value, budget: &Budget) -> Result<bool, Error> {
    if container.is_undefined() {
        return Ok(false);
    }
    if let Some(text) = container.as_str() {
        budget.spend(text.len())?;
        return match item.as_str() {
            Some(part) => Ok(text.contains(part)),
            None => Ok(text.contains(&budget.text(item)?)),
        };
    }
    let Some(object) = container.as_object() else {
        let what = format!("`in` does not work on a {}", container.kind());
        return Err(FactError::WrongType(what).into());
    };
    match object.repr() {
        ObjectRepr::Map => Ok(object.get_value(item).is_some()),
        ObjectRepr::Seq | ObjectRepr::Iterable => {
            for one in container.try_iter()? {
                budget.spend(1)?;
                compared(&one, item, budget)?;
                if one == *item {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        _ => Ok(false),
    }
}

fn slice(value: &Value, from: &Value, to: &Value, step: &Value, budget: &Budget) -> Result<Value, Error> {
    let size = budget.read(value)?;
    if let Some(text) = value.as_str() {
        budget.spend(size * size_of::<char>())?;
        let signs: Vec<char> = text.chars().collect();
        let places = places(signs.len(), from, to, step)?;
        return Ok(Value::from(places.into_iter().map(|at| signs[at]).collect::<String>()));
    }
    if value.is_undefined() || value.is_none() {
        return Ok(Value::from(Vec::<Value>::new()));
    }
    let items: Vec<Value> = value.try_iter()?.collect();
    let places = places(items.len(), from, to, step)?;
    Ok(places.into_iter().map(|at| items[at].clone()).collect())
}

/// The places that `[from:to:step]` means in something of this length.
fn places(length: usize, from: &Value, to: &Value, step: &Value) -> Result<Vec<usize>, Error> {
    let given =
        |value: &Value| if value.is_none() { Ok(None) } else { i64::try_from(value.clone()).map(Some) };
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let step = given(step)?.unwrap_or(1);
    if step == 0 {
        return Err(FactError::WrongType("the step of a slice cannot be 0".into()).into());
    }
    let (first, last) = if step > 0 { (0, length) } else { (-1, length - 1) };
    let place = |at: i64| (if at < 0 { at.saturating_add(length) } else { at }).clamp(first, last);
    let from = given(from)?.map_or(if step > 0 { 0 } else { length - 1 }, place);
    let to = given(to)?.map_or(if step > 0 { length } else { -1 }, place);
    let mut places = Vec::new();
    let mut at = from;
    while (step > 0 && at < to) || (step < 0 && at > to) {
        places.extend(usize::try_from(at));
        at = at.saturating_add(step);
    }
    Ok(places)
}
