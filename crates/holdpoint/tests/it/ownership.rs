//! Whose business a run is: another session than its own is not held, and its user is told once.

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project};

/// A command that session `mine` runs in its shell.
fn tell(project: &Project, words: &[&str]) -> Printed {
    let mut command = project.command(words);
    let printed: Printed = command.env("CODEX_SESSION_ID", "mine").output().unwrap().into();
    assert_eq!(printed.code, Some(0), "{words:?}: {}", printed.stderr);
    printed
}

fn stop(project: &Project, session: &str) -> Json {
    project.hook(&json!({"hook_event_name": "Stop", "session_id": session, "cwd": project.root()})).json()
}

/// What the user of another session is told at its first Stop; at the second, nothing.
fn told(project: &Project) -> String {
    let first = stop(project, "other");
    assert_eq!(first.get("decision"), None, "{first}");
    assert_eq!(stop(project, "other"), Json::Null);
    first["systemMessage"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_whose_state_names_its_session_stays_that_sessions() {
    let project = Project::new();
    tell(&project, &["claudex", "start", "plan", "--", "a cache"]);
    let told = told(&project);
    assert!(told.contains("ignored: this run belongs to session mine. Its commands work here"), "{told}");
    assert_eq!(stop(&project, "mine")["decision"], "block");
    assert!(project.run(&["claudex", "cancel"]).stdout.contains("ancelled"));
    assert_eq!(stop(&project, "mine"), Json::Null);
}

#[test]
fn a_run_whose_state_names_nobody_is_whose_commands_it_last_had() {
    let project = Project::new();
    tell(&project, &["taskie", "new-plan", "shop"]);
    let told = told(&project);
    assert!(told.contains("another session works on this run. To work on it here, run one of its"), "{told}");
}
