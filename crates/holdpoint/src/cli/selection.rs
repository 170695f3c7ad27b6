//! The filters that select entries of the journal.

use std::time::Duration;

use clap::{Args, ValueEnum};
use holdpoint_core::door::length;
use jiff::Timestamp;
use thiserror::Error;

use crate::store::journal::{Decision, Entry, Spoken};

/// A decision, by its word in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Word {
    /// The agent was held
    Hold,
    /// A rule only said something
    Witness,
    /// A hold did not hold; the entry says why
    Release,
    /// Holdpoint could not check all or part of the event
    Fault,
    /// No rule applied
    None,
}

/// The filters by rule and by session.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Speakers {
    /// Only entries of this rule, by its name or code
    #[arg(long, value_name = "NAME")]
    pub(super) rule: Option<String>,
    /// Only entries of the session whose id starts with this
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
}

/// The filters by decision. An entry passes if one of them matches.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Decisions {
    /// Only entries with this decision; can be repeated
    #[arg(long, value_name = "DECISION")]
    decision: Vec<Word>,
    /// The same as `--decision hold`
    #[arg(long)]
    holds: bool,
    /// The same as `--decision fault`
    #[arg(long)]
    faults: bool,
}

impl Decisions {
    /// Returns whether the user asked for faults.
    pub(super) fn asks_for_faults(&self) -> bool {
        self.faults || self.decision.contains(&Word::Fault)
    }

    /// Returns whether an entry passes.
    pub(super) fn take(&self, entry: &Entry) -> bool {
        let shorthands = [(self.holds, Word::Hold), (self.faults, Word::Fault)];
        let short = shorthands.into_iter().filter(|(wanted, _)| *wanted).map(|(_, word)| word);
        let mut words = self.decision.iter().copied().chain(short).peekable();
        words.peek().is_none() || (entry.kind.is_event() && words.any(|word| word.fits(entry)))
    }
}

impl Speakers {
    /// Returns whether an entry passes.
    pub(super) fn take(&self, entry: &Entry) -> bool {
        let rule =
            self.rule.as_deref().is_none_or(|name| entry.rules.iter().any(|spoken| is_rule(spoken, name)));
        let session = self
            .session
            .as_deref()
            .is_none_or(|id| entry.session.as_deref().is_some_and(|session| session.starts_with(id)));
        rule && session
    }

    /// Returns whether there are no filters.
    pub(super) fn is_empty(&self) -> bool {
        self.rule.is_none() && self.session.is_none()
    }
}

impl Word {
    /// Returns whether the entry has this decision. A hold with faults counts as both.
    pub(super) fn fits(self, entry: &Entry) -> bool {
        match self {
            Word::Hold => entry.decision == Decision::Hold,
            Word::Witness => entry.decision == Decision::Witness,
            Word::Release => entry.decision == Decision::Release,
            Word::Fault => entry.decision == Decision::Fault || !entry.faults.is_empty(),
            Word::None => entry.decision == Decision::None,
        }
    }
}

/// Returns whether this is the rule of that name or code.
pub(super) fn is_rule(spoken: &Spoken, name: &str) -> bool {
    spoken.rule == name || spoken.code.as_deref() == Some(name)
}

/// Returns whether an entry was written at this time or later. False without a readable time.
pub(super) fn is_since(entry: &Entry, since: Timestamp) -> bool {
    entry.at.parse::<Timestamp>().is_ok_and(|at| at >= since)
}

/// A text that is no point in time.
#[derive(Debug, Error)]
#[error("not a time\n\n  tip: an age (90s, 10m, 2h, 3d), a date (2026-11-15), or 2026-11-15T21:00:00Z")]
pub(super) struct NotATime;

/// Parses an age (`10m`), a date or a time.
pub(super) fn parse_since(text: &str) -> Result<Timestamp, NotATime> {
    if let Some(age) = length(text) {
        return Timestamp::now().checked_sub(Duration::from_secs(age)).map_err(|_| NotATime);
    }
    text.parse().or_else(|_| format!("{text}T00:00:00Z").parse()).map_err(|_| NotATime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_can_be_an_age_a_date_or_a_time() {
        let age = |text: &str| {
            let since = parse_since(text).unwrap();
            Timestamp::now().duration_since(since).as_secs()
        };
        for (text, seconds) in [("90s", 90), ("10m", 600), ("2h", 7200), ("3d", 259_200)] {
            assert!((seconds..seconds + 5).contains(&age(text)), "{text}");
        }
        assert_eq!(parse_since("2026-11-15").unwrap(), parse_since("2026-11-15T01:00:00+01:00").unwrap());
        for text in ["", "m", "-3m", "10", "yesterday", "4294967296d", "2026-13-01"] {
            assert!(parse_since(text).is_err(), "{text}");
        }
        assert!(parse_since("4294967295d").is_err(), "before time began");
    }
}
