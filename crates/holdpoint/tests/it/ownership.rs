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

/// A prompt in a session: from then on it is known.
fn begin(project: &Project, session: &str) {
    project
        .hook(&json!({"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": project.root(),
        "prompt": "go on"}));
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
    begin(&project, "mine");
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
    begin(&project, "mine");
    tell(&project, &["taskie", "new-plan", "shop"]);
    let told = told(&project);
    let advice =
        "another session works on this run. To work on it here, name it: `--run shop` after one of its";
    assert!(told.contains(advice), "{told}");
}

/// A session that no hook has seen owns nothing: otherwise an agent could give its run away, and stop.
#[test]
fn a_run_is_not_given_to_a_session_that_does_not_exist() {
    for words in [&["taskie", "new-plan", "shop"][..], &["claudex", "start", "plan", "--", "a cache"]] {
        let project = Project::new();
        begin(&project, "real");
        tell(&project, words);
        let first = stop(&project, "real");
        assert!(!first.to_string().contains("not looked at"), "{words:?}: {first}");
        assert_eq!(first["decision"], "block", "{words:?}: {first}");
    }
}
