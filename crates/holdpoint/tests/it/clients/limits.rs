//! The clients' own limits: what `init` does about them, and what the user then sees.

use std::io::Write;

use serde_json::Value as Json;

use crate::clients::install::claude;
use crate::clients::kind::{Kind, hook};
use crate::clients::session::{ask_careful_claude, kept, resume_claude, run_claude};
use crate::model::{Block, Model};
use crate::project::Project;

/// Held until there are 15 lines, of which the model writes one in each turn.
const ROUNDS: &str = r#"
about = "Fifteen rounds."
[run]
home = ".rounds"

[holds.rounds]
on   = "stop"
when = "file('.rounds/lines').text | length < 15"
say  = "ROUND {{ file('.rounds/lines').text | length }} of 15 is open."
"#;

fn rounds() -> (Project, Model) {
    let project = Project::new();
    project.workflow("rounds", ROUNDS).write(".rounds/lines", "");
    let lines = project.root().join(".rounds/lines");
    let model = Model::start(move |_| {
        let mut file = std::fs::File::options().append(true).open(&lines).unwrap();
        file.write_all(b"x").unwrap();
        vec![Block::Text("I am done.")]
    });
    (project, model)
}

fn holds(project: &Project) -> usize {
    let decisions = project.journal().into_iter().filter(|entry| entry["event"] == "stop");
    decisions.filter(|entry| entry["decision"] == "hold").count()
}

/// By itself the client ends the turn after 8 holds without a tool call between them; `init` raises that.
#[test]
fn claude_is_held_as_often_as_it_takes() {
    let Some(claude) = claude() else { return };
    let (project, model) = rounds();
    let printed = project.run(&["init", "--agent", "claude", "--workflow", "rounds"]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    let session = run_claude(&claude, &project, &model);
    assert_eq!(model.shown().len(), 15, "{:#?}", model.shown());
    assert_eq!(holds(&project), 14);
    assert_eq!(session.printed.json()["result"], "I am done.");
}

/// Where the client's limit strikes all the same, that is on record, its user is told, and the next prompt takes it up.
#[test]
fn claude_is_taken_up_again_after_its_own_limit_struck() {
    let Some(claude) = claude() else { return };
    let (project, model) = rounds();
    let session = Kind::Claude.run(&claude, &project, &model, &hook("--agent claude"));
    assert!(model.shown().len() < 15, "the client has ended the turn: {:#?}", model.shown());
    let held = holds(&project);
    let session = resume_claude(&claude, &project, &model, session);
    let capped: Vec<Json> = project
        .lines()
        .into_iter()
        .filter(|entry| entry["released"][0]["cause"] == "capped" || entry["cause"] == "capped")
        .collect();
    assert_eq!(capped.len(), 1, "{:#?}", project.lines());
    assert!(holds(&project) > held, "held again");
    let told = session.shown_to_user().concat();
    assert!(told.contains("its client ended the turn"), "{told}");
}

/// The client shows a block as an error of the hook, and what it goes on with as feedback.
#[test]
fn claude_shows_no_hold_as_an_error() {
    let Some(claude) = claude() else { return };
    let (project, model) = rounds();
    let session = Kind::Claude.run(&claude, &project, &model, &hook("--agent claude"));
    let answers = kept(&project, "answers");
    let told =
        answers.iter().filter(|answer| answer.pointer("/hookSpecificOutput/additionalContext").is_some());
    assert!(told.count() > 1 && answers.iter().all(|answer| answer["decision"].is_null()), "{answers:#?}");
    let transcript = session.transcript();
    let is_error = |line: &Json| {
        let kind = line["attachment"]["type"].as_str().unwrap_or_default();
        kind.starts_with("hook") && kind.contains("error")
    };
    assert!(!transcript.iter().any(is_error), "{transcript:#?}");
    assert!(model.shown()[1].contains("ROUND 1 of 15 is open."), "{:#?}", model.shown());
}

/// Each slash command names the commands of ours that it needs, so that the user is not asked about them.
#[test]
fn claude_runs_our_commands_from_a_slash_command_without_asking() {
    let Some(claude) = claude() else { return };
    let project = Project::new();
    let printed = project.run(&["init", "--agent", "claude", "--workflow", "taskie"]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    let mut calls = vec!["holdpoint taskie new-plan cart"];
    let model = Model::start(move |_| match calls.pop() {
        Some(command) => {
            vec![Block::ToolUse { name: "Bash", input: serde_json::json!({"command": command}) }]
        }
        None => vec![Block::Text("Done.")],
    });
    let session = ask_careful_claude(&claude, &project, &model, "/taskie:new-plan a cart");
    assert_eq!(session.printed.json()["permission_denials"], serde_json::json!([]));
    assert!(project.root().join(".taskie/plans/cart").is_dir(), "{:#?}", model.shown());
}
