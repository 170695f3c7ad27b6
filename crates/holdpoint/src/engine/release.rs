//! Releasing: the one place where a hold does not hold. What is put here into a run's report has a line in the journal with
//! its cause, an open hold with an id until it is settled, and the user is told.

use holdpoint_core::decide::decide;
use holdpoint_core::digest::sha256;
use holdpoint_core::effects::{Fault, Source};
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::holds::{Holding, Holds, How, Judged, OpenHold};
use holdpoint_core::phase::{self, Due};
use holdpoint_core::release::{Cause, Released};
use holdpoint_core::workflow::step::Delivery;

use super::Call;
use super::advance::ahead;
use super::merge::Said;
use super::report::{Ending, Report};
use super::session::Session;
use super::{door, judge, patience, record};
use crate::project::Found;
use crate::store::books::Books;
use crate::store::door::Door;
use crate::store::error::StoreError;
use crate::store::{holds, journal, layout};

/// Gives a hold up.
pub(super) fn let_go(report: &mut Report, released: Released) {
    report.released.push(released);
}

/// Gives up whatever a Stop would be held for that is not judged, if there is anything; says whether there is. Nothing is
/// performed to find out.
pub(super) fn unjudged(
    session: &Session<'_>,
    report: &mut Report,
    cause: Cause,
    why: Option<String>,
) -> bool {
    let Some((rule, open)) = open_at_stop(session) else { return false };
    let_go(report, Released { why, ..Released::new(cause, &rule, &open) });
    true
}

/// Gives up what a Stop would be held for in a run that is none of the session's business. `merge.rs` tells the user whose it
/// is.
pub(super) fn aside(session: &Session<'_>, report: &mut Report) {
    let why = report.note.clone();
    if unjudged(session, report, Cause::OtherSession, why) {
        report.released.iter_mut().for_each(|released| released.is_told = true);
    }
}

/// What a Stop would be held for: the rule or phase, and what it says.
fn open_at_stop(session: &Session<'_>) -> Option<(String, String)> {
    let ending = match ahead(session) {
        Ok(ending) => ending,
        Err(fault) => return Some(unjudgeable(&fault)),
    };
    match ending {
        Ending::Waits { phase, text } if !text.is_empty() => return Some((phase.name.to_string(), text)),
        Ending::Perform(request) => {
            return Some((request.phase.clone(), format!("`{}` is due.", request.phase)));
        }
        Ending::Waits { .. }
        | Ending::Unperformed { .. }
        | Ending::Step(_)
        | Ending::Nobody
        | Ending::Unknown(_) => {}
    }
    let effects = decide(&session.facts(), None);
    let held = effects.delivered(Delivery::Hold).next();
    let held = held.map(|message| (message.name.clone(), message.text.clone()));
    held.or_else(|| effects.faults.first().map(unjudgeable))
}

/// What may be open and cannot be told: the rule or phase, and what keeps it from being judged.
fn unjudgeable(fault: &Fault) -> (String, String) {
    (fault.rule.clone().unwrap_or_default(), format!("it could not be judged: {}", fault.what))
}

/// Gives up, at the end of judging, what was not judged: each rule's fault lets that rule's event pass. At the Stop of a
/// workflow that holds on faults the agent is held instead, as long as there is patience.
pub(super) fn faults(session: &Session<'_>, report: &mut Report) {
    // What kept nothing from being judged lets nothing go: `merge.rs` tells it.
    report.effects.faults.iter_mut().filter(|fault| fault.is_aside).for_each(|fault| fault.is_told = true);
    if holds_unjudged(session, report) {
        return;
    }
    let untold = report.effects.faults.iter().filter(|fault| !fault.is_told);
    let released = untold.map(|fault| Released {
        why: Some(fault.what.clone()),
        ..Released::new(Cause::Fault, fault.rule.as_deref().unwrap_or_default(), "")
    });
    let released: Vec<Released> = released.collect();
    for released in released {
        let_go(report, released);
    }
}

