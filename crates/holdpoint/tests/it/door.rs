//! The door: what the user releases passes once and is told for good, what the user pauses holds nothing, and neither is an
//! agent's to do.

mod autopilot;
mod edges;
mod pauses;
mod prompts;
mod releases;
mod stats;

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project};

/// Commits, contracts and a Stop wait.
const GATE: &str = r#"
about = "Commits and contracts wait."
[run]
home  = ".gate"
state = ".gate/state.json"
[holds.no-commits]
on   = "before shell"
when = "tool.commits"
say  = "no commits now"
[holds.contracts]
on   = "before edit"
when = "tool.files | only(['contracts/**'])"
say  = "contracts stay"
[holds.open]
on   = "stop"
when = "state.open"
say  = "OPEN: {{ state.open }}"
[witnesses.count]
on   = "after shell"
set  = { count = "{{ state.count | number + 1 }}" }
to   = "log"
say  = "counted"
[fields]
open  = ""
count = 0
"#;

const COMMIT: &str = "git commit -qam two";

/// A repository with a run of that workflow.
fn gate() -> Project {
    let project = Project::new();
    project.workflow("gate", GATE).write(".gate/state.json", "{\"open\": \"a note\"}");
    project.write("a.txt", "one\n").write(".gitignore", ".holdpoint/\n.gate/\nno-home/\n");
    project.git(&["init", "-q", "-b", "main", "."]);
    for (name, value) in [("user.name", "a"), ("user.email", "a@b"), ("commit.gpgsign", "false")] {
        project.git(&["config", name, value]);
    }
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "one"]);
    project.write("a.txt", "two\n");
    project
}

fn call(project: &Project, session: &str, tool: &str, input: Json) -> Json {
    json!({"hook_event_name": "PreToolUse", "session_id": session, "cwd": project.root(), "tool_name": tool,
        "tool_input": input, "tool_use_id": "t1"})
}

fn shell(project: &Project, command: &str) -> Json {
    call(project, "s", "Bash", json!({"command": command, "description": "Commit it"}))
}

fn edit(project: &Project, text: &str) -> Json {
    let path = project.root().join("contracts/one.txt");
    call(project, "s", "Write", json!({"file_path": path, "content": text}))
}

fn stop(project: &Project) -> Json {
    json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()})
}

/// Whether an event is held.
fn is_held(printed: &Printed) -> bool {
    let answer = printed.json();
    answer["hookSpecificOutput"]["permissionDecision"] == "deny" || answer["decision"] == "block"
}

fn told(printed: &Printed) -> String {
    printed.json()["systemMessage"].as_str().unwrap_or_default().to_owned()
}

/// The id of the hold that held last.
fn hold(project: &Project) -> String {
    let lines = project.journal();
    let line = lines.iter().rfind(|line| line["decision"] == "hold").unwrap();
    line["rules"][0]["hold"].as_str().unwrap().to_owned()
}

/// Releases the hold that held last.
fn release(project: &Project) -> String {
    let hold = hold(project);
    let printed = project.run(&["release", &hold, "--reason", "docs only"]);
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    assert!(printed.stdout.contains("may pass once, until "), "{}", printed.stdout);
    hold
}

/// The pieces of evidence about what was released.
fn released(project: &Project) -> Vec<Json> {
    let printed = project.run(&["evidence", "--json"]);
    let pieces = printed.stdout.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    pieces.filter(|piece| piece.get("release").is_some()).collect()
}

fn status(project: &Project) -> Json {
    project.run(&["status", "--json"]).json()["runs"][0].clone()
}

/// The file of the books with this ending.
fn book_of(project: &Project, ending: &str) -> std::path::PathBuf {
    let folder = std::fs::read_dir(project.book("door")).unwrap();
    let mut paths = folder.map(|entry| entry.unwrap().path());
    paths.find(|path| path.to_string_lossy().ends_with(ending)).unwrap()
}
