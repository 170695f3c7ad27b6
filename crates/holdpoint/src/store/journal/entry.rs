//! What a line of the journal has.

use std::borrow::Cow;
use std::path::Path;

use holdpoint_core::door::Word;
use holdpoint_core::holds::How;
use holdpoint_core::release::Cause;
use holdpoint_core::secret;
use holdpoint_core::verdict::Verdict;
use serde::{Deserialize, Serialize};

use crate::store::books::Books;
use crate::store::evidence::Evidence;

/// One line of the journal.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// When, in UTC.
    pub at: String,
    /// What the line is about.
    #[serde(skip_serializing_if = "Kind::is_event")]
    pub kind: Kind,
    /// The moment: `before`, `after`, `stop`, `prompt`, `start`; empty if the input told none.
    pub event: String,
    /// The tool's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What the tool was called for: a command, a path, a sub-agent, in short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The agent.
    pub agent: String,
    /// The agent's session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The workflow that was asked; none where the fault lies before any workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// The run, by its place below the home.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The item of the run that is current.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// What was decided.
    pub decision: Decision,
    /// Why a hold did not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// The holds that did not hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub released: Vec<ReleasedHold>,
    /// The rules that spoke.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Spoken>,
    /// What kept a rule, or the whole hook, from being judged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// The state fields that were set.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub set: serde_json::Map<String, serde_json::Value>,
    /// The reviews that were performed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<Reviewed>,
    /// The moves between phases, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Move>,
    /// Who acts next, where that was found out: `agent`, `user`, `reviewer`, `check`, `approval` or `nobody`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The one next command, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The review or check that the line is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<Job>,
    /// The hold that was settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<SettledHold>,
    /// What the user has opened or closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub door: Option<Door>,
    /// The session that the line is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began: Option<BegunSession>,
    /// How long it took, without what was performed.
    pub took_us: u64,
    /// How long reviews and checks took.
    #[serde(skip_serializing_if = "is_zero")]
    pub performed_us: u64,
    /// The line's number. It comes last: the next line's is found by it.
    #[serde(skip_serializing_if = "is_zero")]
    pub seq: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What a line is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An event, or a command.
    #[default]
    Event,
    /// A review or check begins.
    Began,
    /// A review or check has ended.
    Ended,
    /// A hold is settled.
    Settled,
    /// A session that was not seen before.
    Session,
    /// The user lets a held call pass.
    Granted,
    /// The user pauses the run.
    Paused,
    /// The pause is over.
    Resumed,
}

impl Kind {
    /// Whether it is about an event.
    pub fn is_event(&self) -> bool {
        *self == Kind::Event
    }
}

impl Kind {
    /// Whether people want to see it in a list of what happened.
    pub fn is_for_people(self) -> bool {
        !matches!(self, Kind::Settled | Kind::Session)
    }
}

/// A hold that did not hold.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReleasedHold {
    /// The hold's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<String>,
    /// The rule or the phase; empty if it is not known.
    pub rule: String,
    /// Why.
    pub cause: Option<Cause>,
    /// What is still open, in a line.
    pub open: String,
    /// Why the user let it go, if it was the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What the user has opened or closed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Door {
    /// The hold that may pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<String>,
    /// Its rule or phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The id of the grant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<String>,
    /// Until when it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Whose word it is, and why; none if its time was over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<Word>,
    /// Whether the user takes what was done meanwhile for the user's own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub accepts: bool,
}

/// A move from a phase to another.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Move {
    /// The phase that was due; none at a run's beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What led on: a verdict, or how the phase ended.
    pub outcome: String,
    /// The phase that is due then; `end`: none.
    pub to: String,
    /// When.
    pub at: String,
}

/// A review or check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// The phase.
    pub phase: String,
    /// Which round it is.
    pub round: i64,
    /// Of how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// Its program.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub program: String,
    /// The reviewer's model, if its command names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where what it says on standard error goes, below the run's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// The process that performs it; only while it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Its verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Why it gave none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The tree that it looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// What it cost, if it said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// A hold that was settled.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SettledHold {
    /// The hold's id.
    pub hold: String,
    /// The rule or the phase.
    pub rule: String,
    /// How.
    pub how: How,
    /// How long it was open.
    pub after_ms: u64,
}

/// Who works where, told once a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BegunSession {
    /// The user's name, if the environment has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The agent's version, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The worktree: `main`, or the name of a linked one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The branch that is checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Digests of the active workflows, by their names.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub workflows: serde_json::Map<String, serde_json::Value>,
}

/// The folders of this machine that paths are not kept with.
pub(super) struct Places<'a> {
    home: Cow<'a, str>,
    state_folder: Option<Cow<'a, str>>,
}

