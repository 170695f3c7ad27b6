//! One answer out of what several workflows say: a hold over a warning over nothing.

use std::path::Path;

use holdpoint_core::effects::{Effects, Message, Source};
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::holds::OpenHold;
use holdpoint_core::release::Cause;
use holdpoint_core::secret;
use holdpoint_core::workflow::step::Delivery;

use super::report::Report;
use super::session::Session;
use super::watch::Unwatched;
use super::{ownership, record};
use crate::agent::Answer;
use crate::store::books::Books;
use crate::store::error::StoreError;
use crate::store::registry::Registry;
use crate::store::unheard::Note;
use crate::store::{message, told};

/// What has been said so far: the workflow's name and the text.
#[derive(Default)]
pub(super) struct Said {
    quiet: bool,
    holds: Vec<(String, String)>,
    context: Vec<(String, String)>,
    messages: Vec<String>,
    stderr: Vec<String>,
    /// Notes of what is said, which go when it has been printed.
    pub(super) unheard: Vec<Note>,
}

impl Said {
    /// Nothing said yet. With `quiet` the engine's own faults stay in the journal.
    pub(super) fn new(quiet: bool) -> Said {
        Said { quiet, ..Said::default() }
    }

    /// Whether the agent is held.
    pub(super) fn holds(&self) -> bool {
        !self.holds.is_empty()
    }

    /// A message for the user.
    pub(super) fn tell(&mut self, text: String) {
        self.messages.push(text);
    }

    /// Information for the agent, about this workflow.
    pub(super) fn inform(&mut self, workflow: &str, text: String) {
        self.context.push((workflow.to_owned(), text));
    }

    /// A fault that the user should see, once a session.
    pub(super) fn fault(&mut self, books: &Books, event: &Event, what: &str, text: String) {
        let session = event.session.as_deref().unwrap_or_default();
        if !self.quiet && told::first_time(books, session, what) {
            self.messages.push(text);
        }
    }

    /// Tells the user, at Stop, of something in the place of the journal: a clone or an agent may have put it there, and
    /// nobody would know.
    pub(super) fn unrecorded(&mut self, session: &Session<'_>, error: &StoreError) {
        let StoreError::File(error) = error else { return };
        let Some(path) = error.in_the_way().filter(|_| session.event.moment == Moment::Stop) else { return };
        let text = format!(
            "holdpoint: {error}, so the journal is not kept. Move it away: mv '{0}' '{0}.old'",
            path.display()
        );
        self.fault(&session.run.books, session.event, &error.to_string(), text);
    }

    /// Says that shell calls are not looked at.
    pub(super) fn unwatched(&mut self, session: &Session<'_>, why: &Unwatched) {
        let what = why.to_string();
        record::fault(&session.run.books, session.event, &what);
        let text = format!("holdpoint: {}: {what}. See `holdpoint log --faults`.", session.run.workflow.name);
        self.fault(&session.run.books, session.event, &what, text);
    }

    /// A message that the user should see once a session, about a project in which nothing is written. By `what` it is
    /// told from others.
    pub(super) fn once(&mut self, registry: &Registry, event: &Event, what: &str, text: String) {
        let session = event.session.as_deref().unwrap_or_default();
        if !self.quiet && registry.first_time(session, what) {
            self.messages.push(text);
        }
    }

