//! Effects: what a step, or all the rules about one event, come to. They are data until the engine's one writer
//! performs them: from here to the state file, the journal and the answer nothing else carries them.

use serde_json::Value as Json;
use thiserror::Error;

use crate::workflow::step::Delivery;

/// What is to be set, written, logged and said. Empty: nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    /// State fields to set, in order.
    pub sets: Vec<Set>,
    /// Files to change, in order, before the state is written.
    pub files: Vec<FileChange>,
    /// Lines for the run's record.
    pub log: Vec<String>,
    /// The report that proves the agent's phase which is due now: what is there already does not count.
    pub expects: Option<String>,
    /// How long to wait before what is due is looked at again, in seconds.
    pub wait_s: u32,
    /// The phase that is due now, if a step led to one.
    pub went: Option<String>,
    /// Whether what shell calls did so far is accepted: the user said so, or the run is a new one.
    pub accepts: bool,
    /// What is said, in order.
    pub messages: Vec<Message>,
    /// What could not be judged: the event is allowed.
    pub faults: Vec<Fault>,
    /// A line about each rule that was asked, where somebody wants to see them.
    pub traces: Vec<String>,
}

/// A text for somebody.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Whom it is for, and what it does.
    pub delivery: Delivery,
    /// The text.
    pub text: String,
    /// Who says it.
    pub source: Source,
    /// The rule's or the phase's name.
    pub name: String,
    /// Its line in the workflow file.
    pub line: u32,
    /// The rule's code.
    pub code: Option<String>,
    /// What the rule looked at, by name, as short JSON.
    pub facts: Vec<(String, String)>,
    /// What would satisfy the rule.
    pub satisfied_by: Option<String>,
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A rule.
    Rule,
    /// A phase.
    Phase,
    /// A command.
    Command,
    /// The engine itself, which protects a sealed run.
    Engine,
}

/// A state field to set.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// The field's path.
    pub path: Vec<String>,
    /// Its new value.
    pub value: Json,
}

/// A file to change, by its path from the project's home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// Write it whole.
    Write {
        /// The path.
        path: String,
        /// The content. A script, one that begins with `#!`, can be run.
        text: String,
    },
    /// Remove it, if it is there. The last name can be a glob; a path that ends in `/` is a folder with all in it.
    Remove(String),
}

/// Something that could not be judged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Error)]
#[error("{what}")]
pub struct Fault {
    /// The rule, if it was one rule's fault.
    pub rule: Option<String>,
    /// What happened, for people.
    pub what: String,
    /// Whether a message tells the user of it already.
    pub is_told: bool,
    /// Whether everything was judged all the same, so that nothing is let go for it.
    pub is_aside: bool,
}

impl Fault {
    /// Whether it may have kept this rule or phase from being judged.
    pub fn may_be_of(&self, name: &str) -> bool {
        !self.is_aside && self.rule.as_deref().is_none_or(|rule| rule == name)
    }
}

impl Effects {
    /// Whether the agent is held.
    pub fn holds(&self) -> bool {
        self.messages.iter().any(|message| message.delivery == Delivery::Hold)
    }

    /// Whether nothing is to be written.
    pub fn writes_nothing(&self) -> bool {
        self.sets.is_empty() && self.files.is_empty() && self.log.is_empty()
    }

    /// The messages with this delivery.
    pub fn delivered(&self, delivery: Delivery) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(move |message| message.delivery == delivery)
    }

    /// Notes something that could not be judged.
    pub fn fault(&mut self, what: impl Into<String>) {
        self.faults.push(Fault { what: what.into(), ..Fault::default() });
    }

    /// Adds what comes after: later fields and files win, and where it leads is where it led last.
    pub fn add(&mut self, later: Effects) {
        self.sets.extend(later.sets);
        self.files.extend(later.files);
        self.log.extend(later.log);
        self.expects = later.expects.or(self.expects.take());
        self.wait_s = self.wait_s.max(later.wait_s);
        self.accepts |= later.accepts;
        self.went = later.went.or(self.went.take());
        self.messages.extend(later.messages);
        self.faults.extend(later.faults);
        self.traces.extend(later.traces);
    }
}
