//! Guards registered one by one, as older hook scripts were: each command run by a shell, as an agent does, with the
//! payload those scripts were written for.

use std::process::Command;

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project, feed};

/// The registration: event, matcher and guard, one entry for each script there was.
const REGISTERED: [(&str, &str, &str); 8] = [
    ("PreToolUse", "Task", "phase-loop-controller"),
    ("PreToolUse", "Task", "plan-surfacer"),
    ("PreToolUse", "Task", "phase-sequence-guard"),
    ("PreToolUse", "Bash", "branch-guard"),
    ("PostToolUse", "Task", "walkthrough-tracker"),
    ("PostToolUse", "Task", "discover-menu-guard"),
    ("PostToolUse", "Write", "state-write-validator"),
    ("PostToolUse", "Edit", "state-write-validator"),
];

/// What every guard answers to an event, by the guard's name.
fn answers(project: &Project, event: &str, payload: &Json) -> Vec<(&'static str, Printed)> {
    let tool = payload["tool_name"].as_str().unwrap();
    let asked = REGISTERED.iter().filter(|(when, matcher, _)| *when == event && *matcher == tool);
    asked
        .map(|(_, _, guard)| {
            let line = format!(
                "{} hook --workflow isdlc --only {guard} --protocol legacy",
                env!("CARGO_BIN_EXE_holdpoint")
            );
            let mut shell = Command::new("sh");
            shell.args(["-c", &line]).current_dir(project.root()).env("CLAUDE_PROJECT_DIR", project.root());
            let printed = feed(shell, payload.to_string().as_bytes());
            assert_eq!(printed.code, Some(0), "{guard}");
            (*guard, printed)
        })
        .collect()
}

fn project() -> Project {
    let project = Project::new();
    let state = json!({
        "active_workflow": {"current_phase": "06-implementation", "git_branch": {"name": "feature/x", "status": "active"}},
        "discovery_context": {},
        "phases": {"06-implementation": {"status": "pending", "constitutional_validation": {"completed": true}}},
    });
    let manifest = json!({"ownership": {"integration-tester": {"phase": "07-testing"}}});
    project.write(".isdlc/state.json", state.to_string());
    project.write(".claude/hooks/config/skills-manifest.json", manifest.to_string());
    project
}

#[test]
fn the_four_that_hold_answer_in_the_form_of_the_scripts() {
    let project = project();
    let run = |args: &[&str]| {
        assert!(Command::new("git").args(args).current_dir(project.root()).status().unwrap().success());
    };
    run(&["init", "--quiet", "--initial-branch", "main"]);
    let task = json!({"tool_name": "Task", "tool_input": {"subagent_type": "integration-tester", "prompt": "test it"}});
    let shell = json!({"tool_name": "Bash", "tool_input": {"command": "git add . && git commit -m x"}});
    let mut answered = answers(&project, "PreToolUse", &task);
    answered.extend(answers(&project, "PreToolUse", &shell));
    let prefixes = [
        ("phase-loop-controller", "PHASE DELEGATION WITHOUT PROGRESS TRACKING: "),
        ("plan-surfacer", "TASK PLAN NOT GENERATED: "),
        ("phase-sequence-guard", "OUT-OF-ORDER PHASE DELEGATION: "),
        ("branch-guard", "COMMIT TO MAIN BLOCKED: "),
    ];
    assert_eq!(answered.len(), prefixes.len());
    for ((guard, printed), (expected, prefix)) in answered.iter().zip(prefixes) {
        assert_eq!(*guard, expected);
        let Json::Object(answer) = printed.json() else { panic!("{guard}: {}", printed.stdout) };
        assert_eq!(answer.keys().collect::<Vec<_>>(), ["continue", "stopReason"], "{guard}");
        assert_eq!(answer["continue"], false);
        assert!(answer["stopReason"].as_str().unwrap().starts_with(prefix), "{guard}");
        assert_eq!(printed.stderr, "", "{guard}");
    }
}

#[test]
fn the_three_that_warn_write_to_standard_error_only() {
    let project = project();
    let menu = "Choose: [1] New Project  [2] Scoped analysis of something  [3] Chat with me about it";
    let task = json!({"tool_name": "Task", "tool_input": {"subagent_type": "discover-orchestrator"}, "tool_result": menu});
    let write =
        json!({"tool_name": "Write", "tool_input": {"file_path": project.root().join(".isdlc/state.json")}});
    let edit = json!({"tool_name": "Edit", "tool_input": {"filePath": ".isdlc/state.json"}});
    for (payload, expected) in [
        (&task, &["[walkthrough-tracker] WARNING: ", "[discover-menu-guard] WARNING: "][..]),
        (&write, &["[state-write-validator] WARNING: "]),
        (&edit, &["[state-write-validator] WARNING: "]),
    ] {
        let answered = answers(&project, "PostToolUse", payload);
        assert_eq!(answered.len(), expected.len());
        for ((guard, printed), prefix) in answered.iter().zip(expected) {
            assert_eq!(printed.stdout, "", "{guard}");
            assert!(printed.stderr.starts_with(prefix), "{guard}: {}", printed.stderr);
        }
    }
}
