//! A run that its user has paused: nothing of it holds, performs or advances, and what is done meanwhile proves nothing.

use serde_json::json;

use super::{COMMIT, book_of, edit, gate, hold, is_held, shell, status, stop, told};
use crate::project::Project;

fn pause(project: &Project, more: &[&str]) {
    let printed = project.run(&[&["pause", "--reason", "a spike"], more].concat());
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    assert!(
        printed.stdout.contains("Nothing of it holds.")
            && printed.stdout.contains("To go on: holdpoint resume")
    );
}

fn resume(project: &Project, more: &[&str]) {
    let printed = project.run(&[&["resume"], more].concat());
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
}

fn after(project: &Project) -> String {
    let mut event = shell(project, "ls");
    event["hook_event_name"] = json!("PostToolUse");
    project.hook(&event).stdout
}

#[test]
fn nothing_holds_or_is_written_in_a_pause_and_resuming_arms_it_at_once() {
    let project = gate();
    assert!(is_held(&project.hook(&stop(&project))));
    pause(&project, &[]);
    let first = project.hook(&stop(&project));
    assert!(!is_held(&first));
    assert_eq!(
        told(&first),
        "holdpoint: gate holds nothing while you have paused it: a spike. Still open: OPEN: a note. See `holdpoint status`."
    );
    for event in [stop(&project), shell(&project, COMMIT), edit(&project, "x")] {
        let printed = project.hook(&event);
        assert!(!is_held(&printed), "{}", printed.stdout);
        assert_eq!(told(&printed), "", "it is said once");
    }
    let before = project.read(".gate/state.json");
    assert_eq!(after(&project), "");
    assert_eq!(project.read(".gate/state.json"), before, "no rule sets anything");
    let run = status(&project);
    assert_eq!((&run["condition"], &run["next"]), (&json!("paused"), &json!("holdpoint resume")));
    assert!(run["now"].as_str().unwrap().starts_with("paused by the user, since "), "{run:#}");
    let line = project.run_with(&["statusline"], b"{}").stdout;
    assert!(line.contains("paused by the user") && line.contains("a spike"), "{line}");
    let causes = project.journal().iter().filter(|line| line["cause"] == "paused").count();
    assert_eq!(causes, 4);
    let twice = project.run(&["pause", "--reason", "x"]);
    assert!(twice.stderr.contains("is paused already"), "{}", twice.stderr);
    let refused = project.run(&["release", &hold(&project), "--reason", "x"]);
    assert!(refused.stderr.contains("is paused by the user: a spike"), "{}", refused.stderr);
    resume(&project, &[]);
    assert_eq!(status(&project)["condition"], "held");
    for event in [stop(&project), shell(&project, COMMIT), edit(&project, "x")] {
        assert!(is_held(&project.hook(&event)));
    }
    let log = project.run(&["log", "-n", "0"]).stdout;
    assert!(log.contains("paused   [gate] paused by the user: a spike"), "{log}");
    assert!(log.contains("resumed  [gate] by the user"), "{log}");
    let not = project.run(&["resume"]);
    assert!(not.stderr.contains("is not paused"), "{}", not.stderr);
}

