//! Cursor's dialect: camelCase events, flat snake_case answers. The payload's folder is often empty, its workspace is
//! not. A hold's text goes into both message fields, because either may be the one that reaches the model.

use holdpoint_core::event::Moment;
use holdpoint_core::tool::Tool;
use serde_json::{Value as Json, json};

use super::{Answer, Parts, nested, object, text};

/// The events and their moments. If Cursor reads another agent's settings, the names may begin with a capital letter.
const EVENTS: [(&str, Moment); 9] = [
    ("preToolUse", Moment::Before),
    ("beforeShellExecution", Moment::Before),
    ("beforeMCPExecution", Moment::Before),
    ("postToolUse", Moment::After),
    ("postToolUseFailure", Moment::After),
    ("stop", Moment::Stop),
    ("beforeSubmitPrompt", Moment::Prompt),
    ("userPromptSubmit", Moment::Prompt),
    ("sessionStart", Moment::Start),
];

pub(super) fn parts(payload: &Json) -> Option<Parts<'_>> {
    let event_name = text(payload, "hook_event_name")?;
    let (known, moment) = EVENTS
        .into_iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(event_name) && event_name.get(1..) == name.get(1..))?;
    // A turn that failed, or that the user aborted, is not a Stop by the agent.
    if moment == Moment::Stop && text(payload, "status").is_some_and(|status| status != "completed") {
        return None;
    }
    let workspace = payload.get("workspace_roots").and_then(|roots| roots.get(0)).and_then(Json::as_str);
    Some(Parts {
        event_name,
        moment,
        tool: tool(payload, known, moment),
        session: text(payload, "session_id").or_else(|| text(payload, "conversation_id")),
        cwd: text(payload, "cwd").filter(|cwd| !cwd.is_empty()).or(workspace),
    })
}

fn tool(payload: &Json, event: &str, moment: Moment) -> Option<Tool> {
    let is_after = moment == Moment::After;
    if event == "beforeShellExecution" {
        let command = payload.get("command").cloned().unwrap_or_default();
        return Some(Tool { name: "Shell".into(), input: json!({ "command": command }), ..Tool::default() });
    }
    let name = text(payload, "tool_name").filter(|_| moment.has_tool())?;
    let output = payload.get("tool_output").map(nested).filter(|_| is_after);
    let code = output.as_ref().and_then(|output| output.get("exitCode")).and_then(Json::as_i64);
    let result = output.map(|output| output.get("output").cloned().unwrap_or(output));
    let message = ["error_message", "error"].iter().find_map(|field| payload.get(*field)).cloned();
    Some(Tool {
        name: name.to_owned(),
        input: payload.get("tool_input").map(nested).unwrap_or_default(),
        error: message
            .filter(|_| is_after)
            .or_else(|| result.clone().filter(|_| code.is_some_and(|c| c != 0))),
        result,
        has_succeeded: code == Some(0),
    })
}

pub(super) fn render(answer: &Answer, moment: Moment) -> Option<Json> {
    let hold = answer.hold.as_ref();
    match moment {
        Moment::Before => {
            hold.map(|why| json!({"permission": "deny", "user_message": why, "agent_message": why}))
        }
        Moment::After | Moment::Start => {
            object([("additional_context", answer.all_context().map(Json::String))])
        }
        Moment::Stop => hold.map(|why| json!({"followup_message": why})),
        Moment::Prompt => hold.map(|why| json!({"continue": false, "user_message": why})),
        Moment::Beside(_) => None,
    }
}
