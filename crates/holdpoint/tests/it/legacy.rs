//! `[legacy]`: what `--protocol legacy` answers where nothing is held, and the one way to an exit code that is not 0.

use std::process::Stdio;

use serde_json::json;

use crate::gate::sound;
use crate::project::{Printed, Project};

/// Lets go as older scripts did, and refuses bad input.
const STRICT: &str = r#"
about = "Holds a Stop while the state says so."
[run]
home  = ".strict"
state = ".strict/state.json"
[holds.open]
on   = ["stop", "before shell"]
when = "state.open"
say  = "OPEN"
[witnesses.told]
on   = ["stop", "before shell"]
when = "state.told"
say  = "TOLD"
[legacy]
release   = { suppressOutput = true }
bad_input = 2
"#;

/// Lets go in other words, whatever comes in.
const MILD: &str = r#"
about = "Holds nothing."
[run]
home = ".mild"
[witnesses.never]
on   = "stop"
when = "false"
say  = "NEVER"
[legacy]
release = { decision = "approve" }
"#;

/// Has no words of its own.
const PLAIN: &str = r#"
about = "Says something at every Stop."
[run]
home = ".plain"
[witnesses.said]
on   = "stop"
say  = "SAID"
"#;

const LEGACY: [&str; 5] = ["hook", "--workflow", "strict", "--protocol", "legacy"];

fn project() -> Project {
    let project = Project::new();
    project.workflow("strict", STRICT).workflow("mild", MILD).workflow("plain", PLAIN);
    project
}

fn stop(project: &Project, args: &[&str]) -> Printed {
    let event = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()});
    project.run_with(args, event.to_string().as_bytes())
}

#[test]
fn a_stop_that_is_let_go_has_the_fields() {
    let project = project();
    assert_eq!(stop(&project, &LEGACY).stdout, "{\"suppressOutput\":true}\n", "no run");
    project.write(".strict/state.json", "{}");
    assert_eq!(stop(&project, &LEGACY).stdout, "{\"suppressOutput\":true}\n");
    project.write(".strict/state.json", "{\"told\": true}");
    let printed = stop(&project, &LEGACY);
    assert_eq!(printed.stdout, "{\"systemMessage\":\"TOLD\",\"suppressOutput\":true}\n");
    assert_eq!(printed.stderr, "");
    project.write(".strict/state.json", "{\"told\": true, \"open\": true}");
    let printed = stop(&project, &LEGACY);
    assert_eq!(printed.stdout, "{\"decision\":\"block\",\"reason\":\"OPEN\"}\n");
    assert_eq!(printed.stderr, "TOLD\n");
}

#[test]
fn the_agents_own_protocol_and_other_events_have_none() {
    let project = project();
    assert_eq!(stop(&project, &["hook", "--workflow", "strict"]).stdout, "");
    assert_eq!(stop(&project, &["hook", "--protocol", "legacy"]).stdout, "", "no run, and no workflow named");
    project.write(".strict/state.json", "{\"told\": true}");
    assert_eq!(stop(&project, &["hook"]).json(), json!({"systemMessage": "TOLD"}));
    let before = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.root(),
        "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let printed = project.run_with(&LEGACY, before.to_string().as_bytes());
    assert_eq!((printed.stdout.as_str(), printed.stderr.as_str()), ("", "TOLD\n"));
}

#[test]
fn several_workflows_answer_together() {
    let project = project();
    let legacy = ["hook", "--protocol", "legacy"];
    project.write(".plain/x", "");
    let printed = stop(&project, &legacy);
    assert_eq!((printed.stdout.as_str(), printed.stderr.as_str()), ("", "SAID\n"), "no [legacy] at all");
    project.write(".mild/x", "").write(".strict/state.json", "{}");
    let both = json!({"systemMessage": "SAID", "decision": "approve", "suppressOutput": true});
    assert_eq!(stop(&project, &legacy).json(), both);
}

