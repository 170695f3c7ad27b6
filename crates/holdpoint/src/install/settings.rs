//! A settings file that registers hooks, in JSON or TOML.

use std::path::Path;

use serde_json::Value as Json;

use super::error::SettingsError;
use super::host::{Host, Shape};
use super::ours::Ours;
use super::wanted::Contents;
use super::{codex_toml, jsonc};

/// A settings file after an edit.
#[derive(Clone, Debug, Default)]
pub struct Edited {
    /// Its text.
    pub text: String,
    /// Keys that were created for Holdpoint's entries: paths from the top.
    pub made: Vec<Vec<String>>,
    /// The changes to each event, for people.
    pub changes: Vec<String>,
}

/// A registered hook, Holdpoint's or another program's.
#[derive(Clone, Debug)]
pub struct Registered {
    /// The event, as the agent spells it.
    pub event: String,
    /// The tools.
    pub matcher: Option<String>,
    /// The entry.
    pub handler: Json,
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// Adds these entries and what goes with them, and removes all other entries of Holdpoint.
pub fn register(
    path: &Path,
    text: Option<&str>,
    host: &Host,
    wanted: &Contents,
    ours: Ours<'_>,
) -> Result<Edited, SettingsError> {
    if is_toml(path) {
        codex_toml::register(text.unwrap_or_default(), &wanted.entries, ours)
    } else {
        jsonc::register(text, host, wanted, ours)
    }
}

/// Removes Holdpoint's entries. Returns `None` if the file then holds nothing but what `init` created.
pub fn unregister(
    path: &Path,
    text: &str,
    shape: Shape,
    made: &[Vec<String>],
    ours: Ours<'_>,
) -> Result<Option<String>, SettingsError> {
    if is_toml(path) {
        codex_toml::unregister(text, made, ours)
    } else {
        jsonc::unregister(text, shape, made, ours)
    }
}

/// Lists all hooks that are registered in the text.
pub fn registered(path: &Path, text: &str, shape: Shape) -> Result<Vec<Registered>, SettingsError> {
    if is_toml(path) { codex_toml::registered(text) } else { jsonc::registered(text, shape) }
}
