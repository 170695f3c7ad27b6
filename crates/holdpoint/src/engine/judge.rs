//! One run asked about one event: what is due at a Stop, then the rules.

use std::time::Instant;

use holdpoint_core::decide::decide;
use holdpoint_core::effects::{Effects, Fault, Message, Source};
use holdpoint_core::event::Moment;
use holdpoint_core::release::{Cause, Released};
use holdpoint_core::workflow::step::Delivery;

use super::advance::{Scope, advance, ahead};
use super::commit::{Guard, commit};
use super::report::{Ending, Report};
use super::session::Session;
use super::watch::{self, Seen};
use super::{patience, pause, record, release};
use crate::store::lock::{self, Lock, LockError};
use crate::store::seal::SealError;
use crate::store::state::{self, WriteError};

/// How often a decision is made again because someone outside wrote the state meanwhile.
const TRIES_MAX: u32 = 3;

/// Whether a Stop would perform a review in this run: other workflows are asked first.
pub(super) fn waits_for_others(session: &Session<'_>) -> bool {
    session.event.moment == Moment::Stop
        && !session.run.workflow.phases.is_empty()
        && matches!(ahead(session), Ok(Ending::Perform(_)))
}

/// Asks a run's workflow about the event and commits what it sets; with `only`, the rules of that name alone.
pub(super) fn judge(session: &Session<'_>, only: Option<&str>) -> Report {
    let upheld = session.uphold();
    if pause::comes_first(session, only)
        && let Some(pause) = session.pause()
    {
        let mut report = pause::judged(session, only, pause);
        for what in upheld.iter().flatten() {
            report.notice(session.run, session.event, what);
        }
        return report;
    }
    let seen = if only.is_none() { watch::compare(session) } else { Seen::default() };
    let mut report = match &upheld {
        Ok(_) => judge_upheld(session, only),
        Err(error) => judge_unsure(session, only, error),
    };
    add_seen(session, seen, &mut report);
    for what in upheld.iter().flatten() {
        report.notice(session.run, session.event, what);
    }
    release::unperformed(session, &mut report);
    release::faults(session, &mut report);
    // Only what came to something need know whether the run is paused.
    let is_something = !(report.effects.messages.is_empty() && report.effects.faults.is_empty());
    match session.pause_if(is_something) {
        Some(pause) => pause::judged(session, only, pause),
        None => report,
    }
}

/// Adds what shell calls did. At Stop it holds, if nothing else does.
fn add_seen(session: &Session<'_>, seen: Seen, report: &mut Report) {
    report.effects.add(seen.effects);
    let is_open = report.is_open() && !report.effects.holds() && !session.event.is_waiting;
    if let Some(unsettled) = seen.unsettled.filter(|_| is_open) {
        give_up_if_spent(session, report, &unsettled.name, &unsettled.text);
        report.effects.messages.push(unsettled);
    }
}

fn judge_upheld(session: &Session<'_>, only: Option<&str>) -> Report {
    let is_stop = session.event.moment == Moment::Stop;
    let mut report = Report::default();
    if let Some(hold) = patience::capped(session) {
        release::let_go(&mut report, Released::new(Cause::Capped, &hold.rule, &hold.text));
    }
    // The agent will wake up again by itself: what is due can wait until it really stops.
    if is_stop && session.event.is_waiting {
        release::unjudged(session, &mut report, Cause::Background, None);
        return report;
    }
    if is_stop && only.is_none() && !session.run.workflow.phases.is_empty() {
        report = advance(session, Scope::Stop);
    }
    if report.is_open() {
        ask_rules(session, only, decide_and_write, &mut report);
    }
    report
}

/// By a state that nobody can vouch for nothing is due and nothing is set: writing it would seal it. Its rules hold all
/// the same, and so does a Stop, as long as there is patience: whoever takes the books away does not open the gate.
fn judge_unsure(session: &Session<'_>, only: Option<&str>, error: &SealError) -> Report {
    let mut report = Report::default();
    // With its workflow gone there is nothing to hold by.
    let is_held = session.event.moment == Moment::Stop && !matches!(error, SealError::NotBuiltIn { .. });
    if !is_held && session.event.moment == Moment::Stop {
        let what = error.to_string();
        report.effects.faults.push(Fault { what: what.clone(), is_told: true, ..Fault::default() });
        release::let_go(&mut report, Released { why: Some(what), ..Released::new(Cause::Fault, "", "") });
        return report;
    }
    if !is_held {
        report.effects.fault(error.to_string());
        let decide_only =
            |session: &Session<'_>, only: Option<&str>| unwritten(decide(&session.facts(), only));
        ask_rules(session, only, decide_only, &mut report);
        return report;
    }
    let text = format!("{}: {error}", session.run.workflow.name);
    let is_told = !session.event.is_waiting;
    report.effects.faults.push(Fault { what: error.to_string(), is_told, ..Fault::default() });
    if is_told {
        give_up_if_spent(session, &mut report, "books", &text);
        report.effects.messages.push(of_books(Delivery::Hold, text));
    }
    report
}

/// Something that the engine says by itself, about its books.
pub(super) fn of_books(delivery: Delivery, text: String) -> Message {
    let (source, name) = (Source::Engine, "books".to_owned());
    Message { delivery, text, source, name, line: 0, code: None, facts: Vec::new(), satisfied_by: None }
}

