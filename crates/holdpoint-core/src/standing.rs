//! How a run stands, now: what is being performed, what was released and why, what holds, and whose turn it is. `status`, the
//! status line, `log` and `why` all speak from this.

use serde::Serialize;

use crate::door::Pause;
use crate::holds::OpenHold;
use crate::phase::next::Next;
use crate::release::{Cause, STATUS};
use crate::workflow::phase::Actor;

/// A review or check that is being performed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Performing {
    /// The phase.
    pub phase: String,
    /// Whether it is a review.
    pub is_review: bool,
    /// Which round it is.
    pub round: i64,
    /// Of how many.
    pub limit: Option<i64>,
    /// The reviewer's model, or the program.
    pub by: String,
    /// Since when.
    pub since: String,
}

/// All that is known of how a run stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The phase that is due.
    pub phase: Option<String>,
    /// The round that it is in, where the workflow does not show it with its phase.
    pub round: Option<i64>,
    /// Who acts next.
    pub next: Option<Next>,
    /// The holds that are open.
    pub holds: Vec<OpenHold>,
    /// What is being performed.
    pub performing: Option<Performing>,
    /// The user's pause.
    pub pause: Option<Pause>,
}

/// What matters most of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition<'a> {
    /// A review or check is being performed.
    Performing(&'a Performing),
    /// The user has paused it: nothing holds.
    Paused(&'a Pause),
    /// Something is open and does not hold.
    Released(&'a OpenHold, Cause),
    /// The agent is held.
    Held(&'a OpenHold),
    /// It waits for a person.
    Waits(&'a Next),
    /// The agent is at work, or a review or check comes at its next Stop.
    AtWork(&'a Next),
    /// Nobody's turn: the run is over.
    Over,
    /// The workflow has no phases, and nothing is open.
    Clear,
}

impl Standing {
    /// What matters most.
    pub fn condition(&self) -> Condition<'_> {
        if let Some(performing) = &self.performing {
            return Condition::Performing(performing);
        }
        if let Some(pause) = &self.pause {
            return Condition::Paused(pause);
        }
        let released = |hold: &'_ OpenHold| hold.cause;
        if let Some((hold, cause)) = self.holds.iter().rev().find_map(|hold| Some((hold, released(hold)?))) {
            return Condition::Released(hold, cause);
        }
        if let Some(hold) = self.holds.last() {
            return Condition::Held(hold);
        }
        match &self.next {
            None => Condition::Clear,
            Some(next) => match next.actor {
                Actor::Nobody => Condition::Over,
                Actor::User | Actor::Approval => Condition::Waits(next),
                Actor::Agent | Actor::Reviewer | Actor::Check => Condition::AtWork(next),
            },
        }
    }

    /// The one next command, if there is one.
    pub fn next_command(&self) -> Option<&str> {
        let own = self.next.as_ref().and_then(|next| next.command.as_deref());
        match self.condition() {
            Condition::Paused(_) => Some("holdpoint resume"),
            Condition::Released(_, cause) if cause.next() != STATUS => Some(cause.next()),
            Condition::Released(..) => Some(own.unwrap_or("holdpoint why")),
            Condition::Held(_) => Some("holdpoint why"),
            _ => own,
        }
    }

    /// Whose turn it is, in the journal's word.
    pub fn turn(&self) -> Option<&'static str> {
        match &self.performing {
            Some(performing) if performing.is_review => Some(Actor::Reviewer.name()),
            Some(_) => Some(Actor::Check.name()),
            None => self.next.as_ref().map(|next| next.actor.name()),
        }
    }
}

impl Condition<'_> {
    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Condition::Performing(performing) if performing.is_review => "reviewing",
            Condition::Performing(_) => "checking",
            Condition::Paused(_) => "paused",
            Condition::Released(..) => "released",
            Condition::Held(_) => "held",
            Condition::Waits(_) => "waits",
            Condition::AtWork(_) => "at work",
            Condition::Over => "over",
            Condition::Clear => "clear",
        }
    }

    /// It in a few words; `since` says how long a time of the journal is ago. None if there is nothing to tell.
    pub fn in_short(&self, since: impl Fn(&str) -> String) -> Option<String> {
        Some(match self {
            Condition::Performing(performing) => {
                let round = match performing.limit {
                    Some(limit) => format!(" {}/{limit}", performing.round),
                    None => format!(" {}", performing.round),
                };
                let by =
                    if performing.by.is_empty() { String::new() } else { format!(", {}", performing.by) };
                format!("{}{round}{by}, {}", self.name(), since(&performing.since))
            }
            Condition::Paused(pause) => {
                format!("{} {} ago: {}", Cause::Paused.reason(), since(&pause.at), pause.word.reason)
            }
            Condition::Released(hold, cause @ Cause::User) => {
                format!("{} {}", hold.rule, cause.reason()).trim_start().to_owned()
            }
            Condition::Released(hold, cause) if hold.rule.is_empty() => {
                format!("released: {}", cause.reason())
            }
            Condition::Released(hold, cause) => format!("{} released: {}", hold.rule, cause.reason()),
            Condition::Held(hold) => format!("held by {}", hold.rule),
            Condition::Waits(next) if next.actor == Actor::Approval => "waits for approval".to_owned(),
            Condition::Waits(_) => "waits for you".to_owned(),
            Condition::AtWork(_) | Condition::Over | Condition::Clear => return None,
        })
    }

    /// It in a sentence, for `status`.
    pub fn in_words(&self, since: impl Fn(&str) -> String) -> Option<String> {
        Some(match self {
            Condition::Performing(performing) => {
                let round = match performing.limit {
                    Some(limit) => format!("round {} of {limit}", performing.round),
                    None => format!("round {}", performing.round),
                };
                let by =
                    if performing.by.is_empty() { String::new() } else { format!(" by {}", performing.by) };
                let since = since(&performing.since);
                format!("{} {}{by}, {round}, since {since}", self.name(), performing.phase)
            }
            Condition::Paused(pause) => {
                let until = pause.until.as_deref().map(|until| format!(", until {}", clock(until)));
                let (until, reason) = (until.unwrap_or_default(), &pause.word.reason);
                format!("{}, since {}{until}: {reason}", Cause::Paused.reason(), since(&pause.at))
            }
            Condition::Released(hold, cause @ Cause::User) => {
                let rule = if hold.rule.is_empty() { String::new() } else { format!("{} ", hold.rule) };
                format!("{rule}{}, still open: {}", cause.reason(), hold.text)
            }
            Condition::Released(hold, cause @ Cause::Fault) if hold.rule.is_empty() => {
                format!("released: {}", cause.reason())
            }
            Condition::Released(hold, cause @ Cause::Fault) => {
                format!("{} released: {}", hold.rule, cause.reason())
            }
            Condition::Released(hold, cause) => {
                let rule = if hold.rule.is_empty() { String::new() } else { format!("{}, ", hold.rule) };
                format!("released ({rule}{}), still open: {}", cause.reason(), hold.text)
            }
            Condition::Held(hold) => format!("held by {} ({}): {}", hold.rule, times(hold.times), hold.text),
            Condition::Waits(next) if next.actor == Actor::Approval => "waits for an approval".to_owned(),
            Condition::Waits(_) => "waits for you".to_owned(),
            Condition::AtWork(next) if next.actor == Actor::Agent => "the agent is at work".to_owned(),
            Condition::AtWork(next) => format!("a {} is due at the agent's next Stop", next.actor.name()),
            Condition::Over => "over: nothing is due".to_owned(),
            Condition::Clear => return None,
        })
    }
}

