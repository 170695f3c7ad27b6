//! A reviewer that the agent runs in the background, as it is told it may: the round waits for it.

use std::process::Command;

use serde_json::{Value as Json, json};

use super::{CLEAN, EVENTS, Planner, START, Tools, assert_cleared, journal, project, state};
use crate::clients::held::asks;
use crate::clients::install::claude;
use crate::clients::session::{register, run_claude, stops};
use crate::model::Model;
use crate::project::Project;

/// The reviewer ends when the client has stopped with it still at work: one end of a pipe is read by the reviewer, the
/// other written by a hook of the client's.
fn let_the_reviewer_wait(project: &Project) {
    assert!(Command::new("mkfifo").arg(project.root().join("gate")).status().unwrap().success());
    let reviewer = project.read("bin/codex");
    project.write("bin/codex", reviewer.replace("prompt=$(cat)\n", "prompt=$(cat)\ncat gate\n"));
    let mut settings: Json = serde_json::from_str(&project.read(".claude/settings.json")).unwrap();
    let open = "if grep -q '\"status\":\"running\"'; then echo > gate; fi";
    let hook = json!({"type": "command", "command": "sh", "args": ["-c", open], "timeout": 60});
    settings["hooks"]["Stop"][0]["hooks"].as_array_mut().unwrap().push(hook);
    project.write(".claude/settings.json", settings.to_string());
}

#[test]
fn claude_code_may_end_its_turn_while_the_reviewer_runs() {
    let Some(claude) = claude() else { return };
    let project = project("codex", &[CLEAN]);
    register(&project, &EVENTS, &["hook", "--agent", "claude"]);
    let_the_reviewer_wait(&project);
    let mut planner = Planner::new(Tools::Claude, &[START]).in_background();
    let model = Model::start(move |request| planner.turn(request));
    let client = run_claude(&claude, &project, &model);

    let tasks = stops(&project).into_iter().map(|stop| stop["background_tasks"].as_array().unwrap().len());
    assert_eq!(tasks.collect::<Vec<_>>(), [0, 0, 1, 0]);
    assert_eq!(asks(&model).len(), 2, "to draft and to review, once each: {:#?}", model.shown());
    let (id, state) = state(&project);
    assert_eq!(
        journal(&project, &state["session_id"]),
        [
            json!(["command", "none", "drafting", 1, "none"]),
            json!(["stop", "hold", null, null, null]),
            json!(["stop", "hold", "reviewing", null, null]),
            json!(["stop", "none", null, null, null]),
            json!(["command", "none", "done", null, "no-material-findings"]),
            json!(["stop", "witness", null, null, null]),
        ]
    );
    assert_cleared(&project, &id, 1);
    assert_eq!(client.shown_to_user().len(), 1, "{:#?}", client.shown_to_user());
}
