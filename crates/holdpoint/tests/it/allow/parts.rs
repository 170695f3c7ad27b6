//! Each of a project's workflows, and its settings, are allowed by themselves. What waits is told again if it is another.

use serde_json::Value as Json;

use super::{Machine, RUNS, git, prompt, stop};

const LINT: &str = ".holdpoint/workflows/lint/workflow.toml";
const SHIP: &str = ".holdpoint/workflows/ship/workflow.toml";

/// Two workflows, of which the first leaves a trace as soon as an agent stops.
fn machine() -> Machine {
    let ship = RUNS.replace(".x.json", ".y.json").replace("$HOME/ran", "$HOME/shipped");
    let state = "{\"phase\":\"a\"}";
    let files = [("README.md", "x"), (".x.json", state), (".y.json", state), (LINT, RUNS), (SHIP, &ship)];
    let machine = Machine::cloned(&files);
    machine.allow();
    machine
}

fn told(answer: &Json) -> &str {
    answer["systemMessage"].as_str().unwrap_or_default()
}

#[test]
fn a_change_in_one_workflow_leaves_the_other_running() {
    let machine = machine();
    machine.write(SHIP, "about = \"x\"\n");
    let answer = machine.stop();
    assert!(machine.ran(), "{answer}");
    assert!(!machine.home().join("shipped").exists());
    assert!(
        told(&answer).contains("its own workflow ship, changed since you allowed it."),
        "only what has changed is named: {answer}"
    );
    assert!(told(&answer).contains("It has no effect until you allow it."), "{answer}");
    let shown = machine.typed(&["allow"], "n\n").stdout;
    assert!(shown.contains("Workflow ship") && !shown.contains("Workflow lint"), "{shown}");
}

#[test]
fn a_stray_file_beside_the_workflows_counts_for_nothing() {
    let machine = machine();
    let digest = || machine.run(&["allow", "--print"]).stdout;
    let before = digest();
    machine.write(".holdpoint/workflows/notes.md", "x");
    machine.write(".holdpoint/workflows/drafts/notes.md", "x");
    let answer = machine.stop();
    assert!(machine.ran() && told(&answer).is_empty(), "{answer}");
    assert_eq!(digest(), before);
    assert!(machine.typed(&["allow"], "").stdout.contains("already allowed"));
}

#[test]
fn settings_wait_by_themselves() {
    let machine = machine();
    machine.write(".holdpoint/holdpoint.toml", "workflows = [\"ship\"]\n");
    let answer = machine.stop();
    assert!(machine.ran(), "they choose nothing yet: {answer}");
    assert!(told(&answer).contains("its own settings."), "{answer}");
}

#[test]
fn another_change_is_told_again_in_the_same_session() {
    let machine = machine();
    for change in ["# one", "# two", "# three"] {
        machine.write(LINT, &format!("{RUNS}{change}\n"));
        let answer = machine.hook(prompt());
        assert!(told(&answer).contains("lint, changed since you allowed it"), "{change}: {answer}");
        assert!(machine.hook(prompt())["systemMessage"].is_null(), "once: {change}");
    }
    machine.allow();
    machine.write(LINT, &format!("{RUNS}# four\n"));
    assert!(told(&machine.hook(prompt())).contains("changed since you allowed it"));
    machine.write(LINT, &format!("{RUNS}# three\n"));
    assert!(machine.hook(prompt())["systemMessage"].is_null(), "that is allowed");
}

#[test]
fn new_content_is_not_called_changed() {
    let machine = machine();
    machine.write(".holdpoint/workflows/new/workflow.toml", "about = \"x\"\n[run]\nhome = \"README.md\"\n");
    let answer = machine.hook(prompt());
    assert!(told(&answer).contains("brings along its own workflow new.\nIt has no effect"), "{answer}");
}

/// The digest is that of the workflows and settings, whatever runs are there: an environment can name no others.
#[test]
fn one_digest_is_shown_printed_listed_and_named() {
    let files = [("README.md", "x"), (".x.json", "{\"phase\":\"a\"}"), (LINT, RUNS)];
    let machine = Machine::cloned(&files);
    let printed = machine.run(&["allow", "--print"]).stdout.trim().to_owned();
    let shown = machine.typed(&["allow"], "n\n").stdout;
    assert!(shown.contains("Runs that did not begin here"), "{shown}");
    assert!(shown.contains(&format!("\nDigest {printed}\n")), "{shown}");
    let mut status = machine.holdpoint(&["status", "--json"]);
    status.env("HOLDPOINT_ALLOW", &printed);
    let status = crate::project::feed(status, b"").json();
    let waiting = status["waiting"].as_str().unwrap();
    assert!(!waiting.contains("workflow") && waiting.contains("a run of lint"), "{status}");
    machine.allow();
    assert_eq!(machine.run(&["allow", "--print"]).stdout.trim(), printed);
    let list = machine.run(&["allow", "--list"]).stdout;
    assert!(list.contains(&format!("  {printed}\n")), "{list}");
}

/// A digest names no run that it does not cover: what the run says could start anything.
#[test]
fn a_digest_of_the_content_allows_no_run() {
    let files = [("README.md", "x"), (".x.json", "{\"phase\":\"a\"}"), (LINT, RUNS)];
    let machine = Machine::cloned(&files);
    let printed = machine.run(&["allow", "--print"]).stdout.trim().to_owned();
    let allowed = machine.run(&["allow", "--digest", &printed]);
    assert_eq!(allowed.code, Some(0), "{}", allowed.stderr);
    let answer = machine.hook(stop());
    assert!(!machine.ran() && told(&answer).contains("a run of lint"), "{answer}");
    let all = allowed.stderr.trim().rsplit(' ').next().unwrap().to_owned();
    assert_eq!(machine.run(&["allow", "--digest", &all]).code, Some(0), "{}", allowed.stderr);
    machine.stop();
    assert!(machine.ran());
}

/// What was allowed on another branch is allowed there still.
#[test]
fn a_branch_with_other_content_stays_allowed() {
    let machine = machine();
    git(&machine.root(), &["checkout", "--quiet", "-b", "other"]);
    machine.write(LINT, "about = \"x\"\n");
    machine.allow();
    git(&machine.root(), &["checkout", "--quiet", "--", LINT]);
    machine.stop();
    assert!(machine.ran());
}