    /// Adds what the rules of a workflow say that only holds, in a project in which nothing is written. What a witness says of
    /// something that it would have noted is not true here: the user is told so instead.
    pub(super) fn guard(&mut self, session: &Session<'_>, effects: &Effects) {
        let Session { run, event, env, .. } = session;
        let workflow = run.workflow.name.as_ref();
        let notes =
            |name: &str| run.workflow.rules.iter().any(|rule| rule.name == name && rule.step.changes());
        let once = |name: &str| run.workflow.rules.iter().any(|rule| rule.once && rule.name == name);
        let registry = || Registry::of(env.as_ref());
        let is_new = |text: &str| {
            registry().first_time(event.session.as_deref().unwrap_or_default(), &format!("said {text}"))
        };
        for Message { delivery, text, name, .. } in &effects.messages {
            let named = || (workflow.to_owned(), text.clone());
            match delivery {
                // A Stop that cannot be counted is not held: it could go on for ever.
                Delivery::Hold if event.moment.is_stop() => self.messages.push(text.clone()),
                Delivery::Hold => self.holds.push(named()),
                _ if notes(name) => {}
                Delivery::Tell if once(name) && !self.quiet && !is_new(text) => {}
                Delivery::Pause | Delivery::Tell | Delivery::Note => self.messages.push(text.clone()),
                Delivery::Context => self.context.push(named()),
                Delivery::Stderr => self.stderr.push(text.clone()),
                Delivery::Log | Delivery::Silent => {}
            }
        }
        if !effects.writes_nothing() {
            let text = format!(
                "holdpoint: {workflow} counts and notes nothing here, because this project is not allowed. To allow it: holdpoint allow"
            );
            self.once(&registry(), event, &text.clone(), text);
        }
        self.stderr.extend(effects.traces.iter().cloned());
        for what in &effects.faults {
            let text = format!("holdpoint: {workflow} could not judge this and let it pass: {}.", what.what);
            self.once(&registry(), event, &text.clone(), text);
        }
    }

    /// Adds what one run says.
    pub(super) fn add(&mut self, session: &Session<'_>, report: &Report) {
        let Session { run, event, .. } = session;
        let workflow = run.workflow.name.as_ref();
        self.unheard.extend(report.unheard.clone());
        self.stderr.extend(report.effects.traces.iter().cloned());
        if let Some(why) = report.note.as_ref().filter(|_| report.is_aside && !self.quiet) {
            self.messages.extend(ownership::message(run, event, why));
        }
        for Message { delivery, text, name, source, .. } in &report.effects.messages {
            let named = || (workflow.to_owned(), text.clone());
            match delivery {
                Delivery::Hold if report.gives_up(name) => {}
                Delivery::Hold => {
                    self.holds.push(named());
                    self.name_door(session, report, name);
                }
                Delivery::Note if report.holds() => self.holds.push(named()),
                Delivery::Tell if *source == Source::Rule && self.is_stale(session, report, name, text) => {}
                Delivery::Pause | Delivery::Tell | Delivery::Note => self.messages.push(text.clone()),
                Delivery::Context => self.context.push(named()),
                Delivery::Stderr => self.stderr.push(text.clone()),
                Delivery::Log | Delivery::Silent => {}
            }
        }
        for fault in report.effects.faults.iter().filter(|fault| fault.is_aside) {
            let text = format!("holdpoint: {workflow}: {}. See `holdpoint log --faults`.", fault.what);
            self.fault(&run.books, event, &fault.what, text);
        }
        for released in report.released.iter().filter(|released| !released.is_told) {
            let text = released.message(workflow);
            match &released.why {
                Some(what) if released.cause == Cause::Fault => {
                    // At Stop again after it has held: a fault that comes back is news.
                    let hold = report.hold_of(&released.rule).filter(|_| event.moment == Moment::Stop);
                    let what = hold.map_or_else(|| what.clone(), |hold| format!("{what} {}", hold.id));
                    self.fault(&run.books, event, &what, text);
                }
                _ if self.quiet => {}
                // Once for each hold, and again after it has held again. What has no id cannot be told from others.
                _ => {
                    let hold = report.hold_of(&released.rule);
                    let key = hold.map(|hold| format!("released {} {}", hold.id, hold.releases));
                    let session = event.session.as_deref().unwrap_or_default();
                    if key.is_none_or(|key| told::first_time(&run.books, session, &key)) {
                        self.messages.push(text);
                    }
                }
            }
        }
    }

