//! What goes into the journal about an event.

use std::borrow::Cow;
use std::time::Instant;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::secret;
use holdpoint_core::tool::Tool;

use super::report::Report;
use super::session::Session;
use crate::project::Run;
use crate::store::books::Books;
use crate::store::error::StoreError;
use crate::store::journal::{self, Decision, Entry};
use crate::store::plain_log;

/// Writes the line for one run. A journal that cannot be written changes no answer.
pub(super) fn write(session: &Session<'_>, report: &Report, started: Instant) -> Result<(), StoreError> {
    let entry = report.entry(session.run, session.event, started);
    // Every tool call comes by here: only what came to something is worth a line to people.
    if entry.decision != Decision::None || session.event.moment == Moment::Stop {
        log(session.run, &entry);
    }
    journal::append(&session.run.books, &entry)
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
    let entry = Entry { at, about, workflow, ..Entry::default() };
    let _ = journal::append(&run.books, &entry);
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
    let line: String = text.lines().next().unwrap_or_default().chars().take(CHARS_SEEN).collect();
    Some(secret::replaced(&line).chars().take(CHARS_MAX).collect())
}