/// Goes through the phases that are due, as a Stop would, for somebody in a shell, and writes the journal. Rules are not
/// asked: nobody stops.
pub fn review(session: &Session<'_>) -> Report {
    let started = Instant::now();
    let mut report = advance(session, Scope::Stop);
    release::unperformed(session, &mut report);
    let _ = record::write(session, &report, started);
    report
}

/// Asks the rules that look at the event, by `changing` if they may change something. A sealed run is asked even if no
/// rule looks: the engine itself protects it.
fn ask_rules(
    session: &Session<'_>,
    only: Option<&str>,
    changing: impl Fn(&Session<'_>, Option<&str>) -> Effects,
    report: &mut Report,
) {
    let mut rules = session.run.workflow.rules_for(session.event, only).peekable();
    if rules.peek().is_some() || session.run.workflow.run.is_sealed {
        let hears = only.is_none() && session.run.workflow.hears(session.event);
        let changes = hears || rules.any(|rule| rule.step.changes());
        let effects = if changes { changing(session, only) } else { decide(&session.facts(), only) };
        if session.event.moment.is_stop() && effects.holds() {
            give_up_rules_if_spent(session, report, &effects);
        }
        report.effects.add(effects);
    }
    patience::note(session);
}

/// Counts the holds of rules at a Stop as one, and gives all of them up where patience is used up. One message tells of them.
fn give_up_rules_if_spent(session: &Session<'_>, report: &mut Report, effects: &Effects) {
    let holds: Vec<&Message> = effects.delivered(Delivery::Hold).collect();
    let texts: Vec<&str> = holds.iter().map(|message| message.text.as_str()).collect();
    let Some(cause) = patience::spent(session, &texts.join("\n")) else { return };
    for (at, message) in holds.iter().enumerate() {
        let is_told = at > 0;
        let released = Released { is_told, ..Released::new(cause, &message.name, &message.text) };
        release::let_go(report, released);
    }
}

/// Counts a hold at Stop, and gives it up where patience is used up.
fn give_up_if_spent(session: &Session<'_>, report: &mut Report, rule: &str, text: &str) {
    if let Some(cause) = patience::spent(session, text) {
        release::let_go(report, Released::new(cause, rule, text));
    }
}

/// Decides under the state's lock and writes what changes. If it cannot be written, the decision stands and the journal
/// says what was lost.
fn decide_and_write(session: &Session<'_>, only: Option<&str>) -> Effects {
    // Most events change nothing, and need no lock.
    let first = decide(&session.facts(), only);
    if first.writes_nothing() {
        return first;
    }
    let what = match session.facts().state_path() {
        Ok(Some(path)) => format!("the state file `{path}` was not written"),
        Ok(None) => "what a rule changes was not written".to_owned(),
        Err(error) => return lost(decide(&session.facts(), only), error.to_string()),
    };
    let because = |why: &str| format!("{what}: {why}");
    let _lock = match locked(session) {
        Ok(lock) => lock,
        Err(why) => return lost(decide(&session.facts(), only), because(&why.to_string())),
    };
    for _ in 0..TRIES_MAX {
        let mut effects = decide(&session.refresh(), only);
        match commit(session, &Guard::State, &effects) {
            Ok(behind) => {
                if let Some(why) = behind {
                    effects.fault(why);
                }
                return effects;
            }
            Err(WriteError::Changed) => {}
            Err(why) => return lost(effects, because(&why.to_string())),
        }
    }
    lost(decide(&session.refresh(), only), because("others kept writing it"))
}

fn locked(session: &Session<'_>) -> Result<Lock, LockError> {
    let run = session.run;
    state::lock(&run.books, run.workflow.run.is_sealed, &run.place(), lock::PATIENCE)
}

/// The same without what could not be written, and why it could not.
fn lost(effects: Effects, what: String) -> Effects {
    let mut effects = unwritten(effects);
    effects.fault(what);
    effects
}

/// The same without what is to be written. A phase speaks up here only to say that a sub-agent's verdict is recorded, and
/// then it is not.
fn unwritten(mut effects: Effects) -> Effects {
    effects.sets.clear();
    effects.files.clear();
    effects.log.clear();
    effects.messages.retain(|message| message.source != Source::Phase);
    effects
}

#[cfg(test)]
mod tests {
    use holdpoint_core::effects::Set;

    use super::*;

    #[test]
    fn nothing_is_said_to_be_on_record_that_was_not_written() {
        let message = |source: Source| Message {
            delivery: Delivery::Context,
            text: "x".to_owned(),
            source,
            name: String::new(),
            line: 0,
            code: None,
            facts: Vec::new(),
            satisfied_by: None,
        };
        let effects = Effects {
            sets: vec![Set { path: vec!["marks".to_owned()], value: serde_json::json!({}) }],
            messages: vec![message(Source::Phase), message(Source::Rule), message(Source::Engine)],
            ..Effects::default()
        };
        let left = lost(effects, "the state file was not written".to_owned());
        let sources: Vec<Source> = left.messages.iter().map(|message| message.source).collect();
        assert_eq!(sources, [Source::Rule, Source::Engine]);
        assert!(left.writes_nothing() && left.faults.len() == 1);
    }
}
