//! A lock: a key that the layers below cannot set.

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

impl Lock {
    /// Reads a key. If it cannot be locked: what to write instead.
    pub(super) fn of(key: &str) -> Result<Lock, String> {
        let is_reviewers = key.strip_prefix("reviewers.").is_some_and(|rest| !rest.is_empty());
        if is_reviewers || KEYS.contains(&key) {
            return Ok(Lock(key.to_owned()));
        }
        Err(match (key, key.strip_prefix("workflows."), nearest(key, KEYS)) {
            ("lock" | "require" | "own_workflows", ..) => {
                format!("leave it out: no layer below can take back what `{key}` says")
            }
            (_, Some(name), _) => format!("write require = [\"{name}\"]"),
            (_, _, Some(near)) => format!("did you mean `{near}`?"),
            _ => format!("these can be locked: {}", listed(&KEYS)),
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
