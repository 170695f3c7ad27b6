//! What a project does to loosen what is locked, required or switched off above it.

use super::{House, OURS, gate, put_gate};
use crate::gate::{held, message};

#[test]
fn a_project_cannot_switch_off_a_required_workflow() {
    for text in
        ["workflows = []", "workflows = [\"other\"]", "\"workflows\" = []", "lock = []\nworkflows = []"]
    {
        let house = House::new();
        put_gate(&house.organisation(), "house", "HOUSE");
        house.orders("require = [\"house\"]\n").says(text);
        assert_eq!(held(&house.hook()), "ANY\n\nHOUSE", "{text}");
        house.says("").wishes(text);
        assert_eq!(held(&house.hook()), "ANY\n\nHOUSE", "nor can the user: {text}");
    }
}

#[test]
fn neither_a_project_nor_a_user_can_replace_a_required_workflow() {
    let tame = gate("x").replace("when = \"state.locked\"", "when = \"state.never\"");
    let house = House::new();
    put_gate(&house.organisation(), "house", "HOUSE");
    house.orders("require = [\"house\"]\n");
    house.project.workflow("house", &tame);
    let printed = house.hook();
    assert_eq!(held(&printed), "ANY\n\nHOUSE");
    let told = format!(
        "holdpoint: the project's own workflow `house` is not used: {}/holdpoint.toml has require = [\"house\"]. \
         See `holdpoint check`.",
        house.organisation().display()
    );
    assert_eq!(message(&printed), told);
    std::fs::remove_dir_all(house.project.root().join(".holdpoint")).unwrap();
    super::put(&house.user(), "workflows/house/workflow.toml", &tame);
    let printed = house.hook();
    assert_eq!(held(&printed), "ANY\n\nHOUSE");
    assert!(message(&printed).contains("the user's own workflow `house` is not used"), "{}", printed.stdout);
}

#[test]
fn a_project_without_leave_has_no_workflow_of_its_own() {
    for above in [House::orders, House::wishes] {
        let house = House::new();
        above(&house, "own_workflows = false\n");
        house.project.workflow("mine", &gate("MINE"));
        house.says("own_workflows = true\nworkflows = [\"mine\"]\n");
        let printed = house.hook();
        assert_eq!(held(&printed), "");
        assert!(message(&printed).contains("own workflow `mine` is not used"), "{}", printed.stdout);
        assert!(
            message(&printed).contains("`own_workflows` has no effect in a project's"),
            "{}",
            printed.stdout
        );
        let refused = house.run(&["mine"]);
        assert!(refused.stderr.contains("own workflow `mine` is not used"), "{}", refused.stderr);
    }
}

#[test]
fn a_locked_list_stays_as_it_is() {
    let house = House::new();
    put_gate(&house.organisation(), "house", "HOUSE");
    house.orders("workflows = [\"house\"]\nlock = [\"workflows\"]\n");
    house.project.workflow("mine", &gate("MINE"));
    house.project.workflow("house", &gate("TAME"));
    for text in ["workflows = []", "workflows = [\"mine\"]", "'workflows' = ['mine']", "require = [\"mine\"]"]
    {
        house.says(text).wishes(text);
        let printed = house.hook();
        assert_eq!(held(&printed), "ANY\n\nHOUSE", "{text}");
    }
    house.says("workflows = [\"mine\"]\n").wishes("");
    let problems = house.run(&["status", "--json"]).json()["problems"].to_string();
    let told = format!("{OURS}:1:13: `workflows` is locked by the organisation, so this is not used");
    assert!(problems.contains(&told), "{problems}");
    let file = house.organisation().join("holdpoint.toml");
    assert!(problems.contains(&format!("{} has lock", file.display())), "{problems}");
    let refused = house.run(&["mine"]);
    assert!(refused.stderr.contains("workflow `mine` is not enabled"), "{}", refused.stderr);
    assert!(refused.stderr.contains(&file.display().to_string()), "{}", refused.stderr);
}

/// A check that shows whether a variable was passed to it.
const PASSES: &str = r#"
about = "Shows a variable."
[run]
home  = ".gate"
state = ".gate/state.json"
due   = "phase"
[fields]
phase = "a"
[phases.a]
by    = "check"
check = "c"
then.pass = { go = "b" }
then.fail = { go = "b" }
[phases.b]
by = "user"
then = "a"
[checks.c]
run  = ["sh", "-c", "echo \"${SETTING:-nothing}\" > shown"]
timeout = 60
"#;

#[test]
fn locked_programs_get_no_more_than_the_lock_says() {
    let spellings = [
        "[programs]\npass = [\"SETTING\"]",
        "programs.pass = [\"SETTING\"]",
        "programs = { \"pass\" = [\"SETTING\"] }",
    ];
    for (lock, wanted) in [
        ("", "passed\n"),
        ("lock = [\"programs\"]", "nothing\n"),
        ("lock = [\"programs.pass\"]", "nothing\n"),
    ] {
        for text in spellings {
            let house = House::new();
            house.project.write(".gate/state.json", "{\"phase\": \"a\"}").workflow("shows", PASSES);
            house.orders(lock).says(text);
            let mut stop = crate::gate::event(&house.project);
            stop["hook_event_name"] = "Stop".into();
            let mut command = house.command(&["hook"]);
            command.env("SETTING", "passed");
            crate::project::feed(command, stop.to_string().as_bytes());
            assert_eq!(house.project.read("shown"), wanted, "{lock}: {text}");
        }
    }
}

#[test]
fn no_variable_of_the_users_leaves_the_organisation_out() {
    let house = House::new();
    put_gate(&house.organisation(), "house", "HOUSE");
    for (name, value) in
        [("HOME", "/nonexistent"), ("XDG_CONFIG_HOME", "/nonexistent"), ("HOLDPOINT_ALLOW", "x")]
    {
        let mut command = house.command(&["hook"]);
        command.env(name, value);
        let printed =
            crate::project::feed(command, crate::gate::event(&house.project).to_string().as_bytes());
        assert_eq!(held(&printed), "ANY\n\nHOUSE", "{name}");
    }
}

#[test]
fn a_copy_that_would_not_be_used_is_not_made() {
    for orders in ["own_workflows = false\n", "require = [\"isdlc\"]\n", "lock = [\"workflows\"]\n"] {
        let house = House::new();
        house.orders(orders);
        let refused = house.run(&["workflow", "eject", "isdlc"]);
        assert!(refused.stderr.contains("a copy of `isdlc` would not be used here"), "{}", refused.stderr);
        assert!(!house.project.root().join(".holdpoint/workflows").exists());
        assert_eq!(house.run(&["workflow", "eject", "isdlc", "--to", "drafts"]).code, Some(0));
    }
}
