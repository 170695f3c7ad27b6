//! Texts of ours in a settings file beside the hooks: added where the user has none, and removed where they are as they
//! were added.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::cst::{CstInputValue, CstObject};
use jsonc_parser::{CollectOptions, parse_to_ast};
use serde_json::Value as Json;

use super::tree::{BOM, File, OPTIONS};
use crate::install::error::SettingsError;
use crate::install::extra::{Extra, Form};
use crate::install::host::Shape;
use crate::install::settings::Edited;

/// Adds a text to a settings file, and the objects and lists that it needs. A key that has a value keeps it.
pub(super) fn put(
    before: String,
    shape: Shape,
    extra: &Extra,
    edited: &mut Edited,
) -> Result<String, SettingsError> {
    let file = File::open(&before, shape)?;
    let Some((last, objects)) = extra.path.split_last() else { return Ok(before) };
    let mut object = file.top.clone();
    for (depth, key) in objects.iter().enumerate() {
        object = match object.get(key) {
            Some(property) => property.object_value().ok_or_else(|| not(extra, depth, "an object"))?,
            None => {
                edited.made.push(path(extra, depth));
                object.object_value_or_set(key)
            }
        };
    }
    match (extra.form, object.get(last)) {
        (Form::Value, Some(_)) => return Ok(before),
        (Form::Value, None) => {
            object.append(last, CstInputValue::String(extra.text.clone()));
        }
        (Form::Element, None) => {
            edited.made.push(path(extra, objects.len()));
            object.array_value_or_set(last).append(CstInputValue::String(extra.text.clone()));
        }
        (Form::Element, Some(property)) => {
            let array = property.array_value().ok_or_else(|| not(extra, objects.len(), "a list"))?;
            if array.elements().iter().any(|node| is_text(node.to_serde_value().as_ref(), &extra.text)) {
                return Ok(before);
            }
            array.append(CstInputValue::String(extra.text.clone()));
        }
    }
    edited.made.push(extra.made());
    edited.changes.push(format!("+ {}", extra.shown()));
    Ok(in_its_line(&before, extra).unwrap_or_else(|| file.text()))
}

/// Returns the text with the addition in the line of an object or a list that has all of its own in one line, which the
/// tree would break.
fn in_its_line(whole: &str, extra: &Extra) -> Option<String> {
    let bare = whole.trim_start_matches(BOM);
    let bom = whole.get(..whole.len() - bare.len())?;
    let parsed = parse_to_ast(bare, &CollectOptions::default(), &OPTIONS).ok()?;
    let mut value = parsed.value?;
    let (last, objects) = extra.path.split_last()?;
    let keys = objects.iter().chain((extra.form == Form::Element).then_some(last));
    for key in keys {
        let Value::Object(object) = value else { return None };
        value = object.properties.into_iter().find(|property| property.name.as_str() == *key)?.value;
    }
    let text = serde_json::to_string(&extra.text).ok()?;
    let (range, end, addition) = match (&value, extra.form) {
        (Value::Object(object), Form::Value) => {
            let key = serde_json::to_string(last).ok()?;
            (object.range, object.properties.last()?.range.end, format!(", {key}: {text}"))
        }
        (Value::Array(array), Form::Element) => {
            (array.range, array.elements.last()?.range().end, format!(", {text}"))
        }
        _ => return None,
    };
    if bare.get(range.start..range.end)?.contains('\n') {
        return None;
    }
    Some(format!("{bom}{}{addition}{}", bare.get(..end)?, bare.get(end..)?))
}

fn path(extra: &Extra, depth: usize) -> Vec<String> {
    extra.path.iter().take(depth + 1).map(|key| (*key).to_owned()).collect()
}

fn not(extra: &Extra, depth: usize, expected: &'static str) -> SettingsError {
    SettingsError::NotA { key: path(extra, depth).join("."), expected }
}

/// Removes what was made and is still as it was made, then what was made for it and is empty.
pub(super) fn take_out(top: &CstObject, made: &[Vec<String>]) {
    let mut paths: Vec<&Vec<String>> = made.iter().collect();
    paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
    for path in paths {
        remove(top, path);
    }
}

/// Removes what a path leads to: a text of ours, or an empty object or list.
fn remove(top: &CstObject, path: &[String]) {
    let Some((last, before)) = path.split_last() else { return };
    let mut object = top.clone();
    for (depth, key) in before.iter().enumerate() {
        let Some(property) = object.get(key) else { return };
        let is_last = depth + 1 == before.len();
        if is_last && is_text(property.value().and_then(|value| value.to_serde_value()).as_ref(), last) {
            return property.remove();
        }
        if is_last && let Some(list) = property.array_value() {
            let found =
                list.elements().into_iter().find(|node| is_text(node.to_serde_value().as_ref(), last));
            return found.map_or((), jsonc_parser::cst::CstNode::remove);
        }
        let Some(inner) = property.object_value() else { return };
        object = inner;
    }
    let Some(property) = object.get(last) else { return };
    let is_empty = match property.value().and_then(|value| value.to_serde_value()) {
        Some(Json::Object(fields)) => fields.is_empty(),
        Some(Json::Array(items)) => items.is_empty(),
        _ => false,
    };
    if is_empty {
        property.remove();
    }
}

fn is_text(value: Option<&Json>, text: &str) -> bool {
    value.and_then(Json::as_str) == Some(text)
}

/// Removes the texts from a settings file's value, and what is empty without them.
pub(super) fn without(value: &mut Json, extras: &[Extra]) {
    for extra in extras {
        drop_from(value, extra.path, extra);
    }
}

/// Returns whether the value is empty then.
fn drop_from(value: &mut Json, path: &[&str], extra: &Extra) -> bool {
    let Some((key, rest)) = path.split_first() else {
        return match (extra.form, value) {
            (Form::Value, Json::String(text)) => *text == extra.text,
            (Form::Element, Json::Array(items)) => {
                items.retain(|item| item.as_str() != Some(&extra.text));
                items.is_empty()
            }
            _ => false,
        };
    };
    let Json::Object(fields) = value else { return false };
    if fields.get_mut(*key).is_some_and(|inner| drop_from(inner, rest, extra)) {
        fields.remove(*key);
    }
    fields.is_empty()
}
