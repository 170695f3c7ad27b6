//! What a phase lets the agent do, and what the engine protects for every workflow.

use serde_json::{Value as Json, json};

use crate::project::Project;

const FLOW: &str = r#"
about = "permits"
[run]
home   = "flow.json"
state  = "flow.json"
sealed = true
due    = "phase"

[permit.default]
commits = false
runs    = ["npm publish"]

[permit.release]
runs = { never = ["npm publish"], unless = "state.ready", say = "NOT READY" }

[phases.red]
by    = "agent"
ask   = "Write a test."
edits = ["@tests", "docs/**", "!docs/api.md"]
until = "state.tested"
then  = "green"

[phases.green]
by     = "agent"
ask    = "Write the code."
permit = "release"
never  = [{ files = ["@tests"], code = "T-1", say = "NO TESTS NOW" }]
commits = "state.ready"
delegates = { never = ["coder"] }
until  = "state.coded"
then   = "over"

[phases.over]
by   = "nobody"
tell = "Over."

[commands.start]
about = "begins"
args  = ["phase"]
steps = [
  { when = "args.phase == 'red'", create = true, go = "red", say = "red" },
  { when = "args.phase == 'green'", create = true, go = "green", say = "green" },
  { create = true, go = "over", say = "over" },
]

[commands.answer]
about = "the user's"
by    = "user"
steps = [{ set = { ready = true }, say = "ready" }]

[fields]
phase  = ""
ready  = false
tested = false
coded  = false

[paths]
tests = ["test/**"]
"#;

fn begun(phase: &str) -> Project {
    let project = Project::new();
    project.git(&["init", "--quiet"]);
    project.workflow("flow", FLOW);
    let started = project.run(&["flow", "start", phase]);
    assert_eq!(started.code, Some(0), "{}", started.stderr);
    project
}

/// Why a tool call is held; empty if it is not.
fn held(project: &Project, tool: &str, input: Json) -> String {
    let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.root(),
        "tool_name": tool, "tool_input": input});
    let answer = project.hook(&event).json();
    answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default().to_owned()
}

fn edit(project: &Project, path: &str) -> String {
    held(project, "Write", json!({"file_path": project.root().join(path), "content": "x"}))
}

fn shell(project: &Project, command: &str) -> String {
    held(project, "Bash", json!({ "command": command }))
}

#[test]
fn a_phase_says_which_files_may_be_edited() {
    let red = begun("red");
    assert_eq!(edit(&red, "test/a.rs"), "");
    assert_eq!(edit(&red, "docs/guide.md"), "");
    let source = edit(&red, "src/a.rs");
    assert!(source.contains("Phase `red` does not let you edit src/a.rs"), "{source}");
    assert!(source.contains("test/**, docs/**"), "{source}");
    assert!(edit(&red, "docs/api.md").contains("docs/api.md"), "left out by !");
    let green = begun("green");
    assert_eq!(edit(&green, "src/a.rs"), "", "a phase without `edits` lets all be edited");
    assert_eq!(edit(&green, "test/a.rs"), "NO TESTS NOW");
}

#[test]
fn a_phase_says_what_may_be_run_committed_and_delegated() {
    let red = begun("red");
    for command in ["git commit -m x", "sh -c 'git -C . commit -am x'", "git commit-tree HEAD^{tree}"] {
        assert!(shell(&red, command).contains("No commit in phase `red`"), "{command}");
    }
    for command in
        ["npm publish", "cd x; npm --silent publish", "sh -c \"npm 'publish'\"", "env X=1 npm publish"]
    {
        assert!(shell(&red, command).contains("npm publish"), "{command}");
    }
    for command in ["npm test", "echo npm publish", "git status"] {
        assert_eq!(shell(&red, command), "", "{command}");
    }
    let green = begun("green");
    assert_eq!(shell(&green, "npm publish"), "NOT READY", "a named permit wins over the default");
    assert!(!shell(&green, "git commit -m x").is_empty(), "while the condition is false");
    let task = |agent: &str| held(&green, "Task", json!({"subagent_type": agent, "prompt": "go"}));
    assert!(task("team:coder").contains("team:coder"));
    assert_eq!(task("reader"), "");
}

#[test]
fn the_engine_protects_a_sealed_run_of_any_workflow() {
    let red = begun("red");
    for path in
        ["flow.json", ".holdpoint/holdpoint.toml", ".git/HEAD", ".claude/settings.json", ".codex/hooks.json"]
    {
        assert!(edit(&red, path).contains("NOT YOURS TO WRITE"), "{path}");
    }
    for command in ["rm -rf .holdpoint", "echo {} > flow.json", "sed -i s/a/b/ .claude/settings.json"] {
        assert!(shell(&red, command).contains("NOT YOURS TO WRITE"), "{command}");
    }
    for command in ["holdpoint flow answer", "h=holdpoint; $h flow answer", "echo '{}' | holdpoint hook"] {
        assert!(shell(&red, command).contains("the user's to do"), "{command}");
    }
    assert!(shell(&red, "PATH=/tmp:$PATH holdpoint flow start red").contains("OF YOUR OWN"));
    for command in ["cat flow.json", "holdpoint status", "git log"] {
        assert_eq!(shell(&red, command), "", "{command}");
    }
}

#[test]
fn a_run_that_is_over_permits_and_protects_nothing() {
    let over = begun("over");
    assert_eq!(edit(&over, "src/a.rs"), "");
    assert_eq!(edit(&over, "flow.json"), "");
    assert_eq!(shell(&over, "git commit -m x"), "");
}

#[test]
fn mistakes_in_a_permit_are_told() {
    let project = Project::new();
    let wrong = FLOW
        .replace("permit = \"release\"", "permit = \"relaese\"")
        .replace("\"@tests\", \"docs/**\"", "\"@test\", \"docs/[\"");
    project.workflow("flow", &wrong);
    let check = project.run(&["check", "flow"]);
    for part in
        ["there is no permit `relaese`", "there is no list in [paths] `test`", "`docs/[` is not a glob"]
    {
        assert!(
            check.stderr.contains(part) || check.stdout.contains(part),
            "{part}: {}{}",
            check.stdout,
            check.stderr
        );
    }
}
