//! Releasing: why a hold does not hold. Every way in which an agent gets past something that is open has a cause in this
//! one list, and what people are told of it is here.

use serde::{Deserialize, Serialize};

/// The command that shows how a run stands.
pub(crate) const STATUS: &str = "holdpoint status";

/// Why a hold does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// It was repeated, and nothing had changed.
    NoProgress,
    /// It was repeated very often.
    TooOften,
    /// It cannot be counted, so it could go on for ever.
    Uncounted,
    /// The rounds of a review or check are used up.
    RoundsUsed,
    /// The agent has work in the background that will wake it.
    Background,
    /// Another session works on the run.
    OtherSession,
    /// Something could not be judged.
    Fault,
    /// The run cannot be read.
    Unreadable,
    /// The review or check is being done by another process.
    ReviewElsewhere,
    /// There is no reviewer.
    NoReviewer,
    /// A review lacks what it needs.
    Lacking,
    /// A review or check was begun and gave no verdict.
    ReviewFailed,
    /// A review or check did not end in time.
    Deadline,
    /// Holdpoint was told to end while it performed a review or check.
    Interrupted,
    /// The agent's client ended the turn although it was held.
    Capped,
    /// The user has let this pass, once.
    User,
    /// The user has paused the run.
    Paused,
}

impl Cause {
    /// All causes.
    pub const ALL: [Cause; 17] = [
        Cause::NoProgress,
        Cause::TooOften,
        Cause::Uncounted,
        Cause::RoundsUsed,
        Cause::Background,
        Cause::OtherSession,
        Cause::Fault,
        Cause::Unreadable,
        Cause::ReviewElsewhere,
        Cause::NoReviewer,
        Cause::Lacking,
        Cause::ReviewFailed,
        Cause::Deadline,
        Cause::Interrupted,
        Cause::Capped,
        Cause::User,
        Cause::Paused,
    ];

    /// The word in the journal.
    pub fn name(self) -> &'static str {
        match self {
            Cause::NoProgress => "no-progress",
            Cause::TooOften => "too-often",
            Cause::Uncounted => "uncounted",
            Cause::RoundsUsed => "rounds-used",
            Cause::Background => "background",
            Cause::OtherSession => "other-session",
            Cause::Fault => "fault",
            Cause::Unreadable => "unreadable",
            Cause::ReviewElsewhere => "review-elsewhere",
            Cause::NoReviewer => "no-reviewer",
            Cause::Lacking => "lacking",
            Cause::ReviewFailed => "review-failed",
            Cause::Deadline => "deadline",
            Cause::Interrupted => "interrupted",
            Cause::Capped => "capped",
            Cause::User => "user",
            Cause::Paused => "paused",
        }
    }

    /// The reason in a few words, as in `released: no progress`.
    pub fn reason(self) -> &'static str {
        match self {
            Cause::NoProgress => "no progress",
            Cause::TooOften => "held too often",
            Cause::Uncounted => "holds cannot be counted",
            Cause::RoundsUsed => "its rounds are used up",
            Cause::Background => "background work",
            Cause::OtherSession => "another session works on it",
            Cause::Fault => "it could not be judged",
            Cause::Unreadable => "the run cannot be read",
            Cause::ReviewElsewhere => "a review runs elsewhere",
            Cause::NoReviewer => "no reviewer",
            Cause::Lacking => "the review lacks what it needs",
            Cause::ReviewFailed => "the review failed",
            Cause::Deadline => "the review took too long",
            Cause::Interrupted => "the review was interrupted",
            Cause::Capped => "the client ended the turn",
            Cause::User => "released by the user",
            Cause::Paused => "paused by the user",
        }
    }

    /// What happened, after the workflow's name.
    fn sentence(self) -> &'static str {
        match self {
            Cause::NoProgress => "held the agent several times without progress and has released it",
            Cause::TooOften => "held the agent very often and has released it",
            Cause::Uncounted => {
                "does not hold the agent, because holds cannot be counted: the books cannot be written"
            }
            Cause::RoundsUsed => "has used up its rounds and has released the agent",
            Cause::Background => "does not hold the agent while background work runs that will wake it",
            Cause::OtherSession => "does not hold this session",
            Cause::Fault => "could not judge this and let it pass",
            Cause::Unreadable => "holds nothing, because its run cannot be read",
            Cause::ReviewElsewhere => "has released the agent while its review still runs elsewhere",
            Cause::NoReviewer => "has released the agent without a review: there is no reviewer",
            Cause::Lacking => "has released the agent without a review: it lacks what it needs",
            Cause::ReviewFailed => "has released the agent without a review: it failed",
            Cause::Deadline => "has released the agent without a review: it took too long",
            Cause::Interrupted => "has released the agent without a review: it was interrupted",
            Cause::Capped => "held the agent, but its client ended the turn",
            Cause::User => "has let this pass once, as you said",
            Cause::Paused => "holds nothing while you have paused it",
        }
    }

    /// The one next command for the user.
    pub fn next(self) -> &'static str {
        match self {
            Cause::Fault | Cause::Unreadable => "holdpoint log --faults",
            Cause::NoReviewer
            | Cause::Lacking
            | Cause::ReviewFailed
            | Cause::Deadline
            | Cause::Interrupted => "holdpoint review",
            Cause::NoProgress
            | Cause::TooOften
            | Cause::Uncounted
            | Cause::RoundsUsed
            | Cause::Background
            | Cause::OtherSession
            | Cause::ReviewElsewhere
            | Cause::Capped
            | Cause::User
            | Cause::Paused => STATUS,
        }
    }
}

