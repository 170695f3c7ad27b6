//! What is moved while a command is performed, which may take minutes, is seen as at any other time.

use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::project::{SESSION, Site};
use super::walk::{READY_1, TASK_1, follow, nothing, total};

/// Where a program of the run waits, once: it reads a word from each of two pipes.
struct Gate(PathBuf);

impl Gate {
    fn new(site: &Site) -> Gate {
        let gate = Gate(site.tools());
        let made = std::process::Command::new("mkfifo").args([gate.pipe(1), gate.pipe(2)]).status();
        assert!(made.unwrap().success());
        gate
    }

    fn pipe(&self, number: u8) -> PathBuf {
        self.0.join(format!("pipe-{number}"))
    }

    /// What the program has to run.
    fn script(&self) -> String {
        let (one, two) = (self.pipe(1), self.pipe(2));
        format!("if [ -p {0} ]; then read word <{0}; read word <{1}; fi\n", one.display(), two.display())
    }

    /// Does something while the program waits, and lets it go on.
    fn meanwhile(&self, act: impl FnOnce()) {
        std::fs::write(self.pipe(1), "go\n").unwrap();
        act();
        std::fs::remove_file(self.pipe(1)).unwrap();
        std::fs::write(self.pipe(2), "go\n").unwrap();
    }
}

/// A run whose first task is about to be coded, in a repository with another branch. Its tests run `../tools/wait`.
fn begun() -> Site {
    let site = Site::new();
    let wait = site.tools().join("wait").display().to_string();
    site.sh(&format!(
        "sed -i 's|^passed=0|. {wait}; passed=0|' test && : >{wait} && git commit -qam 'test(cart): wait' && git branch side"
    ));
    site.start(&[]);
    site
}

fn call(site: &Site, event: &str, id: &str, command: &str) -> Json {
    let event = json!({"hook_event_name": event, "session_id": SESSION, "cwd": site.root(), "tool_use_id": id,
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {"stdout": ""}});
    site.answered("claude", &event)
}

/// Performs a command of ours while another call is open and does something as soon as the command waits at the gate.
/// Returns what is said once it is over.
fn performed(site: &Site, gate: &Gate, command: &str, act: &str) -> String {
    call(site, "PreToolUse", "open", "./long");
    let (before, after) = std::thread::scope(|scope| {
        let performing = scope.spawn(|| call(site, "PreToolUse", "ours", command));
        gate.meanwhile(|| {
            let printed = site.unseen(act);
            assert_eq!(printed.code, Some(0), "{act}: {}", printed.stderr);
        });
        (performing.join().unwrap(), call(site, "PostToolUse", "ours", command))
    });
    assert!(before["hookSpecificOutput"]["updatedInput"].is_object(), "{before}");
    after.to_string()
}

const MOVE: &str = "git branch -f side $(git commit-tree -m sneaked -p HEAD HEAD^{tree})";

#[test]
fn a_branch_that_is_moved_while_the_tests_run_is_told() {
    let site = begun();
    follow(&site, Site::next, &[(TASK_1, &total)]);
    let gate = Gate::new(&site);
    std::fs::write(site.tools().join("wait"), gate.script()).unwrap();
    let told = performed(&site, &gate, "holdpoint autopilot next", MOVE);
    assert_eq!(site.phase(), "commit");
    assert!(told.contains("refs/heads/side") && told.contains("./long"), "{told}");
    assert!(site.sh("holdpoint status").contains("refs/heads/side"), "it is remembered");
}

/// A run whose first task is to be committed, by a git hook that waits.
fn committing(hook: &str) -> (Site, Gate) {
    let site = begun();
    follow(&site, Site::next, &[(TASK_1, &total), (READY_1, &nothing)]);
    let gate = Gate::new(&site);
    site.git_hook(hook, &format!("#!/bin/sh\n{}", gate.script()));
    (site, gate)
}

const COMMIT: &str = "holdpoint autopilot commit 'feat(cart): add up prices'";

/// The engine's own commit is known by its id: nobody is accused of it, and it hides no other.
#[test]
fn of_what_is_moved_during_a_commit_only_the_commit_itself_is_known() {
    let (site, gate) = committing("pre-commit");
    let told = performed(&site, &gate, COMMIT, "true");
    assert!(!told.contains("refs/heads"), "{told}");
    assert_eq!(site.git("log -1 --format=%s"), "feat(cart): add up prices");

    let (site, gate) = committing("pre-commit");
    let told = performed(&site, &gate, COMMIT, MOVE);
    assert!(told.contains("refs/heads/side") && !told.contains("refs/heads/work"), "{told}");

    let (site, gate) = committing("post-commit");
    let told =
        performed(&site, &gate, COMMIT, "git -c core.hooksPath=/dev/null commit -q --allow-empty -m sneaked");
    assert!(told.contains("refs/heads/work"), "{told}");
    let made = site.git("rev-parse HEAD~");
    assert!(told.contains(&made[..7]), "from the engine's commit: {told}");
    let pieces = site.evidence();
    let piece = pieces.iter().rev().find(|piece| piece["phase"] == "committing").unwrap();
    assert_eq!(piece["details"]["commit"], json!(made), "the evidence names the commit that was made");
}
