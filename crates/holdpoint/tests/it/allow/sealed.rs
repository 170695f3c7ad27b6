//! A sealed run stays with the workflow that it was begun with: while the project's own waits, the built-in one of its
//! name leaves the run alone.

use std::path::PathBuf;

use super::{Machine, prompt, shell, stop};

const OWN: &str = ".holdpoint/workflows/autopilot/workflow.toml";

const SPEC: &str = "ai/features/FTR-7-cart.md";
/// The built-in workflow needs neither a program of a reviewer nor tests then.
const START: [&str; 7] = ["autopilot", "start", SPEC, "--reviews", "subagent", "--test", "true"];
const PLAN: &str = "# Cart\n\n**Status:** queued\n\n## Implementation Plan\n\n### Task 1: total\nSum.\n";

/// A workflow of the project's own, with the name of a sealed one that is built in.
const SEALED: &str = r#"
about = "Own."
[run]
home   = "autopilot-state.json"
state  = "autopilot-state.json"
sealed = true
due    = "phase"
[fields]
phase = "a"
[phases.a]
by = "user"
then = "b"
[phases.b]
by = "user"
then = "a"
[commands.start]
about = "Begin."
steps = [{ create = "x", say = "Begun." }]
"#;

/// A project with a run of its own workflow.
fn machine() -> Machine {
    let machine = Machine::cloned(&[("README.md", "x"), (OWN, SEALED)]);
    machine.allow();
    let begun = machine.run(&["autopilot", "start"]);
    assert_eq!((begun.code, begun.stdout.as_str()), (Some(0), "Begun.\n"), "{}", begun.stderr);
    machine
}

fn seal(machine: &Machine) -> PathBuf {
    machine.book("sealed/autopilot.json")
}

fn left_alone(machine: &Machine, named: &str) {
    let before = std::fs::read_to_string(seal(machine)).unwrap();
    let answers: Vec<_> =
        [stop(), prompt(), shell("git commit -am x")].map(|event| machine.hook(event)).into();
    for answer in &answers {
        assert!(answer["decision"].is_null() && answer["hookSpecificOutput"].is_null(), "{answer}");
    }
    assert!(answers.iter().any(|answer| answer.to_string().contains(named)), "it is told: {answers:?}");
    let spec = "ai/features/FTR-7-cart.md";
    machine
        .write(spec, "# Cart\n\n**Status:** queued\n\n## Implementation Plan\n\n### Task 1: total\nSum.\n");
    for words in [&["autopilot", "next"][..], &["autopilot", "start", spec], &["autopilot", "start"]] {
        let printed = machine.run(words);
        assert_ne!(printed.code, Some(0), "{words:?}: {}", printed.stdout);
        assert!(printed.stderr.contains(named), "{words:?}: {}", printed.stderr);
    }
    assert_eq!(std::fs::read_to_string(seal(machine)).unwrap(), before);
}

#[test]
fn a_built_in_workflow_leaves_the_run_of_a_changed_one_alone() {
    let machine = machine();
    machine.write(OWN, &format!("{SEALED}# changed\n"));
    left_alone(&machine, "holdpoint allow ");
    machine.write(OWN, SEALED);
    let status = machine.run(&["status", "--json"]).json();
    assert_eq!(status["runs"][0]["origin"], "project", "{status}");
}

#[test]
fn nor_does_it_go_on_with_the_run_of_one_that_is_gone() {
    let machine = machine();
    std::fs::remove_dir_all(machine.root().join(".holdpoint/workflows")).unwrap();
    left_alone(&machine, "put ");
    machine.write(OWN, SEALED);
    let status = machine.run(&["status", "--json"]).json();
    assert_eq!(status["runs"][0]["origin"], "project", "{status}");
}

fn edit(machine: &Machine) {
    machine.write(OWN, &format!("{SEALED}# changed\n"));
}

fn remove(machine: &Machine) {
    std::fs::remove_dir_all(machine.root().join(".holdpoint/workflows")).unwrap();
    machine.write(SPEC, PLAN);
}

/// What the messages say: `holdpoint allow` ends it, whatever was allowed in between, and another can begin.
#[test]
fn allowing_ends_the_run_of_a_workflow_that_is_another_one_now() {
    let changes = [(edit as fn(&Machine), &["autopilot", "start"][..]), (remove, &START)];
    for (change, start) in changes {
        for is_allowed_before in [false, true] {
            let machine = machine();
            change(&machine);
            // Without a terminal the content is allowed, and nothing becomes of the run.
            if is_allowed_before {
                let digest = machine.run(&["allow", "--print"]).stdout;
                let allowed = machine.run(&["allow", "--digest", digest.trim()]);
                assert_eq!(allowed.code, Some(0), "{}", allowed.stderr);
            }
            let next = machine.run(&["autopilot", "next"]);
            assert!(next.code != Some(0) && next.stderr.contains("holdpoint allow "), "{}", next.stderr);
            let refused = machine.typed(&["allow"], "n\n");
            assert!(refused.stdout.contains("has changed, or is gone. It ends"), "{}", refused.stdout);
            assert_ne!(machine.run(start).code, Some(0), "it is the user's to say");
            let allowed = machine.typed(&["allow"], "y\n");
            assert!(
                allowed.stdout.contains("The run of autopilot is over. Its state is in "),
                "{}",
                allowed.stdout
            );
            let begun = machine.run(start);
            assert_eq!(begun.code, Some(0), "{}{}", begun.stdout, begun.stderr);
            let again = machine.typed(&["allow"], "y\n");
            assert!(again.stdout.contains("already allowed as it is"), "{}", again.stdout);
        }
    }
}

/// A run whose workflow waits for the user, and is the one it was begun with, goes on.
#[test]
fn allowing_leaves_the_run_of_an_unchanged_workflow_alone() {
    let machine = machine();
    machine.write(".holdpoint/workflows/other/workflow.toml", "about = \"Other.\"\n");
    let allowed = machine.typed(&["allow"], "y\n");
    assert!(!allowed.stdout.contains("It ends"), "{}", allowed.stdout);
    let status = machine.run(&["status", "--json"]).json();
    assert_eq!(status["runs"][0]["origin"], "project", "{status}");
}

/// A run that a built-in workflow begins while the project's own waits is the built-in one's.
#[test]
fn the_head_of_a_seal_names_the_workflow_that_began_the_run() {
    let machine = Machine::cloned(&[(SPEC, PLAN), (OWN, SEALED)]);
    let begun = machine.run(&START);
    assert_eq!(begun.code, Some(0), "{}", begun.stderr);
    let head = || std::fs::read_to_string(seal(&machine)).unwrap().lines().next().unwrap().to_owned();
    assert_eq!(head().split(' ').nth(1), Some("none"), "{}", head());
    machine.allow();
    machine.stop();
    let status = machine.run(&["status", "--json"]).json();
    assert_eq!(status["runs"][0]["origin"], "built-in", "{status}");
    assert_eq!(head().split(' ').nth(1), Some("none"), "{}", head());
}
