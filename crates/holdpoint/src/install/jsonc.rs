//! Settings in JSON, with comments and trailing commas: entries put in and taken out, everything else kept letter for
//! letter.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value as Json;

use super::host::{Host, Shape};
use super::ours::Ours;
use super::settings::{Edited, Registered};
use super::wanted::Entry;

const BOM: char = '\u{feff}';
/// The key that the hooks stand under.
const HOOKS: &str = "hooks";
/// The deepest nesting that is read: the parser calls itself for each level.
const DEPTH_MAX: usize = 200;

/// What agents themselves read: comments and commas too many, no more.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The text with these entries, and no other ones of ours.
pub fn register(
    text: Option<&str>,
    host: &Host,
    entries: &[Entry],
    ours: Ours<'_>,
) -> Result<Edited, String> {
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
    if edited.text.trim_start_matches(BOM).lines().count() > 0
        && !edited.text.ends_with('\n')
        && text.is_none()
    {
        edited.text.push('\n');
    }
    nothing_else_changed(before, &edited.text, host, ours)?;
    Ok(edited)
}

/// The text without entries of ours; none if nothing remains that was not made for them.
pub fn unregister(
    text: &str,
    shape: Shape,
    made: &[Vec<String>],
    ours: Ours<'_>,
) -> Result<Option<String>, String> {
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
    let left: Vec<String> =
        file.top.properties().iter().filter_map(jsonc_parser::cst::CstObjectProp::decoded_name).collect();
    if left.iter().all(|name| made.contains(&vec![name.clone()])) {
        return Ok(None);
    }
    Ok(Some(file.text()))
}

/// All hooks that are registered in the text, whosever they are.
pub fn registered(text: &str, shape: Shape) -> Result<Vec<Registered>, String> {
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

/// The text as plain JSON.
pub fn value(text: &str) -> Result<Json, String> {
    let text = shallow(text.trim_start_matches(BOM))?;
    let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| error.to_string())?;
    Ok(root.to_serde_value().unwrap_or_else(|| Json::Object(serde_json::Map::new())))
}

/// A settings file as a tree that remembers every character.
struct File {
    has_bom: bool,
    root: CstRootNode,
    top: CstObject,
    shape: Shape,
}

/// One event's hooks.
struct Event {
    name: String,
    list: CstArray,
    shape: Shape,
}

impl File {
    fn open(text: &str, shape: Shape) -> Result<File, String> {
        let bare = shallow(text.trim_start_matches(BOM))?;
        let root = CstRootNode::parse(bare, &OPTIONS).map_err(|error| error.to_string())?;
        let top = root.object_value_or_create().ok_or("it is not a JSON object")?;
        Ok(File { has_bom: text.starts_with(BOM), root, top, shape })
    }

    fn text(&self) -> String {
        let bom = if self.has_bom { BOM.to_string() } else { String::new() };
        bom + &self.root.to_string()
    }

    fn hooks(&self) -> Result<Option<CstObject>, String> {
        let Some(property) = self.top.get(HOOKS) else { return Ok(None) };
        property.object_value().map(Some).ok_or_else(|| "its `hooks` is not an object".to_owned())
    }

    fn events(&self, hooks: &CstObject) -> Result<Vec<Event>, String> {
        let event = |property: jsonc_parser::cst::CstObjectProp| {
            let name = property.decoded_name().ok_or("a name in its `hooks` cannot be read")?;
            let list = property.array_value().ok_or_else(|| format!("its `hooks.{name}` is not a list"))?;
            Ok(Event { name, list, shape: self.shape })
        };
        hooks.properties().into_iter().map(event).collect()
    }

    /// Puts one entry in: in the place of the one that is there, or behind all others.
    fn put(
        &self,
        hooks: &CstObject,
        entry: &Entry,
        ours: Ours<'_>,
        edited: &mut Edited,
    ) -> Result<(), String> {
        let there = self.events(hooks)?.into_iter().find(|event| event.name == entry.event);
        let event = match there {
            Some(event) => event,
            None => {
                edited.made.push(vec![HOOKS.to_owned(), entry.event.to_owned()]);
                let list = hooks.array_value_or_set(entry.event);
                Event { name: entry.event.to_owned(), list, shape: self.shape }
            }
        };
        let about = entry.matcher.as_deref().map(|matcher| format!(" {matcher}")).unwrap_or_default();
        match &event.alone(ours)[..] {
            [one] if one.to_serde_value().as_ref() == Some(&entry.value) => return Ok(()),
            [one] => {
                replace(one, &entry.value);
                edited.changes.push(format!("~ {}{about}", entry.event));
            }
            _ => {
                let sign = if event.take_out(ours) { '~' } else { '+' };
                event.list.append(input(&entry.value));
                edited.changes.push(format!("{sign} {}{about}", entry.event));
            }
        }
        Ok(())
    }
}

