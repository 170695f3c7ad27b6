//! Linked working trees of a project.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value as Json, json};

use super::{begin, command, is_held_by, project, stop};
use crate::project::{Printed, Project};

/// A project in a repository, and a linked working tree beside it that has nothing of Holdpoint's.
fn with_linked() -> (Project, tempfile::TempDir, PathBuf) {
    let project = project();
    let beside = tempfile::tempdir().unwrap();
    let linked = beside.path().canonicalize().unwrap().join("linked");
    for args in [
        &["init", "--quiet"][..],
        &[
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.org",
            "commit",
            "--quiet",
            "--allow-empty",
            "--message",
            "first",
        ],
        &["worktree", "add", "--quiet", linked.to_str().unwrap()],
    ] {
        let mut git = Command::new("git");
        git.args(args)
            .current_dir(project.root())
            .env("HOME", project.root())
            .env("GIT_CONFIG_NOSYSTEM", "1");
        assert!(git.output().unwrap().status.success(), "{args:?}");
    }
    project.allow();
    (project, beside, linked)
}

fn stop_in(project: &Project, folder: &Path, session: &str) -> Json {
    project.hook(&json!({"hook_event_name": "Stop", "session_id": session, "cwd": folder})).json()
}

fn run_in(project: &Project, folder: &Path, session: Option<&str>, words: &[&str]) -> Printed {
    let mut command = project.command(words);
    command.current_dir(folder);
    if let Some(session) = session {
        command.env("CLAUDE_CODE_SESSION_ID", session);
    }
    command.output().unwrap().into()
}

#[test]
fn a_session_that_goes_to_a_linked_tree_is_held_by_its_run() {
    let (project, _beside, linked) = with_linked();
    begin(&project, "one", "cart");
    assert!(is_held_by(&stop(&project, "one"), "cart"));
    assert!(is_held_by(&stop_in(&project, &linked, "one"), "cart"));
    let skipped = run_in(&project, &linked, Some("one"), &["notes", "skip", "x"]);
    assert_eq!(skipped.code, Some(0), "{}", skipped.stderr);
    assert_eq!(stop_in(&project, &linked, "one")["decision"], Json::Null);
}

#[test]
fn a_session_of_a_linked_tree_does_not_take_up_what_is_left_in_the_main_one() {
    let (project, _beside, linked) = with_linked();
    assert_eq!(project.run(&["notes", "start", "cart"]).code, Some(0));
    let told = stop_in(&project, &linked, "two");
    assert!(told["systemMessage"].as_str().unwrap().contains("belongs to the main working tree"), "{told}");
    assert!(is_held_by(&stop(&project, "one"), "cart"));
}

/// A session that was told in the main tree that a run holds it does not shed it by a change of folder.
#[test]
fn a_session_of_the_main_tree_takes_up_what_is_left_there_from_a_linked_one() {
    let (project, _beside, linked) = with_linked();
    assert_eq!(project.run(&["notes", "start", "cart"]).code, Some(0));
    let mut client = crate::client::Client::like(&project.command(&["hook"]));
    client.send(&json!({"hook_event_name": "SessionStart", "session_id": "one", "cwd": project.root()}));
    let stop = json!({"hook_event_name": "Stop", "session_id": "one", "cwd": linked});
    assert!(is_held_by(&client.send(&stop), "cart"));
}

#[test]
fn a_run_of_the_main_tree_is_found_by_its_name() {
    let (project, _beside, linked) = with_linked();
    begin(&project, "one", "cart");
    let named = run_in(&project, &linked, Some("one"), &["notes", "skip", "--run", "cart", "x"]);
    assert_eq!(named.code, Some(0), "{}", named.stderr);
    let unknown = run_in(&project, &linked, Some("one"), &["notes", "skip", "--run", "other", "x"]);
    assert!(unknown.stderr.contains("there are: cart"), "{}", unknown.stderr);
}

/// Rules hold in every working tree, whoever is there: they are about what is done, not about whose run it is.
#[test]
fn rules_hold_in_a_linked_tree() {
    let (project, _beside, linked) = with_linked();
    let guard = "about = \"No pushing.\"\n[run]\nhome = \".holdpoint\"\n[holds.push]\non = \"before shell\"\nwhen = \"'push' in tool.command\"\nsay = \"NO PUSHING\"\n";
    project.workflow("guard", guard);
    project.allow();
    let call = json!({"hook_event_name": "PreToolUse", "session_id": "two", "cwd": linked, "tool_name": "Bash",
        "tool_input": {"command": "git push"}});
    assert!(project.hook(&call).stdout.contains("NO PUSHING"));
}

#[test]
fn status_says_what_the_main_tree_has() {
    let (project, _beside, linked) = with_linked();
    begin(&project, "one", "cart");
    let status = run_in(&project, &linked, None, &["status"]).stdout;
    let expect = format!("The main working tree, {}, has a run of notes", project.root().display());
    assert!(status.contains(&expect), "{status}");
    assert!(status.contains("It holds the session that works on it, here as well."), "{status}");
    let _ = command(&project, "one", &["notes", "skip", "x"]);
}