#[test]
fn a_pause_can_end_by_itself() {
    let project = gate();
    pause(&project, &["--for", "1h"]);
    assert!(status(&project)["now"].as_str().unwrap().contains(", until "));
    let path = book_of(&project, ".pause.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let until = status(&project)["pause"]["until"].as_str().unwrap().to_owned();
    std::fs::write(&path, text.replace(&until, "2026-01-01T00:00:00.000Z")).unwrap();
    assert_eq!(status(&project)["pause"], json!(null));
    assert!(is_held(&project.hook(&stop(&project))));
    assert!(!path.exists());
    assert!(project.run(&["log", "-n", "0"]).stdout.contains("the time of the pause is over"));
    std::fs::write(&path, "rubbish").unwrap();
    assert!(is_held(&project.hook(&stop(&project))), "rubbish pauses nothing");
}

/// What an agent's shell does in a pause is looked at afterwards, unless the user says that it is the user's.
#[test]
fn what_was_done_in_a_pause_is_the_users_only_if_the_user_says_so() {
    let project = gate();
    pause(&project, &[]);
    project.hook(&shell(&project, COMMIT));
    project.git(&["commit", "-qam", "two"]);
    after(&project);
    resume(&project, &[]);
    let seen = project.hook(&shell(&project, "ls"));
    assert!(seen.stdout.contains("what was done in the pause"), "{}", seen.stdout);
    assert!(!status(&project)["unsettled"].as_array().unwrap().is_empty());
    let project = gate();
    pause(&project, &[]);
    project.git(&["commit", "-qam", "two"]);
    resume(&project, &["--accept"]);
    assert_eq!(project.hook(&shell(&project, "ls")).stdout, "");
    assert_eq!(status(&project)["unsettled"], json!([]));
    assert!(project.run(&["log", "-n", "0"]).stdout.contains("who accepts what was done meanwhile"));
}

pub(super) const NOTES: &str = r#"
about = "A note is written and checked."
[run]
home  = ".notes"
each  = "*"
newest = ["*.md", "state.json"]
state = "state.json"
[phases.note]
by    = "agent"
until = "file('NOTES.md').exists"
ask   = "Write NOTES.md."
then  = "tests"
[phases.tests]
by    = "check"
check = "tests"
then.pass = "end"
then.fail = "end"
[checks.tests]
run = ["sh", "-c", "echo ran >> ran"]
[commands.begin]
about = "Begin again"
steps = [{ go = "note", say = "Begun." }]
[commands.start]
about = "Start"
args  = ["name"]
steps = [{ create = "{{ args.name }}", go = "note", say = "Started." }]
[fields]
phase = ""
"#;

#[test]
fn nothing_is_performed_and_no_command_moves_a_run_that_is_paused() {
    let project = Project::new();
    project.workflow("notes", NOTES).write(".notes/one/state.json", "{\"phase\": \"tests\"}");
    project.write(".notes/one/NOTES.md", "x");
    pause(&project, &[]);
    assert_eq!(project.hook(&stop(&project)).json()["decision"], json!(null));
    for words in [vec!["notes", "begin"], vec!["review"]] {
        let printed = project.run(&words);
        assert_eq!(printed.code, Some(1), "{words:?}: {}", printed.stdout);
        assert!(printed.stderr.contains("is paused by the user: a spike"), "{}", printed.stderr);
        assert!(printed.stderr.contains("holdpoint resume --workflow notes"), "{}", printed.stderr);
    }
    assert!(project.read(".notes/one/state.json").contains("tests"));
    assert!(!project.root().join("ran").exists() && !project.root().join(".notes/one/ran").exists());
    resume(&project, &[]);
    assert_eq!(project.run(&["notes", "begin"]).code, Some(0));
}

#[test]
fn one_run_of_several_is_paused_by_its_name() {
    let project = Project::new();
    project.workflow("notes", NOTES);
    project.write(".notes/one/state.json", "{\"phase\": \"note\"}");
    project.write(".notes/two/state.json", "{\"phase\": \"note\"}");
    project.workflow("gate", super::GATE).write(".gate/state.json", "{\"open\": \"x\"}");
    let printed = project.run(&["pause", "--reason", "x"]);
    assert_eq!(printed.code, Some(2), "{}", printed.stdout);
    assert!(printed.stderr.contains("several runs are active here"), "{}", printed.stderr);
    let printed = project.run(&["pause", "--reason", "x", "--run", "three"]);
    assert!(printed.stderr.contains("there is no run \"three\" here"), "{}", printed.stderr);
    pause(&project, &["--workflow", "gate"]);
    let held = project.hook(&stop(&project));
    assert_eq!(held.json()["reason"], "Write NOTES.md.", "{}", held.stdout);
    resume(&project, &[]);
    pause(&project, &["--run", "one"]);
    resume(&project, &["--run", "one"]);
}
