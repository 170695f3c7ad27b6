//! What is left open is taken up in each client: by the next session after one whose client is gone, and by the same one
//! when it is resumed; and a phase that lets go says so.

use std::path::Path;

use serde_json::Value as Json;

use crate::clients::kind::Kind;
use crate::clients::session::{HOLDPOINT, Session};
use crate::clients::sessions::NOTE;
use crate::model::{Block, Model};
use crate::project::Project;

/// The tests that stand in the table.
pub(super) const NAMES: [&str; 8] = [
    "claude_is_held_in_the_next_session",
    "codex_is_held_in_the_next_session",
    "gemini_is_held_in_the_next_session",
    "claude_is_held_in_a_session_that_is_resumed",
    "codex_is_held_in_a_session_that_is_resumed",
    "gemini_is_held_in_a_session_that_is_resumed",
    "claude_has_a_sub_agent_held_until_its_tests_ran",
    "codex_has_a_sub_agent_held_until_its_tests_ran",
];

/// A model that begins the run at once, if it is to, and is done ever after.
fn model(kind: Kind, begins: bool) -> Model {
    let mut call = begins.then(|| kind.shell("holdpoint note start"));
    Model::start(move |_| vec![call.take().unwrap_or(Block::Text("I am done."))])
}

fn run(kind: Kind, program: &Path, project: &Project, model: &Model) -> Session {
    let events = [kind.events(), &["SessionEnd"]].concat();
    kind.run_at(&events, program, project, model, &hook(kind))
}

/// The client calls the program itself: so it is known by its process.
fn hook(kind: Kind) -> String {
    format!("'{HOLDPOINT}' hook --agent {}", kind.agent())
}

fn stops(project: &Project) -> Vec<Json> {
    let stops = project.journal().into_iter().filter(|entry| entry["event"] == "stop");
    stops.map(|entry| entry["decision"].clone()).collect()
}

const LET_GO: [&str; 4] = ["hold", "hold", "hold", "release"];

/// A session that begins a run, is held three times, and ends.
fn left_open(kind: Kind, program: &Path) -> (Project, Session) {
    let project = Project::new();
    project.workflow("note", NOTE);
    let model = model(kind, true);
    let session = run(kind, program, &project, &model);
    assert_eq!(stops(&project), LET_GO, "{:#?}", model.shown());
    let told = match kind {
        Kind::Claude => Some(session.shown_to_user().concat()),
        // It only says that the hook did its work.
        Kind::Codex => None,
        Kind::Gemini => Some(session.printed.stderr.clone()),
    };
    let is_told = told.as_ref().is_none_or(|told| told.contains("Write NOTE.md first."));
    assert!(is_told, "the user is told what is open: {told:?}");
    (project, session)
}

fn next_session(kind: Kind) {
    let Some(program) = kind.program() else { return };
    let (project, _former) = left_open(kind, &program);
    let model = model(kind, false);
    run(kind, &program, &project, &model);
    let shown = model.shown();
    assert!(shown[0].contains("the note run is not finished, and nobody works on it"), "{}", shown[0]);
    assert!(shown[0].contains("You are asked for this: Write NOTE.md first."), "{}", shown[0]);
    assert_eq!(stops(&project), [LET_GO, LET_GO].concat(), "{shown:#?}");
    assert!(shown[1].contains("Write NOTE.md first."), "{}", shown[1]);
}

fn resumed(kind: Kind) {
    let Some(program) = kind.program() else { return };
    let (project, former) = left_open(kind, &program);
    let model = model(kind, false);
    kind.resume(&program, &project, &model, former);
    let shown = model.shown();
    assert!(shown[0].contains("the note run goes on in this session. It stands at: note."), "{}", shown[0]);
    assert_eq!(stops(&project), [LET_GO, LET_GO].concat(), "{shown:#?}");
}

#[test]
fn claude_is_held_in_the_next_session() {
    next_session(Kind::Claude);
}

#[test]
fn codex_is_held_in_the_next_session() {
    next_session(Kind::Codex);
}

#[test]
fn gemini_is_held_in_the_next_session() {
    next_session(Kind::Gemini);
}

#[test]
fn claude_is_held_in_a_session_that_is_resumed() {
    resumed(Kind::Claude);
}

#[test]
fn codex_is_held_in_a_session_that_is_resumed() {
    resumed(Kind::Codex);
}

#[test]
fn gemini_is_held_in_a_session_that_is_resumed() {
    resumed(Kind::Gemini);
}

/// A sub-agent is held at its own end until its tests have run.
const TESTED: &str = r#"
about = "A sub-agent's tests."
[run]
home = "flow.txt"

[holds.tested]
on   = "subagent-stop"
when = "not file('tested').exists"
say  = "RUN THE TESTS FIRST."
"#;

fn sub_agent(kind: Kind) {
    const TASK: &str = "Test what was written.";
    let Some(program) = kind.program() else { return };
    let project = Project::new();
    project.workflow("tested", TESTED).write("flow.txt", "");
    let (mut is_delegated, mut has_begun) = (false, false);
    let model = Model::start(move |request| {
        let news = crate::model::news(request);
        vec![if news.contains("RUN THE TESTS FIRST.") {
            kind.shell("touch tested; echo THEY PASS")
        } else if news.contains("THEY PASS")
            || news.contains(TASK) && is_delegated && !std::mem::replace(&mut has_begun, true)
        {
            kind.report()
        } else if !std::mem::replace(&mut is_delegated, true) {
            kind.delegate(TASK)
        } else {
            kind.wait(&news).unwrap_or(Block::Text("I am done."))
        }]
    });
    let events = [kind.events(), &["SubagentStop"]].concat();
    kind.run_at(&events, &program, &project, &model, &hook(kind));
    assert!(project.root().join("tested").exists(), "{:#?}", model.shown());
    let stops = project.journal().into_iter().filter(|entry| entry["event"] == "subagent-stop");
    let stops: Vec<Json> = stops.map(|entry| entry["decision"].clone()).collect();
    assert_eq!(stops, ["hold", "none"], "{:#?}", model.shown());
}

#[test]
fn claude_has_a_sub_agent_held_until_its_tests_ran() {
    sub_agent(Kind::Claude);
}

#[test]
fn codex_has_a_sub_agent_held_until_its_tests_ran() {
    sub_agent(Kind::Codex);
}
