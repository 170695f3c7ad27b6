//! The agents whose hooks we answer: which one is asking, what its event means, and how it wants to be answered.

pub(crate) mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod legacy;
mod recognition;
mod room;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::tool::Tool;
use serde_json::Value as Json;

pub use room::settle;

/// An agent whose dialect we speak.
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

/// Whose form an answer takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// What today's agents obey.
    #[default]
    Own,
    /// What older hook scripts print.
    Legacy,
}

/// What an agent asked, beside the event itself.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The agent.
    pub agent: Agent,
    /// The agent's own name for the event.
    pub event_name: String,
}

/// An object's fields.
pub type Fields = serde_json::Map<String, Json>;

/// All that is to be said to an agent, whatever its dialect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Why the event is held; none: it is not.
    pub hold: Option<String>,
    /// What the agent should know.
    pub context: Option<String>,
    /// What the user should see.
    pub message: Option<String>,
    /// What goes to standard error.
    pub stderr: Vec<String>,
    /// What else the older scripts' form says where nothing is held; none: it says nothing.
    pub release: Option<Fields>,
}

impl Answer {
    /// All that the agent should know where it can only be told: what holds it, and then the rest.
    fn all_context(&self) -> Option<String> {
        let said: Vec<&str> = [&self.hold, &self.context].into_iter().flatten().map(String::as_str).collect();
        (!said.is_empty()).then(|| said.join("\n\n"))
    }
}

impl Agent {
    /// All agents, as `--agent` spells them.
    pub const ALL: [(&'static str, Agent); 5] = [
        ("claude", Agent::Claude),
        ("codex", Agent::Codex),
        ("gemini", Agent::Gemini),
        ("cursor", Agent::Cursor),
        ("copilot", Agent::Copilot),
    ];

    /// The agent's name.
    pub fn name(self) -> &'static str {
        match self {
            Agent::Claude => "claude",
            Agent::Codex => "codex",
            Agent::Gemini => "gemini",
            Agent::Cursor => "cursor",
            Agent::Copilot => "copilot",
        }
    }

    /// Whether what holds a Stop comes back as the user's next prompt.
    pub fn prompts_itself(self) -> bool {
        matches!(self, Agent::Gemini | Agent::Cursor)
    }
}

fn named(events: &[(&str, Moment)], event_name: &str) -> Option<Moment> {
    events.iter().find(|(name, _)| *name == event_name).map(|(_, moment)| *moment)
}

/// What the payload leaves out.
pub struct Otherwise<'a> {
    /// The folder to assume.
    pub cwd: &'a str,
    /// The moment to assume where the payload names none.
    pub moment: Option<Moment>,
}

/// What a payload says that each dialect says in its own way.
struct Parts<'a> {
    event_name: &'a str,
    moment: Moment,
    tool: Option<Tool>,
    session: Option<&'a str>,
    cwd: Option<&'a str>,
}

impl<'a> Parts<'a> {
    /// As Claude Code says it, and others after it.
    fn plain(payload: &'a Json, event_name: &'a str, moment: Moment) -> Parts<'a> {
        let tool = text(payload, "tool_name").filter(|_| moment.has_tool()).map(|name| Tool {
            name: name.to_owned(),
            input: payload.get("tool_input").cloned().unwrap_or_default(),
            result: result(payload).cloned().filter(|_| moment == Moment::After),
            error: payload.get("error").cloned().filter(|_| event_name == "PostToolUseFailure"),
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

/// A value that may have been put into a text as JSON.
fn nested(value: &Json) -> Json {
    let parsed = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    parsed.filter(|parsed: &Json| parsed.is_object() || parsed.is_array()).unwrap_or_else(|| value.clone())
}

/// The event in a payload; none if it is one we know nothing of.
pub fn event(agent: Agent, payload: &Json, otherwise: &Otherwise<'_>) -> Option<(Asked, Event)> {
    let parts = match agent {
        Agent::Claude | Agent::Codex => claude::parts(payload, otherwise),
        Agent::Gemini => gemini::parts(payload),
        Agent::Cursor => cursor::parts(payload),
        Agent::Copilot => copilot::parts(payload),
    }?;
    let cwd = parts.cwd.filter(|cwd| std::path::Path::new(cwd).is_absolute()).unwrap_or(otherwise.cwd);
    let event = Event {
        moment: parts.moment,
        tool: parts.tool,
        session: parts.session.map(str::to_owned),
        cwd: cwd.to_owned(),
        prompt: text(payload, "prompt").filter(|_| parts.moment == Moment::Prompt).map(str::to_owned),
        is_waiting: payload
            .get("background_tasks")
            .and_then(Json::as_array)
            .is_some_and(|tasks| !tasks.is_empty()),
        agent: agent.name().to_owned(),
    };
    Some((Asked { agent, event_name: parts.event_name.to_owned() }, event))
}

/// The answer as the agent wants it on standard output; none: print nothing.
pub fn render(answer: &Answer, asked: &Asked, moment: Moment, protocol: Protocol) -> Option<Json> {
    match (protocol, asked.agent) {
        (Protocol::Legacy, _) => legacy::render(answer, moment),
        (Protocol::Own, Agent::Claude) => claude::render(answer, &asked.event_name, moment),
        (Protocol::Own, Agent::Codex) => codex::render(answer, &asked.event_name, moment),
        (Protocol::Own, Agent::Gemini) => gemini::render(answer, &asked.event_name),
        (Protocol::Own, Agent::Cursor) => cursor::render(answer, moment),
        (Protocol::Own, Agent::Copilot) => copilot::render(answer, &asked.event_name, moment),
    }
}

/// What only answers to one event have, under the event's name; none if there is nothing.
fn specific(event_name: &str, fields: Option<Json>) -> Option<Json> {
    let Json::Object(fields) = fields? else { return None };
    let mut object = Fields::from_iter([("hookEventName".to_owned(), event_name.into())]);
    object.extend(fields);
    Some(Json::Object(object))
}

/// An object without the fields that have nothing to say; none if all have nothing.
fn object<const N: usize>(fields: [(&str, Option<Json>); N]) -> Option<Json> {
    let said = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let object: Fields = said.collect();
    (!object.is_empty()).then_some(Json::Object(object))
}

#[cfg(test)]
#[path = "agent_tests.rs"]
mod agent_tests;
