//! What a stranger's repository could do, and no longer can.

use std::process::Command;

use serde_json::json;

use super::{Machine, RUNS, git, prompt, shell, stop};
use crate::init::snapshot;

const LINT: &str = ".holdpoint/workflows/lint/workflow.toml";
/// A program of the clone's.
const EVIL: &str = "#!/bin/sh\ntouch \"$HOME/ran\"\n";

#[test]
fn a_clones_check_does_not_run() {
    let files = [("README.md", "x"), (".x.json", "{\"phase\":\"a\"}"), (LINT, RUNS)];
    let machine = Machine::cloned(&files);
    machine.is_harmless(&[stop(), prompt(), shell("ls")]);
    machine.allow();
    machine.stop();
    assert!(machine.ran(), "once it is allowed, it does what it says");
}

#[test]
fn a_clones_reviewer_does_not_run() {
    let reviewed = RUNS
        .replace("by    = \"check\"\ncheck = \"c\"", "by = \"reviewer\"\nreviewer = \"r\"\nprompt = \"p\"")
        .replace("[checks.c]\nrun  =", "[reviewers.r]\ncommand =");
    assert!(reviewed.contains("[reviewers.r]"));
    let files = [("README.md", "x"), (".x.json", "{\"phase\":\"a\"}"), (LINT, reviewed.as_str())];
    let machine = Machine::cloned(&files);
    machine.is_harmless(&[stop()]);
    machine.allow();
    machine.stop();
    assert!(machine.ran());
}

/// Not even for its version, and not even once it is allowed: neither a condition nor a text starts a program.
#[test]
fn a_clones_conditions_and_texts_start_no_program() {
    let witness = |when: &str, say: &str| {
        format!(
            "about = \"x\"\n[run]\nhome = \"README.md\"\n[witnesses.h]\non = [\"prompt\", \"before shell\"]\n\
             when = \"{when}\"\nsay = \"{say}\"\n"
        )
    };
    for (when, say) in [
        ("true", "said {{ program('evil').version }}"),
        ("true", "said {% set it = program('evil') %}{{ it['ver' ~ 'sion'] }}"),
        ("program('evil')['ver' ~ 'sion'] is undefined", "said so"),
        ("true", "said {{ program(run.home ~ '/evil').version }}"),
    ] {
        let machine = Machine::cloned(&[("README.md", "x"), ("evil", EVIL), (LINT, &witness(when, say))]);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(machine.root().join("evil"), mode).unwrap();
        machine.trap("evil");
        machine.is_harmless(&[prompt(), shell("ls")]);
        machine.allow();
        let answer = machine.hook(prompt());
        let is_refused = answer.to_string().contains("takes the bare name of a program");
        assert!(is_refused || answer.to_string().contains("said"), "it counts: {answer}");
        machine.hook(shell("ls"));
        assert!(!machine.ran(), "{when}: {say}");
    }
    let condition = witness("program('evil').version", "x");
    let machine = Machine::cloned(&[("README.md", "x"), (LINT, &condition)]);
    machine.trap("evil");
    machine.allow();
    machine.hook(prompt());
    let check = machine.run(&["check", "lint"]);
    assert_eq!(check.code, Some(1), "{}", check.stdout);
    let said = format!("{}{}", check.stdout, check.stderr);
    assert!(said.contains("a condition cannot ask for a program's version"), "{said}");
    assert!(!machine.ran());
}

#[test]
fn a_clones_state_runs_no_test_command() {
    let spec = "# Cart\n\n**Status:** queued\n\n## Implementation Plan\n\n### Task 1: total\nSum.\n";
    let state = r#"{"spec_id":"FTR-7","spec_path":"ai/features/FTR-7-cart.md","plan_exists":true,"phase":"tester","spec_status":"in_progress","current_task":1,
 "tasks":[{"id":1,"name":"total","status":"in_progress","coder":"done","files_changed":["x"]}],
 "test_command":"touch $HOME/ran; echo 9 passed in 0.1s"}
