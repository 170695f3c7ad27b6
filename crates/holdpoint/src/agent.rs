//! The supported agents: which one is calling, what its event means, and which form of answer it expects.

pub mod background;
pub(crate) mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod legacy;
mod recognition;
mod room;
pub mod session_event;

use holdpoint_core::event::{Event, Moment, Occasion, Subagent};
use holdpoint_core::tool::Tool;
use serde_json::Value as Json;

pub use room::settle;

use background::Task;
use session_event::Source;

/// A supported agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// OpenAI's Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
    /// GitHub's Copilot CLI.
    Copilot,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// The form that current agents obey.
    #[default]
    Own,
    /// The form that older hook scripts print.
    Legacy,
}

/// The sender of an event, and the sender's own name for the event.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The agent.
    pub agent: Agent,
    /// The agent's own name for the event.
    pub event_name: String,
    /// The agent's id of the tool call.
    pub call_id: Option<String>,
    /// Where the agent's client keeps its record of the session.
    pub transcript: Option<String>,
    /// The agent's id of the prompt that led to the event.
    pub prompt_id: Option<String>,
    /// Whether the agent only plans: what it calls is not done yet.
    pub is_planning: bool,
    /// How the session begins, at its start.
    pub source: Option<Source>,
    /// What is at work in the background, at Stop.
    pub background: Vec<Task>,
}

/// An object's fields.
pub type Fields = serde_json::Map<String, Json>;

/// An answer to an event, independent of the agent's dialect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Why the event is held. None if it is not.
    pub hold: Option<String>,
    /// Information for the agent.
    pub context: Option<String>,
    /// A message for the user.
    pub message: Option<String>,
    /// The tool's input to use instead of the agent's own.
    pub instead: Option<Json>,
    /// Lines for standard error.
    pub stderr: Vec<String>,
    /// Further fields of the legacy form if nothing is held. None prints nothing.
    pub release: Option<Fields>,
}

impl Answer {
    /// Joins the hold's reason and the context, for events that can inform the agent but not block it.
    fn all_context(&self) -> Option<String> {
        let texts: Vec<&str> =
            [&self.hold, &self.context].into_iter().flatten().map(String::as_str).collect();
        (!texts.is_empty()).then(|| texts.join("\n\n"))
    }
}

impl Agent {
    /// All agents, by their names for `--agent`.
    pub const ALL: [(&'static str, Agent); 5] = [
        ("claude", Agent::Claude),
        ("codex", Agent::Codex),
        ("gemini", Agent::Gemini),
        ("cursor", Agent::Cursor),
        ("copilot", Agent::Copilot),
    ];

    /// Returns the agent's name.
    pub fn name(self) -> &'static str {
        match self {
            Agent::Claude => "claude",
            Agent::Codex => "codex",
            Agent::Gemini => "gemini",
            Agent::Cursor => "cursor",
            Agent::Copilot => "copilot",
        }
    }

    /// Returns whether a hook can give a tool another input than the agent did.
    pub fn takes_other_input(self) -> bool {
        matches!(self, Agent::Claude | Agent::Codex | Agent::Gemini)
    }

    /// Returns whether each tool call has an id, by which what comes after it is told from what came before.
    pub fn names_calls(self) -> bool {
        matches!(self, Agent::Claude | Agent::Codex)
    }

    /// Returns whether its record of a session tells what the user has typed from what the agent had delivered.
    pub fn records_typing(self) -> bool {
        self == Agent::Claude
    }

    /// Returns whether the model hears what a hook says when a session begins in this way.
    pub fn hears_at_start(self, source: Option<Source>) -> bool {
        !(self == Agent::Gemini && source == Some(Source::Clear))
    }

    /// Returns whether the reason of a held Stop comes back as the user's next prompt.
    pub fn prompts_itself(self) -> bool {
        matches!(self, Agent::Gemini | Agent::Cursor)
    }
}

fn moment_of(events: &[(&str, Moment)], event_name: &str) -> Option<Moment> {
    events.iter().find(|(name, _)| *name == event_name).map(|(_, moment)| *moment)
}

/// Defaults for what the payload leaves out.
pub struct Otherwise<'a> {
    /// The default folder.
    pub cwd: &'a str,
    /// The default moment.
    pub moment: Option<Moment>,
}

/// The parts of a payload that each dialect spells differently.
struct Parts<'a> {
    event_name: &'a str,
    moment: Moment,
    tool: Option<Tool>,
    session: Option<&'a str>,
    cwd: Option<&'a str>,
}

impl<'a> Parts<'a> {
    /// Reads a payload in Claude Code's form, which other agents share.
    fn plain(payload: &'a Json, event_name: &'a str, moment: Moment) -> Parts<'a> {
        let tool = text(payload, "tool_name").filter(|_| moment.has_tool()).map(|name| Tool {
            name: name.to_owned(),
            input: payload.get("tool_input").cloned().unwrap_or_default(),
            result: result(payload).cloned().filter(|_| moment == Moment::After),
            error: payload.get("error").cloned().filter(|_| event_name == "PostToolUseFailure"),
            has_succeeded: false,
        });
        let (session, cwd) = (text(payload, "session_id"), text(payload, "cwd"));
        Parts { event_name, moment, tool, session, cwd }
    }
}

fn text<'a>(payload: &'a Json, field: &str) -> Option<&'a str> {
    payload.get(field).and_then(Json::as_str)
}

fn result(payload: &Json) -> Option<&Json> {
    ["tool_response", "tool_result", "tool_output"].iter().find_map(|field| payload.get(*field))
}

