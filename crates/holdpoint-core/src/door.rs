//! A door that the user opens on purpose: a grant lets one held call pass once, a pause keeps a whole run from holding.
//!
//! Both are facts about the books; whoever decides by them gives the time. Times are texts of one form, in UTC, so that their
//! order is that of the texts.

mod call;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use self::call::normalised;
use crate::facts::Facts;
use crate::phase::{self, Due};
use crate::workflow::approval::Channel;

/// The most grants that a run has at a time: the oldest give way.
const GRANTS_MAX: usize = 50;

/// The longest that a grant or a pause can be given for, in seconds: 30 days.
const SECONDS_MAX: u32 = 30 * 24 * 3600;

/// Reads how long a grant or a pause is to last. None if it is no length of time, or longer than 30 days.
pub fn seconds(text: &str) -> Option<u32> {
    u32::try_from(length(text)?).ok().filter(|seconds| (1..=SECONDS_MAX).contains(seconds))
}

/// Reads a length of time, in seconds: `90s`, `10m`, `2h`, `3d`.
pub fn length(text: &str) -> Option<u64> {
    let unit = text.chars().last()?;
    let seconds: u64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 24 * 3600,
        _ => return None,
    };
    let count: u32 = text.strip_suffix(unit)?.parse().ok()?;
    Some(u64::from(count) * seconds)
}

/// Returns the report that the agent's phase asks for, if one is due: what is written as such in a pause was not asked for.
pub fn report(facts: &Arc<Facts>) -> Option<String> {
    match phase::due(facts) {
        Ok(Due::Phase(due)) => phase::expected(facts, &due).ok().flatten(),
        Ok(Due::Nobody | Due::Unknown(_)) | Err(_) => None,
    }
}

/// The user's word that one held call may pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Grant {
    /// Its id.
    pub id: String,
    /// What may pass.
    pub held: Held,
    /// The tree that it was given for; none where there is no repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// When it was given.
    pub at: String,
    /// Until when it counts.
    pub until: String,
    /// Whose word it is, and why.
    pub word: Word,
    /// When it was used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<String>,
}

/// What was held.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Held {
    /// The hold's id.
    pub hold: String,
    /// The rule or the phase.
    pub rule: String,
    /// The moment: `stop`, `before` …
    pub event: String,
    /// A digest of the call; empty where it was no call.
    pub call: String,
    /// A digest of what the hold says.
    pub digest: String,
}

impl Held {
    /// Whether this is the same thing held again. A hold's id changes with the session; what is held does not.
    fn is_same(&self, other: &Held) -> bool {
        let Held { hold: _, rule, event, call, digest } = self;
        (rule, event, call, digest) == (&other.rule, &other.event, &other.call, &other.digest)
    }
}

/// A user's word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Word {
    /// The user of the operating system who said it.
    pub by: String,
    /// How it reached Holdpoint.
    pub through: Channel,
    /// Why.
    pub reason: String,
}

/// How the grants of a run stand to what is held now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit<'a> {
    /// This one lets it pass.
    Passes(&'a Grant),
    /// There is one for this call, but for other files.
    OtherTree(&'a Grant),
    /// There was one, and its time is over.
    Expired(&'a Grant),
    /// There is none.
    None,
}

/// The grants of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Grants(pub Vec<Grant>);

impl Grants {
    /// Whether one may be meant for this, whatever the tree is: only then is it worth hashing.
    pub fn has(&self, held: &Held) -> bool {
        self.0.iter().any(|grant| grant.used.is_none() && grant.held.is_same(held))
    }

    /// Which of them fits, the newest first.
    pub fn fit(&self, held: &Held, tree: Option<&str>, now: &str) -> Fit<'_> {
        let meant = || self.0.iter().rev().filter(|grant| grant.used.is_none() && grant.held.is_same(held));
        let fresh = || meant().filter(|grant| now < grant.until.as_str());
        let passes = fresh().find(|grant| grant.tree.as_deref() == tree).map(Fit::Passes);
        let other = || fresh().next().map(Fit::OtherTree);
        passes.or_else(other).or_else(|| meant().next().map(Fit::Expired)).unwrap_or(Fit::None)
    }

    /// Uses one up, if it fits. Returns it.
    pub fn take(&mut self, held: &Held, tree: Option<&str>, now: &str) -> Option<Grant> {
        let Fit::Passes(grant) = self.fit(held, tree, now) else { return None };
        let id = grant.id.clone();
        let grant = self.0.iter_mut().find(|grant| grant.id == id)?;
        grant.used = Some(now.to_owned());
        Some(grant.clone())
    }

    /// Adds one. It takes the place of others for the same thing.
    pub fn add(&mut self, grant: Grant) {
        self.0.retain(|other| other.used.is_some() || !other.held.is_same(&grant.held));
        self.0.push(grant);
        let beyond = self.0.len().saturating_sub(GRANTS_MAX);
        self.0.drain(..beyond);
    }

    /// Drops those whose time was over before this.
    pub fn drop_before(&mut self, then: &str) {
        self.0.retain(|grant| grant.used.is_some() || grant.until.as_str() >= then);
    }
}

/// A run that is paused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pause {
    /// Since when.
    pub at: String,
    /// Until when; none: until the user resumes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Whose word it is, and why.
    pub word: Word,
    /// The report that the agent's phase asks for, as it was when the pause began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
}

