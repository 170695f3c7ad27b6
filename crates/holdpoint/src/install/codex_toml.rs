//! Hooks in Codex's `config.toml`, for users who keep theirs there: Codex warns if one folder has hooks in two files.

use serde_json::Value as Json;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use super::error::SettingsError;
use super::ours::Ours;
use super::settings::{Edited, Registered};
use super::wanted::Entry;

const HOOKS: &str = "hooks";
/// The key under `hooks` that is not an event: Codex's own record of the hooks that the user trusts.
const STATE: &str = "state";

/// Adds these entries, and removes all other entries of Holdpoint.
pub fn register(text: &str, entries: &[Entry], ours: Ours<'_>) -> Result<Edited, SettingsError> {
    let there: Vec<(String, Json)> = ours_in(text, ours)?;
    let wanted: Vec<(String, Json)> =
        entries.iter().map(|entry| (entry.event.to_owned(), entry.value.clone())).collect();
    if there.len() == wanted.len() && wanted.iter().all(|group| there.contains(group)) {
        return Ok(Edited { text: text.to_owned(), ..Edited::default() });
    }
    let mut document = parse(text)?;
    take_out(&mut document, ours);
    let mut edited = Edited::default();
    let is_new = document.get(HOOKS).is_none();
    let hooks = document.entry(HOOKS).or_insert_with(|| Item::Table(implicit()));
    let hooks = hooks.as_table_like_mut().ok_or(SettingsError::Hooks { expected: "a table" })?;
    if is_new {
        edited.made.push(vec![HOOKS.to_owned()]);
    }
    for entry in entries {
        if hooks.get(entry.event).is_none() {
            edited.made.push(vec![HOOKS.to_owned(), entry.event.to_owned()]);
            hooks.insert(entry.event, Item::ArrayOfTables(ArrayOfTables::new()));
        }
        let is_appended = hooks.get_mut(entry.event).is_some_and(|list| append(list, &entry.value));
        if !is_appended {
            return Err(SettingsError::NotAList { event: entry.event.to_owned() });
        }
        let sign = if there.iter().any(|(event, _)| event == entry.event) { '~' } else { '+' };
        let about = entry.matcher.as_deref().map(|matcher| format!(" {matcher}")).unwrap_or_default();
        edited.changes.push(format!("{sign} {}{about}", entry.event));
    }
    edited.text = document.to_string();
    Ok(edited)
}

/// Removes Holdpoint's entries. Returns `None` if nothing remains.
pub fn unregister(text: &str, made: &[Vec<String>], ours: Ours<'_>) -> Result<Option<String>, SettingsError> {
    let mut document = parse(text)?;
    take_out(&mut document, ours);
    if made.contains(&vec![HOOKS.to_owned()])
        && document.get(HOOKS).and_then(Item::as_table_like).is_some_and(toml_edit::TableLike::is_empty)
    {
        document.remove(HOOKS);
    }
    let text = document.to_string();
    Ok((!text.trim().is_empty()).then_some(text))
}

/// Lists all hooks that are registered in the text.
pub fn registered(text: &str) -> Result<Vec<Registered>, SettingsError> {
    let mut all = Vec::new();
    for (event, group) in groups(text)? {
        let matcher = group.get("matcher").and_then(Json::as_str).map(str::to_owned);
        for handler in group.get(HOOKS).and_then(Json::as_array).cloned().unwrap_or_default() {
            all.push(Registered { event: event.clone(), matcher: matcher.clone(), handler });
        }
    }
    Ok(all)
}

fn parse(text: &str) -> Result<DocumentMut, SettingsError> {
    text.parse().map_err(|error: toml_edit::TomlError| wrong(error.message()))
}

fn wrong(message: &str) -> SettingsError {
    SettingsError::Toml { message: message.to_owned() }
}