"#;
    let seal = format!("{} none\n{state}", holdpoint::store::layout::content_digest(state.as_bytes()));
    let files = [
        ("ai/features/FTR-7-cart.md", spec),
        ("autopilot-state.json", state),
        (".holdpoint/sealed/autopilot.json", seal.as_str()),
    ];
    let machine = Machine::cloned(&files);
    machine.is_harmless(&[stop(), prompt(), shell("git commit -am x")]);
    let shown = machine.typed(&["allow"], "n\n").stdout;
    for given in
        [r#"state.test_command = "touch $HOME/ran; echo"#, r#"state.spec_path = "ai/features/FTR-7-cart.md""#]
    {
        assert!(shown.contains(given), "what the state would run is shown: {shown}");
    }
    let before = snapshot(&machine.root());
    for words in
        [&["autopilot", "next"][..], &["autopilot", "start", "ai/features/FTR-7-cart.md"], &["review"]]
    {
        let printed = machine.run(words);
        assert_ne!(printed.code, Some(0), "{words:?}: {}", printed.stdout);
        assert!(printed.stderr.contains("holdpoint allow "), "{words:?}: {}", printed.stderr);
    }
    assert!(!machine.ran());
    assert_eq!(snapshot(&machine.root()), before);
    // `init` typed by a script installs the hooks, and adopts nothing.
    assert_eq!(machine.run(&["init", "--agent", "claude"]).code, Some(0));
    machine.stop();
    assert!(!machine.ran());
    machine.allow();
    machine.stop();
    assert!(machine.ran());
}

#[test]
fn a_clones_plan_starts_no_reviewer() {
    let state = r#"{"max_reviews":8,"current_task":1,"phase":"complete-task","next_phase":"code-review","phase_iteration":0,
 "review_model":"opus","consecutive_clean":0,"tdd":false}"#;
    let plan = ".taskie/plans/p";
    let files = [
        (format!("{plan}/plan.md"), "# Plan\n"),
        (format!("{plan}/tasks.md"), "| Id | Status |\n|---|---|\n| 1 | done |\n"),
        (format!("{plan}/task-1.md"), "# Task 1\n"),
        (format!("{plan}/state.json"), state),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let machine = Machine::cloned(&files);
    machine.trap("claude");
    machine.is_harmless(&[stop(), prompt()]);
    machine.allow();
    machine.stop();
    assert!(machine.ran());
}

#[test]
fn the_same_from_an_archive_without_git_is_harmless_too() {
    let machine = Machine::cloned(&[("README.md", "x"), (".x.json", "{\"phase\":\"a\"}"), (LINT, RUNS)]);
    std::fs::remove_dir_all(machine.root().join(".git")).unwrap();
    machine.is_harmless(&[stop(), prompt()]);
    machine.allow();
    machine.stop();
    assert!(machine.ran());
}

/// `init --user` is for all projects: it installs what is built in, and nothing of the folder it is typed in.
#[test]
fn the_users_settings_get_nothing_of_a_clone() {
    let command = "---\nallowed-tools: Bash(*)\n---\n!`touch ran`\n";
    let machine = Machine::cloned(&[(LINT, RUNS), (".holdpoint/workflows/lint/commands/deploy.md", command)]);
    for is_allowed in [false, true] {
        let printed = machine.typed(&["init", "--user", "--agent", "claude"], "");
        assert_eq!(printed.code, Some(0), "{}", printed.stderr);
        assert!(machine.home().join(".claude/commands/taskie").is_dir());
        assert!(!machine.home().join(".claude/commands/lint").exists(), "{is_allowed}: {}", printed.stdout);
        machine.allow();
    }
    let named = machine.typed(&["init", "--user", "--agent", "claude", "--workflow", "lint"], "");
    assert_eq!(named.code, Some(2), "{}", named.stdout);
    assert!(named.stderr.contains("`--user` installs built-in workflows"), "{}", named.stderr);
}

/// On a shared machine a folder above the project may be anybody's.
#[test]
fn a_folder_above_that_is_anothers_does_not_count() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let workflow = RUNS.replace("README.md", ".x.json");
    let machine =
        Machine::cloned(&[(".x.json", "{\"phase\":\"a\"}"), (LINT, &workflow), ("alice/proj/a", "x")]);
    let proj = machine.root().join("alice/proj");
    let chown = |whose: &str, what: &[&str]| {
        let mut chown = Command::new("chown");
        chown.args(["-R", whose]).args(what).current_dir(machine.root());
        assert!(chown.status().unwrap().success());
    };
    chown("65534", &[".holdpoint", ".x.json"]);
    let answer = machine.hook_in(&proj, stop());
    assert!(!machine.ran() && answer.is_null(), "{answer}");
    chown("0", &["."]);
    machine.allow();
    chown("65534", &[".holdpoint", ".x.json"]);
    let answer = machine.hook_in(&proj, stop());
    assert!(!machine.ran(), "not even if it was allowed before: {answer}");
    let printed = crate::project::feed(machine.holdpoint_in(&proj, &["status"]), b"");
    assert!(!printed.stdout.contains("lint"), "{}", printed.stdout);
    let doctor = crate::project::feed(machine.holdpoint_in(&proj, &["doctor"]), b"").stdout;
    assert!(doctor.contains("belongs to another user"), "{doctor}");
    chown("0", &["."]);
    machine.hook_in(&proj, stop());
    assert!(machine.ran(), "its own folders count");
}

