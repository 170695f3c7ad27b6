//! What goes into the journal about an event.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use holdpoint_core::door::{Grant, Pause, Word};
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::Facts;
use holdpoint_core::holds::Settled;
use holdpoint_core::phase::{self, Due, next};
use holdpoint_core::release::Cause;
use holdpoint_core::secret;
use holdpoint_core::tool::Tool;
use serde_json::Value as Json;

use super::door;
use super::report::Report;
use super::session::Session;
use crate::project::{Run, Unreadable};
use crate::store::books::Books;
use crate::store::error::StoreError;
use crate::store::journal::{self, Decision, Door, Entry, Kind, SettledHold};
use crate::store::plain_log;

/// Writes the line for one run. A journal that cannot be written changes no answer.
pub(super) fn write(session: &Session<'_>, report: &Report, started: Instant) -> Result<(), StoreError> {
    let entry = report.entry(session.run, session.event, started);
    let entry = if is_worth_placing(session, &entry) { placed(session, entry) } else { entry };
    // Every tool call comes by here: only what came to something is worth a line to people.
    if entry.decision != Decision::None || session.event.moment == Moment::Stop {
        log(session.run, &entry);
    }
    journal::append(&session.run.books, &entry)
}

/// Whether it matters where the run stands then: something was held, released or moved, or the agent stops.
fn is_worth_placing(session: &Session<'_>, entry: &Entry) -> bool {
    let has_phases = !session.run.workflow.phases.is_empty();
    let is_something = !matches!(entry.decision, Decision::None | Decision::Witness);
    has_phases && (is_something || !entry.moves.is_empty() || session.event.moment == Moment::Stop)
}

/// The entry with where the run stands now: its item, who acts next, and the one next command.
pub(super) fn placed(session: &Session<'_>, entry: Entry) -> Entry {
    let facts = session.facts();
    let next = next::of(&facts);
    Entry {
        run: Some(session.run.place_name()),
        item: item_name(&facts.item_id()),
        turn: next.as_ref().map(|next| next.actor.name().to_owned()),
        next: next.and_then(|next| next.command),
        ..entry
    }
}

/// The name of the phase that is due.
pub(super) fn due(facts: &Arc<Facts>) -> Option<String> {
    match phase::due(facts) {
        Ok(Due::Phase(phase)) => Some(phase.name.to_string()),
        Ok(Due::Nobody | Due::Unknown(_)) | Err(_) => None,
    }
}

/// Tells a workflow's own log what happened, in a line each.
pub(crate) fn log(run: &Run, entry: &Entry) {
    let Some(log) = &run.workflow.run.log else { return };
    let path = run.home.join(run.workflow.run.home.as_ref()).join(log.as_ref());
    let about = entry.about.as_deref().unwrap_or(&entry.event);
    let line = |what: String| plain_log::append(&run.home, &path, &entry.at, &what);
    line(format!(
        "{} {}: {}",
        entry.decision.name().to_uppercase(),
        run.id.as_deref().unwrap_or_default(),
        about
    ));
    entry.rules.iter().for_each(|rule| line(format!("{} {}: {}", rule.kind.name(), rule.rule, rule.text)));
    if let Some(fields) = named(&entry.set) {
        line(format!("set {fields}"));
    }
    entry.faults.iter().for_each(|fault| line(format!("fault: {fault}")));
}

/// Fields and their values in a line, if there are any.
fn named(set: &serde_json::Map<String, serde_json::Value>) -> Option<String> {
    let each = set.iter().map(|(field, value)| format!("{field}={value}"));
    (!set.is_empty()).then(|| each.collect::<Vec<_>>().join(" "))
}

/// Writes a fault that lies before any workflow.
pub(super) fn fault(books: &Books, event: &Event, what: &str) {
    let entry = Entry { decision: Decision::Fault, faults: vec![what.to_owned()], ..about(event) };
    let _ = journal::append(books, &entry);
}

/// Writes that a run cannot be read, so that nothing of it holds.
pub(super) fn unreadable(books: &Books, event: &Event, unreadable: &Unreadable, what: &str) {
    let entry = Entry {
        workflow: Some(unreadable.workflow.clone()),
        run: Some(unreadable.path.display().to_string()),
        decision: Decision::Release,
        cause: Some(Cause::Unreadable),
        faults: vec![what.to_owned()],
        ..about(event)
    };
    let _ = journal::append(books, &entry);
}

