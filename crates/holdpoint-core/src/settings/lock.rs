//! A lock: a key that the layers below cannot set.

use thiserror::Error;

use crate::diagnostic::nearest;
use crate::workflow::table::listed;

/// The keys that can be locked. `reviewers.WORKFLOW` and `reviewers.WORKFLOW.REVIEWER` can be, too.
const KEYS: [&str; 6] = ["workflows", "programs", "programs.pass", "programs.writes", "bench", "reviewers"];

/// The key of the list of workflows.
pub(super) const WORKFLOWS: &str = "workflows";
/// The key of the variables that programs get.
pub(super) const PASS: &str = "programs.pass";
/// The key of the folders that programs can write to.
pub(super) const WRITES: &str = "programs.writes";

/// The key of where checks and reviews are performed.
pub(super) const BENCH: &str = "bench";

/// A locked key, with all keys below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock(String);

/// Why a key cannot be locked, said as what to write instead.
#[derive(Debug, Error)]
pub(super) enum NotLocked {
    /// Nobody can set it below anyway.
    #[error("leave it out: no layer below can take back what `{0}` says")]
    IsFinal(String),
    /// A workflow is required, not locked.
    #[error("write require = [\"{0}\"]")]
    IsWorkflow(String),
    /// It is misspelt.
    #[error("did you mean `{0}`?")]
    Misspelt(String),
    /// It is no such key.
    #[error("these can be locked: {}", listed(&KEYS))]
    Unknown,
}

impl Lock {
    /// Reads a key.
    pub(super) fn of(key: &str) -> Result<Lock, NotLocked> {
        let is_reviewers = key.strip_prefix("reviewers.").is_some_and(|rest| !rest.is_empty());
        if is_reviewers || KEYS.contains(&key) {
            return Ok(Lock(key.to_owned()));
        }
        Err(match (key, key.strip_prefix("workflows."), nearest(key, KEYS)) {
            ("lock" | "require" | "own_workflows", ..) => NotLocked::IsFinal(key.to_owned()),
            (_, Some(name), _) => NotLocked::IsWorkflow(name.to_owned()),
            (_, _, Some(near)) => NotLocked::Misspelt(near.to_owned()),
            _ => NotLocked::Unknown,
        })
    }

    /// Returns whether a key is locked by it.
    pub fn covers(&self, key: &str) -> bool {
        key.strip_prefix(self.0.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// Returns the key.
    pub fn key(&self) -> &str {
        &self.0
    }
}
