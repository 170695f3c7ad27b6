//! Workflows of the organisation's and the user's own.

use super::{House, put, put_gate};
use crate::gate::{held, message};

#[test]
fn they_need_no_leave_and_the_nearest_counts() {
    let house = House::new();
    put_gate(&house.organisation(), "house", "ORGANISATION");
    assert_eq!(held(&house.stranger_hook()), "ANY\n\nORGANISATION");
    put_gate(&house.user(), "house", "USER");
    assert_eq!(held(&house.stranger_hook()), "ANY\n\nUSER");
    house.project.workflow("house", &super::gate("PROJECT"));
    assert_eq!(held(&house.stranger_hook()), "ANY\n\nUSER", "the project's waits for the user");
    assert_eq!(held(&house.hook()), "ANY\n\nPROJECT");
}

#[test]
fn they_take_the_place_of_a_built_in_one() {
    let house = House::new();
    house.project.write(".isdlc/state.json", crate::gate::ISDLC_STATE);
    put_gate(&house.user(), "isdlc", "MINE");
    let status = house.run(&["status", "--json"]).json();
    assert_eq!(status["runs"][0]["workflow"], "isdlc");
    assert_eq!(status["runs"][0]["origin"], "user");
}

/// A run cannot be taken over by a workflow that an agent writes to its user's folder, or finds by a variable.
#[test]
fn a_sealed_run_goes_on_with_the_workflow_it_was_begun_with() {
    const SEALED: &str = r#"
about = "Sealed."
[run]
home   = ".sealed"
state  = ".sealed/state.json"
due    = "phase"
sealed = true
[fields]
phase = "a"
[phases.a]
by   = "agent"
ask  = "ASKED BY THE FIRST."
until = "false"
then = "b"
[phases.b]
by = "user"
then = "a"
[commands.start]
about = "Begin."
steps = [{ create = "x", say = "Begun." }]
"#;
    let house = House::new();
    put(&house.organisation(), "workflows/mine/workflow.toml", SEALED);
    let begun = house.run(&["mine", "start"]);
    assert_eq!(begun.code, Some(0), "{}{}", begun.stdout, begun.stderr);
    let mut stop = crate::gate::event(&house.project);
    stop["hook_event_name"] = "Stop".into();
    let stopped = || crate::project::feed(house.command(&["hook"]), stop.to_string().as_bytes());
    assert!(held(&stopped()).contains("ASKED BY THE FIRST"));
    put(
        &house.user(),
        "workflows/mine/workflow.toml",
        &SEALED.replace("until = \"false\"", "until = \"true\""),
    );
    let printed = stopped();
    assert!(message(&printed).contains("it was changed after the run here was begun"), "{}", printed.stdout);
    std::fs::remove_dir_all(house.user()).unwrap();
    assert!(held(&stopped()).contains("ASKED BY THE FIRST"));
}

#[test]
fn they_are_checked_as_strictly_and_said_to_be_wrong() {
    let house = House::new();
    put(
        &house.user(),
        "workflows/wrong/workflow.toml",
        &super::gate("X").replace("state.locked", "stat.locked"),
    );
    let printed = house.stranger_hook();
    assert_eq!(held(&printed), "");
    assert!(message(&printed).contains("workflow `wrong` cannot be used"), "{}", printed.stdout);
    assert_eq!(message(&house.stranger_hook()), "", "once a session");
}

/// An agent that leaves its project is still held there: one of its user's that cannot be used changes nothing about it.
#[test]
fn one_that_cannot_be_used_hides_no_run() {
    let house = House::new();
    put(&house.user(), "workflows/wrong/workflow.toml", "about = 1\n");
    put_gate(&house.organisation(), "house", "HOUSE");
    let mut event = crate::gate::event(&house.project);
    event["cwd"] = "/".into();
    let mut command = house.command(&["hook"]);
    command.env("CLAUDE_PROJECT_DIR", house.project.root());
    assert_eq!(held(&crate::project::feed(command, event.to_string().as_bytes())), "ANY\n\nHOUSE");
}

