//! State files: fields set in place, everything else kept letter for letter, written only if nobody else has
//! written since it was read. The state of a sealed run is in the books: its file in the project is a view of that, which
//! is written and compared, and never read back.

use std::path::{Path, PathBuf};
use std::time::Duration;

use holdpoint_core::effects::Set;
use holdpoint_core::facts::FactError;
use holdpoint_core::facts::time::iso;
use holdpoint_core::lines;
use holdpoint_core::workflow::Format;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value as Json;
use thiserror::Error;

use super::books::Books;
use super::folder::{Access, FileError, Folder};
use super::layout;
use super::lock::{self, Lock, LockError};
use super::seal::{Seal, SealError, Upheld};
use crate::project::Run;

/// The largest state file that is read or written.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Why a run's state, or what goes with it, was not written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// Someone else wrote it since it was read.
    #[error("it was changed by others meanwhile")]
    Changed,
    /// Its workflow names no state file.
    #[error("[run] names no state file")]
    NoFile,
    /// Something about the run cannot be found out.
    #[error("{0}")]
    Unknown(FactError),
    /// The state is not text.
    #[error(transparent)]
    NotText(#[from] std::str::Utf8Error),
    /// The state cannot be edited.
    #[error(transparent)]
    NotEdited(#[from] EditError),
    /// Its copy cannot be kept.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// Its lock cannot be had.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Why a state cannot be edited.
#[derive(Debug, Error)]
pub enum EditError {
    /// It is not JSON.
    #[error(transparent)]
    NotJson(#[from] jsonc_parser::errors::ParseError),
    /// It is another JSON value than an object.
    #[error("it is not a JSON object")]
    NotAnObject,
    /// The edit went wrong. The message has the reason, so it is not a source.
    #[error("the edited state would not be JSON: {why}")]
    Broken {
        /// What is wrong with it.
        why: serde_json::Error,
    },
}

/// Takes the lock of the run at `place` (its folder, or its file) in the home of these books: whoever writes its state
/// holds it. The lock of a sealed run is in the books. Others are in the project, where an agent's shell may write, too.
pub fn lock(books: &Books, is_sealed: bool, place: &Path, patience: Duration) -> Result<Lock, LockError> {
    let here = if is_sealed { books.clone() } else { Books::in_project(books.home()) };
    let path = here.lock(&layout::name(books.home(), place));
    lock::take(here.prepare(&path)?, &path, patience)
}

/// A run's state file.
#[derive(Clone, Debug)]
pub struct StateFile {
    /// The project it is in.
    pub home: PathBuf,
    /// Where it is.
    pub path: PathBuf,
    /// What it is written in.
    pub format: Format,
    /// The field that gets the time of each write.
    pub stamp: Option<String>,
    /// Where a copy is kept, if only the engine may write it.
    pub seal: Option<Seal>,
}

impl StateFile {
    /// The state file of a run, at `path` from its folder.
    pub fn of(run: &Run, path: &str) -> StateFile {
        let rules = &run.workflow.run;
        let stamp = rules.stamp.as_ref().map(ToString::to_string);
        let (home, path) = (run.home.clone(), run.folder.join(path));
        StateFile { home, path, format: rules.format, stamp, seal: Seal::of(run) }
    }

    /// Opens the project, and says where in it the state is. The state may be a link to another place in the project: the
    /// user's own choice, and the link stays.
    fn place(&self) -> Result<(Folder, PathBuf), FileError> {
        let project = Folder::project(&self.home)?;
        let place = project.follow(&self.path)?;
        Ok((project, place))
    }

    /// The state; `None` if there is none. The lock must be held.
    pub fn read(&self) -> Result<Option<Vec<u8>>, WriteError> {
        match &self.seal {
            Some(seal) => Ok(seal.recorded()?),
            None => Ok(self.in_project()?),
        }
    }

    /// What the file in the project says, whether it counts or not; `None` if it is not there.
    pub fn in_project(&self) -> Result<Option<Vec<u8>>, FileError> {
        let (project, place) = self.place()?;
        project.read(&place, BYTES_MAX)
    }

    /// Sets fields in the state, which must still be `before`. The lock must be held. `now` is the time of the write.
    /// Returns what is to be said of it.
    pub fn write(&self, before: Option<&[u8]>, sets: &[Set], now: i64) -> Result<Option<String>, WriteError> {
        let text = std::str::from_utf8(before.unwrap_or_default())?;
        let stamp = self.stamp.iter().map(|field| Set { path: vec![field.clone()], value: iso(now).into() });
        let sets: Vec<Set> = sets.iter().cloned().chain(stamp).collect();
        let edited = match self.format {
            Format::Json => edit(if before.is_some() { text } else { "{}\n" }, &sets)?,
            Format::Lines => edit_lines(text, &sets),
        };
        if self.read()?.as_deref() != before {
            return Err(WriteError::Changed);
        }
        if let Some(seal) = &self.seal {
            return self.write_sealed(seal, before, edited.as_bytes());
        }
        let (project, place) = self.place()?;
        if before.is_none() {
            project.make_folder_of(&place, Access::Users)?;
        }
        project.replace(&place, edited.as_bytes(), Access::Users)?;
        Ok(None)
    }

    /// Seals the state, and writes the project's view of it. What others have written there counts for nothing.
    fn write_sealed(
        &self,
        seal: &Seal,
        before: Option<&[u8]>,
        edited: &[u8],
    ) -> Result<Option<String>, WriteError> {
        let view = self.in_project().ok().flatten();
        let is_others = view.as_deref() != before;
        if before.is_none() && is_others {
            return Err(WriteError::Changed);
        }
        // The books first: whoever finds the two apart takes those, so a step is never lost in between.
        seal.close(edited)?;
        seal.show(&self.path, edited)?;
        let upheld = match view {
            _ if !is_others => return Ok(None),
            None => Upheld::Restored,
            Some(_) => Upheld::PutBack,
        };
        let shown = self.path.strip_prefix(&self.home).unwrap_or(&self.path);
        Ok(upheld.said(&shown.display().to_string()))
    }

    /// Fields of the file's content; none if it cannot be understood.
    pub fn fields(&self, bytes: &[u8], paths: &[String]) -> Option<Vec<Json>> {
        let state = match self.format {
            Format::Lines => Json::Object(lines::parse(&String::from_utf8_lossy(bytes))),
            Format::Json => holdpoint_core::json::whole(bytes).ok().filter(Json::is_object)?,
        };
        let at = |path: &String| {
            path.split('.').try_fold(&state, |value, name| value.get(name)).cloned().unwrap_or_default()
        };
        Some(paths.iter().map(at).collect())
    }
}

fn edit_lines(text: &str, sets: &[Set]) -> String {
    sets.iter().fold(text.to_owned(), |text, set| lines::set(&text, &set.path.join("."), &set.value))
}

/// The text with the fields set: order, unknown fields and numbers stay as they are; an object that gains a field is
/// laid out in lines.
pub fn edit(text: &str, sets: &[Set]) -> Result<String, EditError> {
    let text = text.trim_start_matches('\u{feff}');
    let root = CstRootNode::parse(text, &ParseOptions::default())?;
    let top = root.object_value_or_create().ok_or(EditError::NotAnObject)?;
    for set in sets {
        put(&top, &set.path, &set.value);
    }
    let edited = root.to_string();
    serde_json::from_str::<Json>(&edited).map_err(|why| EditError::Broken { why })?;
    Ok(edited)
}

fn put(object: &CstObject, path: &[String], value: &Json) {
    match path {
        [] => {}
        [list, place, rest @ ..] if is_place(object, list, place) => put_in(object, list, place, rest, value),
        [name] => match object.get(name) {
            Some(property) => property.set_value(input(value)),
            None => {
                object.append(name, input(value));
            }
        },
        [name, rest @ ..] => put(&object.object_value_or_set(name), rest, value),
    }
}

/// Whether this names an element of a list.
fn is_place(object: &CstObject, list: &str, place: &str) -> bool {
    place.parse::<usize>().is_ok() && object.array_value(list).is_some()
}

fn put_in(object: &CstObject, list: &str, place: &str, rest: &[String], value: &Json) {
    let element = object.array_value(list).zip(place.parse::<usize>().ok());
    let element = element.and_then(|(array, place)| array.elements().into_iter().nth(place));
    if let Some(element) = element.and_then(|element| element.as_object()) {
        put(&element, rest, value);
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
    fn an_element_of_a_list_is_set_in_its_place() {
        let text = "{ \"tasks\": [ { \"id\": 1 }, { \"id\": 2, \"x\": 0 } ] }";
        let edited = edit(text, &[set("tasks.1.x", json!(5)), set("tasks.0.commit", json!("abc"))]).unwrap();
        let read: Json = serde_json::from_str(&edited).unwrap();
        assert_eq!(read, json!({"tasks": [{"id": 1, "commit": "abc"}, {"id": 2, "x": 5}]}));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in ["[]", "5", "nonsense", "{"] {
            assert!(edit(text, &[set("a", json!(1))]).is_err(), "{text}");
        }
        assert_eq!(edit("", &[set("a", json!(1))]).unwrap().trim(), "{\n  \"a\": 1\n}");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a foreign writer")]
    fn a_state_that_others_wrote_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        std::fs::write(&path, "{\"n\":1}").unwrap();
        let home = folder.path().to_path_buf();
        let file = StateFile { home, path: path.clone(), format: Format::Json, stamp: None, seal: None };
        let sets = [set("n", json!(2))];
        assert!(matches!(file.write(Some(b"{\"n\":0}"), &sets, 0), Err(WriteError::Changed)));
        assert!(matches!(file.write(None, &sets, 0), Err(WriteError::Changed)));
        file.write(Some(b"{\"n\":1}"), &sets, 0).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"n\":2}");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a foreign writer")]
    fn every_write_is_stamped_where_the_state_has_a_field_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.state");
        std::fs::write(&path, "n: 1\nat: never").unwrap();
        let (home, stamp) = (folder.path().to_path_buf(), Some("at".into()));
        let file = StateFile { home, path: path.clone(), format: Format::Lines, stamp, seal: None };
        file.write(Some(b"n: 1\nat: never"), &[set("n", json!(2))], 60).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "n: 2\nat: 1970-01-01T00:01:00Z");
    }
}