impl Event {
    /// The handlers, each with its group where there are groups.
    fn handlers(&self) -> Vec<(Option<Json>, Json)> {
        let elements = self.list.elements().into_iter().filter_map(|node| node.to_serde_value());
        match self.shape {
            Shape::Flat => elements.map(|handler| (None, handler)).collect(),
            Shape::Grouped => elements
                .flat_map(|group| {
                    let handlers = group.get(HOOKS).and_then(Json::as_array).cloned().unwrap_or_default();
                    handlers.into_iter().map(move |handler| (Some(group.clone()), handler))
                })
                .collect(),
        }
    }

    /// The elements that are ours alone, if all that is ours here stands so.
    fn alone(&self, ours: Ours<'_>) -> Vec<CstNode> {
        let mut alone = Vec::new();
        for node in self.list.elements() {
            match self.inner(&node).into_iter().filter(|handler| is_ours(handler, ours)).count() {
                0 => {}
                n if n == self.inner(&node).len() && n == 1 => alone.push(node),
                _ => return Vec::new(),
            }
        }
        alone
    }

    /// The handlers of one element.
    fn inner(&self, node: &CstNode) -> Vec<CstNode> {
        match self.shape {
            Shape::Flat => vec![node.clone()],
            Shape::Grouped => {
                let list = node.as_object().and_then(|group| group.array_value(HOOKS));
                list.map(|list| list.elements()).unwrap_or_default()
            }
        }
    }

    /// Takes out all that is ours, with the groups that had nothing else; whether there was any.
    fn take_out(&self, ours: Ours<'_>) -> bool {
        let mut is_changed = false;
        for node in self.list.elements() {
            let handlers = self.inner(&node);
            let going: Vec<CstNode> =
                handlers.iter().filter(|handler| is_ours(handler, ours)).cloned().collect();
            is_changed |= !going.is_empty();
            if !going.is_empty() && going.len() == handlers.len() {
                node.remove();
            } else {
                going.into_iter().for_each(CstNode::remove);
            }
        }
        is_changed
    }

    fn remove_if_empty(&self) {
        if self.list.elements().is_empty()
            && let Some(property) = self.list.parent().and_then(|parent| parent.as_object_prop())
        {
            property.remove();
        }
    }
}

fn is_ours(handler: &CstNode, ours: Ours<'_>) -> bool {
    handler.to_serde_value().is_some_and(|handler| ours.has(&handler))
}

fn replace(node: &CstNode, value: &Json) {
    if let Some(object) = node.as_object() {
        object.replace_with(input(value));
    }
}

fn input(value: &Json) -> CstInputValue {
    match value {
        Json::Null => CstInputValue::Null,
        Json::Bool(value) => CstInputValue::Bool(*value),
        Json::Number(number) => CstInputValue::Number(number.to_string()),
        Json::String(text) => CstInputValue::String(text.clone()),
        Json::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Json::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

/// The text, if brackets are not nested without end. Brackets in strings count as well: that errs on the safe side.
fn shallow(text: &str) -> Result<&str, String> {
    let mut depth = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_MAX {
            return Err(format!("it is nested more than {DEPTH_MAX} deep"));
        }
    }
    Ok(text)
}

/// A last look: but for what is ours, the edited text must say what the old one said.
fn nothing_else_changed(before: &str, after: &str, host: &Host, ours: Ours<'_>) -> Result<(), String> {
    let others = |text: &str| value(text).map(|value| without_ours(value, host, ours));
    if others(before)? == others(after)? {
        return Ok(());
    }
    Err("it could not be edited without a change to something else".to_owned())
}

/// A settings file's value without anything that is ours, and without the empty lists and objects that remain.
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
