//! The payload that each agent sends for an event, complete enough for a real answer.

use std::path::Path;

use holdpoint_core::event::{Moment, Occasion};
use holdpoint_core::tool::ToolKind;
use serde_json::{Value as Json, json};

use crate::install::host::Host;

/// Creates an agent's payload for an event in a project.
pub(super) fn payload(host: &Host, event: &str, moment: Moment, matcher: Option<&str>, cwd: &Path) -> Json {
    let session = format!("doctor-{event}");
    let mut payload = json!({
        "session_id": session,
        "transcript_path": null,
        "cwd": cwd,
        "hook_event_name": event,
    });
    add(&mut payload, own_fields(host.name, &session, cwd));
    add(&mut payload, moment_fields(host, event, moment, matcher));
    payload
}

/// Returns the fields that only this agent sends.
fn own_fields(agent: &str, session: &str, cwd: &Path) -> Json {
    match agent {
        "claude" => json!({"prompt_id": "doctor", "permission_mode": "default"}),
        "codex" => json!({"turn_id": "doctor", "model": "doctor", "permission_mode": "default"}),
        "cursor" => json!({"conversation_id": session, "generation_id": "doctor", "model": "doctor",
            "cursor_version": "0", "workspace_roots": [cwd], "user_email": null}),
        _ => json!({"timestamp": "2026-01-01T00:00:00.000Z"}),
    }
}

fn moment_fields(host: &Host, event: &str, moment: Moment, matcher: Option<&str>) -> Json {
    match moment {
        Moment::Before | Moment::After => {
            let mut fields = json!({"tool_name": tool(host, matcher), "tool_use_id": "doctor", "tool_input":
                {"command": "ls", "file_path": "x", "content": "x", "prompt": "x", "subagent_type": "x"}});
            if moment == Moment::After {
                let result = if event.ends_with("Failure") {
                    json!({"error": "Exit code 1"})
                } else {
                    result(host.name)
                };
                add(&mut fields, result);
            }
            fields
        }
        Moment::Stop => {
            json!({"stop_hook_active": false, "last_assistant_message": "done", "background_tasks": [],
            "prompt": "go", "prompt_response": "done", "status": "completed", "loop_count": 0})
        }
        Moment::Prompt => json!({"prompt": "go"}),
        Moment::Start => json!({"source": "startup"}),
        Moment::Beside(occasion) => beside_fields(occasion),
    }
}

fn beside_fields(occasion: Occasion) -> Json {
    match occasion {
        Occasion::SubagentStart => json!({"agent_id": "doctor", "agent_type": "doctor"}),
        Occasion::SubagentStop => {
            json!({"agent_id": "doctor", "agent_type": "doctor", "stop_hook_active": false,
            "last_assistant_message": "done", "background_tasks": []})
        }
        Occasion::TaskCreated | Occasion::TaskCompleted => json!({"task_id": "1", "task_subject": "doctor"}),
        Occasion::Permission => json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}),
        Occasion::Settings => json!({"source": "project_settings"}),
        Occasion::Compacting | Occasion::Compacted => json!({"trigger": "manual"}),
        Occasion::Notification => json!({"notification_type": "idle_prompt", "message": "doctor"}),
        Occasion::End => json!({"reason": "other"}),
    }
}

/// Returns a tool's result, under the agent's own name for it.
fn result(agent: &str) -> Json {
    match agent {
        "cursor" => json!({"tool_output": "{\"output\": \"\", \"exitCode\": 0}"}),
        "copilot" => json!({"tool_result": {"result_type": "success", "text_result_for_llm": ""}}),
        "gemini" => json!({"tool_response": {"llmContent": "", "returnDisplay": ""}}),
        _ => json!({"tool_response": {"stdout": "", "stderr": "", "interrupted": false}}),
    }
}

/// Returns a tool that the matcher matches.
fn tool(host: &Host, matcher: Option<&str>) -> String {
    let mut known = ToolKind::NAMED.into_iter().flat_map(|(_, kind)| host.tools(kind));
    let words: Vec<&str> = matcher.unwrap_or_default().split(|c: char| "|^$()".contains(c)).collect();
    let first = words.iter().copied().find(|word| !word.is_empty() && !word.contains('*'));
    let tool = known.find(|tool| words.contains(tool)).or(first);
    tool.or(host.tools(ToolKind::Shell).next()).unwrap_or_default().to_owned()
}

fn add(payload: &mut Json, fields: Json) {
    if let (Json::Object(payload), Json::Object(fields)) = (payload, fields) {
        payload.extend(fields);
    }
}