impl<'a> Places<'a> {
    /// Those of the home that the journal is about.
    pub(super) fn of(books: &'a Books) -> Places<'a> {
        let state_folder = books.state_folder().map(Path::to_string_lossy);
        Places { home: books.home().to_string_lossy(), state_folder }
    }

    /// Whether a text has none of them.
    fn are_not_in(&self, text: &str) -> bool {
        let state_folder = self.state_folder.as_ref();
        !text.contains(&*self.home) && state_folder.is_none_or(|folder| !text.contains(&**folder))
    }

    /// Shortens the paths below the home, and its own to a dot.
    fn leave(&self, text: &mut String) {
        // The state folder may lie in the home.
        if let Some(folder) = self.state_folder.as_ref().filter(|folder| text.contains(&***folder)) {
            *text = text.replace(&**folder, "(state folder)");
        }
        if let Cow::Owned(shorter) = below(&self.home, text) {
            *text = shorter;
        }
    }
}

impl Entry {
    /// The entry as it is kept: without tokens that were in what was said or called, and with paths as they are below the home
    /// and the state folder. Most have neither, and are not copied.
    pub(super) fn as_kept(&self, places: &Places<'_>) -> Cow<'_, Entry> {
        let spoken = self.rules.iter().flat_map(|rule| {
            let facts = rule.facts.iter().map(|(_, value)| value);
            facts.chain([&rule.text]).chain(&rule.satisfied_by)
        });
        let open = self.released.iter().map(|released| &released.open);
        let why = self.job.iter().flat_map(|job| &job.why);
        let reasons = self.released.iter().flat_map(|released| &released.reason);
        let words = self.door.iter().flat_map(|door| &door.word).map(|word| &word.reason);
        let why = why.chain(reasons).chain(words);
        let mut texts = spoken.chain(&self.about).chain(&self.faults).chain(open).chain(why);
        let is_clean = texts.all(|text| places.are_not_in(text) && !secret::is_in(text));
        if is_clean && self.set.is_empty() {
            Cow::Borrowed(self)
        } else {
            Cow::Owned(self.clone().replaced(places))
        }
    }

    fn replaced(mut self, places: &Places<'_>) -> Entry {
        let rules = self.rules.iter_mut().flat_map(|rule| {
            let facts = rule.facts.iter_mut().map(|(_, value)| value);
            facts.chain([&mut rule.text]).chain(&mut rule.satisfied_by)
        });
        let open = self.released.iter_mut().flat_map(|released| {
            let open = [&mut released.open].into_iter();
            open.chain(&mut released.reason)
        });
        let why = self.job.iter_mut().flat_map(|job| &mut job.why);
        let words = self.door.iter_mut().flat_map(|door| &mut door.word).map(|word| &mut word.reason);
        let why = why.chain(words);
        for text in rules.chain(&mut self.about).chain(&mut self.faults).chain(open).chain(why) {
            secret::replace(text);
            places.leave(text);
        }
        for (field, value) in &mut self.set {
            secret::replace_in(field, value);
        }
        self
    }
}

/// A text with the paths below a home shortened, and its own to a dot.
pub fn below<'a>(home: &str, text: &'a str) -> Cow<'a, str> {
    // The whole machine is no home whose paths could be shortened.
    if home.len() > 1 && text.contains(home) {
        Cow::Owned(text.replace(&format!("{home}/"), "").replace(home, "."))
    } else {
        Cow::Borrowed(text)
    }
}

/// What was decided about an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The agent was held.
    Hold,
    /// Something was said.
    Witness,
    /// A hold did not hold: `cause` says why.
    Release,
    /// Something could not be judged.
    Fault,
    /// Nothing.
    #[default]
    None,
}

impl Decision {
    /// The word in the journal.
    pub fn name(self) -> &'static str {
        match self {
            Decision::Hold => "hold",
            Decision::Witness => "witness",
            Decision::Release => "release",
            Decision::Fault => "fault",
            Decision::None => "none",
        }
    }
}

/// How a rule or a phase spoke.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speech {
    /// It held.
    Hold,
    /// It only said something.
    #[default]
    Witness,
}

impl Speech {
    /// The word in the journal.
    pub fn name(self) -> &'static str {
        match self {
            Speech::Hold => "hold",
            Speech::Witness => "witness",
        }
    }
}

/// A review that was performed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reviewed {
    /// The phase.
    pub phase: String,
    /// Which round it was.
    pub round: i64,
    /// The reviewer's program.
    pub program: String,
    /// Its verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Its report, below the run's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// How long it took.
    pub took_ms: u64,
    /// What it cost, if it said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

impl Reviewed {
    /// What the journal says of a piece of evidence.
    pub fn of(evidence: &Evidence) -> Reviewed {
        Reviewed {
            phase: evidence.phase.clone(),
            round: evidence.round,
            program: evidence.command.first().cloned().unwrap_or_default(),
            verdict: evidence.verdict.clone(),
            took_ms: evidence.took_ms,
            ..Reviewed::default()
        }
    }
}

/// A rule that spoke.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Spoken {
    /// Whether it held.
    pub kind: Speech,
    /// The id of the hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<String>,
    /// The rule's name, or the phase's.
    pub rule: String,
    /// Whether it was a phase that is due, not a rule.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_phase: bool,
    /// Its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Its line in the workflow file.
    pub line: u32,
    /// What it said.
    pub text: String,
    /// What it looked at: name and short JSON.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<(String, String)>,
    /// What would satisfy it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub satisfied_by: Option<String>,
    /// A digest of the call that was held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// A digest of what a hold says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}
