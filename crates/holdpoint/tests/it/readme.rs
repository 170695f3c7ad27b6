//! The README's first look, followed to the letter in an empty git repository on main.

#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use crate::project::{Printed, Project};
use crate::terminal::at_terminal;

/// The fenced blocks of a section: language and text.
fn blocks(section: &str) -> Vec<(&str, &str)> {
    let fenced = section.split("```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').unwrap()).collect()
}

fn sh(project: &Project, path: &str, script: &str) -> Printed {
    let mut shell = Command::new("sh");
    shell.args(["-ec", script]).current_dir(project.root()).env_clear();
    shell.env("PATH", path).env("HOME", project.root().join("no-home"));
    shell.env("XDG_STATE_HOME", project.state());
    at_terminal(shell, "")
}

#[test]
fn the_first_look_works_by_copy_and_paste() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let section = readme.split("\n## ").find(|part| part.starts_with("A first look\n")).unwrap();
    let blocks = blocks(section);
    let commands: Vec<&str> =
        blocks.iter().filter(|(language, _)| language.is_empty()).map(|(_, text)| *text).collect();
    let block = |language| blocks.iter().find(|(found, _)| *found == language).unwrap().1;
    let [install, prepare, allow, ask] = commands[..] else { panic!("{commands:?}") };
    assert_eq!(install, "cargo install --path crates/holdpoint\n");
    assert!(section.contains("`.holdpoint/workflows/tidy/workflow.toml`"));

    let project = Project::new();
    let programs = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_holdpoint"), programs.path().join("holdpoint")).unwrap();
    let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
    assert_eq!(sh(&project, &path, "git init -q -b main").code, Some(0));
    assert_eq!(sh(&project, &path, prepare).code, Some(0));
    project.write(".holdpoint/workflows/tidy/workflow.toml", block("toml"));

    assert_eq!(sh(&project, &path, allow).code, Some(0));
    let answer = sh(&project, &path, ask);
    assert_eq!(answer.json(), serde_json::from_str::<Json>(block("json")).unwrap(), "{}", answer.stderr);
    assert_eq!(answer.code, Some(0));
    let checked = sh(&project, &path, "holdpoint check tidy");
    assert_eq!((checked.stdout.as_str(), checked.code), ("tidy: ok\n", Some(0)));
    sh(&project, &path, "git switch -q -c my-work");
    assert_eq!(sh(&project, &path, ask).stdout, "");
}
