//! State files: fields set in place, everything else kept letter for letter, written only if nobody else has
//! written since it was read.

use std::path::Path;
use std::time::Duration;

use holdpoint_core::decision::Set;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value as Json;

use super::lock::{self, Lock};
use super::{atomic, layout};
use crate::world::read_file;

/// The largest state file that is read or written.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Why a state file was not written.
#[derive(Debug, PartialEq, Eq)]
pub enum WriteError {
    /// Someone else wrote it since it was read.
    Changed,
    /// It could not be read, edited or written.
    Failed(String),
}

impl std::fmt::Display for WriteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WriteError::Changed => f.write_str("it was changed by others meanwhile"),
            WriteError::Failed(why) => f.write_str(why),
        }
    }
}

/// Takes the lock of the run in `folder` of the project at `home`: whoever writes its state holds it.
pub fn lock(home: &Path, folder: &Path, patience: Duration) -> Result<Lock, String> {
    let path = layout::lock(home, &folder.to_string_lossy());
    layout::prepare(home, &path).map_err(|error| error.to_string())?;
    lock::take(&path, patience).map_err(|error| error.to_string())
}

/// The state file's content; `None` if it is not there.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, String> {
    read_file(path, BYTES_MAX)
}

/// Sets fields in the state file at `path`, which must still be `before`. The lock must be held.
pub fn write(path: &Path, before: Option<&[u8]>, sets: &[Set]) -> Result<(), WriteError> {
    let text = match before {
        Some(bytes) => std::str::from_utf8(bytes).map_err(|error| WriteError::Failed(error.to_string()))?,
        None => "{}\n",
    };
    let edited = edit(text, sets).map_err(WriteError::Failed)?;
    if read(path).map_err(WriteError::Failed)?.as_deref() != before {
        return Err(WriteError::Changed);
    }
    atomic::replace(path, edited.as_bytes()).map_err(|error| WriteError::Failed(error.to_string()))
}

/// Fields of a state file's content as JSON; none if it is no object.
pub fn fields(bytes: &[u8], paths: &[&str]) -> Option<Vec<Json>> {
    let state: Json = holdpoint_core::json::whole(bytes).ok().filter(Json::is_object)?;
    let at = |path: &&str| {
        path.split('.').try_fold(&state, |value, name| value.get(name)).cloned().unwrap_or_default()
    };
    Some(paths.iter().map(at).collect())
}

/// The text with the fields set: order, unknown fields and numbers stay as they are; an object that gains a field is
/// laid out in lines.
pub fn edit(text: &str, sets: &[Set]) -> Result<String, String> {
    let text = text.trim_start_matches('\u{feff}');
    let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| error.to_string())?;
    let top = root.object_value_or_create().ok_or("it is not a JSON object")?;
    for set in sets {
        put(&top, &set.path, &set.value);
    }
    let edited = root.to_string();
    serde_json::from_str::<Json>(&edited)
        .map_err(|error| format!("the edited state would not be JSON: {error}"))?;
    Ok(edited)
}

fn put(object: &CstObject, path: &[String], value: &Json) {
    match path {
        [] => {}
        [name] => match object.get(name) {
            Some(property) => property.set_value(input(value)),
            None => {
                object.append(name, input(value));
            }
        },
        [name, rest @ ..] => put(&object.object_value_or_set(name), rest, value),
    }
}

fn input(value: &Json) -> CstInputValue {
    match value {
        Json::Null => CstInputValue::Null,
        Json::Bool(truth) => CstInputValue::Bool(*truth),
        Json::Number(number) => CstInputValue::Number(number.to_string()),
        Json::String(text) => CstInputValue::String(text.clone()),
        Json::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Json::Object(map) => {
            CstInputValue::Object(map.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn set(path: &str, value: Json) -> Set {
        Set { path: path.split('.').map(str::to_owned).collect(), value }
    }

    #[test]
    fn everything_else_stays_letter_for_letter() {
        let text = "{\n  \"z\": 1.0,\n  \"big\": 12345678901234567890123,\n  \"a\": { \"b\": \"\\u00e9\", \"c\": [1,  2] }\n}";
        let edited = edit(
            text,
            &[set("a.n", json!(2)), set("a.b", json!("x")), set("new.deep", json!({"k": [true]}))],
        )
        .unwrap();
        assert_eq!(
            edited,
            "{\n  \"z\": 1.0,\n  \"big\": 12345678901234567890123,\n  \"a\": {\n    \"b\": \"x\",\n    \"c\": [1,  2],\n    \"n\": 2\n  },\n  \"new\": {\n    \"deep\": {\n      \"k\": [true]\n    }\n  }\n}"
        );
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in ["[]", "5", "nonsense", "{"] {
            assert!(edit(text, &[set("a", json!(1))]).is_err(), "{text}");
        }
        assert_eq!(edit("", &[set("a", json!(1))]).as_deref().map(str::trim), Ok("{\n  \"a\": 1\n}"));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a foreign writer")]
    fn a_state_that_others_wrote_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        std::fs::write(&path, "{\"n\":1}").unwrap();
        assert_eq!(write(&path, Some(b"{\"n\":0}"), &[set("n", json!(2))]), Err(WriteError::Changed));
        assert_eq!(write(&path, None, &[set("n", json!(2))]), Err(WriteError::Changed));
        assert_eq!(write(&path, Some(b"{\"n\":1}"), &[set("n", json!(2))]), Ok(()));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"n\":2}");
    }
}
