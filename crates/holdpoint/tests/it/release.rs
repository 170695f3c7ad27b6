//! Releasing is an act: whatever lets an agent past something that is open has a cause in the journal, is told to the user, and
//! shows in `status` and the status line until it is settled.

mod causes;
mod faults;
mod lines;

use std::process::{Child, Stdio};

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project};

/// A note to write, a review by a script, and rules about a state.
const WORKFLOW: &str = r#"
about = "A note is written and reviewed."

[run]
home  = ".notes"
each  = "*"
newest = ["*.md", "state.json"]
state = "state.json"
shows = "state.phase"

[limits]
rounds = { count = "round", most = 2, then = { tell = "LIMIT REACHED." } }

[phases.note]
by    = "agent"
until = "file('NOTES.md').exists"
ask   = "Write NOTES.md."
then  = "review"

[phases.review]
by     = "reviewer"
prompt = "Review it."
limit  = "rounds"
needs  = { that = "not file('in-the-way').exists", else = "something is in the way" }
then.fail = "mend"
then.pass = "end"

[phases.mend]
by    = "agent"
until = "file('mended').exists"
ask   = "MEND round {{ state.round }}."
then  = "review"

[reviewers.script]
command    = ["sh", "reviewer.sh", "--model", "big"]
verdict_at = ["verdict"]
log        = "review.log"
timeout    = 2

[holds.open]
on   = "stop"
when = "state.open"
say  = "OPEN: {{ state.open }}."

[commands.begin]
about = "Begin again"
steps = [{ go = "note", say = "Begun." }]

[fields]
phase = ""
round = 0
open  = ""
"#;

/// The session.
const SESSION: &str = "s";

/// A project with a run in this state.
fn project(state: &Json) -> Project {
    let project = Project::new();
    project.workflow("notes", WORKFLOW);
    set(&project, state);
    reviewer(&project, "printf '{\"verdict\":\"fail\"}'");
    project
}

fn set(project: &Project, state: &Json) {
    project.write(".notes/one/state.json", state.to_string());
}

fn reviewer(project: &Project, script: &str) {
    project.write("reviewer.sh", format!("{script}\n"));
}

fn stop_of(project: &Project, session: &str) -> Json {
    json!({"hook_event_name": "Stop", "session_id": session, "cwd": project.root()})
}

fn stop(project: &Project) -> Printed {
    project.hook(&stop_of(project, SESSION))
}

fn is_held(printed: &Printed) -> bool {
    printed.json()["decision"] == "block"
}

fn message(printed: &Printed) -> String {
    printed.json()["systemMessage"].as_str().unwrap_or_default().to_owned()
}

fn statusline(project: &Project) -> String {
    project.run_with(&["statusline"], b"{}").stdout
}

fn status(project: &Project) -> Json {
    project.run(&["status", "--json"]).json()["runs"][0].clone()
}

/// The journal's lines of a kind other than events.
fn lines(project: &Project, kind: &str) -> Vec<Json> {
    project.lines().into_iter().filter(|line| line["kind"] == kind).collect()
}

/// A hook in the middle of a review, which waits for a word from `go`.
fn hook_in_review(project: &Project) -> Child {
    reviewer(project, "echo $$ > started; read word < go; printf '{\"verdict\":\"fail\"}'");
    let made =
        std::process::Command::new("mkfifo").args(["started", "go"]).current_dir(project.root()).status();
    assert!(made.unwrap().success());
    let mut command = project.command(&["hook"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut hook = command.spawn().unwrap();
    let event = stop_of(project, SESSION).to_string();
    std::io::Write::write_all(&mut hook.stdin.take().unwrap(), event.as_bytes()).unwrap();
    assert!(!project.read("started").is_empty());
    hook
}