/// Checking costs many times what reading does, so what was found good is remembered, outside of the project.
#[test]
fn what_was_found_good_is_remembered_in_the_state_folder() {
    let house = House::new();
    put_gate(&house.organisation(), "house", "HOUSE");
    house.stranger_hook();
    let checked = house.project.state().join("holdpoint/checked");
    assert_eq!(std::fs::read_dir(checked).unwrap().count(), 1);
    assert!(!house.project.root().join(".holdpoint").exists());
}

/// Their hooks are registered for all projects of the user, as those of the built-in ones are.
#[test]
fn init_for_the_user_knows_them() {
    let house = House::new();
    put_gate(&house.user(), "mine", "MINE");
    house.project.workflow("projects", &super::gate("PROJECT"));
    let home = house.project.root().join("no-home");
    std::fs::create_dir(&home).unwrap();
    let init = house.run(&["init", "--user", "--agent", "claude", "--workflow", "mine"]);
    assert_eq!(init.code, Some(0), "{}{}", init.stdout, init.stderr);
    assert!(std::fs::read_to_string(home.join(".claude/settings.json")).unwrap().contains("PreToolUse"));
    let refused = house.run(&["init", "--user", "--agent", "claude", "--workflow", "projects"]);
    assert!(
        refused.stderr.contains("`--user` installs built-in workflows and your own"),
        "{}",
        refused.stderr
    );
}

/// What a clone brings along waits, whosever the workflow is.
#[test]
fn a_run_that_came_with_a_clone_waits_for_the_user() {
    let house = House::new();
    let acts = super::gate("HOUSE")
        .replace("[holds.any]", "[commands.start]\nabout = \"x\"\nsteps = [{ say = \"x\" }]\n[holds.any]");
    put(&house.user(), "workflows/house/workflow.toml", &acts);
    let printed = house.stranger_hook();
    assert_eq!(held(&printed), "");
    assert!(message(&printed).contains("a run of house that did not begin here"), "{}", printed.stdout);
    let allowed = house.run(&["allow", "--print"]);
    let digest = allowed.stdout.trim().to_owned();
    assert_eq!(house.run(&["allow", "--digest", &digest]).code, Some(0));
    assert_eq!(held(&house.stranger_hook()), "ANY\n\nHOUSE");
}

#[test]
fn a_case_of_theirs_is_run_without_the_layers() {
    let house = House::new();
    put_gate(&house.user(), "house", "HOUSE");
    house.orders("own_workflows = false\n");
    let case = "[[case]]\nname = \"held\"\nfiles = { \".gate/state.json\" = '{\"locked\": true}' }\nevent = { hook_event_name = \"PreToolUse\", tool_name = \"Bash\", tool_input = { command = \"ls\" } }\nexpect = \"hold\"\n";
    put(&house.organisation(), "workflows/house/workflow.toml", &super::gate("HOUSE"));
    put(&house.organisation(), "workflows/house/cases/a.toml", case);
    let printed = house.run(&["test", "house"]);
    assert!(printed.stdout.contains("1 passed, 0 failed"), "{}{}", printed.stdout, printed.stderr);
}

/// A project's texts can name the commands of the workflows above it.
#[test]
fn a_projects_workflow_can_name_their_commands() {
    let house = House::new();
    let commands = super::gate("HOUSE")
        .replace("[holds.any]", "[commands.open]\nabout = \"x\"\nsteps = [{ say = \"x\" }]\n[holds.any]");
    put(&house.organisation(), "workflows/house/workflow.toml", &commands);
    house.project.workflow("mine", &super::gate("Run `holdpoint house open`."));
    assert!(held(&house.hook()).contains("holdpoint house open"));
    assert!(house.run(&["check", "mine"]).stdout.starts_with("mine: ok"));
}
