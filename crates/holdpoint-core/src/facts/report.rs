//! `findings(path, nothing)`: a reviewer's report by severity; `kept(path)`: a file as it was when the run was made.

use minijinja::value::Value;

use super::FactError;
use super::file::read_text;
use crate::findings::{self, SEVERITIES};
use crate::world::{Answer, World};

/// A report, and how one says that it found `nothing`: `.exists`, `.high`, `.medium`, `.low`, `.total`, `.clean`, `.malformed`, `.items`.
pub(super) fn findings(path: &str, nothing: &str, world: &dyn World) -> Result<Value, FactError> {
    let text = read_text(path, world)?;
    let found = text.as_deref().map(|text| findings::read(text, nothing)).unwrap_or_default();
    let items = found.list.iter().map(|(severity, text)| {
        Value::from_pairs([("severity", Value::from(*severity)), ("text", Value::from(text.as_str()))])
    });
    let mut pairs = vec![
        ("exists", Value::from(text.is_some())),
        ("total", Value::from(found.list.len())),
        ("clean", Value::from(found.is_readable && found.list.is_empty())),
        ("malformed", Value::from(text.is_some() && !found.is_readable)),
        ("items", items.collect()),
    ];
    pairs.extend(SEVERITIES.map(|severity| (severity, Value::from(found.count(severity)))));
    Ok(Value::from_pairs(pairs))
}

/// `.exists`, `.text`; nothing if the run kept nothing.
pub(super) fn kept(path: &str, world: &dyn World) -> Result<Value, FactError> {
    match world.kept(path) {
        Answer::Is(Some(bytes)) => Ok(Value::from_pairs([
            ("exists", Value::from(true)),
            ("text", Value::from(String::from_utf8_lossy(&bytes).into_owned())),
        ])),
        Answer::Is(None) => Ok(Value::from_pairs([("exists", Value::from(false))])),
        Answer::None => Ok(Value::UNDEFINED),
        Answer::Fault(why) => Err(FactError::world(format!("what was kept of `{path}` cannot be read"), why)),
    }
}
