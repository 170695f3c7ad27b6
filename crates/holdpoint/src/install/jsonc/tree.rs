//! A settings file in JSON as a tree that remembers every character.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value as Json;

use crate::install::host::Shape;
use crate::install::ours::Ours;
use crate::install::settings::Edited;
use crate::install::wanted::Entry;

pub(super) const BOM: char = '\u{feff}';
/// The key that the hooks stand under.
pub(super) const HOOKS: &str = "hooks";
/// The deepest nesting that is read: the parser calls itself for each level.
const DEPTH_MAX: usize = 200;

/// What agents themselves read: comments and commas too many, no more.
pub(super) const OPTIONS: ParseOptions = ParseOptions {
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

/// A settings file as a tree that remembers every character.
pub(super) struct File {
    has_bom: bool,
    root: CstRootNode,
    pub(super) top: CstObject,
    shape: Shape,
}

/// One event's hooks.
pub(super) struct Event {
    pub(super) name: String,
    list: CstArray,
    shape: Shape,
}

impl File {
    pub(super) fn open(text: &str, shape: Shape) -> Result<File, String> {
        let bare = shallow(text.trim_start_matches(BOM))?;
        let root = CstRootNode::parse(bare, &OPTIONS).map_err(|error| error.to_string())?;
        let top = root.object_value_or_create().ok_or("it is not a JSON object")?;
        Ok(File { has_bom: text.starts_with(BOM), root, top, shape })
    }

    pub(super) fn text(&self) -> String {
        let bom = if self.has_bom { BOM.to_string() } else { String::new() };
        bom + &self.root.to_string()
    }

    pub(super) fn hooks(&self) -> Result<Option<CstObject>, String> {
        let Some(property) = self.top.get(HOOKS) else { return Ok(None) };
        property.object_value().map(Some).ok_or_else(|| "its `hooks` is not an object".to_owned())
    }

    pub(super) fn events(&self, hooks: &CstObject) -> Result<Vec<Event>, String> {
        let event = |property: jsonc_parser::cst::CstObjectProp| {
            let name = property.decoded_name().ok_or("a name in its `hooks` cannot be read")?;
            let list = property.array_value().ok_or_else(|| format!("its `hooks.{name}` is not a list"))?;
            Ok(Event { name, list, shape: self.shape })
        };
        hooks.properties().into_iter().map(event).collect()
    }

    /// Puts one entry in: in the place of the one that is there, or behind all others.
    pub(super) fn put(
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
    pub(super) fn handlers(&self) -> Vec<(Option<Json>, Json)> {
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
    pub(super) fn alone(&self, ours: Ours<'_>) -> Vec<CstNode> {
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
    pub(super) fn inner(&self, node: &CstNode) -> Vec<CstNode> {
        match self.shape {
            Shape::Flat => vec![node.clone()],
            Shape::Grouped => {
                let list = node.as_object().and_then(|group| group.array_value(HOOKS));
                list.map(|list| list.elements()).unwrap_or_default()
            }
        }
    }

    /// Takes out all that is ours, with the groups that had nothing else; whether there was any.
    pub(super) fn take_out(&self, ours: Ours<'_>) -> bool {
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

    pub(super) fn remove_if_empty(&self) {
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
pub(super) fn shallow(text: &str) -> Result<&str, String> {
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