/// Writes a fault for which there is not even an event.
pub(super) fn unasked(books: &Books, what: &str) {
    let entry = Entry {
        at: journal::now(),
        decision: Decision::Fault,
        faults: vec![what.to_owned()],
        ..Entry::default()
    };
    let _ = journal::append(books, &entry);
}

/// Writes what a command found to be otherwise than the books say, and put right.
pub(super) fn noticed(run: &Run, what: &str) {
    let workflow = Some(run.workflow.name.to_string());
    let (at, about) = (journal::now(), Some(what.to_owned()));
    let entry = Entry { at, about, workflow, run: Some(run.place_name()), ..Entry::default() };
    let _ = journal::append(&run.books, &entry);
}

/// Writes that the user lets a held call pass.
pub(super) fn granted(run: &Run, grant: &Grant) {
    let door = Door {
        hold: Some(grant.held.hold.clone()),
        rule: Some(grant.held.rule.clone()),
        grant: Some(grant.id.clone()),
        until: Some(grant.until.clone()),
        word: Some(grant.word.clone()),
        accepts: false,
    };
    opened(run, Kind::Granted, door);
}

/// Writes that the user has paused a run.
pub(super) fn paused(run: &Run, pause: &Pause) {
    let (until, word) = (pause.until.clone(), Some(pause.word.clone()));
    opened(run, Kind::Paused, Door { until, word, ..Door::default() });
}

/// Writes that a pause is over: by the user's word, or because its time was.
pub(super) fn resumed(run: &Run, word: Option<&Word>, accepts: bool) {
    opened(run, Kind::Resumed, Door { word: word.cloned(), accepts, ..Door::default() });
}

fn opened(run: &Run, kind: Kind, door: Door) {
    let _ = journal::append(&run.books, &Entry { kind, door: Some(door), ..door::entry(run) });
}

/// Writes the lines about holds that were settled.
pub(super) fn settled(run: &Run, event: &Event, all: Vec<Settled>) {
    for Settled { hold, how } in all {
        let at = journal::now();
        let after_ms = milliseconds(&hold.at, &at);
        let entry = Entry {
            at,
            kind: Kind::Settled,
            event: event.moment.name().to_owned(),
            agent: event.agent.clone(),
            session: event.session.clone(),
            workflow: Some(run.workflow.name.to_string()),
            run: Some(run.place_name()),
            settled: Some(SettledHold { hold: hold.id, rule: hold.rule, how, after_ms }),
            ..Entry::default()
        };
        let _ = journal::append(&run.books, &entry);
    }
}

fn milliseconds(from: &str, to: &str) -> u64 {
    let time = |text: &str| text.parse::<jiff::Timestamp>().ok();
    let passed = time(from).zip(time(to)).map(|(from, to)| to.as_millisecond() - from.as_millisecond());
    passed.and_then(|passed| u64::try_from(passed).ok()).unwrap_or(0)
}

/// The name of a run's item, for the journal.
pub(super) fn item_name(item: &Json) -> Option<String> {
    match item {
        Json::Null => None,
        Json::String(name) => Some(name.clone()),
        other => Some(other.to_string()),
    }
}

/// An entry about an event, of which nothing else is known yet.
pub(super) fn about(event: &Event) -> Entry {
    Entry {
        at: journal::now(),
        event: event.moment.name().to_owned(),
        tool: event.tool.as_ref().map(|tool| tool.name.clone()),
        about: event.tool.as_ref().and_then(in_short),
        agent: event.agent.clone(),
        session: event.session.clone(),
        ..Entry::default()
    }
}

/// What a tool was called for, in a few words.
fn in_short(tool: &Tool) -> Option<String> {
    const CHARS_MAX: usize = 120;
    const CHARS_SEEN: usize = 2_000;
    let path = || tool.paths().into_iter().next();
    let agent = || tool.agent().ok().flatten().map(str::to_owned);
    let text = tool.command().map(Cow::into_owned).or_else(path).or_else(agent)?;
    // Before it is cut: half a token is not known for one any more.
    let first = text.lines().next().unwrap_or_default();
    let line: String = first.chars().take(CHARS_SEEN).collect();
    let shown = secret::replaced(&line);
    let mut short: String = shown.chars().take(CHARS_MAX).collect();
    if short.len() < shown.len() || first.len() < text.trim_end().len() {
        short.push_str(" …");
    }
    Some(short)
}
