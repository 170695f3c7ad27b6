//! The rows of the fail-open audit that were silent: a git that fails, locks that cannot be had, an answer that nobody heard;
//! and `on_fault = "hold"`.

use std::process::Stdio;

use serde_json::json;

use super::{SESSION, is_held, message, project, stop, stop_of};
use crate::project::{Printed, Project};

const ON_MAIN: &str = r#"{"active_workflow":{"type":"feature","current_phase":"06-implementation",
"phases":["01-requirements","06-implementation"],"git_branch":{"name":"feature/x","status":"active"}},
"phases":{"06-implementation":{"status":"pending"}}}"#;

/// A repository on main in which commits are held.
fn guarded() -> Project {
    let project = Project::new();
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"]);
    project.write(".isdlc/state.json", ON_MAIN);
    project
}

fn commit(project: &Project) -> Printed {
    project.hook(&json!({"hook_event_name": "PreToolUse", "session_id": SESSION, "cwd": project.root(),
        "tool_name": "Bash", "tool_input": {"command": "git commit -qam sneaky"}}))
}

#[test]
fn a_git_that_fails_is_not_taken_for_a_no() {
    let project = guarded();
    assert!(commit(&project).stdout.contains("deny"), "a healthy git holds");
    project.write("no-home/.gitconfig", "[user");
    let printed = commit(&project);
    let text = message(&printed);
    assert!(text.contains("git failed with exit status: 128: fatal: bad config"), "{}", printed.stdout);
    let last = project.journal().pop().unwrap();
    assert_eq!((&last["decision"], &last["cause"]), (&json!("fault"), &json!("fault")), "{last}");
    assert!(project.run(&["statusline"]).stdout.contains("released: it could not be judged"));
    project.remove("no-home/.gitconfig");
    assert!(commit(&project).stdout.contains("deny"), "it holds again");
}

#[test]
fn holds_that_cannot_be_counted_are_told_each_time() {
    let project = project(&json!({"phase": "note"}));
    project.write_book("locks", "in the way");
    for _ in 0..2 {
        let printed = stop(&project);
        assert!(!is_held(&printed));
        assert!(message(&printed).contains("holds cannot be counted"), "{}", printed.stdout);
    }
    let causes: Vec<_> = project.journal().iter().map(|line| line["cause"].clone()).collect();
    assert_eq!(causes, [json!("uncounted"), json!("uncounted")]);
    assert!(!project.read(".notes/one/state.json").contains("review"), "nothing has moved");
}

/// A Stop whose answer nobody can read: the state has moved, and the agent does not know.
fn unheard_stop(project: &Project) {
    let mut command = project.command(&["hook"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut hook = command.spawn().unwrap();
    drop(hook.stdout.take());
    let event = stop_of(project, SESSION).to_string();
    std::io::Write::write_all(&mut hook.stdin.take().unwrap(), event.as_bytes()).unwrap();
    hook.wait().unwrap();
}

#[test]
fn a_hold_that_nobody_heard_is_said_again() {
    let project = project(&json!({"phase": "review"}));
    unheard_stop(&project);
    assert!(project.read(".notes/one/state.json").contains("mend"), "the review was done");
    let again = stop(&project);
    assert!(again.stdout.contains("MEND round 1."), "{}", again.stdout);
    project.write(".notes/one/mended", "");
    assert!(stop(&project).stdout.contains("MEND round 2."), "once: then the run goes on");
}

#[test]
fn a_rule_that_cannot_be_judged_holds_where_it_says_so() {
    let project = |on_fault: &str| {
        let project = Project::new();
        let workflow = format!(
            "about = \"x\"\n[run]\nhome = \".x\"\nstate = \".x/state.json\"\n[holds.shell]\non = \"before shell\"\n\
             when = \"state.no\"\nsay = \"NO\"\n{on_fault}\n[holds.end]\non = \"stop\"\nwhen = \"state.no\"\nsay = \"NO\"\n"
        );
        project.workflow("x", &workflow).write(".x/state.json", "{");
        project
    };
    let before = |project: &Project| {
        let event = json!({"hook_event_name": "PreToolUse", "session_id": SESSION, "cwd": project.root(),
            "tool_name": "Bash", "tool_input": {"command": "ls"}});
        project.hook(&event).stdout
    };
    assert!(before(&project("")).contains("could not judge this and let it pass"));
    assert!(before(&project("on_fault = \"allow\"")).contains("could not judge this and let it pass"));
    let project = project("on_fault = \"hold\"");
    assert!(before(&project).contains("`shell` holds this because it cannot be judged: "));
    assert!(!is_held(&stop(&project)), "the other rule does not say so");
    project.write(".x/state.json", "{}");
    assert_eq!(before(&project), "", "as soon as it can be judged");
}

#[test]
fn a_run_that_holds_on_faults_does_so_at_stop_as_long_as_there_is_patience() {
    let project = Project::new();
    let workflow = super::WORKFLOW.replace("home  = \".notes\"", "home  = \".notes\"\non_fault = \"hold\"");
    project.workflow("notes", &workflow).write(".notes/one/state.json", "{");
    for time in 1..=3 {
        let printed = stop(&project);
        assert!(is_held(&printed), "time {time}: {}", printed.stdout);
        assert!(
            printed.stdout.contains("cannot be judged") || printed.stdout.contains("could not be judged")
        );
    }
    let printed = stop(&project);
    assert!(!is_held(&printed) && message(&printed).contains("without progress"), "{}", printed.stdout);
}

#[test]
fn on_fault_is_one_of_two_words() {
    let project = Project::new();
    let workflow = super::WORKFLOW.replace("home  = \".notes\"", "home  = \".notes\"\non_fault = \"block\"");
    project.workflow("notes", &workflow);
    let printed = project.run(&["check", "notes"]);
    assert_eq!(printed.code, Some(1), "{}", printed.stdout);
    assert!(format!("{}{}", printed.stdout, printed.stderr).contains("`allow`"), "{}", printed.stderr);
}
