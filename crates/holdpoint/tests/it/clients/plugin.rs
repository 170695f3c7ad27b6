//! The plugins of this repository in Claude Code itself: it finds them valid, runs their hooks, and knows their commands.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::clients::install::claude;
use crate::clients::session::ask_claude;
use crate::cycle;
use crate::model::{Block, Model};
use crate::project::Project;

fn plugins() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin").canonicalize().unwrap()
}

#[test]
fn claude_code_finds_the_plugins_and_the_marketplace_valid() {
    let Some(claude) = claude() else { return };
    let home = Project::new();
    let folders = std::fs::read_dir(plugins()).unwrap().map(|entry| entry.unwrap().path());
    let named = folders.filter(|folder| folder.join(".claude-plugin/plugin.json").is_file());
    let all: Vec<PathBuf> = named.chain([plugins()]).collect();
    assert!(all.len() > 3, "{all:?}");
    for folder in all {
        let mut validate = Command::new(&claude);
        validate.args(["plugin", "validate", "--strict"]).arg(&folder).stdin(Stdio::null());
        let output = validate.env_clear().env("HOME", home.root()).output().unwrap();
        assert!(output.status.success(), "{}: {output:?}", folder.display());
    }
}

#[test]
fn claude_code_with_a_plugin_is_held_and_knows_its_commands() {
    let Some(claude) = claude() else { return };
    let project = cycle::project(&["FAIL"]);
    cycle::tell(&project, &["new-plan", "shop"]);
    project.write(&format!("{}/plan.md", cycle::PLAN), "# Shop\n\n## Overview\n\nSell things.\n");
    let model = Model::start(|_| vec![Block::Text("I am done.")]);
    let plugin = plugins().join("taskie");
    let more = ["--plugin-dir", plugin.to_str().unwrap()];
    ask_claude(&claude, &project, &model, "/taskie:continue-plan with care", &more);
    let shown = model.shown();
    assert!(shown[0].contains("The user adds: with care"), "{}", shown[0]);
    // What the command points to is read by the client, from the plugin's folder.
    let rules = std::fs::read_to_string(plugin.join("ground-rules.md")).unwrap();
    let rule = rules.lines().rfind(|line| !line.is_empty()).unwrap();
    assert!(shown[0].contains(rule), "{rule}\n{}", shown[0]);
    assert!(shown[1].contains("REVIEW 1 OF THE PLAN IS WRITTEN"), "{}", shown[1]);
}
