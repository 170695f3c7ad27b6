//! What became of each rule's holds, counted from the journal: how often it held, was satisfied, was released by the user or
//! let go for another cause, and how long it was open.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::holds::How;
use crate::release::Cause;

/// Something that the journal says of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// It held.
    Held,
    /// It did not hold.
    Released(Cause),
    /// It was settled after so many milliseconds.
    Settled(How, u64),
}

/// A hold's rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Owner {
    workflow: String,
    rule: String,
}

/// What became of one hold.
#[derive(Clone, Debug, Default)]
struct Fate {
    times: usize,
    causes: BTreeSet<&'static str>,
    settled: Option<(How, u64)>,
}

/// The counts of all rules.
#[derive(Clone, Debug, Default)]
pub struct Tally(BTreeMap<Owner, BTreeMap<String, Fate>>);

/// The counts of one rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// The workflow.
    pub workflow: String,
    /// The rule or the phase.
    pub rule: String,
    /// How many holds there were, each counted once however often it held.
    pub holds: usize,
    /// How often it held.
    pub times: usize,
    /// Of the holds: those that were satisfied.
    pub satisfied: usize,
    /// Those that the user released.
    pub by_user: usize,
    /// Those that did not hold at some time for another cause.
    pub let_go: usize,
    /// How many holds each cause let go, the user's own among them.
    pub causes: BTreeMap<&'static str, usize>,
    /// Those that are settled in another way: not tried again, another text took their place, or the run was over.
    pub otherwise: usize,
    /// Those that are open.
    pub open: usize,
    /// Half of those that were satisfied or released took no longer than this, in milliseconds.
    pub median_ms: Option<u64>,
}

impl Tally {
    /// Takes in what a line says of a hold. One without an id is a hold of its own.
    pub fn add(&mut self, workflow: &str, rule: &str, hold: Option<&str>, told: Told) {
        let owner = Owner { workflow: workflow.to_owned(), rule: rule.to_owned() };
        let fates = self.0.entry(owner).or_default();
        let id = hold.map_or_else(|| format!("without an id {}", fates.len()), str::to_owned);
        let fate = fates.entry(id).or_default();
        match told {
            Told::Held => fate.times += 1,
            Told::Released(cause) => {
                fate.causes.insert(cause.name());
            }
            Told::Settled(how, after_ms) => fate.settled = Some((how, after_ms)),
        }
    }

    /// Returns the counts, by the number of holds: the rule that is most in the way comes first.
    pub fn counts(&self) -> Vec<Counts> {
        let mut all: Vec<Counts> = self.0.iter().map(|(owner, fates)| counted(owner, fates)).collect();
        all.sort_by_key(|counts| std::cmp::Reverse(counts.holds));
        all
    }
}

fn counted(owner: &Owner, fates: &BTreeMap<String, Fate>) -> Counts {
    let user = Cause::User.name();
    let mut counts =
        Counts { workflow: owner.workflow.clone(), rule: owner.rule.clone(), ..Counts::default() };
    let mut took: Vec<u64> = Vec::new();
    for fate in fates.values() {
        counts.holds += 1;
        counts.times += fate.times;
        counts.by_user += usize::from(fate.causes.contains(user));
        counts.let_go += usize::from(fate.causes.iter().any(|cause| *cause != user));
        for cause in &fate.causes {
            *counts.causes.entry(cause).or_default() += 1;
        }
        match fate.settled {
            None => counts.open += 1,
            Some((How::Satisfied, after_ms)) => {
                counts.satisfied += 1;
                took.push(after_ms);
            }
            Some((How::Released, after_ms)) => took.push(after_ms),
            Some((How::Superseded | How::Dropped | How::Passed | How::Ended, _)) => counts.otherwise += 1,
        }
    }
    counts.median_ms = median(took);
    counts
}

fn median(mut numbers: Vec<u64>) -> Option<u64> {
    numbers.sort_unstable();
    let at = numbers.len().checked_sub(1)? / 2;
    numbers.get(at).copied()
}

impl Counts {
    /// A count in percent of the holds, to the nearest whole one.
    pub fn percent(&self, count: usize) -> usize {
        (count * 200 + self.holds).checked_div(self.holds * 2).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hold_counts_once_and_by_what_became_of_it() {
        let mut tally = Tally::default();
        let mut say = |rule: &str, hold: &str, told: Told| tally.add("flow", rule, Some(hold), told);
        for _ in 0..3 {
            say("note", "h1", Told::Held);
        }
        say("note", "h1", Told::Released(Cause::NoProgress));
        say("note", "h1", Told::Settled(How::Satisfied, 900));
        say("note", "h2", Told::Held);
        say("note", "h2", Told::Released(Cause::User));
        say("note", "h2", Told::Settled(How::Released, 100));
        say("note", "h3", Told::Held);
        say("note", "h3", Told::Settled(How::Dropped, 1));
        say("commit", "h4", Told::Held);
        tally.add("flow", "", None, Told::Released(Cause::Fault));
        tally.add("flow", "", None, Told::Released(Cause::Fault));
        let all = tally.counts();
        let rules: Vec<&str> = all.iter().map(|counts| counts.rule.as_str()).collect();
        assert_eq!(rules, ["note", "", "commit"]);
        let note = &all[0];
        assert_eq!((note.holds, note.times, note.satisfied, note.by_user, note.let_go), (3, 5, 1, 1, 1));
        assert_eq!((note.otherwise, note.open, note.median_ms), (1, 0, Some(100)));
        assert_eq!(note.causes, BTreeMap::from([("no-progress", 1), ("user", 1)]));
        assert_eq!((note.percent(1), note.percent(2), note.percent(3)), (33, 67, 100));
        assert_eq!((all[1].holds, all[1].let_go, all[1].median_ms), (2, 2, None));
        assert_eq!(all[2].open, 1);
        assert_eq!(Counts::default().percent(0), 0);
    }
}
