//! The models' interfaces that the clients speak: how a turn is recognized and read, and how an answer is rendered.

use serde_json::{Value as Json, json};

use super::model::Block;

/// An interface of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Api {
    /// Anthropic's messages.
    Messages,
    /// OpenAI's responses.
    Responses,
    /// Gemini's contents, as a stream or, for a title and the like, whole.
    Contents {
        /// Whether it is a stream.
        is_stream: bool,
    },
}

impl Api {
    /// Recognizes the interface by a request's first line.
    pub(super) fn of(line: &str) -> Option<Api> {
        let path = line.strip_prefix("POST ")?.split([' ', '?']).next()?;
        match path {
            "/v1/messages" => Some(Api::Messages),
            "/v1/responses" => Some(Api::Responses),
            _ if path.ends_with(":streamGenerateContent") => Some(Api::Contents { is_stream: true }),
            _ if path.ends_with(":generateContent") => Some(Api::Contents { is_stream: false }),
            _ => None,
        }
    }

    /// The content type of an answer.
    pub(super) fn content_type(self) -> &'static str {
        if self == (Api::Contents { is_stream: false }) { "application/json" } else { "text/event-stream" }
    }

    /// Renders an answer. Each has another number.
    pub(super) fn spoken(self, number: usize, block: &Block) -> String {
        match self {
            Api::Messages => messages(number, block),
            Api::Responses => responses(number, block),
            Api::Contents { is_stream: true } => format!("data: {}\r\n\r\n", contents(block)),
            Api::Contents { is_stream: false } => contents(block).to_string(),
        }
    }
}

/// Returns the parts of a conversation, whoever's interface it is.
pub(super) fn items(body: &Json) -> &[Json] {
    let lists = ["messages", "input", "contents"].iter().find_map(|field| body[*field].as_array());
    lists.map(Vec::as_slice).unwrap_or_default()
}

/// Returns whether a part of a conversation is the model's own.
pub(super) fn is_own(item: &Json) -> bool {
    let is_call = ["function_call", "custom_tool_call"].iter().any(|kind| item["type"] == *kind);
    is_call || item["role"] == "assistant" || item["role"] == "model"
}

/// Joins all strings in a JSON value.
pub(super) fn texts(value: &Json) -> String {
    match value {
        Json::String(text) => format!("{text}\n"),
        Json::Array(items) => items.iter().map(texts).collect(),
        Json::Object(fields) => fields.values().map(texts).collect(),
        _ => String::new(),
    }
}

/// Returns the result of the last tool call among these parts: its text, and whether it is marked as an error.
pub(super) fn result(items: &[Json]) -> Option<(String, bool)> {
    items.iter().rev().find_map(|item| {
        if ["function_call_output", "custom_tool_call_output"].iter().any(|kind| item["type"] == *kind) {
            return Some((texts(&item["output"]), false));
        }
        let blocks = item["content"].as_array().or_else(|| item["parts"].as_array())?;
        blocks.iter().rev().find_map(|block| {
            if block["type"] == "tool_result" {
                return Some((texts(&block["content"]), block["is_error"] == true));
            }
            let response = block.get("functionResponse")?;
            Some((texts(&response["response"]), false))
        })
    })
}

/// Renders server-sent events.
fn events(all: &[Json]) -> String {
    let event =
        |data: &Json| format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default());
    all.iter().map(event).collect()
}

fn messages(number: usize, block: &Block) -> String {
    let (start, delta, reason) = match block {
        Block::Text(text) => {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text}), "end_turn")
        }
        Block::Call { tool, input } => (
            json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": tool, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": input.to_string()}),
            "tool_use",
        ),
    };
    events(&[
        json!({"type": "message_start", "message": {"id": format!("msg_{number}"), "type": "message",
            "role": "assistant", "model": "scripted", "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": 1, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": start}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
            "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ])
}

fn responses(number: usize, block: &Block) -> String {
    let id = format!("resp_{number}");
    let item = match block {
        Block::Text(text) => json!({"type": "message", "role": "assistant", "id": format!("msg_{number}"),
            "content": [{"type": "output_text", "text": text}]}),
        // A tool that takes a text and no object.
        Block::Call { tool, input: Json::String(text) } => json!({"type": "custom_tool_call", "name": tool,
            "call_id": format!("call_{number}"), "input": text}),
        Block::Call { tool, input } => {
            let (space, name) =
                tool.split_once('.').map_or((None, tool.as_str()), |(space, name)| (Some(space), name));
            json!({"type": "function_call", "namespace": space, "name": name,
                "call_id": format!("call_{number}"), "arguments": input.to_string()})
        }
    };
    events(&[
        json!({"type": "response.created", "response": {"id": id}}),
        json!({"type": "response.output_item.done", "item": item}),
        json!({"type": "response.completed", "response": {"id": id, "usage": {"input_tokens": 1,
            "input_tokens_details": null, "output_tokens": 1, "output_tokens_details": null, "total_tokens": 2}}}),
    ])
}

fn contents(block: &Block) -> Json {
    let part = match block {
        Block::Text(text) => json!({"text": text}),
        Block::Call { tool, input } => json!({"functionCall": {"name": tool, "args": input}}),
    };
    json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}})
}
