//! Copilot CLI's dialect. How its events are spelled in its settings decides what it sends: `preToolUse` brings
//! camelCase fields and no event's name, `PreToolUse` brings another agent's names. The second is also what VS Code
//! sends, which wants the same answer one level deeper; each ignores the other's fields, so both are there.

use holdpoint_core::event::Moment;
use holdpoint_core::tool::Tool;
use serde_json::{Value as Json, json};

use super::{Answer, Parts, claude, named, nested, object, specific, text};

pub(super) fn parts(payload: &Json) -> Option<Parts<'_>> {
    match text(payload, "hook_event_name") {
        // Events in camelCase that name themselves are read as those that do not.
        Some(name) if name.starts_with(char::is_uppercase) => {
            let parts = Parts::plain(payload, name, named(&claude::EVENTS, name)?);
            Some(Parts { tool: parts.tool.map(with_outcome), ..parts })
        }
        _ => camel(payload),
    }
}

/// The event is known by the fields that no other has.
fn camel(payload: &Json) -> Option<Parts<'_>> {
    let has = |field: &str| payload.get(field).is_some();
    let (event_name, moment) = match () {
        () if has("toolName") && has("toolResult") => ("postToolUse", Moment::After),
        () if has("toolName") && has("error") => ("postToolUseFailure", Moment::After),
        () if has("toolName") && has("toolArgs") => ("preToolUse", Moment::Before),
        // A sub-agent's end has these fields too, and its agent's name.
        () if has("stopReason") && !has("agentName") && !has("agentId") => ("agentStop", Moment::Stop),
        () if has("source") => ("sessionStart", Moment::Start),
        () if has("prompt") && !has("toolName") => ("userPromptSubmitted", Moment::Prompt),
        () => return None,
    };
    let tool = text(payload, "toolName").filter(|_| moment.has_tool()).map(|name| {
        with_outcome(Tool {
            name: name.to_owned(),
            input: payload.get("toolArgs").map(nested).unwrap_or_default(),
            result: payload.get("toolResult").cloned(),
            error: payload.get("error").cloned(),
        })
    });
    Some(Parts { event_name, moment, tool, session: text(payload, "sessionId"), cwd: text(payload, "cwd") })
}

/// A result tells in a field of its own whether the tool did its work.
fn with_outcome(tool: Tool) -> Tool {
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
        // What command hooks say to a prompt is dropped.
        Moment::Prompt => None,
    }?;
    let Json::Object(mut all) = fields.clone() else { return None };
    if event_name.starts_with(char::is_uppercase) {
        all.extend(
            specific(event_name, Some(fields)).map(|fields| ("hookSpecificOutput".to_owned(), fields)),
        );
    }
    Some(Json::Object(all))
}
