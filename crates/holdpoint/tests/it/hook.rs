//! The hook from outside: what agents send, what they get, and what must never happen.

use serde_json::json;

use crate::project::{Project, books};

const COUNTER: &str = r#"
about = "Counts tool calls."
[run]
home  = ".counter"
state = ".counter/state.json"
[witnesses.count]
on   = "before"
set  = { count = "{{ state.count | number + 1 }}" }
to   = "log"
say  = "counted"
[holds.limit]
on   = "before shell"
when = "state.count | number >= 3"
say  = "LIMIT: {{ state.count }} calls were made."
[holds.unfinished]
on   = "stop"
when = "not state.finished"
say  = "UNFINISHED: set finished in {{ run.state }}."
"#;

fn counter() -> Project {
    let project = Project::new();
    project.workflow("counter", COUNTER).write(".counter/state.json", "{\n  \"other\": 1.0\n}\n");
    project
}

fn before(project: &Project) -> serde_json::Value {
    json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.root(), "tool_name": "Bash",
        "tool_input": {"command": "ls"}})
}

#[test]
fn a_projects_own_workflow_holds_and_keeps_its_state() {
    let project = counter();
    for _ in 0..3 {
        assert_eq!(project.hook(&before(&project)).stdout, "");
    }
    let held = project.hook(&before(&project)).json();
    assert_eq!(held["hookSpecificOutput"]["permissionDecisionReason"], "LIMIT: 3 calls were made.");
    assert_eq!(project.read(".counter/state.json"), "{\n  \"other\": 1.0,\n  \"count\": 4\n}\n");
}

#[test]
fn a_stop_is_held_but_nobody_is_trapped() {
    let project = counter();
    let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root(), "stop_hook_active": true});
    for _ in 0..3 {
        assert_eq!(project.hook(&stop).json()["decision"], "block");
    }
    let released = project.hook(&stop).json();
    assert_eq!(released["decision"], json!(null));
    assert!(released["systemMessage"].as_str().unwrap().contains("UNFINISHED"), "{released}");
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": project.root(), "prompt": "go"});
    project.hook(&prompt);
    assert_eq!(project.hook(&stop).json()["decision"], "block", "a new prompt starts the count anew");
}

#[test]
fn codex_gets_an_object_at_stop_even_with_nothing_to_say() {
    let project = Project::new();
    let stop = json!({"hook_event_name": "Stop", "turn_id": "t", "model": "m", "cwd": project.root(),
        "stop_hook_active": false});
    assert_eq!(project.hook(&stop).stdout, "{}\n");
}

#[test]
fn a_broken_workflow_holds_nothing_and_is_told_once_a_session() {
    let project = Project::new();
    project.workflow("broken", "about = 1\n[run\n").write(".broken/x", "");
    let first = project.hook(&before(&project));
    assert_eq!(first.code, Some(0));
    let message = first.json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(
        message.contains("workflow `broken` cannot be used") && message.contains("workflow.toml:2:"),
        "{message}"
    );
    assert_eq!(project.hook(&before(&project)).stdout, "");
    assert_eq!(project.journal().iter().filter(|entry| entry["decision"] == "fault").count(), 2);
}

#[test]
fn a_broken_state_is_a_fault_that_the_user_sees() {
    let project = Project::new();
    project.write(".isdlc/state.json", "{ broken");
    let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.root(),
        "tool_name": "Task", "tool_input": {"prompt": "06-implementation"}});
    let message = project.hook(&event).json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(message.contains("the state file `.isdlc/state.json` is not valid JSON"), "{message}");
    assert_eq!(project.hook(&event).stdout, "", "once a session");
}

/// Only the token of a review that is under way silences the hooks, and whoever sets the variable has none.
#[test]
fn a_reviewer_we_started_is_not_held() {
    let project = counter();
    let hook = |token: &str| {
        let mut command = project.command(&["hook"]);
        command.env("HOLDPOINT_REVIEWER", token);
        let stop = json!({"hook_event_name": "Stop", "session_id": token, "cwd": project.root()});
        crate::project::feed(command, stop.to_string().as_bytes()).stdout
    };
    let user = crate::project::User(project.state());
    let token = holdpoint::store::review_token::ReviewToken::give(&user);
    let value = token.value().to_owned();
    assert_eq!(hook(&value), "");
    assert!(project.journal().is_empty());
    for other in ["1", "", &value[1..]] {
        assert_ne!(hook(other), "", "{other}");
    }
    drop(token);
    assert_ne!(hook(&value), "", "the review is over");
}

#[test]
fn wrong_use_is_told_and_never_blocks() {
    let project = counter();
    for args in [
        &["hook", "--agnet", "x"][..],
        &["hook", "--agent"],
        &["hook", "--workflow", "nosuch"],
        &["hook", "--workflow", "isdlc", "--only", "nosuch"],
    ] {
        let printed = project.run_with(args, before(&project).to_string().as_bytes());
        assert_eq!(printed.code, Some(0), "{args:?}");
        assert!(
            printed.json()["systemMessage"].as_str().unwrap().starts_with("holdpoint hook: "),
            "{args:?}"
        );
    }
}

