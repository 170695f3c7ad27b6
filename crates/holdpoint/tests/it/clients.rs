//! The agents' own clients, Claude Code, Codex and Gemini CLI, with a scripted model on loopback: what holds an agent,
//! and what the model then sees. The clients come from the npm registry; without it these tests are skipped and say so, or fail where
//! `HOLDPOINT_REQUIRE_CLIENTS=1` is set.

#[cfg(target_os = "linux")]
mod across;
#[cfg(target_os = "linux")]
mod at_terminal;
#[cfg(target_os = "linux")]
mod autopilot;
mod capabilities;
mod cheats;
mod claudex;
#[cfg(target_os = "linux")]
mod cleared;
mod demo;
#[cfg(target_os = "linux")]
mod fence;
mod held;
pub(crate) mod install;
mod isdlc;
mod kind;
mod limits;
mod mechanisms;
mod new_user;
#[cfg(target_os = "linux")]
mod offline;
mod plugin;
mod recording;
mod reviewer;
#[cfg(target_os = "linux")]
mod screen;
#[cfg(target_os = "linux")]
mod seat;
mod session;
mod sessions;
mod table;
mod taken_up;
mod taskie;
mod trace;
#[cfg(target_os = "linux")]
mod walk;
mod walks;
mod word;

use std::process::Command;

use serde_json::json;

use crate::clients::install::{claude, codex};
use crate::clients::session::{HOLDPOINT, register, run_claude, run_codex, sent};
use crate::model::{Block, Model};
use crate::project::Project;

/// A project on `main` with one commit, whose work belongs on a branch.
fn on_main() -> Project {
    let project = Project::new();
    let branch = json!({"name": "feature/x", "status": "active"});
    let state = json!({"active_workflow": {"current_phase": "06-implementation", "git_branch": branch}});
    project.write(".isdlc/state.json", state.to_string());
    git(&project, &["init", "--quiet", "--initial-branch", "main"]);
    git(&project, &["config", "user.name", "A"]);
    git(&project, &["config", "user.email", "a@example.org"]);
    git(&project, &["commit", "--quiet", "--allow-empty", "--message", "first"]);
    project
}

fn git(project: &Project, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(args).current_dir(project.root()).env("HOME", project.root()).env("GIT_CONFIG_NOSYSTEM", "1");
    let output = git.output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn commits(project: &Project) -> Vec<String> {
    git(project, &["log", "--format=%s"]).lines().map(str::to_owned).collect()
}

/// A model that asks for one commit with this tool and is then done.
fn committer(tool: &'static str, argument: &'static str) -> Model {
    let mut asked = false;
    Model::start(move |_| {
        if std::mem::replace(&mut asked, true) {
            return vec![Block::Text("Done.")];
        }
        let command = "git commit --quiet --allow-empty --message second";
        vec![Block::ToolUse { name: tool, input: json!({argument: command}) }]
    })
}

#[test]
fn claude_code_is_held_and_sees_why() {
    let Some(claude) = claude() else { return };
    let project = on_main();
    register(&project, &["PreToolUse"], &["hook", "--agent", "claude"]);
    let model = committer("Bash", "command");
    run_claude(&claude, &project, &model);
    let shown = model.shown();
    assert_eq!(shown.len(), 2, "{shown:#?}");
    assert!(shown[1].contains("COMMIT TO MAIN BLOCKED"), "{}", shown[1]);
    assert_eq!(commits(&project), ["first"]);
}

#[test]
fn codex_is_held_and_sees_why() {
    let Some(codex) = codex() else { return };
    let project = on_main();
    let command = format!("'{HOLDPOINT}' hook --agent codex");
    let hook = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": command, "timeout": 60}]});
    let model = committer("exec_command", "cmd");
    run_codex(&codex, &project, &model, &json!({"hooks": {"PreToolUse": [hook]}}));
    let shown = model.shown();
    assert_eq!(shown.len(), 2, "{shown:#?}");
    assert!(shown[1].contains("COMMIT TO MAIN BLOCKED"), "{}", shown[1]);
    assert_eq!(commits(&project), ["first"]);
}

#[test]
fn a_hook_that_faults_lets_claude_code_go_on() {
    let Some(claude) = claude() else { return };
    let project = on_main();
    register(&project, &["PreToolUse"], &["hook", "--no-such-option"]);
    let model = committer("Bash", "command");
    run_claude(&claude, &project, &model);
    assert_eq!(sent(&project).len(), 1, "hooks ran");
    assert_eq!(commits(&project), ["second", "first"], "{:#?}", model.shown());
}
