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
    /// Something happens beside the agent's own turn.
    Beside(Occasion),
}

/// Something that happens beside the agent's own turn. Not every agent tells of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::event))]
pub enum Occasion {
    /// A sub-agent begins its work.
    SubagentStart,
    /// A sub-agent wants to stop.
    SubagentStop,
    /// A task is put on the agent's own list.
    TaskCreated,
    /// A task of the agent's own list is to be marked as done.
    TaskCompleted,
    /// The user would be asked whether a tool may run.
    Permission,
    /// Settings of the agent have changed.
    Settings,
    /// The conversation is about to be shortened.
    Compacting,
    /// The conversation was shortened.
    Compacted,
    /// The agent's client has notified the user of something.
    Notification,
    /// The session ends.
    End,
}

impl Moment {
    /// All moments, by their names in workflow files and in the journal.
    pub(crate) const ALL: [(&'static str, Moment); 15] = [
        ("before", Moment::Before),
        ("after", Moment::After),
        ("stop", Moment::Stop),
        ("prompt", Moment::Prompt),
        ("start", Moment::Start),
        ("subagent-start", Moment::Beside(Occasion::SubagentStart)),
        ("subagent-stop", Moment::Beside(Occasion::SubagentStop)),
        ("task-created", Moment::Beside(Occasion::TaskCreated)),
        ("task-completed", Moment::Beside(Occasion::TaskCompleted)),
        ("permission", Moment::Beside(Occasion::Permission)),
        ("settings", Moment::Beside(Occasion::Settings)),
        ("compacting", Moment::Beside(Occasion::Compacting)),
        ("compacted", Moment::Beside(Occasion::Compacted)),
        ("notification", Moment::Beside(Occasion::Notification)),
        ("end", Moment::Beside(Occasion::End)),
    ];

    /// Returns the moment's name in workflow files and in the journal.
    pub fn name(self) -> &'static str {
        Moment::ALL.iter().find(|(_, moment)| *moment == self).map(|(name, _)| *name).unwrap_or_default()
    }

    /// Returns whether events of this moment carry a tool call.
    pub fn has_tool(self) -> bool {
        matches!(self, Moment::Before | Moment::After | Moment::Beside(Occasion::Permission))
    }

    /// Returns whether somebody wants to stop: a hold then makes them go on, so it has to be counted.
    pub fn is_stop(self) -> bool {
        matches!(self, Moment::Stop | Moment::Beside(Occasion::SubagentStop))
    }

    /// Returns whether somebody waits for the answer: only then can it hold. A conversation that is full must be shortened,
    /// or nobody could go on.
    pub fn can_hold(self) -> bool {
        let Moment::Beside(occasion) = self else { return true };
        match occasion {
            Occasion::SubagentStop
            | Occasion::TaskCreated
            | Occasion::TaskCompleted
            | Occasion::Permission
            | Occasion::Settings => true,
            Occasion::SubagentStart
            | Occasion::Compacting
            | Occasion::Compacted
            | Occasion::Notification
            | Occasion::End => false,
        }
    }
}

/// A sub-agent, where an event comes from one or is about one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subagent {
    /// The agent's id of it.
    pub id: String,
    /// What it is called: `tester`.
    pub name: String,
}

/// The name in the place of the agent's, where somebody in a shell asks.
pub const SHELL: &str = "shell";

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
    /// The sub-agent that it comes from, or that it is about.
    pub subagent: Option<Subagent>,
    /// What brought it about, in the agent's own word: `clear` at a session's start, `auto` at a compaction.
    pub source: Option<String>,
    /// The subject of the task, at `TaskCreated` and `TaskCompleted`.
    pub task: Option<String>,
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
            subagent: None,
            source: None,
            task: None,
            is_waiting: false,
            agent: SHELL.to_owned(),
        }
    }
}
