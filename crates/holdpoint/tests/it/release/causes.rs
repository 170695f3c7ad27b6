//! Every cause in the list, brought about in a real project: the journal, the user and `status` hear of it.

use std::io::Read;
use std::process::Command;

use holdpoint::store::layout;
use holdpoint_core::release::Cause;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value as Json, json};

use super::{
    SESSION, hook_in_review, is_held, message, project, reviewer, set, status, statusline, stop, stop_of,
};
use crate::project::{Project, feed};

/// Something that brings a cause about: the project, and what its user is told at the event that does not hold.
type Brought = (Project, String);

/// Brings a cause about. A new one in the list does not compile until there is a way to it here.
fn bring_about(cause: Cause) -> Brought {
    match cause {
        Cause::NoProgress => no_progress(),
        Cause::TooOften => too_often(),
        Cause::Uncounted => uncounted(),
        Cause::RoundsUsed => once(project(&json!({"phase": "review", "round": 2}))),
        Cause::Background => background(),
        Cause::OtherSession => other_session(),
        Cause::Fault => once(project(&json!("no state"))),
        Cause::Unreadable => unreadable(),
        Cause::ReviewElsewhere => review_elsewhere(),
        Cause::NoReviewer => no_reviewer(),
        Cause::Lacking => lacking(),
        Cause::ReviewFailed => reviewed_by("echo 'not for root' >&2; exit 3"),
        Cause::Deadline => reviewed_by("exec sleep 60"),
        Cause::Interrupted => interrupted(),
        Cause::Capped => capped(),
        Cause::User => by_user(),
        Cause::Paused => paused(),
    }
}

fn once(project: Project) -> Brought {
    let printed = stop(&project);
    assert!(!is_held(&printed), "{}", printed.stdout);
    (project, message(&printed))
}

fn reviewed_by(script: &str) -> Brought {
    let project = project(&json!({"phase": "review"}));
    reviewer(&project, script);
    once(project)
}

fn no_progress() -> Brought {
    let project = project(&json!({"phase": "note"}));
    for time in 1..=3 {
        assert!(is_held(&stop(&project)), "time {time}");
    }
    once(project)
}

fn too_often() -> Brought {
    let project = project(&json!({}));
    for time in 1..=50 {
        set(&project, &json!({"open": format!("item {time}")}));
        assert!(is_held(&stop(&project)), "time {time}");
    }
    set(&project, &json!({"open": "item 51"}));
    once(project)
}

fn uncounted() -> Brought {
    let project = project(&json!({"phase": "note"}));
    project.write_book("sessions", "in the way");
    once(project)
}

fn background() -> Brought {
    let project = project(&json!({"phase": "note"}));
    let mut event = stop_of(&project, SESSION);
    event["background_tasks"] = json!([{"id": "t", "type": "subagent", "status": "running"}]);
    let printed = project.hook(&event);
    assert!(!is_held(&printed), "{}", printed.stdout);
    (project, message(&printed))
}

fn other_session() -> Brought {
    let project = project(&json!({"phase": "note"}));
    let begin = |session: &str| {
        let event = json!({"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": project.root(),
            "prompt": "go"});
        project.hook(&event);
    };
    begin(SESSION);
    begin("other");
    assert!(is_held(&stop(&project)));
    let printed = project.hook(&stop_of(&project, "other"));
    assert!(!is_held(&printed), "{}", printed.stdout);
    (project, message(&printed))
}

/// A folder that even root cannot read, without the right to read everything.
fn unreadable() -> Brought {
    let project = project(&json!({"phase": "note"}));
    let chmod = |mode: &str| {
        let changed = Command::new("chmod").args([mode, ".notes/one"]).current_dir(project.root()).status();
        assert!(changed.unwrap().success());
    };
    project.allow();
    chmod("000");
    let program = project.stranger(&["hook"]);
    let mut command = program;
    if rustix::process::geteuid().is_root() {
        let own = Command::new("setpriv");
        let mut confined = own;
        confined.args(["--bounding-set", "-dac_override,-dac_read_search"]);
        confined.arg(command.get_program()).args(command.get_args()).current_dir(project.root()).env_clear();
        confined.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command = confined;
    }
    let printed = feed(command, stop_of(&project, SESSION).to_string().as_bytes());
    chmod("755");
    assert!(!is_held(&printed), "{}", printed.stdout);
    let text = message(&printed);
    (project, text)
}

fn review_elsewhere() -> Brought {
    let project = project(&json!({"phase": "review"}));
    project.allow();
    let place = project.root().join(".notes/one");
    let path = project.books().lock(&format!("review {}", layout::name(project.root(), &place)));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let lock = std::fs::File::create(path).unwrap();
    lock.lock().unwrap();
    for time in 1..=3 {
        let printed = stop(&project);
        assert!(is_held(&printed), "time {time}: {}", printed.stdout);
        assert!(printed.stdout.contains("is being done already, by another process"), "{}", printed.stdout);
    }
    let brought = once(project);
    drop(lock);
    brought
}