#[test]
fn an_agent_that_steps_out_of_the_project_is_still_held() {
    let project = counter();
    project.write(".counter/state.json", "{\"count\": 3}");
    let mut command = project.command(&["hook"]);
    command.env("CLAUDE_PROJECT_DIR", project.root());
    let mut event = before(&project);
    event["cwd"] = json!("/");
    let printed = crate::project::feed(command, event.to_string().as_bytes());
    assert!(printed.stdout.contains("LIMIT"), "{}", printed.stdout);
}

#[test]
fn input_that_never_ends_is_answered_at_its_first_value() {
    let project = counter();
    project.write(".counter/state.json", "{\"count\": 3}");
    let mut command = project.command(&["hook"]);
    let mut child =
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, before(&project).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert!(String::from_utf8(output.stdout).unwrap().contains("LIMIT"));
}

#[test]
fn input_that_stalls_lets_the_agent_go_and_is_told() {
    let project = counter();
    let mut command = project.command(&["hook"]);
    command.env("HOLDPOINT_INPUT_TIMEOUT_MS", "50");
    let mut child =
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, b"{\"hook_event_name\":").unwrap();
    let printed = crate::project::Printed::from(child.wait_with_output().unwrap());
    drop(stdin);
    assert_eq!(printed.code, Some(0));
    let answer = printed.json();
    let told = answer["systemMessage"].as_str().unwrap_or_default();
    assert!(told.contains("went silent after 19 bytes"), "{answer}");
    assert_eq!(answer.as_object().unwrap().len(), 1, "nothing is held: {answer}");
}

#[test]
fn a_journal_does_not_hide_what_stands_further_up() {
    let project = Project::new();
    project
        .workflow("w", "about = \"\"\n[run]\nhome = \".mark\"\n[holds.h]\non = \"before\"\nsay = \"HELD\"\n");
    project.write("pkg/.mark/x", "");
    let mut event = before(&project);
    event["cwd"] = json!(project.root().join("pkg"));
    for time in 1..=2 {
        assert!(project.hook(&event).stdout.contains("HELD"), "time {time}");
    }
    let books = books(project.state(), &project.root().join("pkg"));
    assert!(books.journal().is_file());
}

#[test]
fn unknown_rules_and_choices_are_told() {
    let project = counter();
    let event = before(&project).to_string();
    let printed = project.run_with(&["hook", "--only", "limt"], event.as_bytes());
    let message = printed.json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(
        message.contains("there is no rule `limt`; there are: ") && message.contains("limit"),
        "{message}"
    );
    project.write(".holdpoint/holdpoint.toml", "workflows = [\"conter\"]\n");
    let message = project.hook(&before(&project)).json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(
        message.contains("names a workflow `conter` that does not exist; did you mean `counter`?"),
        "{message}"
    );
}

#[test]
fn progress_is_another_state_and_holds_end_all_the_same() {
    let project = counter();
    let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()});
    for left in (0..8).rev() {
        project.write(".counter/state.json", format!("{{\"left\": {left}}}"));
        assert_eq!(project.hook(&stop).json()["decision"], "block", "{left}");
    }
    for left in 0..42 {
        project.write(".counter/state.json", format!("{{\"right\": {left}}}"));
        assert_eq!(project.hook(&stop).json()["decision"], "block", "{left}");
    }
    project.write(".counter/state.json", "{\"left\": -1}");
    let released = project.hook(&stop).json();
    assert!(released["systemMessage"].as_str().unwrap().contains("held the agent very often"), "{released}");
}

#[test]
fn a_stop_that_cannot_be_counted_is_not_held() {
    let project = counter();
    project.write_book("sessions", "");
    let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()});
    let answer = project.hook(&stop).json();
    assert_eq!(answer["decision"], json!(null));
    assert!(answer["systemMessage"].as_str().unwrap().contains("holds cannot be counted"), "{answer}");
}

#[test]
fn what_is_joined_stays_within_the_limit() {
    let project = Project::new();
    let rule = |name: &str, to: &str| {
        format!("[witnesses.{name}]\non = \"stop\"\nto = \"{to}\"\nsay = \"{}\"\n", name.repeat(9_900))
    };
    let text = format!("about = \"\"\n[run]\nhome = \".mark\"\n{}{}", rule("a", "agent"), rule("u", "user"));
    project.workflow("w", &text).write(".mark", "");
    let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()});
    let answer = project.hook(&stop).json();
    let message = answer["systemMessage"].as_str().unwrap();
    assert!(
        message.chars().count() <= 10_000 && message.contains("The whole text is in "),
        "{}",
        message.len()
    );
}
