//! The built-in workflows' own cases, as `holdpoint test` runs them.

use crate::project::Project;

#[test]
fn every_case_of_every_built_in_workflow_passes() {
    let printed = Project::new().run(&["test"]);
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    let passed = printed.stdout.lines().last().and_then(|line| line.split(". ").last()).unwrap();
    assert!(!passed.starts_with("0 passed"), "{}", printed.stdout);
}

#[test]
fn every_built_in_workflow_is_without_fault() {
    let printed = Project::new().run(&["check"]);
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    // How many reviews there can be is told, or that there is a limit; what has none is a fault.
    let told = ["at most ", "note: `"];
    let is_told = |line: &str| {
        let line = line.trim_start();
        let in_words = line.split_once(": ").map_or(line, |(_, words)| words);
        told.iter().any(|start| line.starts_with(start) || in_words.starts_with(start))
    };
    let is_well = |line: &str| line.ends_with(": ok") || line.starts_with("  ") && is_told(line);
    assert!(printed.stdout.lines().all(is_well), "{}", printed.stdout);
}
