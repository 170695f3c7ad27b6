//! A problem or note, with its remedy.

use serde::Serialize;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    /// A problem: something does not work.
    Wrong,
    /// A step that is left to the user: until it is done something does not work, and nothing else can do it.
    Todo,
    /// A note: everything works, but the user may want to know.
    Note,
}

/// A problem or note.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Finding {
    pub(super) level: Level,
    /// The problem in one sentence.
    pub(super) what: String,
    /// The fix: a command, or a sentence with one.
    pub(super) remedy: String,
}

impl Finding {
    /// Creates a problem.
    pub(super) fn wrong(what: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { level: Level::Wrong, what: what.into(), remedy: remedy.into() }
    }

    /// Creates a step that is left to the user.
    pub(super) fn todo(what: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { level: Level::Todo, what: what.into(), remedy: remedy.into() }
    }

    /// Creates a note.
    pub(super) fn note(what: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { level: Level::Note, what: what.into(), remedy: remedy.into() }
    }
}
