//! The holds of a run that are open: each from the first time that it held, or should have, until it is settled.

use serde::{Deserialize, Serialize};

use crate::event::Moment;
use crate::release::Cause;

/// The most that are kept of a run: what is beyond is forgotten, the oldest first.
const KEPT_MAX: usize = 20;
/// How much of a text is kept.
const CHARS_KEPT: usize = 200;

/// A hold that is open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OpenHold {
    /// Its id.
    pub id: String,
    /// The rule or the phase; empty where only a fault is known.
    pub rule: String,
    /// The moment: `stop`, `before` …
    pub event: String,
    /// The session that was held.
    pub session: String,
    /// A digest of the call that was held; empty where it was no call.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// Since when.
    pub at: String,
    /// How often it held, or should have.
    pub times: u32,
    /// What it says, in a line.
    pub text: String,
    /// A digest of all that it says.
    pub digest: String,
    /// Why it does not hold, if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// How often it was released after it had held.
    pub releases: u32,
}

impl OpenHold {
    fn is_of_stop(&self) -> bool {
        self.event == Moment::Stop.name()
    }
}

/// How a hold was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// It was asked again, and did not hold.
    Satisfied,
    /// The same rule or phase holds with another text.
    Superseded,
    /// The turn ended, and what was held was not tried again.
    Dropped,
    /// It was released, and the run has moved past it.
    Released,
    /// A command took the run past it.
    Passed,
    /// Its run is over, or another took its place.
    Ended,
}

impl How {
    /// The word in the journal.
    pub fn name(self) -> &'static str {
        match self {
            How::Satisfied => "satisfied",
            How::Superseded => "superseded",
            How::Dropped => "dropped",
            How::Released => "released",
            How::Passed => "passed",
            How::Ended => "ended",
        }
    }

    /// The same in words, for people.
    pub fn in_words(self) -> &'static str {
        match self {
            How::Satisfied => "satisfied",
            How::Superseded => "followed by another hold",
            How::Dropped => "not tried again",
            How::Released => "released, and the run went on",
            How::Passed => "the run went on by a command",
            How::Ended => "its run is over",
        }
    }
}

/// A hold that was settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The hold.
    pub hold: OpenHold,
    /// How.
    pub how: How,
}

/// Something that holds now, or should.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holding<'a> {
    /// The rule or the phase.
    pub rule: &'a str,
    /// What it says.
    pub text: &'a str,
    /// A digest of that.
    pub digest: String,
    /// Why it does not hold, if it does not.
    pub cause: Option<Cause>,
    /// Whether the run has moved past it.
    pub has_moved: bool,
}

impl Holding<'_> {
    /// Whether it is a Stop's that the client did not heed: that shows at the next prompt.
    fn is_capped(&self) -> bool {
        self.cause == Some(Cause::Capped)
    }
}

/// What an event came to.
pub struct Judged<'a> {
    /// The moment.
    pub moment: Moment,
    /// The session.
    pub session: &'a str,
    /// A digest of the tool call; empty if it is none.
    pub call: &'a str,
    /// When.
    pub at: &'a str,
    /// What holds now, or should.
    pub now: Vec<Holding<'a>>,
    /// Whether the rules and phases were asked at all.
    pub is_judged: bool,
    /// Whether this rule or phase was asked about the event, and could answer.
    pub asks: &'a dyn Fn(&str) -> bool,
}

/// The open holds of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Holds(pub Vec<OpenHold>);

impl Holds {
    /// Takes in what an event came to. Returns the holds of `now` in its order, and those that are settled.
    pub fn judged(
        &mut self,
        judged: &Judged<'_>,
        mut id: impl FnMut() -> String,
    ) -> (Vec<OpenHold>, Vec<Settled>) {
        let (mut now, mut settled, mut moved) = (Vec::new(), Vec::new(), Vec::new());
        let mut rest = std::mem::take(&mut self.0);
        for holding in &judged.now {
            let at = rest.iter().position(|open| judged.is_same(open, holding));
            let known = at.map(|at| rest.remove(at));
            let hold = match known {
                Some(open) if open.digest == holding.digest || holding.is_capped() => {
                    again(open, holding, judged)
                }
                other => {
                    settled.extend(other.map(|hold| Settled { hold, how: How::Superseded }));
                    first(id(), holding, judged)
                }
            };
            if holding.has_moved {
                moved.push(Settled { hold: hold.clone(), how: How::Released });
            } else {
                self.0.push(hold.clone());
            }
            now.push(hold);
        }
        for hold in rest {
            match judged.settles(&hold) {
                Some(how) => settled.push(Settled { hold, how }),
                None => self.0.push(hold),
            }
        }
        settled.extend(moved);
        let beyond = self.0.len().saturating_sub(KEPT_MAX);
        self.0.sort_by(|one, other| one.at.cmp(&other.at));
        self.0.drain(..beyond);
        (now, settled)
    }

