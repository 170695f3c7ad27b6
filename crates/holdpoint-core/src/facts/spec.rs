//! `planned(path, titles)` and `allowed_files(path, title)`: what a spec says of its tasks, and of the files it lets be
//! changed.

use minijinja::value::{Serde, Value};
use serde_json::Value as Json;

use super::FactError;
use crate::world::{Answer, World};

/// The tasks of a spec's plan, under the first of these titles that has any, each with `.id`, `.name` and `.files`; none if there is no spec.
pub(super) fn planned(path: &str, titles: Vec<String>, world: &dyn World) -> Result<Value, FactError> {
    let tasks = read_as("planned", path, Json::from(titles), world)?;
    Ok(tasks.map_or_else(|| Value::from(Vec::<Value>::new()), |tasks| Value::from(Serde(tasks))))
}

/// The paths and globs that a spec allows in the section of this title, or of the first of these that it has; undefined if it
/// says nothing of them.
pub(super) fn allowed(path: &str, titles: &Value, world: &dyn World) -> Result<Value, FactError> {
    let titles = serde_json::to_value(titles)
        .map_err(|error| FactError::malformed("`allowed_files` takes titles", error))?;
    let paths = read_as("allowed_files", path, titles, world)?;
    Ok(paths.map_or(Value::UNDEFINED, |paths| Value::from(Serde(paths))))
}

/// What a reader that the core does not know makes of a document.
fn read_as(reader: &str, path: &str, arg: Json, world: &dyn World) -> Result<Option<Json>, FactError> {
    match world.read_as(reader, path, &[arg]) {
        Answer::Is(said) => Ok(Some(said)),
        Answer::None => Ok(None),
        Answer::Fault(why) => Err(FactError::world(format!("`{path}` cannot be read"), why)),
    }
}
