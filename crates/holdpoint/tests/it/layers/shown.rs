//! What commands say of the layers.

use super::{House, put_gate};

fn text(house: &House, args: &[&str]) -> String {
    let printed = house.run(args);
    let text = format!("{}{}", printed.stdout, printed.stderr);
    let text = text.replace(&house.organisation().display().to_string(), "[ORGANISATION]");
    let text = text.replace(&house.user().display().to_string(), "[USER]");
    text.replace(&house.project.root().display().to_string(), "[ROOT]")
}

#[test]
fn check_says_at_its_place_what_is_locked_above() {
    let house = House::new();
    put_gate(&house.organisation(), "house", "HOUSE");
    house.orders("require = [\"house\"]\nlock = [\"programs\"]\n");
    house.wishes("loc = [\"reviewers\"]\n");
    house.says("workflows = [\"house\"]\nprograms.pass = [\"DATABASE_URL\"]\n");
    let said = text(&house, &["check"]);
    assert!(said.contains("[ORGANISATION]/holdpoint.toml: ok\n"), "{said}");
    assert!(said.contains("unknown key `loc` in holdpoint.toml"), "{said}");
    assert!(said.contains("[USER]/holdpoint.toml:1:1"), "{said}");
    assert!(said.contains("`programs.pass` is locked by the organisation, so this is not used"), "{said}");
    assert!(said.contains("[ROOT]/.holdpoint/holdpoint.toml:2:17"), "{said}");
    assert!(
        said.contains("hint: leave it out: [ORGANISATION]/holdpoint.toml has lock = [\"programs\"]"),
        "{said}"
    );
    assert!(said.contains("house: ok"), "{said}");
}

#[test]
fn a_required_workflow_that_does_not_exist_is_told() {
    let house = House::new();
    put_gate(&house.organisation(), "house", "HOUSE");
    house.orders("require = [\"hous\"]\n");
    let said = text(&house, &["check"]);
    assert!(
        said.contains("error: unknown workflow `hous`") && said.contains("did you mean `house`?"),
        "{said}"
    );
    let said = text(&house, &["status"]);
    assert!(
        said.contains("[ORGANISATION]/holdpoint.toml names a workflow `hous` that does not exist"),
        "{said}"
    );
}

#[test]
fn doctor_lists_the_layers_and_what_they_fix() {
    let house = House::new();
    put_gate(&house.organisation(), "house", "HOUSE");
    house.orders("require = [\"house\"]\nlock = [\"programs\"]\n");
    house.wishes("lock = [\"reviewers\"]\n").says("");
    let said = text(&house, &["doctor"]);
    let wanted = "
Settings
  organisation  [ORGANISATION]/holdpoint.toml
    its own workflows: house
    for all below it: require `house`, lock `programs`
  user          [USER]/holdpoint.toml
    for all below it: lock `reviewers`
  project       [ROOT]/.holdpoint/holdpoint.toml
";
    assert!(said.contains(wanted), "{said}");
    let json = house.run(&["doctor", "--json"]).json();
    assert_eq!(json["layers"][0]["fixed"][1], "lock `programs`");
    assert_eq!(json["layers"][1]["layer"], "user");
}

#[test]
fn status_says_whose_a_workflow_is_and_who_leaves_one_out() {
    let house = House::new();
    put_gate(&house.organisation(), "house", "HOUSE");
    house.orders("workflows = [\"house\"]\n");
    let said = text(&house, &["status"]);
    assert!(said.starts_with("house  the organisation's own, [ORGANISATION]/workflows/house\n"), "{said}");
    std::fs::remove_dir_all(house.project.root().join(".gate")).unwrap();
    let said = text(&house, &["status"]);
    assert!(said.contains("(not enabled by `workflows` in [ORGANISATION]/holdpoint.toml)"), "{said}");
}

/// The trial's own workflow does not count there, and is not what doctor is asked about.
#[test]
fn doctor_finds_working_hooks_where_own_workflows_are_switched_off() {
    for above in ["own_workflows = false\n", "workflows = []\nlock = [\"workflows\"]\n", "workflows = []\n"] {
        let house = House::new();
        house.orders(above);
        let init = house.run(&["init", "--agent", "claude"]);
        assert_eq!(init.code, Some(0), "{}{}", init.stdout, init.stderr);
        let json = house.run(&["doctor", "--json"]).json();
        let hooks = json["agents"][0]["hooks"].as_array().unwrap();
        assert!(!hooks.is_empty());
        for hook in hooks {
            // Nobody waits for an answer when a session ends.
            let can_hold = (hook["event"] != "SessionEnd").into();
            assert_eq!((&hook["allows"], &hook["holds"]), (&true.into(), &can_hold), "{above}: {json:#}");
        }
    }
}
