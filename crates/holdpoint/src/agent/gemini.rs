//! Gemini CLI's dialect: its own event names, `deny` for every hold, and no text for the model before a tool unless the
//! tool is held. A held Stop comes back as a prompt with the reason (see `engine/echo.rs`).

use holdpoint_core::event::{Moment, Occasion};
use holdpoint_core::tool::{Tool, ToolKind};
use serde_json::{Value as Json, json};

use super::{Answer, Parts, moment_of, object, specific, text};

/// The events and their moments.
pub(super) const EVENTS: [(&str, Moment); 8] = [
    ("BeforeTool", Moment::Before),
    ("AfterTool", Moment::After),
    ("AfterAgent", Moment::Stop),
    ("BeforeAgent", Moment::Prompt),
    ("SessionStart", Moment::Start),
    ("PreCompress", Moment::Beside(Occasion::Compacting)),
    ("Notification", Moment::Beside(Occasion::Notification)),
    ("SessionEnd", Moment::Beside(Occasion::End)),
];

/// Returns whether only Gemini CLI has an event of this name.
pub(super) fn is_own(event_name: &str) -> bool {
    ["Before", "After", "PreCompress"].iter().any(|start| event_name.starts_with(start))
}

pub(super) fn parts(payload: &Json) -> Option<Parts<'_>> {
    let name = text(payload, "hook_event_name")?;
    let parts = Parts::plain(payload, name, moment_of(&EVENTS, name)?);
    Some(Parts { tool: parts.tool.map(with_error), ..parts })
}

/// Extracts the text and the error from the tool's response. The client does not report a failed command as an error:
/// its exit code is in a line of the text for the model.
fn with_error(tool: Tool) -> Tool {
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
    let fields =
        object([("additionalContext", text(&answer.context)), ("tool_input", answer.instead.clone())]);
    object([
        ("decision", answer.hold.as_ref().map(|_| json!("deny"))),
        ("reason", text(&answer.hold)),
        ("systemMessage", text(&answer.message)),
        ("hookSpecificOutput", specific(event_name, fields)),
    ])
}