/// Holds a Stop that could not be judged, where the workflow says so; true if that settles what becomes of its faults.
fn holds_unjudged(session: &Session<'_>, report: &mut Report) -> bool {
    let Session { run, event, .. } = session;
    let is_stop = event.moment == Moment::Stop && !event.is_waiting;
    let is_open = report.released.is_empty() && !report.effects.holds() && !report.is_aside;
    let Some(what) = report.untold().next().map(str::to_owned) else { return false };
    if !(run.workflow.run.holds_on_fault && is_stop && is_open) {
        return false;
    }
    let text = format!("{} could not be judged: {what}.", run.workflow.name);
    match patience::spent(session, &text) {
        None => report.effects.messages.push(judge::of_books(Delivery::Hold, text)),
        Some(cause) => let_go(report, Released::new(cause, "books", &text)),
    }
    report.effects.faults.iter_mut().for_each(|fault| fault.is_told = true);
    true
}

/// Gives up, when phases and rules were asked, a review or check without a verdict, unless the agent is held all the same.
pub(super) fn unperformed(session: &Session<'_>, report: &mut Report) {
    let Some(released) = report.unperformed.take().filter(|_| !report.effects.holds()) else { return };
    let mut own = report.effects.messages.iter().filter(|message| message.source == Source::Phase);
    let is_told = own.any(|message| message.delivery.is_for_user());
    let has_moved =
        !matches!(phase::due(&session.facts()), Ok(Due::Phase(due)) if *due.name == released.rule);
    // Its fault is told with it.
    for fault in report.effects.faults.iter_mut().filter(|fault| Some(&fault.what) == released.why.as_ref()) {
        fault.is_told = true;
    }
    let_go(report, Released { is_told, has_moved, ..released });
}

/// Tells of runs that are there and cannot be read: nothing of theirs holds.
pub(super) fn unreadable(call: &Call<'_>, event: &Event, found: &Found, said: &mut Said) {
    for unreadable in &found.unreadable {
        let what = unreadable.in_words();
        let books = Books::of(&unreadable.home, call.env.as_ref());
        let why = Some(what.clone());
        let released = Released { why, ..Released::new(Cause::Unreadable, "", "") };
        record::unreadable(&books, event, unreadable, &what);
        said.fault(&books, event, &what, released.message(&unreadable.workflow));
    }
}

/// Notes what an event came to among the open holds of its run: each hold gets its id, and what is settled has its line.
/// Books that cannot be kept give no ids.
pub(super) fn note(session: &Session<'_>, only: Option<&str>, report: &mut Report) {
    let (run, event) = (session.run, session.event);
    let (workflow, place) = (&run.workflow.name, run.place());
    let now = holding(report);
    // Nearly always there is nothing to note, and no lock is taken to find out.
    let is_quiet = now.is_empty();
    if is_quiet && !holds::are_any(&run.books, workflow, &place) {
        return;
    }
    let open = if is_quiet { holds::read(&run.books, workflow, &place) } else { Holds::default() };
    let (at, seed) = (journal::now(), session.env.random_u64());
    let mut made = 0_u32;
    let id = || {
        made += 1;
        let digest = layout::digest(&[&at, workflow, &format!("{seed:x} {made}")]);
        format!("h{}", digest.chars().skip(10).collect::<String>())
    };
    // At a Stop the phases are asked as well.
    let asks_phases = event.moment == Moment::Stop && only.is_none();
    let faults = |name: &str| report.effects.faults.iter().any(|fault| fault.may_be_of(name));
    let asks = |name: &str| {
        let is_asked = asks_phases || run.workflow.rules_for(event, only).any(|rule| rule.name == name);
        is_asked && !faults(name)
    };
    let call = door::call(event).unwrap_or_default();
    let judged = Judged {
        moment: event.moment,
        session: event.session.as_deref().unwrap_or_default(),
        call: &call,
        at: &at,
        now,
        is_judged: !(report.is_unjudged() || event.moment == Moment::Stop && event.is_waiting),
        asks: &asks,
    };
    if judged.leaves(&open) {
        return;
    }
    let changed = holds::change(&run.books, workflow, &place, |holds| holds.judged(&judged, id));
    if let Ok((now, settled)) = changed {
        report.holds = now;
        record::settled(run, event, settled);
    }
}