    /// Names the user the way past a call that is held again and again, once for each hold. At Stop the agent works on, and is released
    /// in the end.
    fn name_door(&mut self, session: &Session<'_>, report: &Report, rule: &str) {
        let Session { run, event, .. } = session;
        let is_again = |hold: &&OpenHold| hold.times > 2 && event.moment == Moment::Before;
        let Some(hold) = report.hold_of(rule).filter(is_again).filter(|_| !self.quiet) else { return };
        let id = event.session.as_deref().unwrap_or_default();
        if told::first_time(&run.books, id, &format!("door {}", hold.id)) {
            self.messages.push(format!(
                "holdpoint: {rule} holds this again and again. To let it pass once: holdpoint release {}",
                hold.id
            ));
        }
    }

    /// Whether what a witness says to the user is no news: it is to be said once and was said in this session; or it is said at
    /// Stop, and comes after the word that something of this run was released.
    fn is_stale(&self, session: &Session<'_>, report: &Report, rule: &str, text: &str) -> bool {
        let Session { run, event, .. } = session;
        let id = event.session.as_deref().unwrap_or_default();
        let is_told = || !told::first_time(&run.books, id, &format!("said {text}"));
        let once = || run.workflow.rules.iter().any(|known| known.once && known.name == rule);
        let is_stop = event.moment == Moment::Stop;
        let is_behind = is_stop && !report.released.is_empty();
        !self.quiet && (is_behind || ((is_stop || once()) && is_told()))
    }

    /// The answer; texts too long for an agent are kept in a file below `home`, or cut where nothing is written.
    pub(super) fn answer(mut self, home: Option<&Path>, moment: Moment) -> Answer {
        match moment {
            // Context at Stop would keep the agent going, as a hold does: what is only worth knowing goes to the user.
            Moment::Stop => self.messages.extend(self.context.drain(..).map(|(_, text)| text)),
            // A session's start cannot be held: what holds is said as context.
            Moment::Start => self.context.splice(0..0, self.holds.drain(..)).for_each(drop),
            Moment::Before | Moment::After | Moment::Prompt | Moment::Beside(_) => {}
        }
        let fit = |text: Option<String>| text.map(|text| message::fit(home, clean(text)));
        Answer {
            hold: fit(under_names(&self.holds)),
            context: fit(under_names(&self.context)),
            message: fit((!self.messages.is_empty()).then(|| self.messages.join("\n\n"))),
            stderr: self.stderr.into_iter().map(clean).collect(),
            release: None,
            instead: None,
        }
    }
}

/// What an agent is told stays in its transcript.
fn clean(text: String) -> String {
    secret::replaced(&text).into_owned()
}

/// Texts joined, each under its workflow's name if there are several workflows.
fn under_names(said: &[(String, String)]) -> Option<String> {
    let (first, _) = said.first()?;
    if said.iter().all(|(workflow, _)| workflow == first) {
        return Some(said.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n\n"));
    }
    let texts: Vec<String> = said.iter().map(|(workflow, text)| format!("{workflow}:\n{text}")).collect();
    Some(texts.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_workflows_stand_under_their_names() {
        let said = |list: &[(&str, &str)]| {
            under_names(&list.iter().map(|(w, t)| ((*w).to_owned(), (*t).to_owned())).collect::<Vec<_>>())
        };
        assert_eq!(said(&[]), None);
        assert_eq!(said(&[("a", "one"), ("a", "two")]).as_deref(), Some("one\n\ntwo"));
        assert_eq!(said(&[("a", "one"), ("b", "two")]).as_deref(), Some("a:\none\n\nb:\ntwo"));
    }

    #[test]
    fn a_text_too_long_is_kept_in_a_file() {
        let home = tempfile::tempdir().unwrap();
        let long = "é".repeat(20_000);
        let said = Said { holds: vec![("a".into(), long.clone())], ..Said::default() };
        let hold = said.answer(Some(home.path()), Moment::Before).hold.unwrap();
        assert!(hold.chars().count() <= message::CHARS_MAX);
        let path = hold.rsplit(' ').next().unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), long);
    }
}
