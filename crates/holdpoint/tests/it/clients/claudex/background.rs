//! A reviewer that the agent runs in the background, as it is told it may: the round waits for it.

use std::process::Command;

use serde_json::{Value as Json, json};

use super::{CLEAN, EVENTS, Planner, START, Tools, assert_cleared, journal, project, state};
use crate::clients::held::asks;
use crate::clients::install::claude;
use crate::clients::session::{register, run_claude, stops};
use crate::model::Model;
use crate::project::Project;

/// The reviewer ends when a Stop has been answered with it still at work. The client runs its hooks side by side: one pipe
/// leads from the answer to a second hook of the client's, another from there to the reviewer.
fn let_the_reviewer_wait(project: &Project) {
    for pipe in ["answered", "gate"] {
        assert!(Command::new("mkfifo").arg(project.root().join(pipe)).status().unwrap().success());
    }
    let reviewer = project.read("bin/codex");
    project.write("bin/codex", reviewer.replace("prompt=$(cat)\n", "prompt=$(cat)\ncat gate\n"));
    let mut settings: Json = serde_json::from_str(&project.read(".claude/settings.json")).unwrap();
    let hooks = settings["hooks"]["Stop"][0]["hooks"].as_array_mut().unwrap();
    let answer = r#""$0" "$@"; code=$?; echo > answered; exit $code"#;
    let mut args = vec![json!("-c"), json!(answer), hooks[0]["command"].take()];
    args.append(hooks[0]["args"].as_array_mut().unwrap());
    hooks[0] = hook(&args);
    let open = r#"stop=$(cat); cat answered; case $stop in *'"status":"running"'*) echo > gate;; esac"#;
    hooks.push(hook(&[json!("-c"), json!(open)]));
    project.write(".claude/settings.json", settings.to_string());
}

fn hook(args: &[Json]) -> Json {
    json!({"type": "command", "command": "sh", "args": args, "timeout": 60})
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
            json!(["stop", "release", null, null, null]),
            json!(["command", "none", "done", null, "no-material-findings"]),
            json!(["stop", "witness", null, null, null]),
        ]
    );
    assert_cleared(&project, &id, 1);
    assert_eq!(client.shown_to_user().len(), 1, "{:#?}", client.shown_to_user());
}