    /// Settles those for which this is so: whatever happened, it was no answer to what they ask.
    pub fn settle(&mut self, how: How, is_settled: impl Fn(&OpenHold) -> bool) -> Vec<Settled> {
        let (settled, open) = std::mem::take(&mut self.0).into_iter().partition(is_settled);
        self.0 = open;
        let settled: Vec<OpenHold> = settled;
        settled.into_iter().map(|hold| Settled { hold, how }).collect()
    }
}

fn first(id: String, holding: &Holding<'_>, judged: &Judged<'_>) -> OpenHold {
    let line = holding.text.lines().next().unwrap_or_default();
    OpenHold {
        id,
        rule: holding.rule.to_owned(),
        event: judged.moment.name().to_owned(),
        session: judged.session.to_owned(),
        call: judged.call.to_owned(),
        at: judged.at.to_owned(),
        times: 1,
        text: line.chars().take(CHARS_KEPT).collect(),
        digest: holding.digest.clone(),
        cause: holding.cause,
        releases: u32::from(holding.cause.is_some()),
    }
}

fn again(open: OpenHold, holding: &Holding<'_>, judged: &Judged<'_>) -> OpenHold {
    // Each time that the user releases it is a word of its own.
    let is_news =
        holding.cause.is_some() && (holding.cause != open.cause || holding.cause == Some(Cause::User));
    OpenHold {
        times: open.times.saturating_add(1),
        releases: open.releases.saturating_add(u32::from(is_news)),
        cause: holding.cause,
        rule: holding.rule.to_owned(),
        session: judged.session.to_owned(),
        call: judged.call.to_owned(),
        ..open
    }
}

impl Judged<'_> {
    /// Whether an open hold is the one that holds now. A Stop's is the run's, whoever stops; what is held before a tool call is
    /// that session's, and that call's: whoever releases it releases no other.
    fn is_same(&self, open: &OpenHold, holding: &Holding<'_>) -> bool {
        let moment = if holding.is_capped() { Moment::Stop } else { self.moment };
        // What a step has asked is held under another phase's name at the next Stop.
        let is_alike = open.rule == holding.rule || open.digest == holding.digest;
        let is_alike = is_alike && open.event == moment.name();
        is_alike && (moment == Moment::Stop || (open.session == self.session && open.call == self.call))
    }

    /// Whether these holds stay as they are.
    pub fn leaves(&self, open: &Holds) -> bool {
        self.now.is_empty() && open.0.iter().all(|hold| self.settles(hold).is_none())
    }

    /// How this event settles a hold that does not hold now, if it does.
    fn settles(&self, open: &OpenHold) -> Option<How> {
        let is_own = open.session == self.session;
        let is_of_stop = open.is_of_stop();
        let is_asked = open.rule.is_empty() || (self.asks)(&open.rule);
        let turn_ends = match self.moment {
            Moment::Stop => self.now.is_empty(),
            Moment::Prompt => true,
            Moment::Before | Moment::After | Moment::Start | Moment::Beside(_) => false,
        };
        match self.moment {
            _ if !self.is_judged => None,
            Moment::Stop if is_of_stop => is_asked.then_some(How::Satisfied),
            moment if open.event == moment.name() && is_own => {
                // Another call that passes says nothing of the one that was held; of a fault it says that it is over.
                let is_it = open.call == self.call || open.cause == Some(Cause::Fault);
                (is_it && is_asked).then_some(How::Satisfied)
            }
            _ if turn_ends && is_own && !is_of_stop => Some(How::Dropped),
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "holds_tests.rs"]
mod holds_tests;
