//! What an agent has in the background when it stops. If that wakes the agent by itself, the Stop is only a pause, and what is
//! due waits for the next one. Nothing postpones a Stop twice, and a shell does not at all: a server runs for ever. The
//! exception is the command that the phase itself told the agent to run.

use std::sync::Arc;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::phase::{self, Due};
use holdpoint_core::release::Cause;
use holdpoint_core::workflow::phase::{AgentPhase, PhaseKind};

use super::report::Report;
use super::session::Session;
use crate::agent::Asked;
use crate::agent::background::{Task, TaskKind};
use crate::env::Env;
use crate::project::{Found, Run};
use crate::store::memory;

/// Why a Stop is only a pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pause {
    /// What is waited for.
    what: &'static str,
    /// Whether the phase told the agent to run it: then nobody need be told.
    is_asked_for: bool,
}

/// Tells whether an event is a Stop that is only a pause, and remembers what it waits for.
pub(super) fn pause(asked: &Asked, event: &Arc<Event>, found: &Found, env: &Arc<dyn Env>) -> Option<Pause> {
    let run = found.runs.iter().find(|run| run.is_recorded)?;
    let session = event.session.as_deref().unwrap_or_default();
    if event.moment == Moment::Prompt {
        forget(run, session);
    }
    if event.moment != Moment::Stop || asked.background.is_empty() {
        return None;
    }
    let part = |task: &&Task| {
        let sessions = found.runs.iter().map(|run| Session::new(run, event, env));
        sessions.filter_map(|session| asked_part(&session, task)).max()
    };
    let mut new = asked.background.iter().filter(|task| is_new(run, session, task));
    let waking = new.clone().find(|task| task.kind.wakes());
    let (task, part) = match waking {
        Some(task) => (task, None),
        None => new.find_map(|task| part(&task).map(|part| (task, Some(part))))?,
    };
    remember(run, session, &asked.background)?;
    Some(Pause { what: task.kind.words(), is_asked_for: part == Some(Part::All) })
}

/// Says in a report why nothing was judged. What the phase asked for is no surprise to anybody.
pub(super) fn tell(pause: &Pause, report: &mut Report) {
    let Pause { what, is_asked_for } = pause;
    report.note = Some(format!("postponed: {what} in the background wakes the agent"));
    for released in report.released.iter_mut().filter(|released| released.cause == Cause::Background) {
        released.why = Some((*what).to_owned());
        released.is_told |= is_asked_for;
    }
}

/// How much of what a shell runs the phase that is due has told the agent to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// A line of it, word for word. It may be quoted only.
    Some,
    /// Every word.
    All,
}

fn asked_part(session: &Session<'_>, task: &Task) -> Option<Part> {
    let command = task.command.as_deref().filter(|_| task.kind == TaskKind::Shell)?.trim();
    let facts = session.facts();
    let Ok(Due::Phase(phase)) = phase::due(&facts) else { return None };
    if !matches!(&phase.kind, PhaseKind::Agent(AgentPhase { shown: Some(_), .. })) {
        return None;
    }
    let text = phase::asked(&facts, &phase).unwrap_or_default();
    let mut lines = text.lines().map(str::trim).filter(|line| line.contains(' '));
    if text.contains(command) && lines.clone().any(|line| command.starts_with(line)) {
        return Some(Part::All);
    }
    lines.any(|line| command.contains(line)).then_some(Part::Some)
}

/// What tells tasks apart. All monitors are one: each could be followed by the next.
fn key(task: &Task) -> String {
    let id = if task.kind == TaskKind::Monitor { "" } else { &task.id };
    format!("{:?} {id}", task.kind)
}

/// Returns whether a task was not there yet when the agent last stopped.
fn is_new(run: &Run, session: &str, task: &Task) -> bool {
    let memory = memory::read(&run.books, session, &run.workflow.name);
    !memory.is_some_and(|memory| memory.waited_for.contains(&key(task)))
}

/// Remembers what was there. None if it cannot be: then a Stop could be postponed for ever.
fn remember(run: &Run, session: &str, tasks: &[Task]) -> Option<()> {
    memory::update(&run.books, session, &run.workflow.name, |memory| {
        memory.waited_for.extend(tasks.iter().map(key));
    })
    .ok()
}

/// A new turn begins: what was there may be waited for again, if it ends by itself.
fn forget(run: &Run, session: &str) {
    let name = &run.workflow.name;
    if memory::read(&run.books, session, name).is_some_and(|memory| !memory.waited_for.is_empty()) {
        let monitor = format!("{:?} ", TaskKind::Monitor);
        let _ = memory::update(&run.books, session, name, |memory| {
            memory.waited_for.retain(|key| key.starts_with(&monitor));
        });
    }
}
