//! The workflow that has a plan attacked by a second agent, in Claude Code and in Codex themselves: the agent is sent to
//! draft, runs the reviewer as it is told, revises, and ends the loop. Only the model and the reviewer are scripted.

mod another_reviewer;
mod background;
mod planner;
mod sessions;
mod ways_out;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value as Json, json};

use crate::clients::held::asks;
use crate::clients::install::claude;
use crate::clients::session::{at_work, register, run_claude, stop_hook_active, stops};
use crate::model::Model;
use crate::project::Project;
use planner::{DRAFT, Planner, REVISED, Tools};

const EVENTS: [&str; 5] = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"];
/// Text that a shell would make something of, if it ever got hold of it.
const TOPIC: &str = r#"don't lose a "price" in $(touch oops) a restart"#;
const START: &str = r#"holdpoint claudex start plan -- 'don'\''t lose a "price" in $(touch oops) a restart'"#;
const MATERIAL: &str = "# Round 1 findings\n\n## High\n- A restart loses prices (keep them on disk)\n\n\
    ## Medium\n- Two writers race (lock)\n\n## Low\n";
const CLEAN: &str = "# Findings\n\nNo substantive findings.\n";

/// A project with a reviewer of this name in its `bin`: it finds what is laid ready for the round, and keeps what it was
/// told and how it was called.
fn project(reviewer: &str, findings: &[&str]) -> Project {
    let project = Project::new();
    let script = "#!/bin/sh\n\
        prompt=$(cat)\n\
        report=$(printf '%s\\n' \"$prompt\" | grep '^/.*/findings-round-[0-9]*\\.md$')\n\
        round=${report##*-}; round=${round%.md}\n\
        printf '%s\\n' \"$prompt\" > told-$round\n\
        echo \"${0##*/} $* $HOLDPOINT_REVIEWER\" >> called\n\
        cp \"ready-$round\" \"$report\"\n";
    for (at, found) in findings.iter().enumerate() {
        project.write(&format!("ready-{}", at + 1), found);
    }
    let name = format!("bin/{reviewer}");
    project.write(&name, script);
    std::fs::set_permissions(project.root().join(name), PermissionsExt::from_mode(0o755)).unwrap();
    project
}

/// The one loop's id and the fields of its state.
fn state(project: &Project) -> (String, BTreeMap<String, String>) {
    let files = files(project);
    let [name] = &files.iter().filter(|name| name.ends_with(".state")).collect::<Vec<_>>()[..] else {
        panic!("{files:?}")
    };
    let text = project.read(&format!(".claude/claudex/{name}"));
    let fields = text.lines().map(|line| line.split_once(": ").unwrap());
    let fields = fields.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    (name.trim_end_matches(".state").to_owned(), fields)
}

/// The names of all files that the workflow has there.
fn files(project: &Project) -> Vec<String> {
    let mut found = Vec::new();
    let top = project.root().join(".claude/claudex");
    let mut folders = vec![top.clone()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(&top).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// A loop that ended leaves its findings and the plan of each round, but nothing to run.
fn assert_cleared(project: &Project, id: &str, rounds: usize) {
    let of_round =
        |kind: &'static str| (1..=rounds).map(move |round| format!("{id}/{kind}-round-{round}.md"));
    let mut expected = vec![format!("{id}.state"), "log".to_owned()];
    expected.extend(of_round("findings").chain(of_round("plan")));
    expected.sort();
    assert_eq!(files(project), expected);
    assert!(!project.root().join("oops").exists(), "the topic was run");
}

/// What the journal has of a session's Stops and commands: each with its decision and where it took the loop.
fn journal(project: &Project, session: &str) -> Vec<Json> {
    let journal = project.journal().into_iter();
    let own = journal.filter(|entry| entry["session"] == session && entry["workflow"] == "claudex");
    own.filter(|entry| entry["event"] == "stop" || entry["event"] == "command")
        .map(|entry| {
            let set = &entry["set"];
            json!([entry["event"], entry["decision"], set["phase"], set["round"], set["decision_signal"]])
        })
        .collect()
}

/// The agent's shell, its hooks and the loop's state all speak of one session; returns it.
fn one_session(project: &Project, variable: &str) -> String {
    let session = state(project).1["session_id"].clone();
    let line = format!("{variable}={session}");
    let environment = project.read("environment");
    assert!(environment.lines().any(|given| given == line), "{line}\n{environment}");
    for stop in stops(project) {
        assert_eq!(stop["session_id"], session);
    }
    session
}

/// The two reviews: who the reviewer was told to be, what it was told to look at, and how it was called.
fn assert_reviewed_twice(project: &Project, id: &str) {
    let runner = format!("{}/.claude/claudex/{id}-runner.sh", project.root().display());
    let call = format!("codex exec --dangerously-bypass-approvals-and-sandbox {runner}\n");
    assert_eq!(project.read("called"), call.repeat(2));
    let told = [project.read("told-1"), project.read("told-2")];
    assert!(told[0].starts_with("You review as a senior engineer"), "{}", told[0]);
    assert!(told[1].starts_with("You review as a security engineer"), "{}", told[1]);
    assert!(told.iter().all(|told| told.contains(TOPIC)), "{told:#?}");
    assert!(told[1].contains(&format!("{id}/findings-round-1.md")), "{}", told[1]);
    for (round, plan) in [(1, DRAFT), (2, REVISED)] {
        assert_eq!(project.read(&format!(".claude/claudex/{id}/plan-round-{round}.md")).trim(), plan.trim());
    }
}

fn assert_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|given| given == *line), "{line}\n{text}");
    }
}

