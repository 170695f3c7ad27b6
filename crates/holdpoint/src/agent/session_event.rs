//! What a client says of its session: how it begins, that it has ended, and whether an event is a sub-agent's.

use holdpoint_core::event::{Event, Moment};
use serde_json::Value as Json;

use super::{Agent, Asked, text};

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

/// The event by which agents say that a session has ended.
pub const END: &str = "SessionEnd";

/// Returns the name of the event by which an agent says that a session has ended, if we know it.
pub fn end_event(agent: &str) -> Option<&'static str> {
    ["claude", "codex", "gemini"].contains(&agent).then_some(END)
}

/// Returns what a payload says of a session that has ended, if it says so: as an event of that session.
pub fn ended(agent: Agent, payload: &Json, cwd: &str) -> Option<(Asked, Event)> {
    let event_name = end_event(agent.name()).filter(|name| text(payload, "hook_event_name") == Some(name))?;
    let cwd = text(payload, "cwd").unwrap_or(cwd);
    let event = Event {
        session: text(payload, "session_id").map(str::to_owned),
        agent: agent.name().to_owned(),
        ..Event::from_shell(Moment::Start, cwd)
    };
    Some((Asked::new(agent, event_name, payload), event))
}

/// Returns whether an event comes from a sub-agent: only such events name one.
pub(super) fn is_subagents(payload: &Json) -> bool {
    text(payload, "agent_id").is_some_and(|id| !id.is_empty())
}
