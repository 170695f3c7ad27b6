//! A run follows its user, in Claude Code itself: into a fork of a session whose client is gone, and past a server in the
//! background.

use std::collections::VecDeque;

use serde_json::json;

use crate::clients::install::claude;
use crate::clients::session::{fork_claude, register, run_claude, stops};
use crate::model::{Block, Model};
use crate::project::Project;

const EVENTS: [&str; 4] = ["SessionStart", "SessionEnd", "UserPromptSubmit", "Stop"];

/// A workflow whose agent is held until a note is there.
const NOTE: &str = r#"
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

fn project() -> Project {
    let project = Project::new();
    project.workflow("note", NOTE);
    register(&project, &EVENTS, &["hook", "--agent", "claude"]);
    project
}

/// A model that makes these calls and is then done.
fn model(calls: &[serde_json::Value]) -> Model {
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
    let project = project();
    let model = model(&[json!({"command": "holdpoint note start"})]);
    let first = run_claude(&claude, &project, &model);
    let held = asks(&model);
    assert!(held > 0, "{:#?}", model.shown());
    let id = first.printed.json()["session_id"].clone();
    let second = fork_claude(&claude, &project, &model, first);
    assert_ne!(second.printed.json()["session_id"], id, "a fork has an id of its own");
    let shown = model.shown();
    assert!(asks(&model) > held, "{shown:#?}");
    assert!(
        shown.concat().contains("the note run goes on in this session. It stands at: note."),
        "{shown:#?}"
    );
    let told = second.shown_to_user().concat();
    assert!(!told.contains("another session works on this run"), "{told}");
}

#[test]
fn claude_code_is_held_while_a_server_runs_in_the_background() {
    let Some(claude) = claude() else { return };
    let project = project();
    let server = json!({"command": "sleep 600", "run_in_background": true});
    let model = model(&[json!({"command": "holdpoint note start"}), server]);
    run_claude(&claude, &project, &model);
    let first = &stops(&project)[0];
    assert_eq!(first["background_tasks"][0]["type"], "shell", "{first}");
    assert!(asks(&model) > 0, "{:#?}", model.shown());
}
