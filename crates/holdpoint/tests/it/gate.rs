//! A project with a gate that is closed: what must be held, whatever else is wrong.

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project};

/// Holds every tool call, and shell commands by a rule of their own, while the state says `locked`.
pub(crate) const GATE: &str = r#"
about = "Holds while the state says so."
[run]
home  = ".gate"
state = ".gate/state.json"
[holds.any]
on   = "before"
when = "state.locked"
say  = "ANY"
[holds.shell]
on   = "before shell"
when = "state.locked"
say  = "SHELL {{ tool.command }}"
[holds.stop]
on   = "stop"
when = "state.locked"
say  = "STOP"
"#;

/// The same, and counts in the state.
pub(crate) const COUNTING: &str = r#"
about = "Counts and holds."
[run]
home  = ".gate"
state = ".gate/state.json"
[witnesses.count]
on   = "before"
set  = { count = "{{ state.count | number + 1 }}" }
to   = "log"
say  = "counted"
[holds.any]
on   = "before"
when = "state.locked"
say  = "ANY"
"#;

/// Where its state is.
pub(crate) const STATE: &str = ".gate/state.json";

/// A project whose gate is closed.
pub(crate) fn gate() -> Project {
    let project = Project::new();
    project.workflow("gate", GATE).write(STATE, "{\"locked\": true}");
    project
}

/// A tool call.
pub(crate) fn event(project: &Project) -> Json {
    json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.root(), "tool_name": "Bash",
        "tool_input": {"command": "ls"}})
}

/// What no answer may be, whatever was asked.
pub(crate) fn sound(printed: &Printed, about: &str) {
    assert_eq!(printed.code, Some(0), "{about}: {}", printed.stderr);
    for word in ["panicked", "internal error", "overflowed"] {
        assert!(!printed.stderr.contains(word), "{about}: {}", printed.stderr);
    }
    assert!(printed.json().is_object() || printed.stdout.is_empty(), "{about}: {}", printed.stdout);
}

/// Why the call was held; empty if it was not.
pub(crate) fn held(printed: &Printed) -> String {
    let answer = printed.json();
    let reasons = [answer.pointer("/hookSpecificOutput/permissionDecisionReason"), answer.get("reason")];
    reasons.into_iter().flatten().find_map(Json::as_str).unwrap_or_default().to_owned()
}

/// What the user is shown.
pub(crate) fn message(printed: &Printed) -> String {
    printed.json()["systemMessage"].as_str().unwrap_or_default().to_owned()
}

/// The faults of the journal's last line.
pub(crate) fn last_faults(project: &Project) -> String {
    project.journal().last().map(|entry| entry["faults"].to_string()).unwrap_or_default()
}

/// A state of the built-in workflow with a phase, and a branch, to be held for.
pub(crate) const ISDLC_STATE: &str = r#"{"active_workflow": {"current_phase": "06-implementation",
    "phases": ["06-implementation"], "git_branch": {"status": "active", "name": "feature/x"}},
    "phases": {"06-implementation": {"status": "pending"}}}"#;
