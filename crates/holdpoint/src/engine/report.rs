//! What came of an event in one run: for the journal, for the agent and the user, or for a shell.

use std::time::Instant;

use holdpoint_core::effects::{Effects, Fault, Message, Source};
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::phase::{Request, Unperformed};
use holdpoint_core::release::{Cause, Released};
use holdpoint_core::workflow::phase::Phase;
use holdpoint_core::workflow::step::Delivery;

use super::{judge, record};
use crate::project::Run;
use crate::store::journal::{Decision, Entry, Reviewed, Speech, Spoken};

/// What came of an event in one run.
#[derive(Debug, Default)]
pub struct Report {
    /// What was set, written and said, and what went wrong.
    pub effects: Effects,
    /// The reviews that were performed.
    pub reviews: Vec<Reviewed>,
    /// Where the loop over the phases ended.
    pub ending: Ending,
    /// Why the run was ignored, or what was left alone.
    pub(super) note: Option<String>,
    /// Whether the run is none of this session's business: then its rules are not asked either.
    pub(super) is_aside: bool,
    /// The holds that do not hold. Only `release.rs` adds to it.
    pub(super) released: Vec<Released>,
    /// A review or check without a verdict, until the walk has shown whether the agent is held all the same.
    pub(super) unperformed: Option<Released>,
}

/// Where the loop over the phases ended.
#[derive(Debug, Default, PartialEq)]
pub enum Ending {
    /// It is nobody's turn.
    #[default]
    Nobody,
    /// The state names a phase that the workflow does not have.
    Unknown(String),
    /// The user's turn, or the agent's with its work unfinished: then this is what it is told.
    Waits {
        /// The phase.
        phase: Box<Phase>,
        /// What the agent is told.
        text: String,
    },
    /// A review or a check is due.
    Perform(Box<Request>),
    /// A review or a check is due, but it is not performed.
    Unperformed {
        /// The phase.
        phase: Box<Phase>,
        /// Why not.
        why: Unperformed,
        /// What is said instead.
        text: String,
    },
    /// A phase is finished, and its step leads to no review.
    Step(Box<Phase>),
}

impl Report {
    /// What comes of a run whose review can wait, because another workflow holds the agent.
    pub(super) fn moot() -> Report {
        let note = Some("the review waits: another workflow holds the agent".to_owned());
        Report { note, ..Report::default() }
    }

    /// Adds what was found to be otherwise than the books say, and was put right: the user hears of it, and the agent.
    pub(super) fn notice(&mut self, run: &Run, event: &Event, what: &str) {
        self.effects.faults.push(Fault { rule: None, what: what.to_owned(), is_told: true });
        let text = format!("holdpoint: {}: {what}.", run.workflow.name);
        self.effects.messages.push(judge::of_books(Delivery::Tell, text.clone()));
        // At Stop, what is only worth knowing goes to the user anyway.
        if event.moment != Moment::Stop {
            self.effects.messages.push(judge::of_books(Delivery::Context, text));
        }
    }

    /// Whether rules are still to be asked: a hold or a pause is the last word.
    pub(super) fn is_open(&self) -> bool {
        !self.is_aside && !self.effects.messages.iter().any(|message| message.delivery.is_last_word())
    }

    /// Whether the agent is not held whatever the rules and phases say. A fault lets only its own rule's event pass.
    pub(super) fn gives_up(&self) -> bool {
        self.released.iter().any(|released| released.cause != Cause::Fault)
    }

    /// What went wrong and no message tells of.
    pub(super) fn untold(&self) -> impl Iterator<Item = &str> {
        self.effects.faults.iter().filter(|fault| !fault.is_told).map(|fault| fault.what.as_str())
    }

    /// What was decided, in a word.
    fn decision(&self) -> Decision {
        if self.gives_up() {
            Decision::Release
        } else if self.effects.holds() {
            Decision::Hold
        } else if !self.effects.messages.is_empty() {
            Decision::Witness
        } else if !self.effects.faults.is_empty() {
            Decision::Fault
        } else {
            Decision::None
        }
    }

    /// The journal's entry for an event.
    pub(super) fn entry(&self, run: &Run, event: &Event, started: Instant) -> Entry {
        let about = record::about(event);
        Entry {
            workflow: Some(run.workflow.name.to_string()),
            decision: self.decision(),
            cause: self.released.first().map(|released| released.cause),
            rules: self.effects.messages.iter().map(spoken).collect(),
            about: self.note.clone().or(about.about.clone()),
            ..self.performed(about, started)
        }
    }

    /// The same for a command: nobody was held, it was asked what is due.
    pub(super) fn entry_of_command(&self, about: Entry, started: Instant) -> Entry {
        let is_fault = !self.effects.faults.is_empty();
        let decision = if is_fault { Decision::Fault } else { Decision::None };
        Entry { decision, ..self.performed(about, started) }
    }

    fn performed(&self, about: Entry, started: Instant) -> Entry {
        Entry {
            faults: self.effects.faults.iter().map(|fault| fault.what.clone()).collect(),
            set: self.effects.sets.iter().map(|set| (set.path.join("."), set.value.clone())).collect(),
            reviews: self.reviews.clone(),
            took_us: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
            ..about
        }
    }

    /// What somebody in a shell is told: an error if there is nothing but faults.
    pub(super) fn lines(&self) -> Result<Vec<String>, &Fault> {
        if let Some(fault) = self.effects.faults.first().filter(|_| self.effects.messages.is_empty()) {
            return Err(fault);
        }
        let said = self.effects.messages.iter().map(|message| message.text.clone());
        Ok(said.chain(self.untold().map(|what| format!("Note: {what}"))).collect())
    }
}

fn spoken(message: &Message) -> Spoken {
    Spoken {
        kind: if message.delivery == Delivery::Hold { Speech::Hold } else { Speech::Witness },
        rule: message.name.clone(),
        is_phase: message.source == Source::Phase,
        code: message.code.clone(),
        line: message.line,
        text: message.text.clone(),
        facts: message.facts.clone(),
        satisfied_by: message.satisfied_by.clone(),
    }
}
