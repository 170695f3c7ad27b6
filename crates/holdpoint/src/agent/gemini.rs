//! Gemini CLI's dialect: its own names for the events, `deny` for a hold everywhere, and no word to the model before a
//! tool unless the tool is held. A Stop that is held comes back as a prompt with the reason (see `engine/echo.rs`).

use holdpoint_core::event::Moment;
use holdpoint_core::tool::{Tool, ToolKind};
use serde_json::{Value as Json, json};

use super::{Answer, Parts, named, object, specific, text};

/// The events and the moments they stand for.
pub(super) const EVENTS: [(&str, Moment); 5] = [
    ("BeforeTool", Moment::Before),
    ("AfterTool", Moment::After),
    ("AfterAgent", Moment::Stop),
    ("BeforeAgent", Moment::Prompt),
    ("SessionStart", Moment::Start),
];

/// Whether no other agent has an event of this name.
pub(super) fn is_own(event_name: &str) -> bool {
    ["Before", "After"].iter().any(|start| event_name.starts_with(start))
}

pub(super) fn parts(payload: &Json) -> Option<Parts<'_>> {
    let name = text(payload, "hook_event_name")?;
    let parts = Parts::plain(payload, name, named(&EVENTS, name)?);
    Some(Parts { tool: parts.tool.map(with_outcome), ..parts })
}

/// The response has what the model sees, what the user sees, and an error. A command that failed is no error to the
/// client: its code stands in a line of what the model sees.
fn with_outcome(tool: Tool) -> Tool {
    let Some(response @ Json::Object(_)) = &tool.result else { return tool };
    let seen = response.get("llmContent").cloned();
    let failed = |text: &&str| text.lines().any(|line| line.starts_with("Exit Code: "));
    let code = || seen.as_ref().and_then(Json::as_str).filter(failed).map(|text| json!(text));
    let error = response.get("error").filter(|error| !error.is_null());
    let error = error.map(|error| error.get("message").unwrap_or(error).clone());
    let error = error.or_else(|| code().filter(|_| tool.kind() == ToolKind::Shell));
    Tool { result: seen, error, ..tool }
}

pub(super) fn render(answer: &Answer, event_name: &str) -> Option<Json> {
    let text = |text: &Option<String>| text.clone().map(Json::String);
    object([
        ("decision", answer.hold.as_ref().map(|_| json!("deny"))),
        ("reason", text(&answer.hold)),
        ("systemMessage", text(&answer.message)),
        ("hookSpecificOutput", specific(event_name, object([("additionalContext", text(&answer.context))]))),
    ])
}
