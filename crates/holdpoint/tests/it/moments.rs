//! What happens beside the agent's own turn: sub-agents, tasks, permissions, settings, compaction, the session's end.

use serde_json::{Value as Json, json};

use crate::project::Project;

const FLOW: &str = r#"
about = "moments"
[run]
home = "flow.txt"

[holds.tested]
on   = "subagent-stop"
when = "event.subagent == 'tester' and not ready"
say  = "RUN THE TESTS"

[holds.planned]
on   = ["task-created", "task-completed"]
when = "event.task == 'ship it' and not ready"
say  = "NOT READY"

[holds.asked]
on   = "permission shell"
when = "tool.command == 'make ship'"
say  = "NO SHIPPING"

[holds.settled]
on   = "settings"
when = "event.source == 'project_settings'"
say  = "SETTINGS STAY"

[witnesses.begun]
on  = "subagent-start"
to  = "agent"
say = "You are {{ event.subagent }}."

[witnesses.seen]
on  = ["compacting", "compacted", "notification", "end"]
say = "{{ event.moment }}: {{ event.source }}"

[let]
ready = "file('flow.txt').text | trim == 'ready'"
"#;

fn begun() -> Project {
    let project = Project::new();
    project.git(&["init", "--quiet"]);
    project.workflow("flow", FLOW);
    project.write("flow.txt", "no");
    project
}

fn event(project: &Project, name: &str, fields: Json) -> Json {
    let mut event = json!({"hook_event_name": name, "session_id": "s", "cwd": project.root()});
    event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    event
}

fn answer(project: &Project, name: &str, fields: Json) -> Json {
    project.hook(&event(project, name, fields)).json()
}

#[test]
fn a_sub_agent_is_held_until_its_work_is_there_and_never_for_ever() {
    let project = begun();
    let stop = |id: &str, name: &str| {
        answer(
            &project,
            "SubagentStop",
            json!({"agent_id": id, "agent_type": name, "stop_hook_active": false}),
        )
    };
    assert_eq!(stop("a1", "tester"), json!({"decision": "block", "reason": "RUN THE TESTS"}));
    assert_eq!(stop("b1", "reader"), Json::Null);
    for _ in 0..2 {
        assert_eq!(stop("a1", "tester")["decision"], "block");
    }
    let released = stop("a1", "tester");
    assert_eq!(released["decision"], Json::Null, "{released}");
    assert!(released["systemMessage"].as_str().unwrap().contains("RUN THE TESTS"), "{released}");
    // Another one has its own patience.
    assert_eq!(stop("a2", "tester")["decision"], "block");
    project.write("flow.txt", "ready");
    assert_eq!(stop("a2", "tester"), Json::Null);
}

#[test]
fn a_sub_agent_is_told_something_when_it_begins() {
    let project = begun();
    let told = answer(&project, "SubagentStart", json!({"agent_id": "a1", "agent_type": "tester"}));
    let expect = json!({"hookEventName": "SubagentStart", "additionalContext": "You are tester."});
    assert_eq!(told, json!({"hookSpecificOutput": expect}));
}

#[test]
fn a_task_is_neither_made_nor_marked_as_done() {
    let project = begun();
    let task = |subject: &str| json!({"task_id": "1", "task_subject": subject});
    let made = answer(&project, "TaskCreated", task("ship it"));
    assert_eq!(made, json!({"decision": "block", "reason": "NOT READY"}));
    let done = project.hook(&event(&project, "TaskCompleted", task("ship it")));
    assert_eq!((done.code, done.stderr.trim(), done.stdout.as_str()), (Some(2), "NOT READY", ""));
    let other = project.hook(&event(&project, "TaskCompleted", task("write it")));
    assert_eq!((other.code, other.stderr.as_str()), (Some(0), ""));
}

#[test]
fn permissions_and_settings_are_refused() {
    let project = begun();
    let ask = |command: &str| {
        answer(
            &project,
            "PermissionRequest",
            json!({"tool_name": "Bash", "tool_input": {"command": command}}),
        )
    };
    let refused = json!({"hookEventName": "PermissionRequest",
        "decision": {"behavior": "deny", "message": "NO SHIPPING"}});
    assert_eq!(ask("make ship"), json!({"hookSpecificOutput": refused}));
    assert_eq!(ask("make"), Json::Null);
    let changed = |source: &str| answer(&project, "ConfigChange", json!({"source": source}));
    assert_eq!(changed("project_settings"), json!({"decision": "block", "reason": "SETTINGS STAY"}));
    assert_eq!(changed("user_settings"), Json::Null);
}

#[test]
fn what_nobody_waits_for_is_told() {
    let project = begun();
    for (name, fields, expect) in [
        ("PreCompact", json!({"trigger": "auto"}), "compacting: auto"),
        ("PostCompact", json!({"trigger": "manual"}), "compacted: manual"),
        ("Notification", json!({"notification_type": "idle_prompt"}), "notification: idle_prompt"),
        ("SessionEnd", json!({"reason": "clear"}), "end: clear"),
    ] {
        assert_eq!(answer(&project, name, fields), json!({"systemMessage": expect}), "{name}");
    }
}

#[test]
fn what_an_agent_does_not_have_is_not_registered() {
    let project = begun();
    assert_eq!(project.run(&["init", "--agent", "copilot", "--workflow", "flow"]).code, Some(0));
    let text = project.read(".github/hooks/holdpoint.json");
    for event in ["SubagentStop", "TaskCompleted", "ConfigChange", "PermissionRequest", "SessionEnd"] {
        assert!(!text.contains(event), "{event}: {text}");
    }
}

#[test]
fn only_what_a_workflow_looks_at_is_registered() {
    let project = begun();
    assert_eq!(project.run(&["init", "--agent", "claude,codex,gemini", "--workflow", "flow"]).code, Some(0));
    let has = |file: &str, event: &str| {
        let settings: Json = serde_json::from_str(&project.read(file)).unwrap();
        settings["hooks"][event].is_array()
    };
    for (file, events) in [
        (
            ".claude/settings.json",
            &["SubagentStart", "SubagentStop", "TaskCompleted", "PermissionRequest"][..],
        ),
        (".claude/settings.json", &["ConfigChange", "SessionEnd"]),
        (".codex/hooks.json", &["SubagentStop", "PreCompact"]),
        (".gemini/settings.json", &["PreCompress", "Notification"]),
    ] {
        for event in events {
            assert!(has(file, event), "{file}: {event}");
        }
        assert!(!has(file, "SessionStart"), "{file}");
    }
}
