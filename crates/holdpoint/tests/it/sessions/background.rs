//! What an agent has in the background when it stops.

use serde_json::{Value as Json, json};

use super::{begin, event, is_held_by, project, prompt};
use crate::project::Project;

/// What a Stop with this task is answered.
fn stop_with(project: &Project, tasks: Json) -> Json {
    let mut event = event(project, "Stop", "one");
    event["background_tasks"] = tasks;
    project.hook(&event).json()
}

fn task(kind: &str, status: &str) -> Json {
    json!([{"id": "t", "type": kind, "status": status, "command": "npm run dev"}])
}

#[test]
fn a_shell_or_a_finished_task_postpones_no_stop() {
    for tasks in [task("shell", "running"), task("subagent", "completed"), task("mcp", "running"), json!([])]
    {
        let project = project();
        begin(&project, "one", "cart");
        assert!(is_held_by(&stop_with(&project, tasks.clone()), "cart"), "{tasks}");
    }
}

#[test]
fn what_wakes_the_agent_postpones_a_stop_once_and_is_told() {
    for (kind, words) in [("subagent", "a sub-agent"), ("workflow", "a workflow"), ("monitor", "a monitor")] {
        let project = project();
        begin(&project, "one", "cart");
        let first = stop_with(&project, task(kind, "running"));
        let told = first["systemMessage"].as_str().unwrap();
        assert!(
            first.get("decision").is_none() && told.contains(words) && told.contains("will wake it"),
            "{first}"
        );
        let log = project.run(&["log"]).stdout;
        assert!(log.contains(&format!("postponed: {words}")), "{log}");
        assert!(is_held_by(&stop_with(&project, task(kind, "running")), "cart"), "the same one, again");
        prompt(&project, "one");
        let next = stop_with(&project, task(kind, "running"));
        // A monitor may never end.
        assert_eq!(is_held_by(&next, "cart"), kind == "monitor", "in a new turn: {next}");
    }
}

/// A phase may tell the agent to run something in the background. That is no surprise; what only quotes it is told.
#[test]
fn a_shell_that_quotes_what_was_asked_is_told() {
    let ask = r#"ask   = "Run this:\n   bash 'the runner.sh'\n2. Read what it found.\n"
shown = { reviewer = "r", prompt = "Look." }"#;
    let reviewer = "[reviewers.r]\ncommand = [\"true\", \"{{ prompt }}\"]\nverdict_at = [\"verdict\"]\n";
    let notes = super::NOTES.replace("ask   = \"Write NOTE.md in {{ run.folder }}.\"", ask) + reviewer;
    for (command, is_told) in [
        ("bash 'the runner.sh'", false),
        ("sleep 9999; : bash 'the runner.sh'", true),
        ("cat <<E\nbash 'the runner.sh'\nE\nsleep 9999", true),
    ] {
        let project = Project::new();
        project.workflow("notes", &notes);
        begin(&project, "one", "cart");
        let tasks = json!([{"id": "t", "type": "shell", "status": "running", "command": command}]);
        let answer = stop_with(&project, tasks);
        let told = answer["systemMessage"].as_str().is_some_and(|told| told.contains("will wake it"));
        assert_eq!((told, answer["decision"].is_null()), (is_told, true), "{command}: {answer}");
    }
}

/// Nobody is told of a Stop that would have come to nothing.
#[test]
fn nothing_is_told_where_nothing_is_due() {
    let project = project();
    begin(&project, "one", "cart");
    project.write(".notes/cart/NOTE.md", "done");
    stop_with(&project, json!([]));
    assert_eq!(stop_with(&project, task("subagent", "running")), Json::Null);
}

/// A sub-agent's own turns are neither the agent's Stops nor the user's prompts.
#[test]
fn a_sub_agent_belongs_to_its_session() {
    let project = project();
    begin(&project, "one", "cart");
    for name in ["Stop", "SubagentStop", "UserPromptSubmit", "SessionStart"] {
        let mut event = event(&project, name, "one");
        event["agent_id"] = json!("a1");
        event["prompt"] = json!("look");
        assert_eq!(project.hook(&event).stdout, "", "{name}");
    }
    // Held three times without progress, whatever prompts its sub-agents get meanwhile.
    for _ in 0..3 {
        assert!(is_held_by(&stop_with(&project, json!([])), "cart"));
        let mut event = event(&project, "UserPromptSubmit", "one");
        event["agent_id"] = json!("a1");
        project.hook(&event);
    }
    assert!(!is_held_by(&stop_with(&project, json!([])), "cart"));
}