#[test]
fn claude_code_has_its_plan_reviewed_until_nothing_material_is_found() {
    let Some(claude) = claude() else { return };
    let project = project("codex", &[MATERIAL, CLEAN]);
    register(&project, &EVENTS, &["hook", "--agent", "claude"]);
    let mut planner = Planner::new(Tools::Claude, &["env > environment", START]);
    let model = Model::start(move |request| planner.turn(request));
    let client = run_claude(&claude, &project, &model);

    let session = one_session(&project, "CLAUDE_CODE_SESSION_ID");
    assert_eq!(client.printed.json()["session_id"], session);
    let (id, state) = state(&project);
    assert_eq!(state["topic"].replace("\\\"", "\""), format!("\"{TOPIC}\""));
    let ended = ["mode", "phase", "round", "max_rounds", "decision_signal"].map(|key| state[key].as_str());
    assert_eq!(ended, ["plan", "done", "2", "3", "no-material-findings"]);

    let asks = asks(&model);
    let starts = [
        "### Claudex: draft the plan first\n\nPLAN.md is missing",
        "### Claudex round 1 of 3, Senior-engineer review\n",
        "### Claudex round 2 of 3, Security and data-integrity review\n\n\
         **Previous round:** high=1 medium=1 low=0\n",
    ];
    assert_eq!(asks.len(), starts.len(), "{asks:#?}");
    for (ask, start) in asks.iter().zip(starts) {
        assert!(ask.starts_with(start), "{ask}");
    }
    assert_eq!(stop_hook_active(&project), [false, true, true, true]);
    let ran = "[claudex] Running Codex (mode=plan, round=2, persona: Security and data-integrity review)...\n\
        [claudex] Codex exited with status 0.\n";
    assert!(model.shown().iter().any(|news| news.contains(ran)), "{:#?}", model.shown());
    assert_reviewed_twice(&project, &id);
    assert_eq!(project.read("PLAN.md"), REVISED);
    assert_cleared(&project, &id, 2);
    assert_eq!(
        journal(&project, &session),
        [
            json!(["command", "none", "drafting", 1, "none"]),
            json!(["stop", "hold", null, null, null]),
            json!(["stop", "hold", "reviewing", null, null]),
            json!(["stop", "hold", "reviewing", 2, null]),
            json!(["command", "none", "done", null, "no-material-findings"]),
            json!(["stop", "witness", null, null, null]),
        ]
    );

    let [summary] = &client.shown_to_user()[..] else { panic!("{:#?}", client.shown_to_user()) };
    assert!(
        summary.starts_with(&format!("Claudex plan loop {id} is complete. The plan is locked")),
        "{summary}"
    );
    let lines = [
        "Rounds run: 2 of 3",
        "- Round 1 (Senior-engineer review): high=1 medium=1 low=0",
        "- Round 2 (Security and data-integrity review): high=0 medium=0 low=0",
        "What is open: nothing. The reviewer found nothing in round 2.",
    ];
    assert_lines(summary, &lines);
    assert_eq!(client.printed.json()["result"], "I am done.");
    assert_eq!(at_work(&project), [""; 0], "nothing is left running");
}
