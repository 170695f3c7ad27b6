//! Where one thing that the user opened meets another.

use serde_json::json;

use super::{COMMIT, edit, gate, is_held, release, released, shell, status, stop, told};
use crate::project::{Printed, Project, feed};

/// Pauses the run that these words name.
fn pause(project: &Project, more: &[&str]) -> Printed {
    let printed = project.run(&[&["pause", "--reason", "a spike"], more].concat());
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    printed
}

/// The last line of the journal about a hold that was settled: its rule and how.
fn settled(project: &Project) -> (String, String) {
    let lines = project.lines();
    let line = lines.iter().rfind(|line| line["kind"] == "settled").unwrap();
    let text = |name: &str| line["settled"][name].as_str().unwrap().to_owned();
    (text("rule"), text("how"))
}

#[test]
fn what_was_released_in_two_workflows_is_used_together_or_not_at_all() {
    let project = gate();
    let other = "about = \"x\"\n[run]\nhome = \".gate\"\nstate = \".gate/other.json\"\n[holds.also]\non = \"before shell\"\n\
        when = \"tool.commits\"\nsay = \"ALSO\"\n";
    project.workflow("other", other).write(".gate/other.json", "{}");
    project.hook(&shell(&project, COMMIT));
    for rule in ["no-commits", "also"] {
        assert_eq!(project.run(&["release", rule, "--reason", "x"]).code, Some(0));
    }
    let folder = std::fs::read_dir(project.book("door")).unwrap();
    let grants = folder.map(|entry| entry.unwrap().path());
    let mut grants = grants.filter(|path| path.to_string_lossy().ends_with(".grants.json"));
    let path = grants.find(|path| std::fs::read_to_string(path).unwrap().contains("also")).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let until =
        serde_json::from_str::<serde_json::Value>(&text).unwrap()[0]["until"].as_str().unwrap().to_owned();
    std::fs::write(&path, text.replace(&until, "2026-01-01T00:00:00.000Z")).unwrap();
    let held = project.hook(&shell(&project, COMMIT));
    assert!(is_held(&held) && told(&held).contains("although you released also"), "{}", held.stdout);
    assert_eq!(released(&project).len(), 0);
    assert_eq!(project.run(&["release", "also", "--reason", "x"]).code, Some(0));
    assert!(!is_held(&project.hook(&shell(&project, COMMIT))));
    assert_eq!(released(&project).len(), 2);
}

/// Only who was asked can be content.
#[test]
fn a_stop_that_asks_one_rule_settles_no_other() {
    let project = gate();
    assert!(is_held(&project.hook(&stop(&project))));
    let event = stop(&project).to_string();
    feed(project.command(&["hook", "--only", "no-commits"]), event.as_bytes());
    assert_eq!(status(&project)["condition"], "held");
    assert!(!project.lines().iter().any(|line| line["kind"] == "settled"));
    project.write(".gate/state.json", "{}");
    project.hook(&stop(&project));
    assert_eq!(settled(&project), ("open".to_owned(), "satisfied".to_owned()));
}

#[test]
fn a_fault_settles_nothing() {
    let project = gate();
    assert!(is_held(&project.hook(&stop(&project))));
    project.write(".gate/state.json", "{");
    project.hook(&stop(&project));
    assert!(!project.lines().iter().any(|line| line["settled"]["how"] == "satisfied"));
}

#[test]
fn a_call_that_passed_in_a_pause_is_past_when_it_is_over() {
    let project = gate();
    pause(&project, &[]);
    for event in [shell(&project, COMMIT), edit(&project, "x")] {
        assert!(!is_held(&project.hook(&event)));
    }
    assert_eq!(project.run(&["resume"]).code, Some(0));
    assert_eq!(status(&project)["holds"], json!([]));
    assert_eq!(settled(&project).1, "released");
}

