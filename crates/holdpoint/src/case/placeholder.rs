//! Placeholders in a case's texts: its folder, and the ids of the current commit and tree.

use std::path::Path;

use serde_json::{Map, Value as Json};

use super::error::CaseError;
use crate::env::FixedEnv;
use crate::worktree;

/// Placeholders and their values.
pub(super) type Known = Vec<(&'static str, String)>;

/// The keys of expectations. In these, the commit and the tree are those after the call.
const EXPECTED: [&str; 9] =
    ["says", "never_says", "stdout", "stderr", "fault", "after", "becomes", "wrote", "asked"];

/// Looks up the ids for `names`, the placeholders of the current commit and working tree, as far as `keys` use them.
pub(super) fn ids(
    keys: &Map<String, Json>,
    names: [&'static str; 2],
    root: &Path,
    aside: &[String],
) -> Result<Known, CaseError> {
    let mut known = Known::new();
    let [commit, tree] = names;
    if is_said(keys, commit) {
        let head =
            worktree::head(root, &FixedEnv::default())?.ok_or(CaseError::NoCommit { placeholder: commit })?;
        known.push((commit, head.id));
    }
    if is_said(keys, tree) {
        known.push((tree, worktree::hash(root, aside, &FixedEnv::default())?));
    }
    Ok(known)
}

/// Returns whether a text of the keys has the placeholder.
pub(super) fn is_said(keys: &Map<String, Json>, name: &str) -> bool {
    fn has(value: &Json, name: &str) -> bool {
        match value {
            Json::String(text) => text.contains(name),
            Json::Array(items) => items.iter().any(|item| has(item, name)),
            Json::Object(map) => map.values().any(|value| has(value, name)),
            _ => false,
        }
    }
    keys.values().any(|value| has(value, name))
}

/// Replaces placeholders in all texts.
pub(super) fn fill(keys: &Map<String, Json>, known: &Known) -> Map<String, Json> {
    keys.iter().map(|(key, value)| (key.clone(), filled(value, known))).collect()
}

/// Replaces placeholders in the case's setup and call, not in its expectations.
pub(super) fn fill_given(keys: &Map<String, Json>, known: &Known) -> Map<String, Json> {
    let of = |(key, value): (&String, &Json)| {
        let is_given = !EXPECTED.contains(&key.as_str());
        (key.clone(), if is_given { filled(value, known) } else { value.clone() })
    };
    keys.iter().map(of).collect()
}

fn filled(value: &Json, known: &Known) -> Json {
    match value {
        Json::String(text) => {
            Json::String(known.iter().fold(text.clone(), |text, (name, is)| text.replace(name, is)))
        }
        Json::Array(items) => items.iter().map(|item| filled(item, known)).collect(),
        Json::Object(map) => map.iter().map(|(key, value)| (key.clone(), filled(value, known))).collect(),
        other => other.clone(),
    }
}
