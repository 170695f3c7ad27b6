//! `holdpoint statusline`: one line, whatever is on standard input.

use serde_json::json;

use crate::cycle;
use crate::project::{Printed, Project, feed};
use crate::shown::{reviewed, shell};

/// The line for a session in this folder of the project.
fn line(project: &Project, folder: &str) -> Printed {
    let folder = project.root().join(folder);
    let told = json!({"session_id": "s", "cwd": "/nowhere", "model": {"id": "x"},
        "workspace": {"current_dir": folder, "project_dir": project.root()}});
    let elsewhere = Project::new();
    let mut command = elsewhere.command(&["statusline"]);
    command.env("XDG_STATE_HOME", project.state());
    project.allow();
    feed(command, told.to_string().as_bytes())
}

fn assert_line(printed: &Printed, line: &str) {
    assert_eq!((printed.stdout.as_str(), printed.stderr.as_str(), printed.code), (line, "", Some(0)));
}

#[test]
fn it_tells_the_workflow_the_phase_and_the_last_hold() {
    let project = reviewed();
    project.write("src/deep/x", "");
    assert_line(&line(&project, "src/deep"), "reviewed · code\n");
    project.hook(&shell(&project, "s", "git commit"));
    project.hook(&shell(&project, "s", "ls"));
    assert_line(&line(&project, "src/deep"), "reviewed · code · held by no-commit\n");
}

#[test]
fn it_tells_the_round_while_something_is_due() {
    let project = Project::new();
    cycle::tell(&project, &["new-plan", "shop"]);
    let taskie = line(&project, "");
    assert_line(&taskie, "taskie · new-plan → plan-review\n");
    let state = project.read(&format!("{}/state.json", cycle::PLAN));
    let state = state.replace("\"phase_iteration\": 0", "\"phase_iteration\": 2");
    project.write(&format!("{}/state.json", cycle::PLAN), state);
    assert_line(&line(&project, ""), "taskie · new-plan → plan-review · round 2\n");
    // A second workflow in the same place, and one whose state cannot be read.
    project.write(".isdlc/state.json", "{");
    assert_line(
        &line(&project, ""),
        "isdlc · state unreadable | taskie · new-plan → plan-review · round 2\n",
    );
}

/// The word `round` inside a phase's name says nothing about the number of the round.
#[test]
fn the_round_is_left_out_only_if_the_phase_shows_its_counter() {
    const WORKFLOW: &str = r#"
about = "Rounds."
[run]
home  = ".flow"
state = ".flow/state.json"
due   = "step"
shows = "PHASE"
[let]
tries = "state.n"
[phases.background]
by     = "agent"
ask    = "Work."
until  = "false"
limit  = "tried"
then   = "end"
[limits]
tried = { count = "n", most = 9, then = "end" }
[commands.start]
about = "begins"
steps = [{ go = "background" }]
"#;
    for (phase, expect) in [
        ("state.step", "flow · background · round 3\n"),
        ("state.step ~ ', try ' ~ [tries, 9] | min", "flow · background, try 3\n"),
    ] {
        let project = Project::new();
        project.write(".holdpoint/workflows/flow/workflow.toml", WORKFLOW.replace("PHASE", phase));
        project.write(".flow/state.json", r#"{"step": "background", "n": 3}"#);
        assert_line(&line(&project, ""), expect);
    }
}

#[test]
fn where_nothing_is_active_it_is_empty() {
    assert_line(&line(&Project::new(), ""), "");
    assert_line(&line(&Project::new(), "not/there"), "");
}

#[test]
fn rubbish_is_no_fault() {
    let project = reviewed();
    for input in
        ["", "{", "[]", "null", "\u{0}\u{1}", "{\"cwd\": 7}", "{\"workspace\": \"x\", \"session_id\": []}"]
    {
        let printed = project.run_with(&["statusline"], input.as_bytes());
        assert_line(&printed, "reviewed · code\n");
    }
    let printed = project.run_with(&["statusline"], b"\xff\xfe{\"cwd\":\"\xff\"}");
    assert_eq!((printed.stderr.as_str(), printed.code), ("", Some(0)));
}

#[test]
fn a_phase_cannot_break_the_line() {
    let project = reviewed();
    let phase = format!("a\nb\u{1b}[31m{}", "x".repeat(1000));
    project.write(".reviewed/state.json", json!({"phase": phase}).to_string());
    let printed = line(&project, "").stdout;
    assert!(printed.starts_with("reviewed · a b [31mx") && printed.lines().count() == 1, "{printed}");
    assert!(printed.len() < 100 && !printed.contains('\u{1b}'), "{printed}");
}

#[test]
fn it_has_help() {
    let printed = Project::new().run(&["statusline", "--help"]);
    assert!(printed.stdout.contains("settings.json") && printed.code == Some(0), "{}", printed.stdout);
}