/// The time of day of a time in UTC, to the minute.
fn clock(at: &str) -> String {
    let time = at.split_once('T').and_then(|(_, time)| time.get(..5));
    time.map_or_else(|| at.to_owned(), |time| format!("{time} UTC"))
}

fn times(count: u32) -> String {
    match count {
        0 | 1 => "once".to_owned(),
        2 => "twice".to_owned(),
        many => format!("{many} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::door::Word;

    fn hold(rule: &str, cause: Option<Cause>) -> OpenHold {
        let (rule, text) = (rule.to_owned(), "Write NOTES.md.".to_owned());
        OpenHold { id: "h1".to_owned(), rule, text, times: 3, cause, ..OpenHold::default() }
    }

    fn next(actor: Actor) -> Next {
        Next { actor, command: Some("holdpoint flow next".to_owned()) }
    }

    fn said(standing: &Standing) -> (String, String) {
        let since = |_: &str| "41 s".to_owned();
        let condition = standing.condition();
        (condition.in_short(since).unwrap_or_default(), condition.in_words(since).unwrap_or_default())
    }

    #[test]
    fn what_is_now_comes_first() {
        let mut standing = Standing::default();
        assert_eq!((standing.condition(), said(&standing).1.as_str()), (Condition::Clear, ""));
        for (actor, short, words) in [
            (Actor::Nobody, "", "over: nothing is due"),
            (Actor::User, "waits for you", "waits for you"),
            (Actor::Approval, "waits for approval", "waits for an approval"),
            (Actor::Agent, "", "the agent is at work"),
            (Actor::Check, "", "a check is due at the agent's next Stop"),
        ] {
            standing.next = Some(next(actor));
            assert_eq!(said(&standing), (short.to_owned(), words.to_owned()));
            assert_eq!(standing.turn(), Some(actor.name()));
        }
        standing.holds.push(hold("note", None));
        let held = ("held by note".to_owned(), "held by note (3 times): Write NOTES.md.".to_owned());
        assert_eq!(said(&standing), held);
        assert_eq!(standing.next_command(), Some("holdpoint why"));
        standing.holds.insert(0, hold("tests", Some(Cause::NoProgress)));
        let (short, words) = said(&standing);
        assert_eq!(short, "tests released: no progress");
        assert_eq!(words, "released (tests, no progress), still open: Write NOTES.md.");
        standing.performing = Some(Performing {
            phase: "plan-review".to_owned(),
            is_review: true,
            round: 2,
            limit: Some(8),
            by: "opus".to_owned(),
            since: "then".to_owned(),
        });
        let (short, words) = said(&standing);
        assert_eq!(short, "reviewing 2/8, opus, 41 s");
        assert_eq!(words, "reviewing plan-review by opus, round 2 of 8, since 41 s");
        assert_eq!(standing.turn(), Some("reviewer"));
    }

    #[test]
    fn a_released_hold_says_why_whatever_the_cause() {
        for cause in Cause::ALL {
            let standing = Standing { holds: vec![hold("", Some(cause))], ..Standing::default() };
            let word = if cause == Cause::User { "" } else { "released: " };
            assert_eq!(said(&standing).0, format!("{word}{}", cause.reason()));
            assert!(said(&standing).1.contains(cause.reason()));
        }
        let standing = Standing { holds: vec![hold("note", Some(Cause::User))], ..Standing::default() };
        assert_eq!(said(&standing).0, "note released by the user");
        assert_eq!(said(&standing).1, "note released by the user, still open: Write NOTES.md.");
    }

    #[test]
    fn a_pause_says_since_when_why_and_how_it_ends() {
        let word = Word { reason: "lunch".to_owned(), ..Word::default() };
        let until = Some("2026-11-18T10:30:00.000Z".to_owned());
        let pause = Some(Pause { until, word, ..Pause::default() });
        let mut standing = Standing { holds: vec![hold("note", None)], pause, ..Standing::default() };
        let (short, words) = said(&standing);
        assert_eq!(short, "paused by the user 41 s ago: lunch");
        assert_eq!(words, "paused by the user, since 41 s, until 10:30 UTC: lunch");
        assert_eq!(
            (standing.condition().name(), standing.next_command()),
            ("paused", Some("holdpoint resume"))
        );
        standing.pause.as_mut().unwrap().until = None;
        assert_eq!(said(&standing).1, "paused by the user, since 41 s: lunch");
    }
}
