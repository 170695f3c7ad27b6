//! First contact stays short: who works in a project of their own needs no extra step.

use serde_json::json;

use super::{Machine, stop};

const STATE: &str = r#"{"max_reviews":8,"current_task":null,"phase":"new-plan","next_phase":"plan-review","phase_iteration":0,
 "review_model":"opus","consecutive_clean":0,"tdd":false}"#;

fn own_project() -> Machine {
    let machine = Machine::cloned(&[("README.md", "x")]);
    machine.trap("claude");
    machine
}

/// A plan as an agent writes it by hand.
fn write_plan(machine: &Machine) {
    machine.write(".taskie/plans/p/state.json", STATE);
    machine.write(".taskie/plans/p/plan.md", "# Plan\n");
}

#[test]
fn after_init_a_run_by_hand_counts() {
    for is_typed in [true, false] {
        let machine = own_project();
        let args = ["init", "--agent", "claude"];
        let printed = if is_typed { machine.typed(&args, "") } else { machine.run(&args) };
        assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""));
        write_plan(&machine);
        let answer = machine.stop();
        assert!(machine.ran(), "{answer}");
    }
}

#[test]
fn init_by_the_user_allows_what_is_there_and_says_so() {
    let machine =
        Machine::cloned(&[(".taskie/plans/p/state.json", STATE), (".taskie/plans/p/plan.md", "# Plan\n")]);
    machine.trap("claude");
    let printed = machine.typed(&["init", "--agent", "claude"], "");
    assert!(
        printed.stdout.contains("allowed  the project's runs: taskie in ./.taskie/plans/p"),
        "{}",
        printed.stdout
    );
    machine.stop();
    assert!(machine.ran());
}

/// With hooks in all projects, a command that begins a run is enough.
#[test]
fn a_run_that_a_command_made_counts_anywhere() {
    let machine = own_project();
    assert_eq!(machine.run(&["taskie", "new-plan", "cart"]).code, Some(0));
    machine.write(".taskie/plans/cart/plan.md", "# Plan\n");
    let answer = machine.stop();
    assert!(machine.ran(), "{answer}");
}

/// A run that nobody knows of would wait for its user as if it had come along.
#[test]
fn a_command_makes_no_run_that_cannot_be_registered() {
    let machine = own_project();
    let state = machine.home().join(".local/state");
    std::fs::create_dir_all(&state).unwrap();
    std::fs::write(state.join("holdpoint"), "in the way").unwrap();
    let printed = machine.run(&["taskie", "new-plan", "cart"]);
    assert_ne!(printed.code, Some(0), "{}", printed.stdout);
    assert!(!machine.root().join(".taskie/plans/cart").exists(), "{}", printed.stderr);
}

#[test]
fn a_run_by_hand_in_a_project_that_nobody_allowed_waits() {
    let machine = own_project();
    write_plan(&machine);
    machine.is_harmless(&[stop()]);
    machine.allow();
    machine.stop();
    assert!(machine.ran());
}

/// A plan of somebody else's that is newer does not take the place of one's own.
#[test]
fn a_run_from_elsewhere_hides_none_that_began_here() {
    let machine = own_project();
    assert_eq!(machine.run(&["taskie", "new-plan", "cart"]).code, Some(0));
    machine.write(".taskie/plans/cart/plan.md", "# Plan\n");
    machine.write(".taskie/plans/other/state.json", &STATE.replace("plan-review", "code-review"));
    machine.write(".taskie/plans/other/plan.md", "# Plan\n");
    let answer = machine.stop();
    assert!(machine.ran(), "{answer}");
    let status = machine.run(&["status", "--json"]);
    assert!(status.stdout.contains("plan-review"), "{}", status.stdout);
}

#[test]
fn a_copy_that_holdpoint_makes_is_allowed() {
    let machine = own_project();
    assert_eq!(machine.run(&["init", "--agent", "claude", "--workflow", "taskie"]).code, Some(0));
    assert_eq!(machine.run(&["workflow", "eject", "taskie"]).code, Some(0));
    write_plan(&machine);
    let answer = machine.stop();
    assert!(machine.ran(), "{answer}");
    let status: serde_json::Value = serde_json::from_str(&machine.run(&["status", "--json"]).stdout).unwrap();
    assert_eq!(status["waiting"], json!(null));
    assert_eq!(status["runs"][0]["origin"], "project");
}

/// A folder is a project before it is a repository.
#[test]
fn a_repository_made_after_init_stays_allowed() {
    let machine = own_project();
    std::fs::remove_dir_all(machine.root().join(".git")).unwrap();
    assert_eq!(machine.run(&["init", "--agent", "claude"]).code, Some(0));
    super::git(&machine.root(), &["init", "--quiet"]);
    write_plan(&machine);
    machine.stop();
    assert!(machine.ran());
}

/// A git that cannot tell says nothing for good.
#[test]
fn a_run_waits_only_as_long_as_git_cannot_tell() {
    let machine = own_project();
    machine.allow();
    write_plan(&machine);
    machine.script("git", "exit 128");
    machine.stop();
    assert!(!machine.ran());
    std::fs::remove_file(machine.home().join("bin/git")).unwrap();
    let answer = machine.stop();
    assert!(machine.ran(), "{answer}");
}