/// A hold that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Released {
    /// Why.
    pub cause: Cause,
    /// The rule or the phase whose hold it is; empty if it is not known.
    pub rule: String,
    /// What is still open, as the agent was told or would have been.
    pub open: String,
    /// More about the cause, if there is more.
    pub why: Option<String>,
    /// Whether the workflow itself tells the user.
    pub is_told: bool,
    /// Whether the run has moved past it: it cannot be satisfied any more.
    pub has_moved: bool,
}

impl Released {
    /// A hold of this rule or phase, with what it says.
    pub fn new(cause: Cause, rule: &str, open: &str) -> Released {
        let (rule, open) = (rule.to_owned(), open.to_owned());
        Released { cause, rule, open, why: None, is_told: false, has_moved: false }
    }

    /// What the user is told.
    pub fn message(&self, workflow: &str) -> String {
        let mut text = format!("holdpoint: {workflow} {}", self.cause.sentence());
        if let Some(why) = &self.why {
            text.push_str(": ");
            text.push_str(why.trim_end_matches('.'));
        }
        text.push('.');
        let open = self.open.lines().next().unwrap_or_default().trim();
        if !open.is_empty() {
            text.push_str(" Still open: ");
            text.push_str(open);
            if !open.ends_with(['.', '!', '?', ':']) {
                text.push('.');
            }
        }
        text.extend([" See `", self.cause.next(), "`."]);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_has_one_word_in_the_journal_and_in_code() {
        for cause in Cause::ALL {
            let json = serde_json::to_value(cause).unwrap();
            assert_eq!(json, cause.name());
            assert_eq!(serde_json::from_value::<Cause>(json).unwrap(), cause);
        }
        let mut names: Vec<&str> = Cause::ALL.iter().map(|cause| cause.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Cause::ALL.len());
    }

    #[test]
    fn every_message_says_what_why_what_is_open_and_what_to_do_next() {
        for cause in Cause::ALL {
            let why = Some("git said no.".to_owned());
            let released = Released { why, ..Released::new(cause, "note", "Write NOTES.md\nand more") };
            let text = released.message("flow");
            assert!(text.starts_with("holdpoint: flow "), "{text}");
            assert!(text.contains(": git said no. Still open: Write NOTES.md. See `holdpoint "), "{text}");
            assert!(text.ends_with("`.") && !text.contains("more"), "{text}");
        }
    }
}
