//! What users hear of content that does not count, and of projects that are gone.

use std::process::Command;

use super::{Machine, RUNS, prompt};
use crate::project::feed;
use crate::terminal::at_terminal;

const LINT: &str = ".holdpoint/workflows/lint/workflow.toml";

fn machine() -> Machine {
    Machine::cloned(&[("README.md", "x"), (".x.json", "{\"phase\":\"a\"}"), (LINT, RUNS)])
}

#[test]
fn another_users_files_are_not_said_to_be_allowed() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let machine = machine();
    let mut chown = Command::new("chown");
    chown.args(["-R", "65534", ".holdpoint"]).current_dir(machine.root());
    assert!(chown.status().unwrap().success());
    let printed = machine.typed(&["allow", "--yes"], "");
    assert_eq!(printed.code, Some(1), "{}", printed.stdout);
    assert!(!printed.stdout.contains("Allowed"), "{}", printed.stdout);
    assert!(printed.stderr.contains("belongs to another user"), "{}", printed.stderr);
    assert!(machine.run(&["allow", "--list"]).stdout.contains("no project"));
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_workflow_is_told() {
    let machine = Machine::cloned(&[("README.md", "x"), ("real.toml", RUNS)]);
    std::fs::create_dir_all(machine.root().join(".holdpoint/workflows/lint")).unwrap();
    std::os::unix::fs::symlink("../../../real.toml", machine.root().join(LINT)).unwrap();
    let told = "lint/workflow.toml has no effect: it is a link";
    assert!(machine.run(&["doctor"]).stdout.contains(told), "{}", machine.run(&["doctor"]).stdout);
    let shown = machine.typed(&["allow"], "y\n").stdout;
    assert!(shown.contains(told), "{shown}");
    let answer = machine.hook(prompt());
    assert!(answer["systemMessage"].as_str().is_some_and(|text| text.contains(told)), "{answer}");
    assert!(machine.hook(prompt())["systemMessage"].is_null(), "once a session");
    assert!(machine.run(&["doctor"]).stdout.contains(told));
}

#[test]
fn a_project_that_is_gone_can_be_revoked() {
    let machine = machine();
    machine.allow();
    std::fs::remove_dir_all(machine.root()).unwrap();
    let path = machine.root().display().to_string();
    let list = at_terminal(machine.holdpoint_in(&machine.home(), &["allow", "--list"]), "").stdout;
    assert!(list.contains(&format!("gone; to forget it: holdpoint allow --revoke {path}\n")), "{list}");
    let revoke =
        |path: &str| at_terminal(machine.holdpoint_in(&machine.home(), &["allow", "--revoke", path]), "");
    let unknown = revoke("/nowhere/at/all");
    assert_eq!(unknown.code, Some(2), "{}", unknown.stdout);
    let revoked = revoke(&format!("{path}/"));
    assert_eq!(revoked.code, Some(0), "{}", revoked.stderr);
    let list = at_terminal(machine.holdpoint_in(&machine.home(), &["allow", "--list"]), "").stdout;
    assert!(list.contains("no project"), "{list}");
}

/// The repository around a folder that is gone is another project.
#[test]
fn revoking_what_is_gone_leaves_the_repository_around_it() {
    let machine = machine();
    machine.allow();
    let gone = machine.root().join("gone");
    let printed = machine.typed(&["allow", "--revoke", gone.to_str().unwrap()], "");
    assert_eq!(printed.code, Some(2), "{}", printed.stdout);
    assert!(machine.run(&["allow", "--list"]).stdout.starts_with(&machine.root().display().to_string()));
}