/// Lists every event's groups, as JSON.
fn groups(text: &str) -> Result<Vec<(String, Json)>, SettingsError> {
    let table: Json = toml::from_str(text).map_err(|error| wrong(error.message()))?;
    let Some(hooks) = table.get(HOOKS) else { return Ok(Vec::new()) };
    let hooks = hooks.as_object().ok_or(SettingsError::Hooks { expected: "a table" })?;
    let mut all = Vec::new();
    for (event, list) in hooks.iter().filter(|(event, _)| *event != STATE) {
        let list = list.as_array().ok_or_else(|| SettingsError::NotAList { event: event.clone() })?;
        all.extend(list.iter().map(|group| (event.clone(), group.clone())));
    }
    Ok(all)
}

/// Lists the groups that contain only Holdpoint's hooks.
fn ours_in(text: &str, ours: Ours<'_>) -> Result<Vec<(String, Json)>, SettingsError> {
    Ok(groups(text)?.into_iter().filter(|(_, group)| is_ours(group, ours)).collect())
}

fn is_ours(group: &Json, ours: Ours<'_>) -> bool {
    let handlers = group.get(HOOKS).and_then(Json::as_array);
    handlers.is_some_and(|handlers| !handlers.is_empty() && handlers.iter().all(|handler| ours.has(handler)))
}

/// Removes every group that contains only Holdpoint's hooks, and the lists that are empty then.
fn take_out(document: &mut DocumentMut, ours: Ours<'_>) {
    let Some(hooks) = document.get_mut(HOOKS).and_then(Item::as_table_like_mut) else { return };
    let events: Vec<String> = hooks.iter().map(|(event, _)| event.to_owned()).collect();
    for event in events.iter().filter(|event| *event != STATE) {
        let is_emptied = match hooks.get_mut(event) {
            Some(Item::ArrayOfTables(list)) => {
                let had = list.len();
                list.retain(|group| !is_ours(&json_of(&DocumentMut::from(group.clone()).to_string()), ours));
                list.is_empty() && had > 0
            }
            Some(Item::Value(Value::Array(list))) => {
                let had = list.len();
                list.retain(|group| !is_ours(&json_of_value(group), ours));
                list.is_empty() && had > 0
            }
            _ => false,
        };
        if is_emptied {
            hooks.remove(event);
        }
    }
}

/// Converts TOML to JSON.
fn json_of(text: &str) -> Json {
    toml::from_str(text).unwrap_or_default()
}

fn json_of_value(value: &Value) -> Json {
    let mut holder = DocumentMut::new();
    holder.insert("value", Item::Value(value.clone()));
    json_of(&holder.to_string()).get("value").cloned().unwrap_or_default()
}

/// Appends an entry, and returns whether there is a list to append to.
fn append(list: &mut Item, value: &Json) -> bool {
    match list {
        Item::ArrayOfTables(list) => list.push(table(value)),
        Item::Value(Value::Array(list)) => list.push(inline(value)),
        _ => return false,
    }
    true
}

fn implicit() -> Table {
    let mut table = Table::new();
    table.set_implicit(true);
    table
}

/// Converts a group to a table, with its handlers as nested tables.
fn table(value: &Json) -> Table {
    let mut table = Table::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        match value.as_array().filter(|items| items.iter().all(Json::is_object)) {
            Some(items) => {
                let mut list = ArrayOfTables::new();
                for item in items {
                    list.push(self::table(item));
                }
                table.insert(name, Item::ArrayOfTables(list));
            }
            None => {
                table.insert(name, Item::Value(inline(value)));
            }
        }
    }
    table
}

fn inline(value: &Json) -> Value {
    match value {
        Json::Bool(value) => Value::from(*value),
        Json::Number(number) => Value::from(number.as_i64().unwrap_or_default()),
        Json::Array(items) => Value::Array(items.iter().map(inline).collect::<Array>()),
        Json::Object(fields) => Value::InlineTable(
            fields.iter().map(|(name, value)| (name, inline(value))).collect::<InlineTable>(),
        ),
        Json::Null | Json::String(_) => Value::from(value.as_str().unwrap_or_default()),
    }
}
