//! A conversation that is begun anew at a terminal, in Gemini CLI and in Codex: the run goes on in the new one.

use std::collections::{BTreeSet, VecDeque};

use crate::clients::kind::Kind;
use crate::clients::screen::Screen;
use crate::clients::seat::Seat;
use crate::clients::session::{HOLDPOINT, codex_at, gemini_at};
use crate::clients::sessions::NOTE;
use crate::model::{Block, Model};
use crate::project::Project;

/// The sessions that were held at the end of a turn.
fn held(project: &Project) -> BTreeSet<String> {
    let lines = project.journal().into_iter();
    let holds = lines.filter(|line| line["event"] == "stop" && line["decision"] == "hold");
    holds.map(|line| line["session"].as_str().unwrap().to_owned()).collect()
}

/// A run is begun in a session, and another session takes its place at the same terminal.
fn goes_on(kind: Kind, events: &[&str], [ready, ended, anew]: [&str; 3]) {
    let Some(program) = kind.program() else { return };
    let project = Project::new();
    project.workflow("note", NOTE);
    let mut calls = VecDeque::from([kind.shell("holdpoint note start")]);
    let model = Model::start(move |_| vec![calls.pop_front().unwrap_or(Block::Text("I am done."))]);
    let home = tempfile::tempdir().unwrap();
    let hooks = kind.hooks(events, &format!("'{HOLDPOINT}' hook --agent {}", kind.agent()));
    let mut seat = Seat::at(match kind {
        Kind::Gemini => gemini_at(home.path(), &program, &project, &model, &hooks["hooks"]),
        Kind::Codex | Kind::Claude => codex_at(home.path(), &program, &project, &model, &hooks),
    });
    seat.sees(ready);
    seat.types_until("begin with a note", |screen| screen.has(ended));
    let first = held(&project);
    assert_eq!(first.len(), 1, "{first:?}");
    let starts = || project.lines().iter().filter(|line| line["event"] == "start").count();
    let begun = starts();
    // Gemini CLI says at once that another session begins, Codex with the first prompt of it. What is typed until the screen
    // has been drawn anew is lost.
    let is_drawn = |screen: &Screen| screen.shows(ready) && !screen.shows(ended);
    seat.types_until(anew, |screen| is_drawn(screen) && (kind == Kind::Codex || starts() > begun));
    seat.types_until("then go on, please", |_| held(&project).difference(&first).count() == 1);
    assert!(model.shown().concat().contains("the note run goes on"), "{:#?}", model.shown());
}

#[test]
fn gemini_is_held_after_its_conversation_was_cleared() {
    let events = ["SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent"];
    goes_on(Kind::Gemini, &events, ["Type your message", "has released it", "/clear"]);
}

/// Codex says nothing of the end of the session before it: the client tells that it is the same user.
#[test]
fn codex_is_held_in_a_new_conversation() {
    goes_on(Kind::Codex, &["SessionStart", "UserPromptSubmit", "Stop"], ["\u{203a}", "Worked for", "/new"]);
}
