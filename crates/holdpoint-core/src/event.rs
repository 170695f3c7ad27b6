//! An event: what an agent is about to do, has done, or wants to do, in no agent's own dialect.

use crate::tool::Tool;

/// The moments at which an agent asks.
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
    /// All moments, as workflow files spell them.
    pub const ALL: [(&'static str, Moment); 5] = [
        ("before", Moment::Before),
        ("after", Moment::After),
        ("stop", Moment::Stop),
        ("prompt", Moment::Prompt),
        ("start", Moment::Start),
    ];

    /// The moment's name in workflow files and in the journal.
    pub fn name(self) -> &'static str {
        match self {
            Moment::Before => "before",
            Moment::After => "after",
            Moment::Stop => "stop",
            Moment::Prompt => "prompt",
            Moment::Start => "start",
        }
    }

    /// Whether a tool belongs to this moment.
    pub fn has_tool(self) -> bool {
        matches!(self, Moment::Before | Moment::After)
    }
}

/// One event of one agent.
#[derive(Clone, Debug)]
pub struct Event {
    /// When it was sent.
    pub moment: Moment,
    /// The tool at hand, before and after a tool call.
    pub tool: Option<Tool>,
    /// The agent's session, if it named one.
    pub session: Option<String>,
    /// The folder the agent works in: absolute.
    pub cwd: String,
    /// What the user typed, at a prompt.
    pub prompt: Option<String>,
    /// Whether tasks of the agent are still running in the background: a Stop is then only a pause.
    pub is_waiting: bool,
    /// The agent's name (`claude`, `codex`, …).
    pub agent: String,
}

impl Event {
    /// An event that no agent sent: somebody in a shell, at work in `cwd`, asks what one would come to.
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
