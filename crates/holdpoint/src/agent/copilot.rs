//! Copilot CLI's dialect. The spelling of an event in its settings decides what it sends: `preToolUse` sends camelCase
//! fields without the event's name, `PreToolUse` sends Claude Code's names. VS Code sends the second form and expects the
//! answer one level deeper. Each ignores the other's fields, so the answer has both.

use holdpoint_core::event::Moment;
use holdpoint_core::tool::Tool;
use serde_json::{Value as Json, json};

use super::{Answer, Parts, claude, moment_of, nested, object, specific, text};

pub(super) fn parts(payload: &Json) -> Option<Parts<'_>> {
    match text(payload, "hook_event_name") {
        // A camelCase event with a name is read like one without.
        Some(name) if name.starts_with(char::is_uppercase) => {
            // How it answers what happens beside its turn is not known.
            let moment =
                moment_of(&claude::EVENTS, name).filter(|moment| !matches!(moment, Moment::Beside(_)))?;
            let parts = Parts::plain(payload, name, moment);
            Some(Parts { tool: parts.tool.map(with_error), ..parts })
        }
        _ => camel(payload),
    }
}

/// Reads a camelCase payload. Its fields show which event it is.
fn camel(payload: &Json) -> Option<Parts<'_>> {
    let has = |field: &str| payload.get(field).is_some();
    let (event_name, moment) = if has("toolName") && has("toolResult") {
        ("postToolUse", Moment::After)
    } else if has("toolName") && has("error") {
        ("postToolUseFailure", Moment::After)
    } else if has("toolName") && has("toolArgs") {
        ("preToolUse", Moment::Before)
    } else if has("stopReason") && !has("agentName") && !has("agentId") {
        // The end of a sub-agent has a `stopReason` too, plus the agent's name.
        ("agentStop", Moment::Stop)
    } else if has("source") {
        ("sessionStart", Moment::Start)
    } else if has("prompt") && !has("toolName") {
        ("userPromptSubmitted", Moment::Prompt)
    } else {
        return None;
    };
    let tool = text(payload, "toolName").filter(|_| moment.has_tool()).map(|name| {
        with_error(Tool {
            name: name.to_owned(),
            input: payload.get("toolArgs").map(nested).unwrap_or_default(),
            result: payload.get("toolResult").cloned(),
            error: payload.get("error").cloned(),
            has_succeeded: false,
        })
    });
    Some(Parts { event_name, moment, tool, session: text(payload, "sessionId"), cwd: text(payload, "cwd") })
}

/// Extracts the text and the error from the tool's result, which marks a failure in a separate field.
fn with_error(tool: Tool) -> Tool {
    let field = |names: [&str; 2]| {
        let result = tool.result.as_ref()?;
        names.iter().find_map(|name| result.get(*name)).cloned()
    };
    let seen = field(["text_result_for_llm", "textResultForLlm"]);
    let is_failure = field(["result_type", "resultType"]).is_some_and(|kind| kind == "failure");
    let error = tool.error.clone().or_else(|| seen.clone().filter(|_| is_failure));
    Tool { result: seen.or_else(|| tool.result.clone()), error, ..tool }
}

pub(super) fn render(answer: &Answer, event_name: &str, moment: Moment) -> Option<Json> {
    let hold = || answer.hold.clone().map(Json::String);
    let fields = match moment {
        Moment::Before => object([
            ("permissionDecision", hold().map(|_| json!("deny"))),
            ("permissionDecisionReason", hold()),
        ]),
        Moment::After | Moment::Start => {
            object([("additionalContext", answer.all_context().map(Json::String))])
        }
        Moment::Stop => object([("decision", hold().map(|_| json!("block"))), ("reason", hold())]),
        // Copilot ignores the answers of command hooks to a prompt.
        Moment::Prompt | Moment::Beside(_) => None,
    }?;
    let Json::Object(mut all) = fields.clone() else { return None };
    if event_name.starts_with(char::is_uppercase) {
        all.extend(
            specific(event_name, Some(fields)).map(|fields| ("hookSpecificOutput".to_owned(), fields)),
        );
    }
    Some(Json::Object(all))
}
