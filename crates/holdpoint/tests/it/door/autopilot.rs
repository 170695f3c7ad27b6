//! A sealed run: what its user releases stands in its evidence, and in what is attested for the commit.

use serde_json::json;

use crate::autopilot::project::{SESSION, Site};
use crate::autopilot::walk::{READY_1, TASK_1, commit_1, follow, total};
use crate::project::Printed;

/// The user, in a terminal of the user's own.
fn users(site: &Site, words: &[&str]) -> Printed {
    let mut command = site.program(env!("CARGO_BIN_EXE_holdpoint"), "");
    command.args(words);
    crate::project::feed(command, b"")
}

#[test]
fn a_released_gate_stands_in_the_evidence_and_the_attestation() {
    let site = Site::new();
    site.start(&[]);
    site.done(&["plan"]);
    follow(&site, Site::next, &[(TASK_1, &total)]);
    let call = json!({"subagent_type": "spec-reviewer", "prompt": "Review it.", "description": "Review"});
    let (rule, _) = site.held(SESSION, "Task", &call).expect("a review before the tests is held");
    let entry = site.read_book("journal.jsonl").lines().next_back().unwrap().to_owned();
    let entry: serde_json::Value = serde_json::from_str(&entry).unwrap();
    let hold = entry["rules"][0]["hold"].as_str().unwrap();
    let refused = site.unseen(&format!("holdpoint release {hold} --reason x"));
    assert!(refused.stderr.contains("is the user's to call"), "{}", refused.stderr);
    let printed = users(&site, &["release", hold, "--reason", "a checkpoint"]);
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    assert_eq!(site.held(SESSION, "Task", &call), None, "once");
    assert_eq!(site.held(SESSION, "Task", &call).map(|(rule, _)| rule).as_deref(), Some(rule.as_str()));
    let pieces = site.evidence();
    let piece = pieces.iter().find(|piece| piece.get("release").is_some()).unwrap();
    assert_eq!((&piece["passed"], &piece["level"]), (&json!(false), &json!("kept")));
    // The run goes on as if nothing had been: a release proves nothing and spoils nothing.
    follow(&site, Site::next, &[(READY_1, &commit_1)]);
    site.next();
    site.sh("holdpoint attest");
    let said = site.sh("holdpoint verify --unsigned --require tests --require review");
    assert!(said.contains(" proved  feat(cart): "), "{said}");
    assert!(said.contains(&format!("released by the user: autopilot {rule}: by ")), "{said}");
    let json = site.sh("holdpoint verify --unsigned --json");
    assert!(json.contains(&format!("\"rule\":\"{rule}\"")), "{json}");
}

#[test]
fn what_holdpoint_protects_of_a_sealed_run_stays_protected_in_a_pause() {
    let site = Site::new();
    site.start(&[]);
    let printed = users(&site, &["pause", "--reason", "lunch"]);
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    let next = site.shell("holdpoint autopilot next");
    assert!(next.stderr.contains("is paused by the user: lunch"), "{}{}", next.stdout, next.stderr);
    assert_eq!(site.stop(), "");
    let edit = json!({"file_path": site.root().join("autopilot-state.json"), "content": "{}"});
    assert!(site.held(SESSION, "Write", &edit).is_some());
    for command in ["holdpoint resume", "holdpoint release h1 --reason x"] {
        assert!(site.held(SESSION, "Bash", &json!({"command": command})).is_some(), "{command}");
    }
    assert_eq!(users(&site, &["resume"]).code, Some(0));
    assert_ne!(site.stop(), "");
}