#[test]
fn a_binary_file_is_described() {
    let machine = machine();
    let file = ".holdpoint/workflows/lint/logo.png";
    let write = |bytes: &[u8]| std::fs::write(machine.root().join(file), bytes).unwrap();
    write(b"\x89PNG\0\x01");
    machine.allow();
    // Both are the same in letters that can be shown.
    write(b"\x8aPNG\0\x01");
    let shown = machine.typed(&["allow"], "n\n").stdout;
    let changes: Vec<&str> = shown.lines().filter(|line| line.contains("binary, 6 bytes")).collect();
    assert_eq!(changes.len(), 2, "{shown}");
    assert_ne!(
        changes[0].trim_start_matches([' ', '-']),
        changes[1].trim_start_matches([' ', '+']),
        "{shown}"
    );
    assert!(!shown.contains("PNG"), "{shown}");
}

#[test]
fn commands_that_look_at_runs_say_what_waits() {
    let machine = machine();
    let command = format!("holdpoint allow {}", machine.root().display());
    for words in [&["log"][..], &["evidence"]] {
        let printed = machine.run(words);
        assert_eq!(printed.code, Some(0), "{words:?}: {}", printed.stderr);
        assert!(printed.stderr.contains(&command), "{words:?}: {}", printed.stderr);
    }
    let approve = machine.typed(&["approve"], "");
    assert_eq!(approve.code, Some(1), "{}", approve.stdout);
    assert!(approve.stderr.contains(&command), "{}", approve.stderr);
}

#[test]
fn a_file_that_is_too_large_is_told_in_words() {
    let machine = machine();
    machine.write(LINT, &format!("{RUNS}# {}\n", "x".repeat(1024 * 1024)));
    machine.allow();
    let answer = machine.hook(prompt());
    let told = answer["systemMessage"].as_str().unwrap_or_default();
    assert!(told.contains("workflow.toml is larger than 1 MiB"), "{answer}");
}

/// Who has no state folder has allowed nothing that could be looked up: that is not the same as not having allowed it.
#[test]
fn without_a_place_to_look_it_up_that_is_said() {
    let machine = machine();
    machine.allow();
    let homeless = |args: &[&str]| {
        let mut command = machine.holdpoint(args);
        command.env("HOME", "/nonexistent");
        command
    };
    let why = "here is no place for the state folder: HOME is not the path of a folder";
    let hint = "set XDG_STATE_HOME to the path of a folder that you can write to";
    let mut event = prompt();
    event["cwd"] = serde_json::json!(machine.root());
    let told = feed(homeless(&["hook", "--agent", "claude"]), event.to_string().as_bytes()).json();
    let told = told["systemMessage"].as_str().unwrap_or_default().to_owned();
    let status = feed(homeless(&["status"]), b"");
    for said in [told, status.stdout + &status.stderr] {
        assert!(said.contains("nothing that you have allowed can be looked up"), "{said}");
        assert!(said.contains(why) && said.contains(hint) && !said.contains("holdpoint allow "), "{said}");
    }
    for args in [&["allow"][..], &["allow", "--list"], &["allow", "--revoke"], &["allow", "--digest", "x"]] {
        let printed = feed(homeless(args), b"");
        assert_eq!(printed.code, Some(3), "{args:?}: {}", printed.stdout);
        assert!(
            printed.stderr.contains(why) && printed.stderr.contains(hint),
            "{args:?}: {}",
            printed.stderr
        );
    }
}

/// A copy in a clone is the clone's own: what can be done about it now comes before what cannot.
#[test]
fn a_copy_in_a_clone_names_commands_that_work_as_they_come() {
    let machine = machine();
    let printed = machine.run(&["workflow", "eject", "claudex"]);
    let next: Vec<&str> = printed.stdout.lines().skip_while(|line| *line != "Next:").skip(1).collect();
    let allow = format!("  holdpoint allow {}", machine.root().display());
    assert_eq!(
        next[1..],
        ["  holdpoint check claudex", &allow, "  holdpoint test claudex"],
        "{}",
        printed.stdout
    );
    assert_eq!(machine.run(&["check", "claudex"]).code, Some(0));
    let is_refused =
        || machine.run(&["test", "claudex", "--case", "no such case"]).stderr.contains("not allowed yet");
    assert!(is_refused());
    machine.allow();
    assert!(!is_refused());
}
