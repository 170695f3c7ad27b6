//! Files that somebody else could have written do not steer, and the user hears of them.

use std::os::unix::fs::{chown, symlink};

use super::{House, chmod, put, put_gate};
use crate::gate::{held, message};
use crate::project::Printed;

/// Another user of the machine.
const NOBODY: u32 = 65534;

/// Returns whether files can be given to another user.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A house whose organisation has switched off all workflows, and whose project has one.
fn closed() -> House {
    let house = House::new();
    house.project.workflow("mine", &super::gate("MINE"));
    house.orders("own_workflows = false\n");
    assert_eq!(held(&house.hook()), "");
    house
}

fn is_not_used(printed: &Printed, why: &str) {
    assert_eq!(held(printed), "ANY\n\nMINE", "{why}");
    assert!(message(printed).contains(" is not used"), "{}", printed.stdout);
    assert!(message(printed).contains(why), "{why}: {}", printed.stdout);
}

#[test]
fn an_organisations_file_that_others_can_write_is_not_used() {
    for mode in [0o666, 0o646, 0o664] {
        let house = closed();
        let file = house.organisation().join("holdpoint.toml");
        chmod(&file, mode);
        is_not_used(&house.hook(), "others than root can write it; to fix it: sudo chmod go-w ");
        chmod(&file, 0o644);
        assert_eq!(held(&house.hook()), "");
    }
}

#[test]
fn an_organisations_folder_that_others_can_write_is_not_used() {
    let house = closed();
    put_gate(&house.organisation(), "house", "HOUSE");
    chmod(&house.organisation(), 0o777);
    is_not_used(&house.hook(), "others than root can write it");
}

#[test]
fn an_organisations_file_of_another_user_is_not_used() {
    if !is_root() {
        return;
    }
    let house = closed();
    chown(house.organisation().join("holdpoint.toml"), Some(NOBODY), None).unwrap();
    is_not_used(&house.hook(), "it is not root's; to fix it: sudo chown root ");
    let house = closed();
    chown(house.organisation(), Some(NOBODY), None).unwrap();
    is_not_used(&house.hook(), "it is not root's");
}

#[test]
fn a_link_or_a_pipe_in_the_place_of_settings_is_not_used() {
    let house = closed();
    let file = house.organisation().join("holdpoint.toml");
    let elsewhere = file.with_file_name("elsewhere.toml");
    std::fs::rename(&file, &elsewhere).unwrap();
    symlink("elsewhere.toml", &file).unwrap();
    is_not_used(&house.hook(), "it is not a plain file");
    let house = closed();
    let file = house.organisation().join("holdpoint.toml");
    std::fs::remove_file(&file).unwrap();
    let made = std::process::Command::new("mkfifo").args(["-m", "644"]).arg(&file).status().unwrap();
    assert!(made.success());
    is_not_used(&house.hook(), "it is not a plain file");
    let house = closed();
    let folder = house.organisation();
    std::fs::rename(&folder, folder.with_file_name("other")).unwrap();
    symlink("other", &folder).unwrap();
    is_not_used(&house.hook(), "it is not a plain folder");
    for layer in [House::organisation, House::user] {
        let house = House::new();
        put_gate(&layer(&house), "house", "HOUSE");
        let workflows = layer(&house).join("workflows");
        std::fs::rename(&workflows, layer(&house).join("other")).unwrap();
        symlink("other", &workflows).unwrap();
        let printed = house.hook();
        assert_eq!(held(&printed), "");
        assert!(
            message(&printed).contains("workflows is not used: it is not a plain folder"),
            "{}",
            printed.stdout
        );
    }
}

#[test]
fn a_users_file_of_another_user_is_not_used() {
    let house = House::new();
    house.project.workflow("mine", &super::gate("MINE"));
    house.wishes("own_workflows = false\n");
    assert_eq!(held(&house.hook()), "");
    let file = house.user().join("holdpoint.toml");
    chmod(&file, 0o666);
    is_not_used(&house.hook(), "everybody can write it; to fix it: chmod o-w ");
    chmod(&file, 0o664);
    assert_eq!(held(&house.hook()), "", "a group of one is common");
    let elsewhere = house.user().with_file_name("elsewhere.toml");
    std::fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    is_not_used(&house.hook(), "it is not a plain file");
    if is_root() {
        std::fs::remove_file(&file).unwrap();
        put(&house.user(), "holdpoint.toml", "own_workflows = false\n");
        chown(&file, Some(NOBODY), None).unwrap();
        is_not_used(&house.hook(), "it belongs to another user");
    }
}

#[test]
fn a_workflow_that_others_can_write_holds_nothing() {
    for place in
        ["workflows/house/workflow.toml", "workflows/house", "workflows", "workflows/house/texts/said.md"]
    {
        let house = House::new();
        let text = super::gate("HOUSE").replace("say  = \"ANY\"", "say  = \"texts/said.md\"");
        put(&house.organisation(), "workflows/house/workflow.toml", &text);
        put(&house.organisation(), "workflows/house/texts/said.md", "ANY\n");
        assert_eq!(held(&house.hook()), "ANY\n\nHOUSE", "{place}");
        let path = house.organisation().join(place);
        chmod(&path, if path.is_dir() { 0o777 } else { 0o666 });
        let printed = house.hook();
        assert_eq!(held(&printed), "", "{place}");
        assert!(message(&printed).contains("workflow `house` cannot be used"), "{place}: {}", printed.stdout);
    }
}