fn no_reviewer() -> Brought {
    let project = project(&json!({"phase": "review"}));
    let missing =
        super::WORKFLOW.replace("[\"sh\", \"reviewer.sh\"", "[\"no-such-program\", \"reviewer.sh\"");
    project.workflow("notes", &missing);
    once(project)
}

fn lacking() -> Brought {
    let project = project(&json!({"phase": "review"}));
    project.write(".notes/one/in-the-way", "");
    once(project)
}

fn interrupted() -> Brought {
    let project = project(&json!({"phase": "review"}));
    let mut hook = hook_in_review(&project);
    kill_process(Pid::from_child(&hook), Signal::TERM).unwrap();
    let mut answer = String::new();
    hook.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
    hook.wait().unwrap();
    let answer: Json = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer.get("decision"), None, "{answer}");
    (project, answer["systemMessage"].as_str().unwrap().to_owned())
}

fn capped() -> Brought {
    let project = project(&json!({}));
    for time in 1..=8 {
        set(&project, &json!({"open": format!("item {time}")}));
        assert!(is_held(&stop(&project)), "time {time}");
    }
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": SESSION, "cwd": project.root(),
        "prompt": "what is going on?"});
    let printed = project.hook(&prompt);
    let text = message(&printed);
    (project, text)
}

fn by_user() -> Brought {
    let project = project(&json!({"phase": "note"}));
    assert!(is_held(&stop(&project)));
    let hold = status(&project)["holds"][0]["id"].as_str().unwrap().to_owned();
    let printed = project.run(&["release", &hold, "--reason", "docs only"]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    once(project)
}

fn paused() -> Brought {
    let project = project(&json!({"phase": "note"}));
    let printed = project.run(&["pause", "--reason", "a spike"]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    once(project)
}

/// What the journal, the user and `status` must say of a cause.
fn is_told(cause: Cause) {
    let (project, message) = bring_about(cause);
    assert!(!message.is_empty(), "{cause:?}: the user is not told");
    let journal = project.journal();
    let line = journal.iter().rfind(|line| line["cause"] == cause.name());
    let line = line.unwrap_or_else(|| panic!("{cause:?} is not in the journal: {journal:#?}"));
    assert!(["release", "fault"].contains(&line["decision"].as_str().unwrap()), "{cause:?}: {line}");
    if cause == Cause::Unreadable {
        // Readable again, it holds again.
        assert!(is_held(&stop(&project)));
        return;
    }
    let status = status(&project);
    if cause == Cause::Paused {
        // The pause itself is what matters.
        assert_eq!(status["condition"], "paused", "{status:#}");
        assert_eq!(status["holds"][0]["cause"], "paused", "{status:#}");
    } else {
        assert_eq!(
            (&status["condition"], &status["cause"]),
            (&json!("released"), &json!(cause.name())),
            "{status:#}"
        );
    }
    let shown = statusline(&project);
    assert!(shown.contains(cause.reason()), "{cause:?}: {shown}");
    let said = project.run(&["status"]).stdout;
    assert!(said.contains(cause.reason()), "{cause:?}: {said}");
}

/// One test for each half, so that they run side by side.
#[test]
fn every_cause_of_patience_and_sessions_is_told() {
    for cause in Cause::ALL.into_iter().filter(|cause| is_quick(*cause)) {
        is_told(cause);
    }
}

#[test]
fn every_cause_of_reviews_and_faults_is_told() {
    for cause in Cause::ALL.into_iter().filter(|cause| !is_quick(*cause)) {
        is_told(cause);
    }
}

fn is_quick(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::NoProgress
            | Cause::Uncounted
            | Cause::RoundsUsed
            | Cause::Background
            | Cause::OtherSession
            | Cause::Fault
            | Cause::Unreadable
            | Cause::User
            | Cause::Paused
    )
}

#[test]
fn a_release_is_told_once_and_again_after_the_hold_held_again() {
    let (project, first) = bring_about(Cause::NoProgress);
    assert!(first.contains("held the agent several times without progress and has released it"), "{first}");
    assert!(first.contains("Still open: Write NOTES.md. See `holdpoint status`."), "{first}");
    assert_eq!(stop(&project).stdout, "", "once");
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": SESSION, "cwd": project.root(),
        "prompt": "go on"});
    project.hook(&prompt);
    for time in 1..=3 {
        assert!(is_held(&stop(&project)), "time {time}");
    }
    assert_eq!(status(&project)["condition"], "held");
    assert_eq!(message(&stop(&project)), first, "again");
}

#[test]
fn a_release_is_settled_when_what_was_open_is_done() {
    let (project, _) = bring_about(Cause::NoProgress);
    let hold = status(&project)["holds"][0]["id"].clone();
    project.write(".notes/one/NOTES.md", "# Notes\n");
    assert!(stop(&project).stdout.contains("MEND round 1."), "the review failed it");
    let settled = super::lines(&project, "settled");
    assert_eq!(settled[0]["settled"]["hold"], hold);
    assert_eq!(settled[0]["settled"]["how"], "satisfied");
    assert_eq!(status(&project)["condition"], "held");
}
