//! Sessions whose clients are there, and what somebody could make up about them.

use std::path::Path;

use serde_json::json;

use super::{command, event, is_held_by, project, prompt};
use crate::client::Client;
use crate::project::Project;

const PROGRAM: &str = env!("CARGO_BIN_EXE_holdpoint");

/// A client in this folder, with a session that was prompted there.
fn client(project: &Project, folder: &Path, session: &str) -> Client {
    let mut like = project.command(&["hook"]);
    like.current_dir(folder).env("CLAUDE_CODE_SESSION_ID", session);
    let mut client = Client::like(&like);
    let mut prompted = event(project, "UserPromptSubmit", session);
    prompted["prompt"] = json!("go on");
    prompted["cwd"] = json!(folder);
    client.send(&prompted);
    client
}

/// A client whose session works on the run `cart`.
fn at_work(project: &Project, session: &str) -> Client {
    let mut client = client(project, project.root(), session);
    assert!(client.shell(&format!("{PROGRAM} notes start cart")).contains("Begun."));
    client
}

fn is_held(client: &mut Client, project: &Project, session: &str) -> bool {
    is_held_by(&client.send(&event(project, "Stop", session)), "cart")
}

#[test]
fn a_command_that_only_looks_takes_no_run_from_a_session_that_is_there() {
    let project = project();
    let mut one = at_work(&project, "one");
    let mut two = client(&project, project.root(), "two");
    assert!(two.shell(&format!("{PROGRAM} notes look")).contains("A note."));
    assert!(!is_held(&mut two, &project, "two"));
    assert!(is_held(&mut one, &project, "one"));
    // Naming the run takes it over.
    assert!(two.shell(&format!("{PROGRAM} notes look --run cart")).contains("A note."));
    assert!(is_held(&mut two, &project, "two"));
    assert!(!is_held(&mut one, &project, "one"));
}

/// A turn may take longer than two hours: a session that is there is only slow.
#[test]
fn a_session_that_is_there_keeps_its_run_however_long_it_is_silent() {
    let project = project();
    let mut one = at_work(&project, "one");
    let owners = project.book("owners");
    let file = std::fs::read_dir(&owners).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&file, r#"{"session": "one", "seen": 0}"#).unwrap();
    let mut two = client(&project, project.root(), "two");
    assert!(!is_held(&mut two, &project, "two"));
    assert!(is_held(&mut one, &project, "one"));
}

#[test]
fn a_session_that_nobody_knows_takes_no_run_from_one_that_is_there() {
    let project = project();
    let mut one = at_work(&project, "one");
    // Made up below the client, or beside it, where there is no run.
    let elsewhere = tempfile::tempdir().unwrap();
    let made_up = json!({"hook_event_name": "Stop", "session_id": "made up", "cwd": elsewhere.path()});
    let sessions = || std::fs::read_dir(project.state().join("holdpoint/sessions")).unwrap().count();
    let before = sessions();
    one.shell(&format!("echo '{made_up}' | {PROGRAM} hook --agent claude"));
    assert_eq!(sessions(), before);
    // A session that was seen before any client of its.
    prompt(&project, "made up");
    let refused = command(&project, "made up", &["notes", "skip", "--run", "cart", "x"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    assert!(refused.stderr.contains("no client of this one is known"), "{}", refused.stderr);
    assert!(is_held(&mut one, &project, "one"));
}

#[test]
fn nobody_but_its_client_takes_up_a_session_that_has_ended() {
    let project = project();
    let mut one = at_work(&project, "one");
    one.send(&event(&project, "SessionEnd", "one"));
    let elsewhere = tempfile::tempdir().unwrap();
    let revived = json!({"hook_event_name": "Stop", "session_id": "one", "cwd": elsewhere.path()});
    one.shell(&format!("echo '{revived}' | {PROGRAM} hook --agent claude"));
    drop(one);
    let mut two = client(&project, project.root(), "two");
    assert!(is_held(&mut two, &project, "two"));
}
