//! Something that was found, and what to do about it.

use serde::Serialize;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    /// Something does not work.
    Wrong,
    /// It works, and somebody may want to know.
    Note,
}

/// Something that was found.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Finding {
    pub(super) level: Level,
    /// What it is, in a sentence.
    pub(super) what: String,
    /// What to do: a command, or a sentence with one.
    pub(super) remedy: String,
}

impl Finding {
    /// Something that does not work.
    pub(super) fn wrong(what: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { level: Level::Wrong, what: what.into(), remedy: remedy.into() }
    }

    /// Something to know.
    pub(super) fn note(what: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { level: Level::Note, what: what.into(), remedy: remedy.into() }
    }
}
