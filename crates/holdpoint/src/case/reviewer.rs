//! A case's scripted reviewer: a program on PATH that writes what the case says and records its command line.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::store::atomic;

/// The file in the tools' folder that records the command line.
const ASKED: &str = "asked";

/// Creates the reviewer `program` in `tools`. `root` is the project it writes to.
pub(super) fn make(script: &Json, program: &str, tools: &Path, root: &Path) -> Result<(), String> {
    if script.get("missing").and_then(Json::as_bool).unwrap_or(false) {
        return Ok(());
    }
    let text = |key: &str| script.get(key).and_then(Json::as_str);
    let verdict = text("verdict").unwrap_or("FAIL");
    let answer = json!({"structured_output": {"verdict": verdict}}).to_string();
    let mut lines = vec!["#!/bin/sh".to_owned()];
    lines.push(format!("printf '%s ' \"$@\" >> {}", quoted(&tools.join(ASKED).to_string_lossy())));
    if let Some(report) = text("writes") {
        lines.push(format!("echo '# Review' > {}", quoted(&root.join(report).to_string_lossy())));
    }
    if let Some(stderr) = text("stderr") {
        lines.push(format!("printf '%s' {} >&2", quoted(stderr)));
    }
    lines.push(format!("printf '%s' {}", quoted(text("says").unwrap_or(&answer))));
    lines.push(format!("exit {}", script.get("exit").and_then(Json::as_i64).unwrap_or(0)));
    let path = tools.join(program);
    let told = |error: std::io::Error| error.to_string();
    atomic::create(&path, lines.join("\n").as_bytes()).map_err(told)?;
    make_executable(&path).map_err(told)
}

/// Returns the reviewer's arguments. None if it was not started.
pub(super) fn asked(tools: &Path) -> Option<String> {
    std::fs::read_to_string(tools.join(ASKED)).ok()
}

/// Quotes a word for the shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(unix)]
pub(super) fn make_executable(path: &Path) -> std::io::Result<()> {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
}

#[cfg(not(unix))]
pub(super) fn make_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}
