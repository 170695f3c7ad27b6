//! A session begins where a run is: it takes the place of the one that worked on it, or goes on with its own, and is told
//! where the run stands. A client forgets that when it clears, compacts or forks a session.

use std::path::Path;

use holdpoint_core::effects::{Message, Source as Said};
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::phase::{self, Due};
use holdpoint_core::workflow::phase::Actor;
use holdpoint_core::workflow::step::Delivery;

use super::Call;
use super::report::Report;
use super::session::Session;
use crate::agent::Asked;
use crate::agent::session_event::Source;
use crate::caller::{self, Caller, presence};
use crate::project::linked;
use crate::project::whose::{self, Whose};
use crate::store::{memory, owner};

/// How much of what is to be done is shown: a session that wants it whole asks, or is held with it.
const CHARS_MAX: usize = 300;

/// Takes a run over from the session before this one, and adds where it stands.
pub(super) fn begin(session: &Session<'_>, asked: &Asked, report: &mut Report) {
    if session.event.moment == Moment::Prompt && !asked.agent.hears_at_start(Some(Source::Clear)) {
        return tell_late(session, report);
    }
    let Some(asking) = session.claimant().filter(|_| session.event.moment == Moment::Start) else { return };
    let (run, env) = (session.run, session.env.as_ref());
    let facts = session.facts();
    // What cannot be read is told when it is judged.
    if run.workflow.phases.is_empty() || !phase::is_live(&facts).unwrap_or(false) {
        return;
    }
    let named = facts.owner().ok().flatten();
    let is_far = linked::is_of_main(&run.home, Path::new(&session.event.cwd));
    let former = owner::read(&run.books, &run.place(), named.as_deref().unwrap_or_default());
    let goes_on = match whose::of(run, named.as_deref(), &asking, env) {
        Whose::Own => true,
        // Such a run holds nobody who has not worked on it.
        Whose::Free if is_far || facts.is_stale().unwrap_or(false) => return,
        Whose::Free => false,
        Whose::Anothers(_) => return,
    };
    if goes_on && former.session != asking.session {
        let _ = whose::take(run, named.as_deref(), &asking, env);
        report.note = Some("this session takes the place of the one that worked on this run".to_owned());
    }
    let text = text(session, asked.source, goes_on);
    if asked.agent.hears_at_start(asked.source) {
        report.effects.messages.push(message(text));
    } else {
        // Where it cannot be kept, `holdpoint status` says it.
        let _ = memory::update(&run.books, asking.session, &run.workflow.name, |memory| memory.stands = text);
    }
}

/// Adds what a client has lost that does not hand over what is said at the start.
fn tell_late(session: &Session<'_>, report: &mut Report) {
    let Some(asking) = session.claimant() else { return };
    let (books, name) = (&session.run.books, &session.run.workflow.name);
    let is_kept = memory::read(books, asking.session, name).is_some_and(|memory| !memory.stands.is_empty());
    let taken =
        || memory::update(books, asking.session, name, |memory| std::mem::take(&mut memory.stands)).ok();
    if let Some(text) = is_kept.then(taken).flatten().filter(|text| !text.is_empty()) {
        report.effects.messages.push(message(text));
    }
}

fn message(text: String) -> Message {
    Message {
        delivery: Delivery::Context,
        text,
        source: Said::Engine,
        name: "session".to_owned(),
        line: 0,
        code: None,
        facts: Vec::new(),
        satisfied_by: None,
    }
}

/// Notes that a session has ended, if its client says so: what it worked on is no longer its own.
pub(super) fn end(call: &Call<'_>, asked: &Asked, event: &Event) {
    let Some(session) = event.session.as_deref() else { return };
    if matches!(caller::of(call.env.as_ref(), asked, event), Caller::Client | Caller::User) {
        presence::end(call.env.as_ref(), session);
    }
}

fn text(session: &Session<'_>, source: Option<Source>, goes_on: bool) -> String {
    let run = session.run;
    let place = run.place();
    let place = place.strip_prefix(&run.home).unwrap_or(&place).to_string_lossy();
    let place = if place.is_empty() { String::new() } else { format!(" in {place}") };
    let what = match (goes_on, source) {
        (true, Some(Source::Clear)) => "goes on after the conversation was cleared",
        (true, Some(Source::Compact)) => "goes on after the conversation was compacted",
        (true, _) => "goes on in this session",
        (false, _) => "is not finished, and nobody works on it: it holds this session when it stops",
    };
    let facts = session.facts();
    let shown = run.workflow.run.shows.as_ref().and_then(|shows| facts.shown(shows).ok().flatten());
    let shown = shown.map(|shown| format!(" It stands at: {shown}.")).unwrap_or_default();
    let name = &run.workflow.name;
    format!("holdpoint: the {name} run{place} {what}.{shown}{} For more: holdpoint status", next(session))
}

/// What comes next, in a sentence.
fn next(session: &Session<'_>) -> String {
    let facts = session.facts();
    let Ok(Due::Phase(phase)) = phase::due(&facts) else { return String::new() };
    match phase.actor() {
        Actor::Agent => {
            let text = phase::asked(&facts, &phase).unwrap_or_default();
            format!(" You are asked for this: {}", beginning(&text))
        }
        Actor::Reviewer | Actor::Check => format!(" When you end your turn, {} is performed.", phase.name),
        Actor::User | Actor::Approval => format!(" It waits for the user ({}).", phase.name),
        Actor::Nobody => String::new(),
    }
}

/// The first line of a text, cut where it is long.
fn beginning(text: &str) -> String {
    let line = text.lines().map(|line| line.trim_start_matches(['#', ' '])).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    let cut: String = line.chars().take(CHARS_MAX).collect();
    if cut.len() < line.len() { format!("{cut} …") } else { cut }
}
