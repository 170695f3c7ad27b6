//! The programs of a project's checks are pinned: what is found on PATH, what is missing, what is another one.

use super::{Machine, RUNS};
use crate::project::feed;

const LINT: &str = ".holdpoint/workflows/lint/workflow.toml";

/// A project that runs `odd-check` at a Stop.
fn machine() -> Machine {
    let text = RUNS.replace(r#"["sh", "-c", "touch \"$HOME/ran\""]"#, r#"["odd-check"]"#);
    assert!(text.contains("odd-check"));
    Machine::cloned(&[("README.md", "x"), (".x.json", "{\"phase\":\"a\"}"), (LINT, &text)])
}

/// A Stop with this before the PATH; whether the program ran.
fn stopped(machine: &Machine, first: &str) -> bool {
    machine.write(".x.json", "{\"phase\":\"a\"}");
    let _ = std::fs::remove_file(machine.home().join("ran"));
    let mut hook = machine.holdpoint(&["hook", "--agent", "claude"]);
    let path = format!("{first}{}/bin:{}", machine.home().display(), std::env::var("PATH").unwrap());
    hook.env("PATH", path);
    let mut event = super::stop();
    event["cwd"] = serde_json::json!(machine.root());
    feed(hook, event.to_string().as_bytes());
    machine.ran()
}

fn script(machine: &Machine, path: &str) {
    machine.write(path, "#!/bin/sh\ntouch \"$HOME/ran\"\n");
    let file = machine.root().join(path);
    std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn folders_that_are_not_absolute_are_no_part_of_a_path() {
    let machine = machine();
    machine.allow();
    script(&machine, "odd-check");
    script(&machine, "bin/odd-check");
    for first in [".:", ":", "bin:", "./bin:"] {
        assert!(!stopped(&machine, first), "{first}");
        assert_eq!(machine.typed(&["allow", "--revoke"], "").code, Some(0));
        machine.allow();
    }
}

#[test]
fn a_program_that_is_installed_later_asks_the_user_once_its_folder_is_new() {
    let machine = machine();
    machine.allow();
    assert!(!stopped(&machine, ""), "it is missing");
    machine.script("odd-check", "touch \"$HOME/ran\"");
    assert!(stopped(&machine, ""), "its folder was on PATH");

    let new = machine.home().join("new");
    std::fs::create_dir(&new).unwrap();
    std::fs::rename(machine.home().join("bin/odd-check"), new.join("odd-check")).unwrap();
    assert!(!stopped(&machine, &format!("{}:", new.display())), "that folder was not");
    let said = machine.book("journal.jsonl");
    let said = std::fs::read_to_string(said).unwrap();
    assert!(said.contains("`odd-check` was not on your PATH on 20"), "{said}");
}

#[test]
fn a_project_that_is_revoked_has_no_pin() {
    let machine = machine();
    machine.script("odd-check", "touch \"$HOME/ran\"");
    machine.allow();
    assert!(machine.run(&["allow", "--list"]).stdout.contains("  odd-check: /"));
    machine.script("odd-check", "touch \"$HOME/ran\"; true");
    assert!(!stopped(&machine, ""));
    let doctor = machine.run(&["doctor"]).stdout;
    assert!(doctor.contains("`odd-check` is another file than on 20"), "{doctor}");
    let piped = machine.run(&["allow"]);
    assert!(
        piped.stderr.contains("`odd-check` is another file than on 20"),
        "{}{}",
        piped.stdout,
        piped.stderr
    );
    assert!(!stopped(&machine, ""), "a script's `allow` renews nothing");
    assert_eq!(machine.typed(&["allow", "--revoke"], "").code, Some(0));
    machine.allow();
    assert!(stopped(&machine, ""));
}

/// What a check starts is not the user, though none of its variables says so.
#[test]
#[cfg(target_os = "linux")]
fn a_check_allows_nothing() {
    let machine = machine();
    let ours = env!("CARGO_BIN_EXE_holdpoint");
    machine.script("odd-check", &format!("{ours} allow --revoke >said 2>&1"));
    machine.allow();
    stopped(&machine, "");
    let said = std::fs::read_to_string(machine.root().join("said")).unwrap();
    assert!(said.contains("the user's to call"), "{said}");
}

/// `init` shows no programs, so it takes no other ones.
#[test]
fn init_renews_nothing_that_has_changed() {
    let machine = machine();
    machine.script("odd-check", "touch \"$HOME/ran\"");
    assert_eq!(machine.typed(&["init", "--agent", "claude"], "").code, Some(0));
    assert!(stopped(&machine, ""));
    machine.script("odd-check", "touch \"$HOME/ran\"; true");
    let again = machine.typed(&["init", "--agent", "claude"], "");
    assert!(again.stderr.contains("To see which: holdpoint allow"), "{}{}", again.stdout, again.stderr);
    assert!(!stopped(&machine, ""));
}