#[test]
fn bad_input_is_refused_only_where_the_workflow_says_so() {
    let project = project();
    let gone = project.root().join("gone");
    let bad_folder = json!({"hook_event_name": "Stop", "cwd": gone}).to_string();
    let once_more = json!({"hook_event_name": "Stop", "cwd": gone, "stop_hook_active": true}).to_string();
    let a_file = json!({"cwd": project.root().join(".holdpoint/workflows/strict/workflow.toml")}).to_string();
    let a_tool = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": gone}).to_string();
    let let_go = "{\"suppressOutput\":true}\n";
    for (input, refused, stdout) in [
        ("", "Invalid JSON", ""),
        ("invalid json", "Invalid JSON", ""),
        ("[]", "Invalid JSON", ""),
        ("null", "Invalid JSON", ""),
        ("{\"hook_event_name\":\"Stop\"", "Invalid JSON", ""),
        (bad_folder.as_str(), "Cannot change", ""),
        ("{\"cwd\": \"/nonexistent\"}", "Cannot change", ""),
        ("{\"cwd\": \"not/here\"}", "Cannot change", ""),
        (a_file.as_str(), "Cannot change", ""),
        (once_more.as_str(), "", let_go),
        ("{}", "", let_go),
        ("{\"cwd\": 5}", "", let_go),
        ("{\"stop_hook_active\": true}", "", let_go),
        (a_tool.as_str(), "", ""),
        ("{\"hook_event_name\": \"PreCompact\"}", "", ""),
    ] {
        let printed = project.run_with(&LEGACY, input.as_bytes());
        assert_eq!(printed.code, Some(if refused.is_empty() { 0 } else { 2 }), "{input}: {}", printed.stderr);
        assert_eq!(printed.stdout, stdout, "{input}");
        assert!(printed.stderr.contains(refused), "{input}: {}", printed.stderr);
        assert_eq!(printed.stderr.lines().count(), usize::from(!refused.is_empty()), "{input}");
        for args in [
            &["hook"][..],
            &["hook", "--protocol", "legacy"],
            &["hook", "--workflow", "strict"],
            &["hook", "--workflow", "plain", "--protocol", "legacy"],
            &["hook", "--workflow", "mild", "--protocol", "legacy"],
            &["hook", "--workflow", "isdlc", "--protocol", "legacy"],
            &["hook", "--workflow", "nosuch", "--protocol", "legacy"],
        ] {
            sound(&project.run_with(args, input.as_bytes()), &format!("{args:?} {input}"));
        }
    }
    assert!(project.journal().iter().any(|entry| entry["faults"].to_string().contains("cannot be entered")));
}

#[test]
fn a_workflow_without_an_exit_code_lets_bad_input_go_in_its_own_words() {
    let project = project();
    let mild = ["hook", "--workflow", "mild", "--protocol", "legacy"];
    let bad_folder = json!({"cwd": project.root().join("gone")}).to_string();
    for input in ["nonsense", "{}", bad_folder.as_str()] {
        let printed = project.run_with(&mild, input.as_bytes());
        assert_eq!(
            (printed.code, printed.stdout.as_str()),
            (Some(0), "{\"decision\":\"approve\"}\n"),
            "{input}"
        );
        assert_eq!(printed.stderr, "", "{input}");
    }
}

#[test]
fn what_does_not_come_in_time_is_let_go() {
    let project = project();
    let mut command = project.command(&LEGACY);
    command.env("HOLDPOINT_INPUT_TIMEOUT_MS", "50");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, b"{\"hook_event_name\":").unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(
        (output.status.code(), output.stdout.as_slice()),
        (Some(0), &b"{\"suppressOutput\":true}\n"[..])
    );
}

/// A copy of a built-in workflow takes the place of that one in every respect.
#[test]
fn a_projects_own_workflow_decides_for_a_built_in_one() {
    let project = Project::new();
    let built_in = ["hook", "--workflow", "taskie", "--protocol", "legacy"];
    assert_eq!(project.run_with(&built_in, b"nonsense").code, Some(2));
    project.workflow("taskie", &MILD.replace(".mild", ".taskie"));
    let printed = project.run_with(&built_in, b"nonsense");
    assert_eq!((printed.code, printed.stdout.as_str()), (Some(0), "{\"decision\":\"approve\"}\n"));
    project.workflow("taskie", "about = 1\n[run\n");
    let printed = project.run_with(&built_in, b"nonsense");
    assert_eq!((printed.code, printed.stdout.as_str()), (Some(0), ""), "one that is broken decides nothing");
}

#[test]
fn cases_know_the_exit_code_and_the_fields() {
    let project = project();
    let cases = |case: &str| {
        let head = "protocol = \"legacy\"\n[[case]]\nname = \"x\"\nexpect = \"allow\"\n";
        project.write(".holdpoint/workflows/strict/cases/x.toml", format!("{head}{case}"));
        let printed = project.run(&["test", "strict"]);
        printed.stdout + &printed.stderr
    };
    let refused = "stdin = \"nonsense\"\nfault = \"not JSON\"\n";
    assert!(cases(refused).contains("expected exit code 0, got 2"), "{}", cases(refused));
    assert!(cases(&format!("{refused}exit = 2\n")).contains("1 passed, 0 failed"));
    assert!(cases("stdin = \"{}\"\n").contains("1 passed, 0 failed"), "fields alone are silence");
    assert!(cases("stdin = \"{}\"\nexit = 2\n").contains("expected exit code 2, got 0"));
    let told = "state_at = \".strict/state.json\"\nstate = { told = true }\nstdin = \"{}\"\n";
    assert!(cases(told).contains("expected allow, got warn"));
}
