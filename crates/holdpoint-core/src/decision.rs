//! A decision: what a workflow says to one event.

use serde_json::Value as Json;

use crate::workflow::{Audience, RuleKind};

/// All that a workflow says to one event. Empty: nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// Rules whose condition was true, in the order of the file.
    pub findings: Vec<Finding>,
    /// State fields to set, in order.
    pub sets: Vec<Set>,
    /// What kept a rule from being judged; such a rule lets go.
    pub faults: Vec<Fault>,
}

/// A rule whose condition was true.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Hold or witness.
    pub kind: RuleKind,
    /// The rule's name.
    pub rule: String,
    /// The rule's code.
    pub code: Option<String>,
    /// Whom a witness speaks to.
    pub to: Audience,
    /// What is said.
    pub text: String,
    /// What the rule looked at, by name, as short JSON.
    pub facts: Vec<(String, String)>,
    /// What would satisfy it.
    pub satisfied_by: Option<String>,
    /// The rule's line in the workflow file.
    pub line: u32,
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

/// Something kept a rule from being judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The rule, if it was one rule's fault.
    pub rule: Option<String>,
    /// What happened, for people.
    pub what: String,
}

impl Decision {
    /// Whether a hold's condition was true.
    pub fn holds(&self) -> bool {
        self.findings.iter().any(|finding| finding.kind == RuleKind::Hold)
    }

    /// Whether there is nothing to say, set or report.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.sets.is_empty() && self.faults.is_empty()
    }
}
