//! Settings in JSON, with comments and trailing commas. Adds and removes entries, and keeps every other character.

mod extras;
mod tree;

use jsonc_parser::cst::{CstInputValue, CstObjectProp, CstRootNode};
use serde_json::Value as Json;

use self::tree::{BOM, File, HOOKS, OPTIONS, shallow};
use super::error::SettingsError;
use super::extra::Extra;
use super::host::{Host, Shape};
use super::ours::Ours;
use super::settings::{Edited, Registered};
use super::wanted::Contents;

/// Adds these entries, and removes all other entries of Holdpoint.
pub fn register(
    text: Option<&str>,
    host: &Host,
    wanted: &Contents,
    ours: Ours<'_>,
) -> Result<Edited, SettingsError> {
    let Contents { entries, extras } = wanted;
    let before = text.unwrap_or_default();
    let file = File::open(before, host.shape)?;
    let mut edited = Edited::default();
    for (key, value) in host.preamble {
        if file.top.get(key).is_none() {
            file.top.append(key, CstInputValue::Number(value.to_string()));
            edited.made.push(vec![(*key).to_owned()]);
        }
    }
    let hooks = match file.hooks()? {
        Some(hooks) => hooks,
        None => {
            edited.made.push(vec![HOOKS.to_owned()]);
            file.top.object_value_or_set(HOOKS)
        }
    };
    for event in file.events(&hooks)? {
        if !entries.iter().any(|entry| entry.event == event.name) && event.take_out(ours) {
            edited.changes.push(format!("- {}", event.name));
            event.remove_if_empty();
        }
    }
    for entry in entries {
        file.put(&hooks, entry, ours, &mut edited)?;
    }
    edited.text = file.text();
    for extra in extras {
        edited.text = extras::put(std::mem::take(&mut edited.text), host.shape, extra, &mut edited)?;
    }
    if edited.text.trim_start_matches(BOM).lines().count() > 0
        && !edited.text.ends_with('\n')
        && text.is_none()
    {
        edited.text.push('\n');
    }
    nothing_else_changed(before, &edited.text, host, extras, ours)?;
    Ok(edited)
}

/// Removes Holdpoint's entries. Returns `None` if the file then holds nothing but what `init` created.
pub fn unregister(
    text: &str,
    shape: Shape,
    made: &[Vec<String>],
    ours: Ours<'_>,
) -> Result<Option<String>, SettingsError> {
    let file = File::open(text, shape)?;
    if let Some(hooks) = file.hooks()? {
        for event in file.events(&hooks)? {
            if event.take_out(ours) && made.contains(&vec![HOOKS.to_owned(), event.name.clone()]) {
                event.remove_if_empty();
            }
        }
        if hooks.properties().is_empty()
            && made.contains(&vec![HOOKS.to_owned()])
            && let Some(property) = file.top.get(HOOKS)
        {
            property.remove();
        }
    }
    extras::take_out(&file.top, made);
    if file.top.properties().iter().all(|property| is_only_made(property, made)) {
        return Ok(None);
    }
    Ok(Some(file.text()))
}

/// Returns whether a key was made for Holdpoint's entries and has nothing of anybody else.
fn is_only_made(property: &CstObjectProp, made: &[Vec<String>]) -> bool {
    let value = property.value();
    let holds_others = value.is_some_and(|value| value.as_object().is_some() || value.as_array().is_some());
    !holds_others && property.decoded_name().is_some_and(|name| made.contains(&vec![name]))
}

/// Lists all hooks that are registered in the text, Holdpoint's and others.
pub fn registered(text: &str, shape: Shape) -> Result<Vec<Registered>, SettingsError> {
    let file = File::open(text, shape)?;
    let Some(hooks) = file.hooks()? else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for event in file.events(&hooks)? {
        for (group, handler) in event.handlers() {
            let matcher = group.as_ref().and_then(|group| group.get("matcher")).or(handler.get("matcher"));
            let matcher = matcher.and_then(Json::as_str).map(str::to_owned);
            all.push(Registered { event: event.name.clone(), matcher, handler });
        }
    }
    Ok(all)
}

/// Parses the text as plain JSON.
pub fn value(text: &str) -> Result<Json, SettingsError> {
    let text = shallow(text.trim_start_matches(BOM))?;
    let root = CstRootNode::parse(text, &OPTIONS)?;
    Ok(root.to_serde_value().unwrap_or_else(|| Json::Object(serde_json::Map::new())))
}

/// Checks that the edit changed nothing but Holdpoint's entries.
fn nothing_else_changed(
    before: &str,
    after: &str,
    host: &Host,
    extras: &[Extra],
    ours: Ours<'_>,
) -> Result<(), SettingsError> {
    let others = |text: &str| {
        value(text).map(|value| {
            let mut value = without_ours(value, host, ours);
            extras::without(&mut value, extras);
            value
        })
    };
    if others(before)? == others(after)? {
        return Ok(());
    }
    Err(SettingsError::OtherChange)
}

/// Removes everything of Holdpoint from a settings file's value, and the empty lists and objects that remain.
fn without_ours(mut value: Json, host: &Host, ours: Ours<'_>) -> Json {
    let is_other = |handler: &Json| !ours.has(handler);
    if let Some(Json::Object(hooks)) = value.get_mut(HOOKS) {
        for list in hooks.values_mut().filter_map(Json::as_array_mut) {
            match host.shape {
                Shape::Flat => list.retain(is_other),
                Shape::Grouped => list.retain_mut(|group| {
                    let Some(handlers) = group.get_mut(HOOKS).and_then(Json::as_array_mut) else {
                        return true;
                    };
                    let had_any = !handlers.is_empty();
                    handlers.retain(is_other);
                    !(had_any && handlers.is_empty())
                }),
            }
        }
        hooks.retain(|_, list| list.as_array().is_none_or(|list| !list.is_empty()));
    }
    if let Json::Object(top) = &mut value {
        top.retain(|name, value| {
            let is_empty_hooks = name == HOOKS && value.as_object().is_some_and(serde_json::Map::is_empty);
            let is_preamble = host.preamble.iter().any(|(key, made)| key == name && *value == *made);
            !is_empty_hooks && !is_preamble
        });
    }
    value
}
