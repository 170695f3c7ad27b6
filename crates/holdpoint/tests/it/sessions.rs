//! A run follows its user: through `/clear`, forks, restarted clients and compaction, beside other sessions, and into other
//! working trees.

mod background;
mod beside;
mod present;
mod succession;
mod worktrees;

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project};

/// A workflow whose agent is held until a note is there, a folder for each run.
const NOTES: &str = r#"
about = "A note for each run."

[run]
home   = ".notes"
each   = "*"
newest = ["state.json"]
state  = "state.json"
due    = "phase"
shows  = "state.phase"

[fields]
phase = "note"

[phases.note]
by    = "agent"
ask   = "Write NOTE.md in {{ run.folder }}."
until = "file('NOTE.md').exists"
then  = "over"

[phases.over]
by = "nobody"

[commands.start]
about = "Begin"
args  = [{ name = "name", help = "the run's name" }]
steps = [{ create = "{{ args.name }}", go = "note", say = "Begun." }]

[commands.look]
about = "What is asked"
steps = [{ say = "A note." }]

[commands.skip]
about = "No note"
args  = [{ name = "why...", help = "why" }]
steps = [{ go = "over", say = "Skipped." }]
"#;

fn project() -> Project {
    let project = Project::new();
    project.workflow("notes", NOTES);
    project
}

fn event(project: &Project, name: &str, session: &str) -> Json {
    json!({"hook_event_name": name, "session_id": session, "cwd": project.root()})
}

/// A prompt in a session: from then on it is known.
fn prompt(project: &Project, session: &str) {
    let mut event = event(project, "UserPromptSubmit", session);
    event["prompt"] = json!("go on");
    project.hook(&event);
}

fn stop(project: &Project, session: &str) -> Json {
    project.hook(&event(project, "Stop", session)).json()
}

/// What is answered at a session's start.
fn start(project: &Project, session: &str, source: &str) -> Json {
    let mut event = event(project, "SessionStart", session);
    event["source"] = json!(source);
    project.hook(&event).json()
}

/// A command in the shell of a session.
fn command(project: &Project, session: &str, words: &[&str]) -> Printed {
    project.command(words).env("CLAUDE_CODE_SESSION_ID", session).output().unwrap().into()
}

/// Begins a run in a session.
fn begin(project: &Project, session: &str, name: &str) {
    prompt(project, session);
    let printed = command(project, session, &["notes", "start", name]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
}

/// Whether a Stop is held by the run of this name.
fn is_held_by(answer: &Json, name: &str) -> bool {
    answer["decision"] == "block" && answer["reason"].as_str().unwrap().contains(&format!(".notes/{name}"))
}
