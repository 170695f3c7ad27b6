//! What an agent tells the engine to do is done by the hook that sees the call, and the agent's shell only shows it.

use serde_json::{Value as Json, json};

use super::project::{SESSION, Site};
use super::walk::total;

fn before(site: &Site, line: &str) -> Json {
    json!({"hook_event_name": "PreToolUse", "session_id": SESSION, "cwd": site.root(), "tool_name": "Bash",
        "tool_input": {"command": line, "timeout": 5}, "tool_use_id": format!("call {line}")})
}

/// A run whose first task is to be tested and reviewed.
fn coded() -> Site {
    let site = Site::new();
    site.start(&[]);
    site.next();
    total(&site);
    site
}

#[test]
fn the_hook_performs_and_the_shell_shows() {
    let site = coded();
    let answer = site.answered("claude", &before(&site, "holdpoint autopilot next"));
    assert_eq!(site.phase(), "commit", "tested and reviewed before the shell runs anything");
    let output = &answer["hookSpecificOutput"];
    assert_eq!(
        (&output["permissionDecision"], &output["updatedInput"]["timeout"]),
        (&json!("allow"), &json!(5))
    );
    let shown = site.unseen(output["updatedInput"]["command"].as_str().unwrap());
    assert!(
        shown.code == Some(0) && shown.stdout.contains("task 1 of 2 is ready to commit"),
        "{}",
        shown.stdout
    );
    let refused = site.answered("claude", &before(&site, "holdpoint autopilot test"));
    let shown = site.unseen(refused["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap());
    assert!(
        shown.code == Some(1) && shown.stderr.contains("error: `test` has nothing to do now"),
        "{}",
        shown.stderr
    );
    assert!(shown.stderr.contains("hint: "), "{}", shown.stderr);
}

/// Whatever the shell's surroundings are, a call that no hook has seen does nothing.
#[test]
fn an_agents_shell_performs_nothing() {
    let site = coded();
    for line in [
        "holdpoint autopilot next",
        "cd . && holdpoint autopilot next | tail -5",
        "printf 'holdpoint autopilot next\n' >../x.sh; sh ../x.sh",
        "export PATH=$PWD/../b:$PATH\nholdpoint autopilot next",
        "h=holdpoint; $h autopilot next",
        "CLAUDE_CODE_SESSION_ID=other holdpoint autopilot next",
    ] {
        let (state, evidence) = (site.state(), site.read(".holdpoint/evidence/autopilot.jsonl"));
        let printed = site.unseen(line);
        let said = format!("{}{}", printed.stdout, printed.stderr);
        assert!(
            said.contains("nothing was performed: Holdpoint's hooks did not see this call"),
            "{line}: {said}"
        );
        assert!(
            said.contains("hint: call it alone, with plain words: holdpoint autopilot next"),
            "{line}: {said}"
        );
        assert_eq!(site.state(), state, "{line}");
        assert_eq!(site.read(".holdpoint/evidence/autopilot.jsonl"), evidence, "{line}");
    }
    assert_eq!(site.unseen("holdpoint autopilot next").code, Some(3));
    assert_eq!(site.unseen("holdpoint autopilot status").code, Some(0), "who only looks is free");
    assert_eq!(site.tell_as("", &["next"]).code, Some(0), "the user's own shell performs");
    assert_eq!(site.phase(), "commit");
}

#[test]
fn what_is_not_the_whole_command_is_held() {
    let site = coded();
    for line in [
        "cd . && holdpoint autopilot next",
        "holdpoint autopilot next | tail -5",
        "holdpoint autopilot next > ../log 2>&1",
        "holdpoint autopilot commit \"$(cat ../message)\"",
        "holdpoint autopilot next; holdpoint autopilot next",
        "timeout 60 holdpoint autopilot next &",
    ] {
        let answer = site.answered("claude", &before(&site, line));
        let output = &answer["hookSpecificOutput"];
        assert_eq!(output["permissionDecision"], "deny", "{line}");
        let reason = output["permissionDecisionReason"].as_str().unwrap();
        assert!(reason.starts_with("RUN IT ALONE: `holdpoint autopilot "), "{line}: {reason}");
    }
    assert_eq!(site.phase(), "coder");
}

/// The programs are those of the hook's surroundings, not of the shell's.
#[test]
fn a_shells_own_programs_review_nothing() {
    let site = coded();
    site.answers("reviewer", &[json!({"verdict": "needs_implementation", "notes": "no"})]);
    let approves = r#"#!/bin/sh
echo '{"structured_output": {"verdict": "approved", "notes": ""}}'
"#;
    site.write("../b/claude", approves);
    site.sh("chmod +x ../b/claude");
    site.unseen("export PATH=$PWD/../b:$PATH\nholdpoint autopilot next");
    assert_eq!(site.phase(), "coder");
    site.shell("holdpoint autopilot next");
    assert_ne!(site.phase(), "commit", "the reviewer of the hook's PATH was asked");
}

/// Two hooks may be registered for one call: a plugin's, and the project's.
#[test]
fn of_two_hooks_one_performs() {
    let site = coded();
    let first = site.answered("claude", &before(&site, "holdpoint autopilot next"));
    let evidence = site.read(".holdpoint/evidence/autopilot.jsonl");
    let second = site.answered("claude", &before(&site, "holdpoint autopilot next"));
    assert!(first["hookSpecificOutput"]["updatedInput"].is_object() && second.is_null(), "{first} {second}");
    assert_eq!(site.read(".holdpoint/evidence/autopilot.jsonl"), evidence);
}

#[test]
fn every_agent_is_shown_it_in_its_own_way() {
    let codex = coded();
    let answer = codex.answered("codex", &before(&codex, "holdpoint autopilot next"));
    let output = &answer["hookSpecificOutput"];
    assert!(
        output["permissionDecision"] == "allow" && output["updatedInput"]["command"].is_string(),
        "{answer}"
    );

    let gemini = coded();
    let event = json!({"hook_event_name": "BeforeTool", "session_id": SESSION, "cwd": gemini.root(),
        "tool_name": "run_shell_command", "tool_input": {"command": "holdpoint autopilot next"}});
    let answer = gemini.answered("gemini", &event);
    let instead = answer["hookSpecificOutput"]["tool_input"]["command"].as_str().unwrap();
    assert!(gemini.unseen(instead).stdout.contains("ready to commit"));

    // Cursor runs what its model wrote: the shell finds what came of the same words.
    let cursor = coded();
    let event = json!({"hook_event_name": "preToolUse", "conversation_id": SESSION, "cwd": cursor.root(),
        "tool_name": "Shell", "tool_input": {"command": "holdpoint autopilot next"}, "workspace_roots": [cursor.root()]});
    cursor.answered("cursor", &event);
    assert_eq!(cursor.phase(), "commit");
    assert!(cursor.unseen("holdpoint autopilot next").stdout.contains("ready to commit"));
    assert_eq!(cursor.unseen("holdpoint autopilot next").code, Some(3), "once");
}
