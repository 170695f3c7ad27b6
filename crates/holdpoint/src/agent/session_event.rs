//! What a client says of its session: how it begins, and whether an event is a sub-agent's.

use serde_json::Value as Json;

use super::text;

/// How a session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The client was started.
    Startup,
    /// A session goes on that had ended; its id stays.
    Resume,
    /// The user cleared the session before it.
    Clear,
    /// The session goes on with a summary of itself.
    Compact,
    /// It begins as a copy of another.
    Fork,
}

impl Source {
    const ALL: [(&'static str, Source); 6] = [
        ("startup", Source::Startup),
        ("new", Source::Startup),
        ("resume", Source::Resume),
        ("clear", Source::Clear),
        ("compact", Source::Compact),
        ("fork", Source::Fork),
    ];

    pub(super) fn of(payload: &Json) -> Option<Source> {
        let named = text(payload, "source")?;
        Source::ALL.iter().find(|(name, _)| *name == named).map(|(_, source)| *source)
    }
}

/// Returns whether an event comes from a sub-agent: only such events name one.
pub(super) fn is_subagents(payload: &Json) -> bool {
    text(payload, "agent_id").is_some_and(|id| !id.is_empty())
}