#[test]
fn each_release_of_a_stop_is_told() {
    let project = gate();
    assert!(is_held(&project.hook(&stop(&project))));
    release(&project);
    let passed = project.hook(&stop(&project));
    assert!(!is_held(&passed) && told(&passed).contains("as you said"), "{}", passed.stdout);
    // At once, without a hold in between.
    assert_eq!(project.run(&["release", "open", "--reason", "docs only"]).code, Some(0));
    let passed = project.hook(&stop(&project));
    assert!(told(&passed).contains("as you said"), "{}", passed.stdout);
}

#[test]
fn a_time_on_another_day_has_its_date() {
    let project = gate();
    project.hook(&shell(&project, COMMIT));
    let printed = project.run(&["release", "no-commits", "--reason", "x", "--for", "3d"]);
    let until = printed.stdout.split("until ").nth(1).unwrap().split('.').next().unwrap();
    assert_eq!(until.len(), "2026-01-01 00:00 UTC".len(), "{until}");
    let paused = pause(&project, &["--for", "3d"]).stdout;
    assert!(paused.contains(&until[..8]), "{paused}");
}

#[test]
fn a_call_of_many_lines_shows_that_there_are_more() {
    let project = gate();
    let command = format!("{COMMIT}\nrm -rf build");
    project.hook(&shell(&project, &command));
    let printed = project.run(&["release", "no-commits", "--reason", "x"]);
    assert!(printed.stdout.contains("git commit -qam two …"), "{}", printed.stdout);
}

/// `holdpoint resume` is about what is paused, also where another run is newer.
#[test]
fn a_pause_ends_by_the_command_that_was_printed() {
    let project = Project::new();
    project.workflow("notes", super::pauses::NOTES);
    project.write(".notes/one/state.json", "{\"phase\": \"note\"}");
    let printed = pause(&project, &[]).stdout;
    assert!(printed.contains("To go on: holdpoint resume --workflow notes --run one"), "{printed}");
    assert_eq!(project.run(&["notes", "start", "two"]).code, Some(0));
    assert_eq!(project.run(&["resume"]).code, Some(0));
    for run in ["one", "two"] {
        pause(&project, &["--run", run]);
    }
    let which = project.run(&["resume"]);
    assert!(which.stderr.contains("several runs are paused here"), "{}", which.stderr);
    assert!(which.stderr.contains("holdpoint resume --workflow notes --run one"), "{}", which.stderr);
    for run in ["one", "two"] {
        assert_eq!(project.run(&["resume", "--workflow", "notes", "--run", run]).code, Some(0));
    }
}

const SINGLE: &str = r#"
about = "One at a time."
[run]
home  = ".one"
state = ".one/state.json"
due   = "phase"
[fields]
phase = ""
[phases.note]
by    = "agent"
until = "file('NOTES.md').exists"
ask   = "Write NOTES.md."
then  = "over"
[phases.over]
by = "nobody"
[commands.start]
about = "Start"
steps = [{ create = "one", go = "note", say = "Started." }]
[commands.skip]
about = "Skip"
steps = [{ go = "over", say = "Skipped." }]
"#;

fn single() -> Project {
    let project = Project::new();
    project.workflow("single", SINGLE);
    assert_eq!(project.run(&["single", "start"]).code, Some(0));
    project
}

#[test]
fn a_pause_that_a_new_run_ends_has_its_line() {
    let project = single();
    pause(&project, &[]);
    assert_eq!(project.run(&["single", "start"]).code, Some(0));
    assert!(project.lines().iter().any(|line| line["kind"] == "resumed"));
    assert!(is_held(&project.hook(&stop(&project))));
}

#[test]
fn a_command_that_takes_the_run_on_settles_what_held_it() {
    let project = single();
    assert!(is_held(&project.hook(&stop(&project))));
    assert_eq!(status(&project)["condition"], "held");
    assert_eq!(project.run(&["single", "skip"]).code, Some(0));
    assert_eq!((&status(&project)["holds"], settled(&project).1), (&json!([]), "passed".to_owned()));
}
