//! Placeholders in a case's texts: its folder, and the ids of its commits and trees.

use std::path::Path;

use serde_json::{Map, Value as Json};

use crate::worktree;

/// Pairs of placeholder and value.
pub(super) type Known = Vec<(&'static str, String)>;

/// The keys with expectations. In them, the commit and the tree are those after the call.
const EXPECTED: [&str; 9] =
    ["says", "never_says", "stdout", "stderr", "fault", "after", "becomes", "wrote", "asked"];

/// Returns the current ids of the last commit and of the working tree under `names`, if `keys` use them.
pub(super) fn ids(
    keys: &Map<String, Json>,
    names: [&'static str; 2],
    root: &Path,
    aside: &[String],
) -> Result<Known, String> {
    let mut known = Known::new();
    let [commit, tree] = names;
    if is_said(keys, commit) {
        let head = worktree::head(root)?.ok_or_else(|| format!("{commit}: there is no commit"))?;
        known.push((commit, head.id));
    }
    if is_said(keys, tree) {
        known.push((tree, worktree::hash(root, aside)?));
    }
    Ok(known)
}

/// Returns whether a text of the keys contains a placeholder.
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

/// Replaces the placeholders in all texts.
pub(super) fn fill(keys: &Map<String, Json>, known: &Known) -> Map<String, Json> {
    keys.iter().map(|(key, value)| (key.clone(), filled(value, known))).collect()
}

/// Replaces the placeholders in the case's inputs, but not in its expectations.
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
