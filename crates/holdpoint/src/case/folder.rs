//! A case's temporary folder: real files and a real repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use holdpoint_core::lines;
use holdpoint_core::workflow::Format;
use serde_json::{Map, Value as Json};

use super::call::texts;
use super::file::NONE;
use super::reviewer;
use crate::store::{layout, tree};

/// Creates the folder that a case starts from.
pub(crate) fn make(keys: &Map<String, Json>, format: Format, root: &Path) -> Result<(), String> {
    repository(keys, root)?;
    commits(keys, root)?;
    change(root, keys.get("files"))?;
    state(keys, format, root)
}

/// Writes the state that a case starts from.
pub(super) fn state(keys: &Map<String, Json>, format: Format, root: &Path) -> Result<(), String> {
    if let Some(state) = keys.get("state").filter(|state| *state != NONE) {
        let at = keys.get("state_at").and_then(Json::as_str).ok_or("`state` needs a `state_at`")?;
        put(root, at, &in_format(state, format))?;
    }
    Ok(())
}

/// Writes files, replacing existing ones. `(none)` removes a file.
pub(super) fn change(root: &Path, files: Option<&Json>) -> Result<(), String> {
    for (path, content) in files.and_then(Json::as_object).into_iter().flatten() {
        let removed = std::fs::remove_file(place(root, path)?);
        match content {
            Json::String(word) if word == NONE => removed.map_err(|error| format!("{path}: {error}"))?,
            _ => put(root, path, content)?,
        }
    }
    Ok(())
}

/// Converts a state to its file's format: a table becomes lines if states are lines.
fn in_format(state: &Json, format: Format) -> Json {
    match (state, format) {
        (Json::Object(fields), Format::Lines) => {
            let set = |text: String, (key, value): (&String, &Json)| lines::set(&text, key, value);
            Json::String(fields.iter().fold(String::new(), set))
        }
        _ => state.clone(),
    }
}

/// Returns a file's bytes: a string unchanged, a table as JSON.
pub(super) fn bytes(content: &Json) -> Vec<u8> {
    match content {
        Json::String(text) => text.clone().into_bytes(),
        other => serde_json::to_vec_pretty(other).unwrap_or_default(),
    }
}

/// Writes a file of the folder. A path that ends in `/` creates a folder.
fn put(root: &Path, path: &str, content: &Json) -> Result<(), String> {
    let full = place(root, path)?;
    let told = |error: std::io::Error| format!("{path}: {error}");
    if path.ends_with('/') {
        return std::fs::create_dir_all(full).map_err(told);
    }
    full.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(told)?;
    crate::store::atomic::create(&full, &bytes(content)).map_err(told)
}

fn place(root: &Path, path: &str) -> Result<PathBuf, String> {
    let tidy = holdpoint_core::path::tidy(path);
    if !holdpoint_core::path::stays_below(&tidy) {
        return Err(format!("`{path}` leaves the case's folder"));
    }
    Ok(root.join(&tidy))
}

/// Creates a repository with one commit of the files in `committed`, on the branch `git`, which may also be `(detached)`
/// or `(unborn)`.
pub(super) fn repository(keys: &Map<String, Json>, root: &Path) -> Result<(), String> {
    let Some(branch) = branch(keys) else { return Ok(()) };
    let named = if branch.starts_with('(') { "main" } else { branch };
    git(root, &["init", "--quiet", "--template=", "--initial-branch", named])?;
    if branch == "(unborn)" {
        return Ok(());
    }
    commit(root, keys.get("committed"), "first")?;
    for other in keys.get("branches").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str)
    {
        git(root, &["branch", other])?;
    }
    if branch == "(detached)" {
        git(root, &["checkout", "--quiet", "--detach"])?;
    }
    // Commits that the workflow makes need an author on every machine.
    git(root, &["config", "user.name", "Case"])?;
    git(root, &["config", "user.email", "case@example.invalid"])
}

/// Returns whether a case starts from a repository.
pub(super) fn has_repository(keys: &Map<String, Json>) -> bool {
    branch(keys).is_some()
}

fn branch(keys: &Map<String, Json>) -> Option<&str> {
    keys.get("git").and_then(Json::as_str).filter(|branch| *branch != NONE)
}

/// Creates the further commits of `commits`, each with its `files` and its `message`.
pub(super) fn commits(keys: &Map<String, Json>, root: &Path) -> Result<(), String> {
    for further in keys.get("commits").and_then(Json::as_array).into_iter().flatten() {
        let message = further.get("message").and_then(Json::as_str).ok_or("a commit needs a `message`")?;
        commit(root, further.get("files"), message)?;
    }
    Ok(())
}

fn commit(root: &Path, files: Option<&Json>, message: &str) -> Result<(), String> {
    change(root, files)?;
    let paths: Vec<&str> =
        files.and_then(Json::as_object).into_iter().flatten().map(|(path, _)| path.as_str()).collect();
    if !paths.is_empty() {
        git(root, &[&["add", "--all", "--"], paths.as_slice()].concat())?;
    }
    git(root, &["commit", "--quiet", "--allow-empty", "--message", message])
}

/// Makes the files of `executable` executable.
pub(super) fn make_executable(keys: &Map<String, Json>, root: &Path) -> Result<(), String> {
    for path in texts(keys.get("executable")) {
        reviewer::make_executable(&place(root, path)?).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(())
}

fn git(root: &Path, args: &[&str]) -> Result<(), String> {
    let identity =
        ["-c", "user.name=Case", "-c", "user.email=case@example.invalid", "-c", "commit.gpgsign=false"];
    let output =
        Command::new("git").arg("-C").arg(root).args(identity).args(args).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("git could not be started: {error}"))?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Returns the content of every file by its path, without git's and Holdpoint's folders.
pub(super) fn contents(root: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    tree::contents(root, &[".git", layout::FOLDER]).map_err(|error| error.to_string())
}
