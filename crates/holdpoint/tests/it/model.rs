//! A scripted model on loopback: what the agents' own clients talk to in tests. It speaks server-sent events as Claude
//! Code (`/v1/messages`), Codex (`/v1/responses`) and Gemini CLI (`…:streamGenerateContent`) expect them, asks a closure
//! what to say, and records every request.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value as Json, json};

/// A part of what the model says.
pub(crate) enum Block {
    Text(&'static str),
    /// A call; the name of a tool that Codex has in a namespace is `namespace.name`, and a text as input is for one of
    /// its tools that take no object.
    ToolUse {
        name: &'static str,
        input: Json,
    },
}

/// What a client sent: the request line and the body, null where there is none.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) body: Json,
}

/// The server; it stops when dropped.
pub(crate) struct Model {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

type Script = dyn FnMut(&Json) -> Vec<Block> + Send;

struct Shared {
    script: Mutex<Box<Script>>,
    requests: Mutex<Vec<Request>>,
    stopping: AtomicBool,
}

impl Model {
    /// Starts a model that answers with what the script says to a request's body.
    pub(crate) fn start(script: impl FnMut(&Json) -> Vec<Block> + Send + 'static) -> Model {
        crate::clients::install::install_all();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            script: Mutex::new(Box::new(script)),
            requests: Mutex::default(),
            stopping: AtomicBool::new(false),
        });
        let accepting = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared)
        });
        Model { address, shared, accepting: Some(accepting) }
    }

    /// Where it listens.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All that was sent so far, side requests too.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// What the model was shown last, turn by turn, in the requests that the script answered.
    pub(crate) fn shown(&self) -> Vec<String> {
        self.requests()
            .iter()
            .filter(|request| request.is_turn())
            .map(|request| news(&request.body))
            .collect()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

impl Request {
    fn posts_to(&self, path: &str) -> bool {
        let rest = self.line.strip_prefix("POST ").and_then(|rest| rest.strip_prefix(path));
        rest.is_some_and(|rest| rest.starts_with([' ', '?']))
    }

    /// Is the model to take the agent's turn? A request that offers no tools is for a title or the like.
    fn is_turn(&self) -> bool {
        let tools = self.body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        tools
            && (self.posts_to("/v1/messages")
                || self.posts_to("/v1/responses")
                || self.asks_gemini("streamGenerateContent"))
    }

    /// Gemini CLI puts the model's name into the path and what it wants behind it.
    fn asks_gemini(&self, what: &str) -> bool {
        self.line.starts_with("POST /v1beta/models/") && self.line.contains(&format!(":{what}"))
    }
}

/// All text that came after the model's own last words: a prompt, tool results, a hook's feedback.
pub(crate) fn news(body: &Json) -> String {
    let own = |item: &Json| item["role"] == "assistant" || item["role"] == "model" || is_codex_call(item);
    let items = ["messages", "input", "contents"].iter().find_map(|field| body[*field].as_array());
    let items = items.map(Vec::as_slice).unwrap_or_default();
    let first = items.iter().rposition(own).map_or(0, |last| last + 1);
    items.iter().skip(first).map(texts).collect()
}

fn is_codex_call(item: &Json) -> bool {
    item["type"] == "function_call" || item["type"] == "custom_tool_call"
}

/// All text in a JSON value.
fn texts(value: &Json) -> String {
    match value {
        Json::String(text) => format!("{text}\n"),
        Json::Array(items) => items.iter().map(texts).collect(),
        Json::Object(fields) => fields.values().map(texts).collect(),
        _ => String::new(),
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let shared = Arc::clone(shared);
        // A client that leaves in the middle is no fault.
        std::thread::spawn(move || stream.and_then(|stream| serve(stream, &shared)));
    }
}

/// One request a connection.
fn serve(mut stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_mins(1)))?;
    let Some(request) = receive(&mut stream)? else { return Ok(()) };
    let number = {
        let mut requests = shared.requests.lock().unwrap();
        requests.push(request.clone());
        requests.len()
    };
    let blocks = || {
        if request.is_turn() { shared.script.lock().unwrap()(&request.body) } else { vec![Block::Text("ok")] }
    };
    let (status, kind, text) = if request.posts_to("/v1/messages") {
        ("200 OK", "text/event-stream", messages(number, &blocks()))
    } else if request.posts_to("/v1/responses") {
        ("200 OK", "text/event-stream", responses(number, &blocks()))
    } else if request.asks_gemini("streamGenerateContent") {
        ("200 OK", "text/event-stream", format!("data: {}\r\n\r\n", candidates(&blocks())))
    } else if request.asks_gemini("generateContent") {
        ("200 OK", "application/json", candidates(&blocks()).to_string())
    } else if request.posts_to("/v1/messages/count_tokens") {
        ("200 OK", "application/json", json!({"input_tokens": 1}).to_string())
    } else {
        ("404 Not Found", "text/plain", String::new())
    };
    let length = text.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}"
    )
}

