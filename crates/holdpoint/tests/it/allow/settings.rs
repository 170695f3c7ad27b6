//! A `holdpoint.toml` that nobody has allowed gives programs nothing, chooses nobody, and has nothing written.

use super::{Machine, stop};
use crate::init::snapshot;
use crate::project::feed;

const SETTINGS: &str = ".holdpoint/holdpoint.toml";

#[test]
fn they_give_a_reviewer_no_variable() {
    let machine = Machine::cloned(&[("README.md", "x")]);
    machine.script("claude", "echo \"${SETTING:-nothing}\" > \"$HOME/ran\"");
    assert_eq!(machine.run(&["taskie", "new-plan", "cart"]).code, Some(0));
    machine.write(".taskie/plans/cart/plan.md", "# Plan\n");
    machine.write(SETTINGS, "[programs]\npass = [\"SETTING\"]\n");
    let passed = || {
        let mut command = machine.holdpoint(&["hook", "--agent", "claude"]);
        command.env("SETTING", "passed");
        let mut event = stop();
        event["cwd"] = serde_json::json!(machine.root());
        event["session_id"] = serde_json::json!("s");
        feed(command, event.to_string().as_bytes());
        std::fs::read_to_string(machine.home().join("ran")).unwrap()
    };
    assert_eq!(passed(), "nothing\n");
    machine.allow();
    assert_eq!(passed(), "passed\n");
}

#[test]
fn they_choose_no_reviewer() {
    let machine =
        Machine::cloned(&[(SETTINGS, "[reviewers.taskie]\ncareful = \"claude\"\nclaude = \"careful\"\n")]);
    let asks_careful = || machine.run(&["doctor", "--json"]).stdout.contains("--tools=Read,Glob,Grep");
    assert!(!asks_careful());
    machine.allow();
    assert!(asks_careful());
}

/// A link is no content, so there is nothing to allow, and nothing that would be known.
#[cfg(unix)]
#[test]
fn a_link_in_their_place_has_no_journal_written() {
    let machine = Machine::cloned(&[("README.md", "x"), (".holdpoint/x", "")]);
    std::os::unix::fs::symlink("../README.md", machine.root().join(SETTINGS)).unwrap();
    let before = snapshot(&machine.root().join(".holdpoint"));
    machine.stop();
    assert_eq!(snapshot(&machine.root().join(".holdpoint")), before);
    machine.allow();
    machine.stop();
    assert!(machine.book("journal.jsonl").exists(), "now it says what is wrong with it");
}
