//! A run follows its user, in Claude Code itself: into a fork of a session whose client is gone, and past a server in the
//! background.

use std::collections::VecDeque;

use serde_json::json;

use super::git;
use crate::clients::install::claude;
#[cfg(target_os = "linux")]
use crate::clients::seat::Seat;
use crate::clients::session::{ask_claude, fork_claude, register, run_claude, stops};
use crate::model::{Block, Model};
use crate::project::Project;

const EVENTS: [&str; 4] = ["SessionStart", "SessionEnd", "UserPromptSubmit", "Stop"];

/// A workflow whose agent is held until a note is there.
pub(super) const NOTE: &str = r#"
about = "A note."

[run]
home  = "note.json"
state = "note.json"
due   = "phase"
shows = "state.phase"

[fields]
phase = "note"

[phases.note]
by    = "agent"
ask   = "Write NOTE.md first."
until = "file('NOTE.md').exists"
then  = "over"

[phases.over]
by = "nobody"

[commands.start]
about = "Begin"
steps = [{ create = true, go = "note", say = "Begun." }]
"#;

/// A project with that workflow, and its hooks.
pub(super) fn note() -> Project {
    let project = Project::new();
    project.workflow("note", NOTE);
    register(&project, &EVENTS, &["hook", "--agent", "claude"]);
    project
}

/// A model that makes these calls and is then done.
pub(super) fn asked(calls: &[serde_json::Value]) -> Model {
    let mut calls: VecDeque<_> = calls.to_vec().into();
    Model::start(move |_| match calls.pop_front() {
        Some(input) => vec![Block::ToolUse { name: "Bash", input }],
        None => vec![Block::Text("I am done.")],
    })
}

fn asks(model: &Model) -> usize {
    model.shown().iter().filter(|shown| shown.contains("Write NOTE.md first.")).count()
}

#[test]
fn claude_code_is_held_in_a_fork_of_a_session_that_is_gone() {
    let Some(claude) = claude() else { return };
    let project = note();
    let model = asked(&[json!({"command": "holdpoint note start"})]);
    let first = run_claude(&claude, &project, &model);
    let held = asks(&model);
    assert!(held > 0, "{:#?}", model.shown());
    let id = first.printed.json()["session_id"].clone();
    let second = fork_claude(&claude, &project, &model, first);
    assert_ne!(second.printed.json()["session_id"], id, "a fork has an id of its own");
    let shown = model.shown();
    assert!(asks(&model) > held, "{shown:#?}");
    // Newer clients have no record of a fork yet when it begins: that it goes on is known from its first Stop on.
    let told = ["goes on in this session.", "is not finished, and nobody works on it"];
    let is_told = |told: &&str| shown.iter().any(|news| news.contains(&format!("the note run {told}")));
    assert!(told.iter().any(is_told), "{shown:#?}");
    assert!(shown.concat().contains("It stands at: note."), "{shown:#?}");
    let told = second.shown_to_user().concat();
    assert!(!told.contains("another session works on this run"), "{told}");
}

/// At a terminal: a client without one waits for its shells before it ends. The server ends with its client.
#[cfg(target_os = "linux")]
#[test]
fn claude_code_is_held_while_a_server_runs_in_the_background() {
    let Some(claude) = claude() else { return };
    let project = note();
    let server = json!({"command": "tail --pid=$PPID -f /dev/null", "run_in_background": true});
    let model = asked(&[json!({"command": "holdpoint note start"}), server]);
    let home = tempfile::tempdir().unwrap();
    let mut seat = Seat::claude(&claude, &project, &model, home.path(), &[]);
    seat.types("begin with a server");
    seat.waits("it is held with a server there", |_| asks(&model) > 0);
    let first = &stops(&project)[0];
    assert_eq!(first["background_tasks"][0]["type"], "shell", "{first}");
}

/// With its settings committed, a working tree that the client makes for itself is held as the main one.
#[test]
fn claude_code_is_held_in_a_worktree_of_its_own() {
    let Some(claude) = claude() else { return };
    let project = note();
    project.write(".gitignore", "sent\n");
    for args in [
        &["init", "--quiet", "--initial-branch", "main"][..],
        &["config", "user.name", "A"],
        &["config", "user.email", "a@example.org"],
        &["add", "--all"],
        &["commit", "--quiet", "--message", "first"],
    ] {
        git(&project, args);
    }
    let model = asked(&[json!({"command": "holdpoint note start && pwd"})]);
    ask_claude(&claude, &project, &model, "go", &["--worktree", "side"]);
    let shown = model.shown();
    assert!(shown[1].contains("Begun.") && shown[1].contains(".claude/worktrees/side"), "{}", shown[1]);
    assert!(asks(&model) > 0, "{shown:#?}");
    assert!(!project.root().join("note.json").exists(), "the run is the working tree's own");
}
