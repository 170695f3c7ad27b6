//! Who takes the place of a session.

use serde_json::{Value as Json, json};

use super::{begin, command, event, is_held_by, project, prompt, start, stop};
#[cfg(target_os = "linux")]
use crate::client::Client;
use crate::project::Project;

#[cfg(target_os = "linux")]
const HOLDPOINT: &str = env!("CARGO_BIN_EXE_holdpoint");

fn end(project: &Project, session: &str, reason: &str) {
    let mut event = event(project, "SessionEnd", session);
    event["reason"] = json!(reason);
    assert_eq!(project.hook(&event).stdout, "");
}

fn context(answer: &Json) -> &str {
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default()
}

#[test]
fn a_session_that_has_ended_hands_its_run_on() {
    for (reason, source) in [("clear", "clear"), ("prompt_input_exit", "startup"), ("other", "resume")] {
        let project = project();
        begin(&project, "one", "cart");
        assert!(is_held_by(&stop(&project, "one"), "cart"));
        assert_eq!(stop(&project, "two")["decision"], Json::Null, "the first is there");
        end(&project, "one", reason);
        let told = start(&project, "three", source);
        assert!(context(&told).contains("the notes run in .notes/cart"), "{told}");
        assert!(is_held_by(&stop(&project, "three"), "cart"), "{reason}");
        let second = stop(&project, "two");
        assert_eq!(second["decision"], Json::Null, "{second}");
    }
}

/// One that goes on after all has its run back, if nobody took it.
#[test]
fn a_session_that_is_resumed_has_its_run() {
    let project = project();
    begin(&project, "one", "cart");
    end(&project, "one", "other");
    let told = start(&project, "one", "resume");
    assert!(context(&told).contains("goes on in this session. It stands at: note."), "{told}");
    prompt(&project, "two");
    assert_eq!(stop(&project, "two")["decision"], Json::Null);
    assert!(is_held_by(&stop(&project, "one"), "cart"));
}

#[test]
fn a_session_is_told_after_compaction_where_its_run_stands() {
    let project = project();
    begin(&project, "one", "cart");
    let told = start(&project, "one", "compact");
    let context = context(&told);
    assert!(context.contains("goes on after the conversation was compacted. It stands at: note."), "{told}");
    assert!(context.contains("You are asked for this: Write NOTE.md in "), "{told}");
    assert!(context.chars().count() < 600, "{context}");
}

/// Nobody is told that a run holds which does not: nobody has touched it for longer than the workflow says.
#[test]
fn a_session_that_begins_where_a_run_is_stale_is_told_nothing() {
    let project = Project::new();
    let notes = super::NOTES.replace("due    =", "stale  = \"15\"\nstamp  = \"at\"\ndue    =");
    project.workflow("notes", &notes.replace("[fields]", "[fields]\nat = \"\""));
    let state = |at: &str| json!({"phase": "note", "at": at}).to_string();
    project.write(".notes/cart/state.json", state("2999-01-01T00:00:00Z"));
    assert!(start(&project, "one", "startup").to_string().contains("it holds this session when it stops"));
    project.write(".notes/cart/state.json", state("2026-01-01T00:00:00Z"));
    assert_eq!(start(&project, "two", "startup"), Json::Null);
    assert_eq!(stop(&project, "two")["decision"], Json::Null);
}

#[test]
fn a_session_that_begins_beside_another_is_told_nothing() {
    let project = project();
    begin(&project, "one", "cart");
    assert_eq!(start(&project, "two", "startup"), Json::Null);
}

#[test]
fn a_session_that_begins_where_a_run_is_nobodys_is_told_so() {
    let project = project();
    assert_eq!(project.run(&["notes", "start", "cart"]).code, Some(0));
    let told = start(&project, "one", "startup");
    assert!(context(&told).contains("nobody works on it: it holds this session when it stops"), "{told}");
    project.write(".notes/cart/NOTE.md", "done");
    stop(&project, "one");
    assert_eq!(start(&project, "two", "startup"), Json::Null, "it is over");
}

/// A copy of a session has its messages; where nothing else is known of the first, it goes on.
#[test]
fn a_fork_goes_on_with_the_run_of_the_session_that_it_copies() {
    let project = project();
    begin(&project, "one", "cart");
    let line = |id: &str| format!("{{\"uuid\":\"{id}-5f99-46e2-b749-5cd23fb87a43\"}}\n");
    project.write("records/one.jsonl", line("355c9b45"));
    project.write("records/two.jsonl", line("355c9b45") + &line("455c9b45"));
    project.write("records/three.jsonl", line("655c9b45"));
    let stopped = |session: &str| {
        let mut event = event(&project, "Stop", session);
        event["transcript_path"] = json!(project.root().join(format!("records/{session}.jsonl")));
        project.hook(&event).json()
    };
    assert_eq!(stopped("three")["decision"], Json::Null);
    assert!(is_held_by(&stopped("two"), "cart"));
}

/// A state that names its session says so until another takes that one's place.
#[test]
fn a_run_whose_state_names_its_session_follows_too() {
    let project = Project::new();
    prompt(&project, "one");
    let begun = command(&project, "one", &["claudex", "start", "plan", "--", "a cache"]);
    assert_eq!(begun.code, Some(0), "{}", begun.stderr);
    assert_eq!(stop(&project, "two")["decision"], Json::Null);
    end(&project, "one", "clear");
    assert_eq!(stop(&project, "two")["decision"], "block");
    assert_eq!(stop(&project, "three")["decision"], Json::Null, "it is the second's now");
    let first = stop(&project, "one");
    assert!(first["systemMessage"].as_str().unwrap().contains("belongs to session two"), "{first}");
}

/// No message of the agent's own makes its session end.
#[cfg(target_os = "linux")]
#[test]
fn an_agent_cannot_end_its_session_from_its_shell() {
    let project = project();
    let mut client = Client::like(&project.command(&[]));
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": "one", "cwd": project.root(), "prompt": "go"});
    client.send(&prompt);
    assert!(
        client.shell(&format!("CLAUDE_CODE_SESSION_ID=one {HOLDPOINT} notes start cart")).contains("Begun.")
    );
    assert!(is_held_by(&client.send(&event(&project, "Stop", "one")), "cart"));
    let forged = event(&project, "SessionEnd", "one").to_string();
    client.shell(&format!("echo '{forged}' | {HOLDPOINT} hook --agent claude"));
    assert_eq!(stop(&project, "two")["decision"], Json::Null);
    assert!(is_held_by(&client.send(&event(&project, "Stop", "one")), "cart"));
}

/// A client that is gone has given up what its sessions worked on, at once.
#[cfg(target_os = "linux")]
#[test]
fn a_session_whose_client_is_gone_has_given_its_run_up() {
    let project = project();
    let mut client = Client::like(&project.command(&[]));
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": "one", "cwd": project.root(), "prompt": "go"});
    client.send(&prompt);
    client.shell(&format!("CLAUDE_CODE_SESSION_ID=one {HOLDPOINT} notes start cart"));
    assert!(is_held_by(&client.send(&event(&project, "Stop", "one")), "cart"));
    let beside = stop(&project, "two");
    assert!(
        beside["systemMessage"].as_str().unwrap().contains("another session works on this run"),
        "{beside}"
    );
    drop(client);
    assert!(is_held_by(&stop(&project, "two"), "cart"));
}
