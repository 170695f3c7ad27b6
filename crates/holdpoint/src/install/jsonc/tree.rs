//! A settings file in JSON as a tree that remembers every character.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value as Json;

use crate::install::error::SettingsError;
use crate::install::host::Shape;
use crate::install::ours::Ours;
use crate::install::settings::Edited;
use crate::install::wanted::Entry;

pub(super) const BOM: char = '\u{feff}';
/// The key of the hooks.
pub(super) const HOOKS: &str = "hooks";
/// The deepest nesting that is read: the parser recurses for each level.
const DEPTH_MAX: usize = 200;

/// What the agents accept as well: comments and trailing commas, nothing else.
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
    pub(super) fn open(text: &str, shape: Shape) -> Result<File, SettingsError> {
        let bare = shallow(text.trim_start_matches(BOM))?;
        let root = CstRootNode::parse(bare, &OPTIONS)?;
        let top = root.object_value_or_create().ok_or(SettingsError::NotAnObject)?;
        Ok(File { has_bom: text.starts_with(BOM), root, top, shape })
    }

    pub(super) fn text(&self) -> String {
        let bom = if self.has_bom { BOM.to_string() } else { String::new() };
        bom + &self.root.to_string()
    }

    pub(super) fn hooks(&self) -> Result<Option<CstObject>, SettingsError> {
        let Some(property) = self.top.get(HOOKS) else { return Ok(None) };
        property.object_value().map(Some).ok_or(SettingsError::Hooks { expected: "an object" })
    }

    pub(super) fn events(&self, hooks: &CstObject) -> Result<Vec<Event>, SettingsError> {
        let event = |property: jsonc_parser::cst::CstObjectProp| {
            let name = property.decoded_name().ok_or(SettingsError::HookName)?;
            match property.array_value() {
                Some(list) => Ok(Event { name, list, shape: self.shape }),
                None => Err(SettingsError::NotAList { event: name }),
            }
        };
        hooks.properties().into_iter().map(event).collect()
    }

    /// Adds an entry: in place of Holdpoint's existing one, or after all others.
    pub(super) fn put(
        &self,
        hooks: &CstObject,
        entry: &Entry,
        ours: Ours<'_>,
        edited: &mut Edited,
    ) -> Result<(), SettingsError> {
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
    /// Lists the handlers, each with its group if there are groups.
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

    /// Lists the elements that contain only one hook of Holdpoint. Returns none if Holdpoint's hooks are mixed with others.
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

    /// Lists the handlers of one element.
    pub(super) fn inner(&self, node: &CstNode) -> Vec<CstNode> {
        match self.shape {
            Shape::Flat => vec![node.clone()],
            Shape::Grouped => {
                let list = node.as_object().and_then(|group| group.array_value(HOOKS));
                list.map(|list| list.elements()).unwrap_or_default()
            }
        }
    }

    /// Removes Holdpoint's hooks, and groups that contain nothing else. Returns whether there were any.
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

/// Rejects a text with too deeply nested brackets. Brackets in strings count as well, which errs on the safe side.
pub(super) fn shallow(text: &str) -> Result<&str, SettingsError> {
    let mut depth = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_MAX {
            return Err(SettingsError::TooDeep { max: DEPTH_MAX });
        }
    }
    Ok(text)
}
