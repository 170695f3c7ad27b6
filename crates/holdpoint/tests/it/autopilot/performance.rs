//! What an agent tells the engine to do is done by the hook that sees the call, and the agent's shell only shows it.

use serde_json::{Value as Json, json};

use super::project::{SESSION, Site};
use super::walk::total;
use crate::project::feed;

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
        let (state, evidence) = (site.state(), site.read_book("evidence/autopilot.jsonl"));
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
        assert_eq!(site.read_book("evidence/autopilot.jsonl"), evidence, "{line}");
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
    let evidence = site.read_book("evidence/autopilot.jsonl");
    let second = site.answered("claude", &before(&site, "holdpoint autopilot next"));
    assert!(first["hookSpecificOutput"]["updatedInput"].is_object() && second.is_null(), "{first} {second}");
    assert_eq!(site.read_book("evidence/autopilot.jsonl"), evidence);
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
    // Its shell does not know the session.
    let cursor = coded();
    let in_shell = || {
        let mut shell = cursor.program("sh", "");
        feed(
            {
                shell.args(["-c", "holdpoint autopilot next"]).env("CURSOR_AGENT", "1");
                shell
            },
            b"",
        )
    };
    let event = json!({"hook_event_name": "preToolUse", "conversation_id": SESSION, "cwd": cursor.root(),
        "tool_name": "Shell", "tool_input": {"command": "holdpoint autopilot next"}, "workspace_roots": [cursor.root()]});
    cursor.answered("cursor", &event);
    assert_eq!(cursor.phase(), "commit");
    assert!(in_shell().stdout.contains("ready to commit"));
    assert_eq!(in_shell().code, Some(3), "once");

    // Some tools call the command `cmd`.
    let other = coded();
    let mut event = before(&other, "holdpoint autopilot next");
    event["tool_input"] = json!({"cmd": "holdpoint autopilot next"});
    let answer = other.answered("codex", &event);
    assert!(answer["hookSpecificOutput"]["updatedInput"]["cmd"].is_string(), "{answer}");
}

/// A plan is not to be carried out yet, and the hooks are the user's to remove.
#[test]
fn nothing_is_performed_for_a_plan_and_no_agent_uninstalls() {
    let site = coded();
    let mut event = before(&site, "holdpoint autopilot next");
    event["permission_mode"] = json!("plan");
    assert_eq!(site.answered("claude", &event), Json::Null);
    assert_eq!(site.phase(), "coder");
    for command in ["holdpoint uninstall", "holdpoint init --workflow claudex"] {
        let answer = site.answered("claude", &before(&site, command));
        let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default();
        assert!(reason.starts_with("This is the user's to do"), "{command}: {answer}");
    }
    let printed = site.unseen("printf 'holdpoint uninstall' >../u.sh; sh ../u.sh");
    assert!(printed.stderr.contains("`holdpoint uninstall` is the user's to call"), "{}", printed.stderr);
}

/// The first turn in a project that has no folder of ours yet: the client is known from its first prompt on.
#[cfg(target_os = "linux")]
#[test]
fn a_client_is_known_before_there_is_a_run() {
    let site = Site::new();
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": SESSION, "cwd": site.root(),
        "prompt": "do the spec"});
    super::callers::by_socket(&site, &prompt);
    let start = before(&site, &format!("holdpoint autopilot start {}", super::project::SPEC));
    std::fs::write(site.tools().join("event"), start.to_string()).unwrap();
    let forged = super::callers::below(&site, "sh", "holdpoint hook --agent claude <../tools/event");
    assert!(forged.stdout.contains("not from the agent's client"), "{}", forged.stdout);
    assert!(!site.root().join("autopilot-state.json").exists());
}