/// Reads a request; none if the client only connected.
fn receive(stream: &mut TcpStream) -> std::io::Result<Option<Request>> {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        let end = reader.read_line(&mut line)? == 0 || line.trim().is_empty();
        if end {
            break;
        }
        head.push(line.trim().to_owned());
    }
    let mut head = head.into_iter();
    let Some(line) = head.next() else { return Ok(None) };
    let length =
        |header: String| header.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok();
    let length = head.find_map(length);
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(Some(Request { line, body: serde_json::from_slice(&body).unwrap_or_default() }))
}

/// One server-sent event.
fn event(data: Json) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}

/// An answer as Claude Code reads it.
fn messages(number: usize, blocks: &[Block]) -> String {
    let mut text = event(json!({"type": "message_start", "message": {"id": format!("msg_{number}"),
        "type": "message", "role": "assistant", "model": "scripted", "content": [], "stop_reason": null,
        "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}}));
    let mut reason = "end_turn";
    for (index, block) in blocks.iter().enumerate() {
        let (start, delta) = match block {
            Block::Text(said) => {
                (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": said}))
            }
            Block::ToolUse { name, input } => {
                reason = "tool_use";
                let id = format!("toolu_{number}_{index}");
                (
                    json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
                    json!({"type": "input_json_delta", "partial_json": input.to_string()}),
                )
            }
        };
        text += &event(json!({"type": "content_block_start", "index": index, "content_block": start}));
        text += &event(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        text += &event(json!({"type": "content_block_stop", "index": index}));
    }
    text += &event(json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
        "usage": {"output_tokens": 1}}));
    text + &event(json!({"type": "message_stop"}))
}

/// An answer as Codex reads it.
fn responses(number: usize, blocks: &[Block]) -> String {
    let id = format!("resp_{number}");
    let mut text = event(json!({"type": "response.created", "response": {"id": id}}));
    for (index, block) in blocks.iter().enumerate() {
        let item = match block {
            Block::Text(said) => json!({"type": "message", "role": "assistant",
                "id": format!("msg_{number}_{index}"), "content": [{"type": "output_text", "text": said}]}),
            Block::ToolUse { name, input: Json::String(text) } => json!({"type": "custom_tool_call",
                "name": name, "call_id": format!("call_{number}_{index}"), "input": text}),
            Block::ToolUse { name, input } => {
                let (namespace, name) =
                    name.split_once('.').map_or((None, *name), |(space, name)| (Some(space), name));
                json!({"type": "function_call", "namespace": namespace, "name": name,
                    "call_id": format!("call_{number}_{index}"), "arguments": input.to_string()})
            }
        };
        text += &event(json!({"type": "response.output_item.done", "item": item}));
    }
    text + &event(json!({"type": "response.completed", "response": {"id": id, "usage": {"input_tokens": 1,
        "input_tokens_details": null, "output_tokens": 1, "output_tokens_details": null, "total_tokens": 2}}}))
}

/// An answer as Gemini CLI reads it.
fn candidates(blocks: &[Block]) -> Json {
    let part = |block: &Block| match block {
        Block::Text(said) => json!({"text": said}),
        Block::ToolUse { name, input } => json!({"functionCall": {"name": name, "args": input}}),
    };
    let parts: Vec<Json> = blocks.iter().map(part).collect();
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}})
}
