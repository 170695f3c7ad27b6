//! `state`: the run's state file, with first values where fields are missing, and what is about to be set.

use std::sync::Arc;

use minijinja::value::{Serde, Value, ValueKind};
use serde_json::Value as Json;

use super::{FactError, Facts, StateBytes, lock};
use crate::json::JsonError;
use crate::workflow::Format;
use crate::world::Answer;

/// How often in a row a state that may be unfinished must look the same to count as it is.
const LOOKS_MAX: u32 = 5;

impl Facts {
    pub(super) fn state(self: &Arc<Self>) -> Result<Value, FactError> {
        // What was asked for on the way to the file is no part of what a rule looks at.
        let Some(path) = self.untouched(Self::state_path)? else { return Ok(Value::UNDEFINED) };
        let (mut before, mut looks) = (None, 0);
        loop {
            let bytes = match self.state_file(&path) {
                Answer::None if self.overlay.is_empty() => return Ok(Value::UNDEFINED),
                Answer::None => Arc::new(self.no_state()),
                Answer::Fault(why) => {
                    return Err(FactError::world(format!("the state file `{path}` cannot be read"), why));
                }
                Answer::Is(bytes) => bytes,
            };
            let state = self.state_in(&path, &bytes);
            looks = if before.as_ref() == Some(&bytes) { looks + 1 } else { 1 };
            if self.may_be_unfinished(&bytes, state.is_ok(), looks) && self.world.settle(&path) {
                *lock(&self.state_file) = None;
                before = Some(bytes);
                continue;
            }
            return match state {
                Ok(state) if state.kind() != ValueKind::Map => {
                    Err(FactError::WrongType(format!("the state file `{path}` holds no JSON object")))
                }
                state => state,
            };
        }
    }

    /// Whether another program may just be writing the state in place; it looked like this for so many looks in a row.
    /// What is cut off is waited for, and what may be whole is looked at again. The beginning of a text in lines reads as
    /// one, and what is missing would count as never set.
    fn may_be_unfinished(&self, bytes: &[u8], is_read: bool, looks: u32) -> bool {
        let is_new = looks < LOOKS_MAX;
        match self.workflow.run.format {
            Format::Json => !is_read && (is_new || is_cut_off(bytes)),
            Format::Lines if bytes.trim_ascii().is_empty() => true,
            Format::Lines => is_new && (!bytes.ends_with(b"\n") || !self.missing_in(bytes).is_empty()),
        }
    }

    /// The state in a file's bytes: with first values where fields are missing or garbled, and what is about to be set.
    fn state_in(self: &Arc<Self>, path: &str, bytes: &[u8]) -> Result<Value, FactError> {
        let malformed =
            |why: JsonError| FactError::malformed(format!("the state file `{path}` is not valid JSON"), why);
        if self.workflow.fields.is_empty() && self.overlay.is_empty() {
            return crate::json::lazy::value(bytes).map_err(malformed);
        }
        let mut state = self.fields_in(bytes).map_err(malformed)?;
        let outside = self.outside();
        // What only the engine writes lacks nothing, and its first values may be dear: a hash of the tree.
        let fields = self.workflow.fields.iter().filter(|_| !self.workflow.run.is_sealed);
        for field in fields {
            let first = self.render_value(&field.first, outside.clone())?;
            state.entry(field.name.as_ref()).and_modify(|value| meant(value, &first));
            let counts = |value: &Json| counts_as(value, &first, field.is_nullable);
            if !state.get(field.name.as_ref()).is_some_and(counts) {
                state.insert(field.name.to_string(), first);
            }
        }
        let mut state = Json::Object(state);
        for set in &self.overlay {
            put(&mut state, &set.path, &set.value);
        }
        Ok(Value::from(Serde(state)))
    }
}

impl Facts {
    /// What a state file without any field holds.
    fn no_state(&self) -> Vec<u8> {
        match self.workflow.run.format {
            Format::Json => b"{}".to_vec(),
            Format::Lines => Vec::new(),
        }
    }

    /// The fields that stand in a file's bytes.
    fn fields_in(&self, bytes: &[u8]) -> Result<serde_json::Map<String, Json>, JsonError> {
        match self.workflow.run.format {
            Format::Lines => Ok(crate::lines::parse(&String::from_utf8_lossy(bytes))),
            Format::Json => match crate::json::whole(bytes)? {
                Json::Object(fields) => Ok(fields),
                _ => Err(JsonError::NotAnObject),
            },
        }
    }

