//! The agents whose hooks we answer: which one is asking, what its event means, and how it wants to be answered.

mod claude;
mod codex;
mod legacy;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::tool::Tool;
use serde_json::Value as Json;

/// An agent whose dialect we speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// OpenAI's Codex.
    Codex,
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

impl Agent {
    /// All agents, as `--agent` spells them.
    pub const ALL: [(&'static str, Agent); 2] = [("claude", Agent::Claude), ("codex", Agent::Codex)];

    /// The agent's name.
    pub fn name(self) -> &'static str {
        match self {
            Agent::Claude => "claude",
            Agent::Codex => "codex",
        }
    }

    /// Who is asking: what the payload shows counts more than what the command line says, because agents read each
    /// other's settings files.
    pub fn recognise(told: Option<Agent>, payload: &Json) -> Agent {
        let has = |field: &str| payload.get(field).is_some();
        if has("turn_id") && has("model") {
            return Agent::Codex;
        }
        if has("prompt_id") || has("effort") {
            return Agent::Claude;
        }
        told.unwrap_or(Agent::Claude)
    }
}

/// The agents' events and the moments they stand for; the first of a moment is assumed where none is named.
const EVENTS: [(&str, Moment); 6] = [
    ("PreToolUse", Moment::Before),
    ("PostToolUse", Moment::After),
    ("PostToolUseFailure", Moment::After),
    ("Stop", Moment::Stop),
    ("UserPromptSubmit", Moment::Prompt),
    ("SessionStart", Moment::Start),
];

fn moment(event_name: &str) -> Option<Moment> {
    EVENTS.into_iter().find(|(name, _)| *name == event_name).map(|(_, moment)| moment)
}

/// What the payload leaves out.
pub struct Otherwise<'a> {
    /// The folder to assume.
    pub cwd: &'a str,
    /// The moment to assume where the payload names none.
    pub moment: Option<Moment>,
}

/// The event in a payload; none if it is one we know nothing of.
pub fn event(agent: Agent, payload: &Json, otherwise: &Otherwise<'_>) -> Option<(Asked, Event)> {
    let text = |field: &str| payload.get(field).and_then(Json::as_str);
    let result = ["tool_response", "tool_result", "tool_output"].iter().find_map(|f| payload.get(*f));
    let (event_name, moment) = match text("hook_event_name") {
        Some(name) => (name, moment(name)?),
        None => unnamed(payload, result, otherwise)?,
    };
    let cwd = text("cwd").filter(|cwd| std::path::Path::new(cwd).is_absolute()).unwrap_or(otherwise.cwd);
    let tool = text("tool_name").filter(|_| moment.has_tool()).map(|name| Tool {
        name: name.to_owned(),
        input: payload.get("tool_input").cloned().unwrap_or_default(),
        result: result.cloned().filter(|_| moment == Moment::After),
        error: payload.get("error").cloned().filter(|_| event_name == "PostToolUseFailure"),
    });
    let event = Event {
        moment,
        tool,
        session: text("session_id").map(str::to_owned),
        cwd: cwd.to_owned(),
        prompt: text("prompt").map(str::to_owned),
        is_waiting: payload
            .get("background_tasks")
            .and_then(Json::as_array)
            .is_some_and(|tasks| !tasks.is_empty()),
        agent: agent.name().to_owned(),
    };
    Some((Asked { agent, event_name: event_name.to_owned() }, event))
}

/// A payload without an event's name: older scripts' tests send such.
fn unnamed(
    payload: &Json,
    result: Option<&Json>,
    otherwise: &Otherwise<'_>,
) -> Option<(&'static str, Moment)> {
    let has_tool = payload.get("tool_name").is_some();
    let guess = has_tool.then_some(if result.is_some() { Moment::After } else { Moment::Before });
    let moment = otherwise.moment.filter(|moment| moment.has_tool() == has_tool).or(guess)?;
    let (name, _) = EVENTS.into_iter().find(|(_, known)| *known == moment)?;
    Some((name, moment))
}

/// The answer as the agent wants it on standard output; none: print nothing.
pub fn render(answer: &Answer, asked: &Asked, moment: Moment, protocol: Protocol) -> Option<Json> {
    match (protocol, asked.agent) {
        (Protocol::Legacy, _) => legacy::render(answer, moment),
        (Protocol::Own, Agent::Claude) => claude::render(answer, &asked.event_name, moment),
        (Protocol::Own, Agent::Codex) => codex::render(answer, &asked.event_name, moment),
    }
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
