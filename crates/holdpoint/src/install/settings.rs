//! A settings file that registers hooks, in whatever language it is written.

use std::path::Path;

use serde_json::Value as Json;

use super::host::{Host, Shape};
use super::ours::Ours;
use super::wanted::Entry;
use super::{codex_toml, jsonc};

/// A settings file after an edit.
#[derive(Clone, Debug, Default)]
pub struct Edited {
    /// Its text.
    pub text: String,
    /// Keys that were made for our entries: paths from the top.
    pub made: Vec<Vec<String>>,
    /// What was done to which event, in words.
    pub changes: Vec<String>,
}

/// A hook that is registered, whosever it is.
#[derive(Clone, Debug)]
pub struct Registered {
    /// The agent's name of the event.
    pub event: String,
    /// The tools.
    pub matcher: Option<String>,
    /// The entry.
    pub handler: Json,
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// The text with these entries, and no other ones of ours.
pub fn register(
    path: &Path,
    text: Option<&str>,
    host: &Host,
    entries: &[Entry],
    ours: Ours<'_>,
) -> Result<Edited, String> {
    if is_toml(path) {
        codex_toml::register(text.unwrap_or_default(), entries, ours)
    } else {
        jsonc::register(text, host, entries, ours)
    }
}

/// The text without entries of ours; none if nothing remains that was not made for them.
pub fn unregister(
    path: &Path,
    text: &str,
    shape: Shape,
    made: &[Vec<String>],
    ours: Ours<'_>,
) -> Result<Option<String>, String> {
    if is_toml(path) {
        codex_toml::unregister(text, made, ours)
    } else {
        jsonc::unregister(text, shape, made, ours)
    }
}

/// All hooks that are registered in the text.
pub fn registered(path: &Path, text: &str, shape: Shape) -> Result<Vec<Registered>, String> {
    if is_toml(path) { codex_toml::registered(text) } else { jsonc::registered(text, shape) }
}