/// Returns the sub-agent that an event comes from, or that it is about.
fn subagent(payload: &Json) -> Option<Subagent> {
    let id = text(payload, "agent_id")?.to_owned();
    Some(Subagent { id, name: text(payload, "agent_type").unwrap_or_default().to_owned() })
}

/// Returns what brought an event about. Each event has its own word for it.
fn source(payload: &Json) -> Option<&str> {
    ["source", "reason", "trigger", "notification_type"].into_iter().find_map(|field| text(payload, field))
}

/// Returns whether an event of this name can be held, in whatever agent has it.
pub fn can_hold(event_name: &str) -> bool {
    let moment = moment_of(&claude::EVENTS, event_name).or_else(|| moment_of(&gemini::EVENTS, event_name));
    moment.is_none_or(Moment::can_hold)
}

/// Returns the exit code of an answer. There is one event that heeds nothing else: a task that is to be marked as done.
pub fn exit(answer: &Answer, asked: &Asked, moment: Moment, protocol: Protocol) -> u8 {
    let is_task = moment == Moment::Beside(Occasion::TaskCompleted) && asked.agent == Agent::Claude;
    if is_task && protocol == Protocol::Own && answer.hold.is_some() { 2 } else { 0 }
}

/// Returns a value that may be encoded as JSON in a string.
fn nested(value: &Json) -> Json {
    let parsed = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    parsed.filter(|parsed: &Json| parsed.is_object() || parsed.is_array()).unwrap_or_else(|| value.clone())
}

/// Reads the event in a payload. None if the event is unknown.
pub fn event(agent: Agent, payload: &Json, otherwise: &Otherwise<'_>) -> Option<(Asked, Event)> {
    let parts = match agent {
        Agent::Claude | Agent::Codex => claude::parts(payload, otherwise),
        Agent::Gemini => gemini::parts(payload),
        Agent::Cursor => cursor::parts(payload),
        Agent::Copilot => copilot::parts(payload),
    }?;
    // A sub-agent belongs to its session: its own turns are neither the user's prompts nor the agent's Stops.
    let is_turns = matches!(parts.moment, Moment::Stop | Moment::Prompt | Moment::Start);
    if is_turns && session_event::is_subagents(payload) {
        return None;
    }
    // Claude Code calls this hook for calls that worked alone; older scripts were handed any result as `tool_result`.
    let is_success =
        text(payload, "hook_event_name") == Some("PostToolUse") && payload.get("tool_response").is_some();
    let is_success = agent == Agent::Claude && is_success;
    let tool = parts.tool.map(|tool| Tool { has_succeeded: tool.has_succeeded || is_success, ..tool });
    let cwd = parts.cwd.filter(|cwd| std::path::Path::new(cwd).is_absolute()).unwrap_or(otherwise.cwd);
    let event = Event {
        moment: parts.moment,
        tool,
        session: parts.session.map(str::to_owned),
        cwd: cwd.to_owned(),
        prompt: text(payload, "prompt").filter(|_| parts.moment == Moment::Prompt).map(str::to_owned),
        subagent: subagent(payload),
        source: source(payload).map(str::to_owned),
        task: text(payload, "task_subject").map(str::to_owned),
        is_waiting: false,
        agent: agent.name().to_owned(),
    };
    let source = Source::of(payload).filter(|_| event.moment == Moment::Start);
    Some((Asked { source, ..Asked::new(agent, parts.event_name, payload) }, event))
}

impl Asked {
    /// Reads what a payload says beside its event.
    fn new(agent: Agent, event_name: &str, payload: &Json) -> Asked {
        let field = |name: &str| text(payload, name).map(str::to_owned);
        Asked {
            agent,
            event_name: event_name.to_owned(),
            call_id: field("tool_use_id"),
            transcript: field("transcript_path"),
            prompt_id: field("prompt_id"),
            is_planning: text(payload, "permission_mode") == Some("plan"),
            source: None,
            background: background::tasks(payload),
        }
    }
}

/// Renders the answer for the agent's standard output. None prints nothing.
pub fn render(answer: &Answer, asked: &Asked, moment: Moment, protocol: Protocol) -> Option<Json> {
    match (protocol, asked.agent) {
        (Protocol::Legacy, _) => legacy::render(answer, moment),
        (Protocol::Own, Agent::Claude) => {
            claude::render(answer, &asked.event_name, moment, claude::StopForm::of(asked))
        }
        (Protocol::Own, Agent::Codex) => codex::render(answer, &asked.event_name, moment),
        (Protocol::Own, Agent::Gemini) => gemini::render(answer, &asked.event_name),
        (Protocol::Own, Agent::Cursor) => cursor::render(answer, moment),
        (Protocol::Own, Agent::Copilot) => copilot::render(answer, &asked.event_name, moment),
    }
}

/// Wraps the fields that are specific to one event. None if there are no fields.
fn specific(event_name: &str, fields: Option<Json>) -> Option<Json> {
    let Json::Object(fields) = fields? else { return None };
    let mut object = Fields::from_iter([("hookEventName".to_owned(), event_name.into())]);
    object.extend(fields);
    Some(Json::Object(object))
}

/// Creates an object of the fields that have a value; none if no field has one.
fn object<const N: usize>(fields: [(&str, Option<Json>); N]) -> Option<Json> {
    let said = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let object: Fields = said.collect();
    (!object.is_empty()).then_some(Json::Object(object))
}

#[cfg(test)]
#[path = "agent_tests.rs"]
mod agent_tests;