impl Pause {
    /// Whether it is over by itself.
    pub fn is_over(&self, now: &str) -> bool {
        self.until.as_deref().is_some_and(|until| until <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(rule: &str, call: &str) -> Held {
        let (hold, event) = ("h1".to_owned(), "before".to_owned());
        Held { hold, event, rule: rule.to_owned(), call: call.to_owned(), digest: "d".to_owned() }
    }

    fn grant(id: &str, held: Held, tree: Option<&str>) -> Grant {
        let (at, until) = ("2026-11-18T10:00:00.000Z".to_owned(), "2026-11-18T10:10:00.000Z".to_owned());
        Grant { id: id.to_owned(), held, tree: tree.map(str::to_owned), at, until, ..Grant::default() }
    }

    const NOW: &str = "2026-11-18T10:05:00.000Z";
    const LATER: &str = "2026-11-18T10:10:00.000Z";

    #[test]
    fn a_grant_fits_its_rule_call_text_and_tree_in_its_time() {
        let mut grants = Grants::default();
        grants.add(grant("g1", held("note", "c"), Some("t")));
        let fits = |held: &Held, tree, now| matches!(grants.fit(held, tree, now), Fit::Passes(_));
        assert!(fits(&held("note", "c"), Some("t"), NOW));
        assert!(fits(&Held { hold: "h2".into(), ..held("note", "c") }, Some("t"), NOW), "in another session");
        for other in [
            held("other", "c"),
            held("note", "d"),
            Held { digest: "e".into(), ..held("note", "c") },
            Held { event: "stop".into(), ..held("note", "c") },
        ] {
            assert_eq!(grants.fit(&other, Some("t"), NOW), Fit::None, "{other:?}");
        }
        for tree in [Some("u"), None] {
            assert!(matches!(grants.fit(&held("note", "c"), tree, NOW), Fit::OtherTree(_)));
        }
        assert!(matches!(grants.fit(&held("note", "c"), Some("t"), LATER), Fit::Expired(_)));
    }

    #[test]
    fn a_grant_is_used_up_by_one_call() {
        let mut grants = Grants::default();
        grants.add(grant("g1", held("note", "c"), None));
        grants.add(grant("g2", held("note", "c"), None));
        assert_eq!(grants.0.len(), 1, "the same thing is not granted twice");
        assert_eq!(grants.take(&held("note", "c"), None, NOW).map(|grant| grant.id).as_deref(), Some("g2"));
        assert_eq!(grants.take(&held("note", "c"), None, NOW), None);
        assert!(!grants.has(&held("note", "c")));
        grants.add(grant("g3", held("note", "c"), None));
        assert!(grants.has(&held("note", "c")), "and again after another word of the user's");
        grants.drop_before(LATER);
        assert_eq!(grants.0.len(), 2, "what is used, and what may be told of");
        grants.drop_before("2026-11-18T11:00:00.000Z");
        assert_eq!(grants.0.len(), 1);
        (0..60).for_each(|n| grants.add(grant(&n.to_string(), held("note", &n.to_string()), None)));
        assert_eq!(grants.0.len(), GRANTS_MAX);
    }

    #[test]
    fn a_length_of_time_is_a_number_and_a_unit() {
        for (text, length) in [("90s", 90), ("10m", 600), ("2h", 7200), ("30d", SECONDS_MAX)] {
            assert_eq!(seconds(text), Some(length), "{text}");
        }
        for text in ["", "m", "0m", "-1m", "10", "31d", "4294967295d", "1.5h", "ten m", "10\u{e9}"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn a_pause_ends_by_itself_or_not_at_all() {
        let pause = Pause { until: Some(LATER.to_owned()), ..Pause::default() };
        assert!(!pause.is_over(NOW) && pause.is_over(LATER));
        assert!(!Pause::default().is_over(LATER));
    }
}
