//! A session, a hook or a reviewer that dies in the middle: nothing is lost, and the next one goes on from there.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value as Json, json};

use crate::cycle::{self, PLAN, state, tell};
use crate::project::{Printed, Project, feed};

/// A plan whose review is due; the reviewer says its process id through `started`, and waits for a word from `go`.
fn project() -> Project {
    let project = cycle::project(&["FAIL", "PASS"]);
    tell(&project, &["new-plan", "shop"]);
    project.write(&format!("{PLAN}/plan.md"), "# Shop\n\n## Overview\n\nSell things.\n");
    let waiting = project.read("bin/claude").replacen(
        "#!/bin/sh\n",
        "#!/bin/sh\n[ -p go ] && { echo $$ > started; read word < go; }\n",
        1,
    );
    project.write("bin/claude", waiting);
    let made = Command::new("mkfifo").args(["started", "go"]).current_dir(project.root()).status().unwrap();
    assert!(made.success());
    project
}

fn stop_command(project: &Project) -> Command {
    let path = format!("{}/bin:{}", project.root().display(), std::env::var("PATH").unwrap());
    let mut command = project.command(&["hook"]);
    command.env("PATH", path);
    command
}

fn event(project: &Project, session: &str) -> String {
    json!({"hook_event_name": "Stop", "session_id": session, "cwd": project.root()}).to_string()
}

fn stop(project: &Project, session: &str) -> Printed {
    feed(stop_command(project), event(project, session).as_bytes())
}

/// A hook in the middle of a review, and the reviewer's process.
fn hook_in_review(project: &Project) -> (Child, Pid) {
    let mut command = stop_command(project);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut hook = command.spawn().unwrap();
    hook.stdin.take().unwrap().write_all(event(project, "s").as_bytes()).unwrap();
    let pid: i32 = project.read("started").trim().parse().unwrap();
    (hook, Pid::from_raw(pid).unwrap())
}

/// From now on the reviewer does not wait.
fn without_waiting(project: &Project) {
    std::fs::remove_file(project.root().join("go")).unwrap();
}

#[test]
fn a_hook_that_dies_during_a_review_leaves_the_state_and_the_next_stop_reviews() {
    let project = project();
    let before = project.read(&format!("{PLAN}/state.json"));
    let (mut hook, reviewer) = hook_in_review(&project);
    hook.kill().unwrap();
    hook.wait().unwrap();
    assert_eq!(project.read(&format!("{PLAN}/state.json")), before);
    kill_process(reviewer, Signal::KILL).unwrap();
    without_waiting(&project);
    let held = stop(&project, "s");
    assert!(held.stdout.contains("plan-review-1.md"), "{}", held.stdout);
    assert_eq!(
        (&state(&project)["next_phase"], &state(&project)["phase_iteration"]),
        (&json!("post-plan-review"), &json!(1))
    );
}

#[test]
fn a_hook_that_is_told_to_end_ends_its_reviewer_too() {
    let project = project();
    let before = project.read(&format!("{PLAN}/state.json"));
    let (mut hook, reviewer) = hook_in_review(&project);
    kill_process(Pid::from_child(&hook), Signal::TERM).unwrap();
    let mut answer = String::new();
    hook.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
    assert!(hook.wait().unwrap().success());
    assert!(answer.contains("interrupted") && !answer.contains("block"), "{answer}");
    assert!(test_kill_process(reviewer).is_err(), "the reviewer lives on");
    assert_eq!(project.read(&format!("{PLAN}/state.json")), before);
}

#[test]
fn a_session_that_dies_before_its_answer_to_a_review_is_taken_over() {
    let project = project();
    without_waiting(&project);
    assert!(stop(&project, "first").stdout.contains("plan-post-review-1.md"));
    // The first session is gone. Another one in the project is not held by its plan ...
    let other = stop(&project, "second");
    assert!(
        other.stdout.contains("another session works on this run") && !other.stdout.contains("block"),
        "{}",
        other.stdout
    );
    // ... until it goes on with it.
    let mut resume = project.command(&["taskie", "continue"]);
    let printed: Printed = resume.env("CLAUDE_CODE_SESSION_ID", "second").output().unwrap().into();
    assert!(printed.stdout.contains("Post plan review"), "{}", printed.stdout);
    project.write(&format!("{PLAN}/plan-post-review-1.md"), "mended\n");
    assert!(stop(&project, "second").stdout.contains("plan-review-2.md"));
    assert_eq!(stop(&project, "first").stdout.matches("block").count(), 0);
}

#[test]
fn a_session_without_a_name_in_its_shell_takes_over_by_naming_the_run() {
    let project = project();
    without_waiting(&project);
    assert!(stop(&project, "first").stdout.contains("block"));
    // The client that a hook has seen above the shell says whose it is.
    let mut client = crate::client::Client::like(&stop_command(&project));
    let mut prompt: Json = serde_json::from_str(&event(&project, "second")).unwrap();
    prompt["hook_event_name"] = json!("UserPromptSubmit");
    prompt["prompt"] = json!("go on");
    client.send(&prompt);
    let continued = client.shell(concat!(env!("CARGO_BIN_EXE_holdpoint"), " taskie continue --run shop"));
    assert!(continued.contains("Post plan review"), "{continued}");
    project.write(&format!("{PLAN}/plan-post-review-1.md"), "mended\n");
    let held = client.send(&serde_json::from_str(&event(&project, "second")).unwrap());
    assert!(held.to_string().contains("plan-review-2.md"), "{held}");
}