/// What holds in a report, and what should and does not.
fn holding(report: &Report) -> Vec<Holding<'_>> {
    let cause = |rule: &str| {
        let mut own = report.released.iter().filter(|released| released.rule == rule);
        own.find(|released| released.cause != Cause::Fault).map(|released| released.cause)
    };
    let has_moved = |rule: &str| {
        let mut own = report.released.iter().filter(|released| released.rule == rule);
        own.any(|released| released.cause == Cause::User && released.has_moved)
    };
    let held = report.effects.delivered(Delivery::Hold).map(|message| Holding {
        rule: &message.name,
        text: &message.text,
        digest: sha256(message.text.as_bytes()),
        cause: cause(&message.name),
        has_moved: has_moved(&message.name),
    });
    let mut all: Vec<Holding<'_>> = held.collect();
    for released in &report.released {
        let is_there = |holding: &Holding<'_>| holding.rule == released.rule;
        if !all.iter().any(is_there) {
            let text = if released.open.is_empty() { released.why.as_deref() } else { None };
            let text = text.unwrap_or(&released.open);
            let (cause, has_moved) = (Some(released.cause), released.has_moved);
            all.push(Holding {
                rule: &released.rule,
                text,
                digest: sha256(text.as_bytes()),
                cause,
                has_moved,
            });
        }
    }
    all
}

/// A pause is over: a Stop holds again, and the calls that passed meanwhile are past.
pub(super) fn resume(session: &Session<'_>) -> Result<(), StoreError> {
    let (run, place) = (session.run, session.run.place());
    if !holds::are_any(&run.books, &run.workflow.name, &place) {
        return Ok(());
    }
    let is_paused = |hold: &OpenHold| hold.cause == Some(Cause::Paused);
    let passed = holds::change(&run.books, &run.workflow.name, &place, |holds| {
        let passed = holds.settle(How::Released, |hold| is_paused(hold) && !is_of_stop(hold));
        holds.0.iter_mut().filter(|hold| is_paused(hold)).for_each(|hold| hold.cause = None);
        passed
    })?;
    record::settled(run, session.event, passed);
    Ok(())
}

fn is_of_stop(hold: &OpenHold) -> bool {
    hold.event == Moment::Stop.name()
}

/// Settles the holds of phases that a command took the run past.
pub(super) fn go_on(session: &Session<'_>, to: &str) {
    let (run, place) = (session.run, session.run.place());
    if !holds::are_any(&run.books, &run.workflow.name, &place) {
        return;
    }
    let is_phase = |name: &str| run.workflow.phases.iter().any(|phase| *phase.name == *name);
    let passed = holds::change(&run.books, &run.workflow.name, &place, |holds| {
        holds.settle(How::Passed, |hold| is_of_stop(hold) && hold.rule != to && is_phase(&hold.rule))
    });
    record::settled(run, session.event, passed.unwrap_or_default());
}

/// Settles all holds of the run that was at this place: another takes its place.
pub(super) fn end(session: &Session<'_>) {
    let (run, place) = (session.run, session.run.place());
    // What the user opened was opened for the run that is over.
    let door = Door::of(&run.books, &run.workflow.name, &place);
    if door.pause().is_some() {
        record::resumed(run, None, false);
    }
    let _ = door.close();
    if !holds::are_any(&run.books, &run.workflow.name, &place) {
        return;
    }
    let ended =
        holds::change(&run.books, &run.workflow.name, &place, |holds| holds.settle(How::Ended, |_| true));
    record::settled(run, session.event, ended.unwrap_or_default());
}
