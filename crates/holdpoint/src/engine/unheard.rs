//! A hold that was decided and perhaps not heard is said again: a hook that was killed after the state was written has moved a
//! run on, and nobody knows.

use holdpoint_core::effects::{Effects, Message, Source};
use holdpoint_core::event::SHELL;
use holdpoint_core::phase;
use holdpoint_core::release::Released;
use holdpoint_core::workflow::step::Delivery;

use super::report::Report;
use super::session::Session;
use super::{patience, release};
use crate::store::layout;
use crate::store::unheard::{Note, Unheard};

fn note(session: &Session<'_>) -> Note {
    let id = session.event.session.as_deref().unwrap_or_default();
    Note::of(&session.run.books, id, &session.run.workflow.name)
}

/// Whether an agent's hook is at work: somebody in a shell sees what is printed.
fn is_agents(session: &Session<'_>) -> bool {
    session.event.agent != SHELL
}

fn state(session: &Session<'_>) -> String {
    let bytes = session.facts().state_bytes().ok().flatten().unwrap_or_default();
    layout::digest(&[&String::from_utf8_lossy(&bytes)])
}

/// Notes what a step will say, before it is written. Where it cannot be noted it is said once, as ever.
pub(super) fn expect(session: &Session<'_>, effects: &Effects, report: &mut Report) {
    let Some(message) = effects.delivered(Delivery::Hold).next().filter(|_| !effects.writes_nothing()) else {
        return;
    };
    if !is_agents(session) {
        return;
    }
    let unheard = Unheard {
        phase: message.name.clone(),
        text: message.text.clone(),
        before: state(session),
        ..Unheard::default()
    };
    let note = note(session);
    if note.write(&session.run.place(), unheard).is_ok() {
        report.unheard = Some(note);
    }
}

/// Forgets what was noted: the step was not taken.
pub(super) fn forget(report: &mut Report) {
    if let Some(note) = report.unheard.take() {
        note.clear();
    }
}

/// Says again what was perhaps not heard; true if there is something. As long as there is patience it holds.
pub(super) fn say_again(session: &Session<'_>, report: &mut Report) -> bool {
    let note = note(session);
    let unheard = note.read(&session.run.place()).filter(|_| is_agents(session));
    let Some(unheard) = unheard else { return false };
    if unheard.before == state(session) {
        // The state was not written: what was to be said has not happened.
        note.clear();
        return false;
    }
    report.unheard = Some(note);
    match patience::spent_at(session, &unheard.text, phase::HOLDS) {
        None => report.effects.messages.push(said(session, unheard)),
        Some(cause) => release::let_go(report, Released::new(cause, &unheard.phase, &unheard.text)),
    }
    true
}

fn said(session: &Session<'_>, unheard: Unheard) -> Message {
    let Unheard { phase, text, .. } = unheard;
    let line = session.run.workflow.phase(&phase).map_or(0, |phase| phase.line);
    Message {
        delivery: Delivery::Hold,
        text,
        source: Source::Phase,
        name: phase,
        line,
        code: None,
        facts: Vec::new(),
        satisfied_by: None,
    }
}
