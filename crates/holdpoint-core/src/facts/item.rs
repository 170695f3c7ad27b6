//! The current element of a list in the state: read by its own name, set in its place.

use std::sync::Arc;

use minijinja::value::Value;
use serde_json::Value as Json;

use super::{FactError, Facts};
use crate::effects::Set;
use crate::workflow::Text;
use crate::workflow::step::key_name;

impl Facts {
    /// The element whose id the state names; undefined if there is none.
    pub(super) fn item(self: &Arc<Self>) -> Result<Value, FactError> {
        Ok(self.item_at()?.map_or(Value::UNDEFINED, |(_, item)| item))
    }

    /// The element and its place in its list.
    fn item_at(self: &Arc<Self>) -> Result<Option<(usize, Value)>, FactError> {
        let Some(item) = &self.workflow.run.item else { return Ok(None) };
        let state = self.lookup("state").unwrap_or_default();
        let (list, id) = (state.get_attr(&item.list)?, state.get_attr(&item.at)?);
        let Ok(elements) = list.try_iter() else { return Ok(None) };
        for (place, element) in elements.enumerate() {
            if element.get_attr("id").is_ok_and(|own| own == id) {
                return Ok(Some((place, element)));
            }
        }
        Ok(None)
    }

    /// The id of the current element; null if there is none.
    pub fn item_id(self: &Arc<Self>) -> Json {
        let id = self.item().and_then(|item| Ok(item.get_attr("id")?));
        id.ok().and_then(|id| serde_json::to_value(id).ok()).unwrap_or_default()
    }

    /// A state field to set, by its path; one of the current item by the item's name.
    pub(crate) fn set(self: &Arc<Self>, field: &str, value: Json) -> Result<Set, FactError> {
        let mut path: Vec<String> = field.split('.').map(str::to_owned).collect();
        if let Some(item) = self.workflow.run.item.as_ref().filter(|_| self.is_items(field)) {
            let missing =
                || FactError::Missing(format!("`{field}` cannot be set: there is no current {}", item.name));
            let (place, _) = self.item_at()?.ok_or_else(missing)?;
            path.splice(0..1, [item.list.to_string(), place.to_string()]);
        }
        for part in &mut path {
            if let Some(name) = key_name(part) {
                *part = self.key(field, name)?;
            }
        }
        Ok(Set { path, value })
    }

    /// Whether the state has this field with this value.
    pub(crate) fn has(self: &Arc<Self>, set: &Set) -> bool {
        let state = self.lookup("state").unwrap_or_default();
        let inner =
            |value: Value, part: &String| value.get_item(&Value::from(part.as_str())).unwrap_or_default();
        let value = set.path.iter().fold(state, inner);
        !value.is_undefined() && self.json(&value).is_ok_and(|value| value == set.value)
    }

    /// The key that a name in a field's path stands for.
    fn key(self: &Arc<Self>, field: &str, name: &str) -> Result<String, FactError> {
        let value = self.evaluate(&Text::Owned(name.to_owned()), self.context())?;
        let key = value.as_str().filter(|key| !key.is_empty()).map(str::to_owned);
        key.ok_or_else(|| FactError::Missing(format!("`{field}` cannot be set: `{name}` is no text")))
    }

    /// Whether a field is one of the current item.
    pub(super) fn is_items(&self, field: &str) -> bool {
        let item = self.workflow.run.item.as_ref();
        item.is_some_and(|item| {
            field.strip_prefix(item.name.as_ref()).is_some_and(|rest| rest.starts_with('.'))
        })
    }

    /// A field of the current item, by its path; none where no item is.
    pub(super) fn item_field(self: &Arc<Self>, field: &str) -> Result<Option<String>, FactError> {
        let Some(item) = &self.workflow.run.item else { return Ok(None) };
        Ok(self.item_at()?.map(|_| format!("{}.{field}", item.name)))
    }

    /// Whether a field can be set now: one of the current item needs one.
    pub(crate) fn can_set(self: &Arc<Self>, field: &str) -> Result<bool, FactError> {
        Ok(!self.is_items(field) || self.item_at()?.is_some())
    }
}
