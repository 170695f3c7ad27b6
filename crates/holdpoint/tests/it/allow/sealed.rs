//! A sealed run stays with the workflow that it was begun with: while the project's own waits, the built-in one of its
//! name leaves the run alone.

use std::path::PathBuf;

use super::{Machine, prompt, shell, stop};

const OWN: &str = ".holdpoint/workflows/autopilot/workflow.toml";

const SPEC: &str = "ai/features/FTR-7-cart.md";
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

/// A run that a built-in workflow begins while the project's own waits is the built-in one's.
#[test]
fn the_head_of_a_seal_names_the_workflow_that_began_the_run() {
    let machine = Machine::cloned(&[(SPEC, PLAN), (OWN, SEALED)]);
    let begun = machine.run(&["autopilot", "start", SPEC]);
    assert_eq!(begun.code, Some(0), "{}", begun.stderr);
    let head = || std::fs::read_to_string(seal(&machine)).unwrap().lines().next().unwrap().to_owned();
    assert_eq!(head().split(' ').nth(1), Some("none"), "{}", head());
    machine.allow();
    machine.stop();
    let status = machine.run(&["status", "--json"]).json();
    assert_eq!(status["runs"][0]["origin"], "built-in", "{status}");
    assert_eq!(head().split(' ').nth(1), Some("none"), "{}", head());
}
