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
    // Each line says how many reviews a run can take, or that they have a limit. Reviews without a limit are an error.
    let is_well = |line: &str| {
        line.ends_with(": ok")
            || line.starts_with("  at most ")
            || line.ends_with(" has a limit, but is not included in this estimate")
    };
    assert!(printed.stdout.lines().all(is_well), "{}", printed.stdout);
}