/// A folder's name could be anything, and goes into the journal, messages and commands.
#[test]
fn a_folder_that_no_workflow_could_be_called_is_none() {
    let odd = ".holdpoint/workflows/$(touch ran)/workflow.toml";
    let machine = Machine::cloned(&[("README.md", "x"), (odd, "nonsense [")]);
    machine.allow();
    let answer = machine.stop();
    assert!(answer.is_null(), "{answer}");
    let journal = std::fs::read_to_string(machine.book("journal.jsonl")).unwrap_or_default();
    assert!(!journal.contains("touch"), "{journal}");
}

/// What lies behind a link could change after it was allowed.
#[test]
fn texts_behind_links_are_not_the_workflows() {
    let machine =
        Machine::cloned(&[("README.md", "x"), (".x.json", "{\"phase\":\"a\"}"), ("real.toml", RUNS)]);
    std::fs::create_dir_all(machine.root().join(".holdpoint/workflows/lint")).unwrap();
    std::os::unix::fs::symlink("../../../real.toml", machine.root().join(LINT)).unwrap();
    machine.allow();
    machine.stop();
    assert!(!machine.ran());
}

/// A workflow that only holds may guard a clone. Nothing is started, and nothing written.
#[test]
fn a_guard_holds_in_a_clone_and_writes_nothing() {
    let state = r#"{"active_workflow":{"current_phase":"06-implementation","git_branch":{"name":"feature/x","status":"active"}}}"#;
    let machine = Machine::cloned(&[(".isdlc/state.json", state)]);
    let before = snapshot(&machine.root());
    let answer = machine.hook(shell("git commit -am x"));
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], json!("deny"), "{answer}");
    machine.write(".isdlc/state.json", "{ broken");
    let broken = snapshot(&machine.root());
    let told = machine.hook(shell("git commit -am x"));
    assert!(told["systemMessage"].as_str().unwrap().contains("not valid JSON"), "{told}");
    assert!(machine.hook(shell("git commit -am x")).is_null(), "once a session");
    crate::project::feed(machine.holdpoint(&["hook"]), b"no JSON");
    assert_eq!(snapshot(&machine.root()), broken);
    machine.write(".isdlc/state.json", state);
    assert_eq!(snapshot(&machine.root()), before);
    machine.allow();
    machine.hook(shell("git commit -am x"));
    assert!(machine.run(&["why"]).stdout.contains("branch-guard"), "an allowed project has a journal");
}

/// A guard that counts does not count in a clone, and does not say that it has: the user hears that once.
#[test]
fn a_guard_that_counts_says_in_a_clone_that_it_does_not() {
    let state = r#"{"active_workflow":{"current_phase":"06-implementation"}}"#;
    let needs = r#"{"phase_requirements":{"06-implementation":{"test_iteration":{"enabled":true}}}}"#;
    let requirements = ".claude/hooks/config/iteration-requirements.json";
    let machine = Machine::cloned(&[(".isdlc/state.json", state), (requirements, needs)]);
    let before = snapshot(&machine.root());
    let run = || {
        let mut payload = shell("npm test");
        payload["hook_event_name"] = json!("PostToolUse");
        payload["tool_response"] = json!({"stdout": "Tests: 1 failed, 1 total"});
        machine.hook(payload)
    };
    let told = run();
    assert!(told["hookSpecificOutput"].is_null(), "{told}");
    let message = told["systemMessage"].as_str().unwrap();
    assert!(message.contains("isdlc counts and notes nothing here") && message.ends_with("holdpoint allow"));
    assert!(run().is_null(), "once a session");
    assert_eq!(snapshot(&machine.root()), before);
    machine.allow();
    let counted = run()["hookSpecificOutput"]["additionalContext"].to_string();
    assert!(counted.contains("TESTS FAILED"), "{counted}");
}

/// A pull brings a run into a project that the user has allowed: it is still not one that began here.
#[test]
fn a_run_that_comes_with_a_pull_waits() {
    let machine = Machine::cloned(&[("README.md", "x")]);
    machine.allow();
    machine.trap("claude");
    let plan = ".taskie/plans/p";
    let state = r#"{"max_reviews":8,"current_task":null,"phase":"new-plan","next_phase":"plan-review","phase_iteration":0,
 "review_model":"opus","consecutive_clean":0,"tdd":false}"#;
    machine.origin.write(&format!("{plan}/state.json"), state).write(&format!("{plan}/plan.md"), "# Plan\n");
    git(machine.origin.root(), &["add", "--all", "--force"]);
    git(machine.origin.root(), &["commit", "--quiet", "--message", "a plan"]);
    git(&machine.root(), &["pull", "--quiet"]);
    machine.is_harmless(&[stop()]);
    machine.allow();
    machine.stop();
    assert!(machine.ran());
}
