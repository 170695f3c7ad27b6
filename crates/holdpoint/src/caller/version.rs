//! The version of the client that an event comes from, by its own record of the session or by the files of its program. It is
//! only told to people: nothing is decided by it.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::tail::{head, tail};
use super::{REACH, is_client, process};
use crate::env::Env;

/// The most that is read of a record's beginning and of its end.
const RECORD_BYTES: u64 = 256 * 1024;
/// The most that is read of a package's description.
const PACKAGE_BYTES: u64 = 64 * 1024;
/// How far above a program's file its package is looked for.
const PACKAGE_REACH: usize = 6;
/// The most characters of a version.
const CHARS_MAX: usize = 40;

/// What follows the version of a package for one system.
const SYSTEMS: [&str; 3] = ["-linux", "-darwin", "-win32"];

/// Returns the version of the client that made this call, if it can be told.
pub fn of(env: &dyn Env, transcript: Option<&str>) -> Option<String> {
    by_record(Path::new(transcript.unwrap_or_default())).or_else(|| by_process(env))
}

/// By what Claude Code writes into each line, and Codex into the first.
fn by_record(transcript: &Path) -> Option<String> {
    let newest = tail(transcript, RECORD_BYTES)?;
    let oldest = head(transcript, RECORD_BYTES).unwrap_or_default();
    newest.lines().rev().chain(oldest.lines()).filter(|line| line.contains("version")).find_map(in_line)
}

fn in_line(line: &str) -> Option<String> {
    let line: Json = serde_json::from_str(line).ok()?;
    let is_meta = line["type"] == "session_meta";
    let said = if is_meta { &line["payload"]["cli_version"] } else { &line["version"] };
    said.as_str().and_then(version)
}

fn by_process(env: &dyn Env) -> Option<String> {
    let lineage = env.lineage();
    let mut near = lineage.above.iter().take(REACH);
    let client =
        lineage.client().or_else(|| near.find(|near| is_client(&process::words(**near))).copied())?;
    let words = process::words(client).into_iter().take(2).map(PathBuf::from);
    words.chain(process::program(client)).filter(|path| path.is_absolute()).find_map(|path| by_file(&path))
}

/// By the file's own name, where each version has one, or by the package that it is part of.
fn by_file(path: &Path) -> Option<String> {
    let path = path.canonicalize().ok()?;
    let own = path.file_name()?.to_str().and_then(version);
    own.or_else(|| path.ancestors().skip(1).take(PACKAGE_REACH).find_map(of_package))
}

fn of_package(folder: &Path) -> Option<String> {
    let text = head(&folder.join("package.json"), PACKAGE_BYTES)?;
    let package: Json = serde_json::from_str(&text).ok()?;
    let said = package["version"].as_str()?;
    // A package for one system has that in its version.
    version(SYSTEMS.iter().find_map(|system| said.split_once(system)).map_or(said, |(own, _)| own))
}

/// A text, if it looks like a version.
fn version(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    let is_one = text.starts_with(|c: char| c.is_ascii_digit())
        && text.contains('.')
        && text.len() <= CHARS_MAX
        && text.chars().all(is_part);
    is_one.then(|| text.to_owned())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "foreign files")]
mod tests {
    use super::*;

    fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn a_record_tells_it() {
        let folder = tempfile::tempdir().unwrap();
        let claude = "{\"type\":\"user\",\"version\":\"2.1.197\"}\n{\"version\":\"2.1.326\"}\n{\"x\":1}\n";
        let codex = "{\"type\":\"session_meta\",\"payload\":{\"cli_version\":\"0.169.0\"}}\n{\"x\":1}\n";
        for (name, text, expect) in [
            ("claude", claude, Some("2.1.326")),
            ("codex", codex, Some("0.169.0")),
            ("none", "{\"x\":1}\n", None),
            ("rubbish", "version\n{\"version\":7}\n{\"version\":\"rm -rf /\"}\n", None),
        ] {
            assert_eq!(by_record(&file(folder.path(), name, text)).as_deref(), expect, "{name}");
        }
        assert_eq!(by_record(folder.path()), None);
        assert_eq!(by_record(Path::new("")), None);
    }

    #[test]
    fn a_programs_file_or_its_package_tells_it() {
        let folder = tempfile::tempdir().unwrap();
        let own = file(folder.path(), "versions/2.1.326", "");
        assert_eq!(by_file(&own).as_deref(), Some("2.1.326"));
        let script = file(folder.path(), "node_modules/@x/cli/dist/index.js", "");
        assert_eq!(by_file(&script), None);
        file(folder.path(), "node_modules/@x/cli/package.json", "{\"version\":\"0.61.0\"}");
        assert_eq!(by_file(&script).as_deref(), Some("0.61.0"));
        let native = file(folder.path(), "node_modules/@x/codex-linux-x64/vendor/codex", "");
        file(
            folder.path(),
            "node_modules/@x/codex-linux-x64/package.json",
            "{\"version\":\"0.169.0-linux-x64\"}",
        );
        assert_eq!(by_file(&native).as_deref(), Some("0.169.0"));
        assert_eq!(by_file(&folder.path().join("gone")), None);
    }
}
