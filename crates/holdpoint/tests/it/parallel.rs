//! Many hooks at once, and a foreign program in between: nothing is lost, nothing is counted twice, no hold is missed.

use std::io::Write;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project};

/// Counts tool calls in its state, and holds at Stop.
pub(crate) const COUNTER: &str = r#"
about = "Counts tool calls."
[run]
home  = ".counter"
state = ".counter/state.json"
[witnesses.count]
on   = "before"
set  = { count = "{{ state.count | number + 1 }}" }
to   = "log"
say  = "counted"
[holds.unfinished]
on   = "stop"
when = "not state.finished"
say  = "UNFINISHED"
"#;

const LOCKED: &str = r#"
about = "Holds while the state says so."
[run]
home  = ".locked"
state = ".locked/state.json"
[holds.locked]
on   = "before"
when = "state.locked"
say  = "LOCKED {{ state.version }}"
"#;

fn before(project: &Project, session: &str) -> Json {
    json!({"hook_event_name": "PreToolUse", "session_id": session, "cwd": project.root(), "tool_name": "Bash",
        "tool_input": {"command": "ls"}})
}

fn stop(project: &Project, session: &str) -> Json {
    json!({"hook_event_name": "Stop", "session_id": session, "cwd": project.root(), "stop_hook_active": true})
}

/// Hooks that have started and wait for their input.
fn started(project: &Project, count: usize) -> Vec<Child> {
    let start = |_| {
        let mut command = project.command(&["hook"]);
        command.env("HOLDPOINT_INPUT_TIMEOUT_MS", "600000");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    (0..count).map(start).collect()
}

/// Feeds every waiting hook its event and gathers the answers.
fn all_at_once(project: &Project, events: &[Json]) -> Vec<Printed> {
    let mut children = started(project, events.len());
    for (child, event) in children.iter_mut().zip(events) {
        child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    }
    children.into_iter().map(|child| child.wait_with_output().unwrap().into()).collect()
}

#[test]
fn thirty_two_hooks_at_once_count_to_thirty_two() {
    let project = Project::new();
    project.workflow("counter", COUNTER).write(".counter/state.json", "{\n  \"other\": 1.0\n}\n");
    let events: Vec<Json> = (0..32).map(|number| before(&project, &format!("s{number}"))).collect();
    for answer in all_at_once(&project, &events) {
        assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (Some(0), "", ""));
    }
    assert_eq!(project.read(".counter/state.json"), "{\n  \"other\": 1.0,\n  \"count\": 32\n}\n");
    let mut counts: Vec<u64> =
        project.journal().iter().map(|entry| entry["set"]["count"].as_u64().unwrap()).collect();
    counts.sort_unstable();
    assert_eq!(counts, (1..=32).collect::<Vec<u64>>(), "32 whole lines, each with a count of its own");
}

#[test]
fn no_hold_is_missed_while_a_foreign_program_rewrites_the_state_in_place() {
    let project = Project::new();
    project.workflow("locked", LOCKED).write(".locked/state.json", state(0));
    let path = project.root().join(".locked/state.json");
    let done = AtomicBool::new(false);
    let answers: Vec<Printed> = std::thread::scope(|scope| {
        scope.spawn(|| {
            for version in 1.. {
                if done.load(Ordering::Relaxed) {
                    return;
                }
                rewrite_in_place(&path, &state(version));
            }
        });
        let events: Vec<Json> = (0..16).map(|number| before(&project, &format!("s{number}"))).collect();
        let answers = (0..4).flat_map(|_| all_at_once(&project, &events)).collect();
        done.store(true, Ordering::Relaxed);
        answers
    });
    for answer in answers {
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
        let reason = answer.json()["hookSpecificOutput"]["permissionDecisionReason"].clone();
        assert!(reason.as_str().is_some_and(|text| text.starts_with("LOCKED ")), "{}", answer.stdout);
    }
    let journal = project.journal();
    assert_eq!(journal.iter().filter(|entry| entry["decision"] == "hold").count(), 64);
    assert!(journal.iter().all(|entry| entry["faults"].is_null()));
}

/// A state of some size, so that it takes a while to write.
fn state(version: usize) -> String {
    json!({"version": version, "history": vec!["a line of history"; 2_000], "locked": true}).to_string()
}

/// As a script would write it: truncated first, then written in parts.
fn rewrite_in_place(path: &std::path::Path, text: &str) {
    let mut file = std::fs::File::create(path).unwrap();
    let (first, second) = text.as_bytes().split_at(text.len() / 2);
    file.write_all(first).unwrap();
    std::thread::yield_now();
    file.write_all(second).unwrap();
    std::thread::yield_now();
}

#[test]
fn the_patience_of_two_sessions_is_counted_apart() {
    let project = Project::new();
    project.workflow("counter", COUNTER).write(".counter/state.json", "{}");
    let sessions = ["one", "two"];
    let events: Vec<Json> = (0..6).map(|number| stop(&project, sessions[number % 2])).collect();
    for answer in all_at_once(&project, &events) {
        assert_eq!(answer.json()["decision"], "block", "three holds for each session");
    }
    assert_eq!(
        project.hook(&stop(&project, "one")).json()["decision"],
        Json::Null,
        "one has been held enough"
    );
    assert_eq!(project.hook(&stop(&project, "two")).json()["decision"], Json::Null, "two as well");
    assert_eq!(project.hook(&stop(&project, "three")).json()["decision"], "block", "three has not");
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": "one", "cwd": project.root(),
        "prompt": "go on"});
    project.hook(&prompt);
    assert_eq!(project.hook(&stop(&project, "one")).json()["decision"], "block", "one starts anew");
    assert_eq!(project.hook(&stop(&project, "two")).json()["decision"], Json::Null, "two does not");
}
