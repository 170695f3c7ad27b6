//! `planned(path)`, `allowed_files(path)` and `without(path, titles)`: what a spec says of its tasks, of the files it
//! lets be changed, and beside some of its sections.

use minijinja::Error;
use minijinja::value::Value;

use super::file::read_text;
use crate::document::outline;
use crate::world::World;
use crate::{allowed_files, plan};

/// The tasks of a spec's plan, each with `.id`, `.name` and `.files`. None if two share an id or they are out of order:
/// whoever works through them could not tell which is due.
pub(super) fn planned(path: &str, world: &dyn World) -> Result<Value, Error> {
    let tasks = read_text(path, world)?.as_deref().map(plan::tasks).unwrap_or_default();
    if tasks.iter().zip(1..).any(|(task, number)| task.id != number) {
        return Ok(Value::from(Vec::<Value>::new()));
    }
    let fields = tasks.into_iter().map(|task| {
        Value::from_pairs([
            ("id", Value::from(task.id)),
            ("name", Value::from(task.name)),
            ("files", Value::from(task.files)),
        ])
    });
    Ok(fields.collect())
}

/// The paths and globs that a spec allows; undefined if it says nothing of them.
pub(super) fn allowed(path: &str, world: &dyn World) -> Result<Value, Error> {
    let paths = read_text(path, world)?.as_deref().and_then(allowed_files::paths);
    Ok(paths.map_or(Value::UNDEFINED, Value::from))
}

/// A document's Markdown without the sections of these titles; undefined if it is not there.
pub(super) fn without(path: &str, titles: &[String], world: &dyn World) -> Result<Value, Error> {
    let text = read_text(path, world)?;
    Ok(text.map_or(Value::UNDEFINED, |text| Value::from(outline::without(&text, titles))))
}
