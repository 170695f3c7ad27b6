//! An event: something an agent is about to do, has done, or wants to do, independent of the agent's dialect.

use crate::tool::Tool;

/// A moment at which an agent calls its hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::event))]
pub enum Moment {
    /// A tool is about to run.
    Before,
    /// A tool has run, whether it worked or failed.
    After,
    /// The agent wants to stop.
    Stop,
    /// The user has sent a prompt.
    Prompt,
    /// A session begins.
    Start,
}

impl Moment {
    /// All moments, by their names in workflow files.
    pub(crate) const ALL: [(&'static str, Moment); 5] = [
        ("before", Moment::Before),
        ("after", Moment::After),
        ("stop", Moment::Stop),
        ("prompt", Moment::Prompt),
        ("start", Moment::Start),
    ];

    /// Returns the moment's name in workflow files and in the journal.
    pub fn name(self) -> &'static str {
        match self {
            Moment::Before => "before",
            Moment::After => "after",
            Moment::Stop => "stop",
            Moment::Prompt => "prompt",
            Moment::Start => "start",
        }
    }

    /// Returns whether events of this moment carry a tool call.
    pub fn has_tool(self) -> bool {
        matches!(self, Moment::Before | Moment::After)
    }
}

/// One event of one agent.
#[derive(Clone, Debug)]
pub struct Event {
    /// The moment at which the agent sent it.
    pub moment: Moment,
    /// The tool call, at `Before` and `After`.
    pub tool: Option<Tool>,
    /// The agent's session, if the payload named one.
    pub session: Option<String>,
    /// The agent's working directory, absolute.
    pub cwd: String,
    /// The user's input, at `Prompt`.
    pub prompt: Option<String>,
    /// Whether a task in the background will wake the agent by itself. A Stop is then only a pause.
    pub is_waiting: bool,
    /// The agent's name (`claude`, `codex`, …).
    pub agent: String,
}

impl Event {
    /// Creates an event that no agent sent: a user in a shell in `cwd` asks what the engine would decide.
    pub fn from_shell(moment: Moment, cwd: &str) -> Event {
        Event {
            moment,
            tool: None,
            session: None,
            cwd: cwd.to_owned(),
            prompt: None,
            is_waiting: false,
            agent: "shell".to_owned(),
        }
    }
}