    /// What first values can name: anything but the state, which they are a part of.
    fn outside(self: &Arc<Self>) -> Value {
        if self.workflow.fields.iter().all(|field| !field.first.contains(['.', '|'])) {
            return Value::UNDEFINED;
        }
        let nouns = ["env", "event", "now", "run"].map(|name| (name, self.noun(name)));
        Value::from_pairs(nouns.into_iter().chain(self.given.iter().cloned()))
    }

    /// The state file as these facts see it: it is read once.
    fn state_file(&self, path: &str) -> StateBytes {
        let read = || match self.world.state(path) {
            Answer::Is(bytes) => Answer::Is(Arc::new(bytes)),
            Answer::None => Answer::None,
            Answer::Fault(why) => Answer::Fault(why),
        };
        lock(&self.state_file).get_or_insert_with(read).clone()
    }

    /// The state file's bytes, if it is there and can be read.
    pub fn state_bytes(self: &Arc<Self>) -> Result<Option<Arc<Vec<u8>>>, FactError> {
        let Some(path) = self.state_path()? else { return Ok(None) };
        match self.state_file(&path) {
            Answer::Is(bytes) => Ok(Some(bytes)),
            Answer::None | Answer::Fault(_) => Ok(None),
        }
    }

    /// Whether there is a state file.
    pub fn has_state(self: &Arc<Self>) -> Result<bool, FactError> {
        Ok(self.state_bytes()?.is_some())
    }

    /// Why the state file cannot be understood, if it is there and cannot.
    pub(super) fn state_fault(self: &Arc<Self>) -> Option<String> {
        self.state().err().map(|error| error.to_string())
    }

    /// The fields that the state file lacks.
    pub(super) fn missing_fields(self: &Arc<Self>) -> Result<Vec<String>, FactError> {
        let bytes = self.state_bytes()?;
        Ok(bytes.map(|bytes| self.missing_in(&bytes)).unwrap_or_default())
    }

    /// The fields that a file's bytes lack; none if they cannot be understood.
    fn missing_in(&self, bytes: &[u8]) -> Vec<String> {
        let Ok(state) = self.fields_in(bytes) else { return Vec::new() };
        let missing = self.workflow.fields.iter().filter(|field| !state.contains_key(field.name.as_ref()));
        missing.map(|field| field.name.to_string()).collect()
    }
}

/// Whether the end is missing, as of a file that is being written.
fn is_cut_off(bytes: &[u8]) -> bool {
    !crate::json::Completeness::default().feed(bytes)
}

/// A text, as what its field's first value is: a whole number, a truth, or a text. What is neither stays text, and
/// counts for nothing.
fn meant(value: &mut Json, first: &Json) {
    let Json::String(text) = &*value else { return };
    let text = text.trim();
    let read = match first {
        Json::Number(_) => text.parse::<i64>().ok().filter(|number| *number >= 0).map(Json::from),
        Json::Bool(_) => text.parse::<bool>().ok().map(Json::from),
        _ => None,
    };
    if let Some(read) = read {
        *value = read;
    }
}

/// Whether a field's value is of the type its first value has, or null where it may be.
fn counts_as(value: &Json, first: &Json, is_nullable: bool) -> bool {
    if value.is_null() {
        return is_nullable || first.is_null();
    }
    let same = matches!(
        (value, first),
        (Json::Bool(_), Json::Bool(_))
            | (Json::Number(_), Json::Number(_))
            | (Json::String(_), Json::String(_))
    );
    same || first.is_null()
        || (value.is_array() && first.is_array())
        || (value.is_object() && first.is_object())
}

fn put(state: &mut Json, path: &[String], value: &Json) {
    let Some((name, rest)) = path.split_first() else {
        *state = value.clone();
        return;
    };
    if let (Json::Array(items), Ok(place)) = (&mut *state, name.parse::<usize>()) {
        if let Some(item) = items.get_mut(place) {
            put(item, rest, value);
        }
        return;
    }
    if !state.is_object() {
        *state = Json::Object(serde_json::Map::new());
    }
    put(&mut state[name.as_str()], rest, value);
}
