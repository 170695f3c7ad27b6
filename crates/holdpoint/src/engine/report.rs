//! What came of an event in one run: for the journal, for the agent and the user, or for a shell.

use std::time::{Duration, Instant};

use holdpoint_core::effects::{Effects, Fault, Message, Source};
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::holds::OpenHold;
use holdpoint_core::phase::{Request, Unperformed};
use holdpoint_core::release::{Cause, Released};
use holdpoint_core::workflow::phase::Phase;
use holdpoint_core::workflow::step::Delivery;

use super::{judge, record};
use crate::project::Run;
use crate::store::journal::{Decision, Entry, Move, ReleasedHold, Reviewed, Speech, Spoken};
use crate::store::unheard::Note;

/// What came of an event in one run.
#[derive(Debug, Default)]
pub struct Report {
    /// What was set, written and said, and what went wrong.
    pub effects: Effects,
    /// The reviews that were performed.
    pub reviews: Vec<Reviewed>,
    /// How long they took.
    pub(super) performed: Duration,
    /// The moves between phases, in order.
    pub(super) moves: Vec<Move>,
    /// The holds that hold now, or should, with their ids.
    pub(super) holds: Vec<OpenHold>,
    /// Where the loop over the phases ended.
    pub ending: Ending,
    /// Why the run was ignored, or what was left alone.
    pub(super) note: Option<String>,
    /// Whether the run is none of this session's business: then its rules are not asked either.
    pub(super) is_aside: bool,
    /// The note of what the agent is told, until the answer is printed.
    pub(super) unheard: Option<Note>,
    /// Whether the user has paused the run: then nothing of it was asked.
    pub(super) is_paused: bool,
    /// Whether the review waits because another workflow holds the agent.
    pub(super) is_moot: bool,
    /// The holds that do not hold. Only `release.rs` adds to it.
    pub(super) released: Vec<Released>,
    /// Why the answer of a review that was performed could not be read.
    pub unread: Option<String>,
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
        Report { note, is_moot: true, ..Report::default() }
    }

    /// Adds what was found to be otherwise than the books say, and was put right: the user hears of it, and the agent.
    pub(super) fn notice(&mut self, run: &Run, event: &Event, what: &str) {
        self.effects.faults.push(Fault { what: what.to_owned(), is_told: true, ..Fault::default() });
        let text = format!("holdpoint: {}: {what}.", run.workflow.name);
        self.effects.messages.push(judge::of_books(Delivery::Tell, text.clone()));
        // At Stop, what is only worth knowing goes to the user anyway.
        if event.moment != Moment::Stop {
            self.effects.messages.push(judge::of_books(Delivery::Context, text));
        }
    }

    /// Whether nobody was asked: another session's run, a review that waits, or a run that is paused.
    pub(super) fn is_unjudged(&self) -> bool {
        self.is_aside || self.is_moot || self.is_paused
    }

    /// Whether rules are still to be asked: a hold or a pause is the last word.
    pub(super) fn is_open(&self) -> bool {
        !self.is_aside && !self.effects.messages.iter().any(|message| message.delivery.is_last_word())
    }

    /// Whether the hold of this rule or phase is given up. A fault takes no hold away: it kept one from being found.
    pub(super) fn gives_up(&self, rule: &str) -> bool {
        self.released.iter().any(|released| released.cause != Cause::Fault && released.rule == rule)
    }

    /// The cause of what was released: of a hold that somebody spoke, if there is one.
    fn cause(&self) -> Option<Cause> {
        let spoken = |released: &&Released| {
            self.effects.delivered(Delivery::Hold).any(|message| message.name == released.rule)
        };
        let released = self.released.iter().find(spoken).or(self.released.first());
        released.map(|released| released.cause)
    }

    /// Whether the agent is held in the end.
    pub(super) fn holds(&self) -> bool {
        self.effects.delivered(Delivery::Hold).any(|message| !self.gives_up(&message.name))
    }

    /// What went wrong and no message tells of.
    pub(super) fn untold(&self) -> impl Iterator<Item = &str> {
        self.effects.faults.iter().filter(|fault| !fault.is_told).map(|fault| fault.what.as_str())
    }

    /// What was decided, in a word.
    fn decision(&self) -> Decision {
        if self.holds() {
            Decision::Hold
        } else if self.released.iter().any(|released| released.cause != Cause::Fault) {
            Decision::Release
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
        let run_name = Some(run.place_name());
        Entry {
            workflow: Some(run.workflow.name.to_string()),
            run: run_name,
            decision: self.decision(),
            cause: self.cause(),
            released: self.released.iter().map(|released| self.released_hold(released)).collect(),
            rules: self.effects.messages.iter().map(|message| self.spoken(message)).collect(),
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
            moves: self.moves.clone(),
            took_us: micros(started.elapsed().saturating_sub(self.performed)),
            performed_us: micros(self.performed),
            ..about
        }
    }

    /// The open hold of a rule or phase, if it is known.
    pub(super) fn hold_of(&self, rule: &str) -> Option<&OpenHold> {
        self.holds.iter().find(|hold| hold.rule == rule)
    }

    fn released_hold(&self, released: &Released) -> ReleasedHold {
        let known = Some(&released.open).filter(|open| !open.is_empty());
        let open = known.or(released.why.as_ref()).map(String::as_str).unwrap_or_default();
        ReleasedHold {
            hold: self.hold_of(&released.rule).map(|hold| hold.id.clone()),
            rule: released.rule.clone(),
            cause: Some(released.cause),
            open: open.lines().next().unwrap_or_default().to_owned(),
            reason: released.why.clone().filter(|_| matches!(released.cause, Cause::User | Cause::Paused)),
        }
    }

    fn spoken(&self, message: &Message) -> Spoken {
        let is_hold = message.delivery == Delivery::Hold;
        let hold = self.hold_of(&message.name).filter(|_| is_hold);
        Spoken {
            kind: if is_hold { Speech::Hold } else { Speech::Witness },
            hold: hold.map(|hold| hold.id.clone()),
            rule: message.name.clone(),
            is_phase: message.source == Source::Phase,
            code: message.code.clone(),
            line: message.line,
            text: message.text.clone(),
            facts: message.facts.clone(),
            satisfied_by: message.satisfied_by.clone(),
            call: hold.map(|hold| hold.call.clone()).filter(|call| !call.is_empty()),
            digest: hold.map(|hold| hold.digest.clone()),
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

/// A time in the journal's unit.
pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
