//! A scripted model on loopback, for a demo in a real client. It implements as much of Anthropic's messages API as Claude
//! Code needs, and hands every turn to the script.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value as Json, json};

/// The longest time that a client may take to send a request.
const PATIENCE: Duration = Duration::from_mins(1);
/// The largest request that is read.
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// An answer of the model.
#[derive(Clone, Debug)]
pub(super) enum Block {
    /// A text, which ends its turn.
    Text(String),
    /// A tool call.
    Call {
        /// The tool's name.
        tool: String,
        /// Its input.
        input: Json,
    },
}

/// A turn of the model: its input, and the channel for its answer.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) body: Json,
    answer: Sender<Block>,
}

impl Turn {
    /// Sends the answer. A client that has disconnected is not an error.
    pub(super) fn answer(self, block: Block) {
        let _ = self.answer.send(block);
    }

    /// Returns the input since the model's last answer: a prompt, a tool's result, a hook's feedback.
    pub(super) fn news(&self) -> String {
        self.new_messages().iter().map(texts).collect()
    }

    /// Returns the result of the last tool call: its text, and whether it is an error.
    pub(super) fn result(&self) -> Option<(String, bool)> {
        let contents =
            self.new_messages().iter().filter_map(|message| message["content"].as_array()).flatten();
        let mut results = contents.filter(|block| block["type"] == "tool_result");
        results.next_back().map(|block| (texts(&block["content"]), block["is_error"] == true))
    }

    fn new_messages(&self) -> &[Json] {
        let messages = self.body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let last = messages.iter().rposition(|message| message["role"] == "assistant");
        &messages[last.map_or(0, |last| last + 1)..]
    }
}

/// Joins all strings in a JSON value.
fn texts(value: &Json) -> String {
    match value {
        Json::String(text) => format!("{text}\n"),
        Json::Array(items) => items.iter().map(texts).collect(),
        Json::Object(fields) => fields.values().map(texts).collect(),
        _ => String::new(),
    }
}

/// The server. It stops when dropped.
#[derive(Debug)]
pub(super) struct Model {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    turns: Mutex<Sender<Turn>>,
    /// The prompt of a sub-agent, and its answer.
    delegated: Mutex<Option<(String, String)>>,
    stopping: AtomicBool,
    /// The number of answers, which gives each a unique id.
    answers: AtomicUsize,
}

impl Model {
    /// Starts the server. The receiver yields the agent's turns.
    pub(super) fn start() -> io::Result<(Model, Receiver<Turn>)> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let (turns, received) = channel();
        let shared = Arc::new(Shared {
            turns: Mutex::new(turns),
            delegated: Mutex::new(None),
            stopping: AtomicBool::new(false),
            answers: AtomicUsize::new(1),
        });
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || accept(&listener, &accepting));
        Ok((Model { address, shared }, received))
    }

    /// Returns the server's address.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sets the prompt of the next sub-agent, and its answer.
    pub(super) fn delegate(&self, prompt: &str, answer: &str) {
        if let Ok(mut delegated) = self.shared.delegated.lock() {
            *delegated = Some((prompt.to_owned(), answer.to_owned()));
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the accepting thread.
        let _ = TcpStream::connect(self.address);
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let shared = Arc::clone(shared);
        // A client that disconnects early is not an error.
        std::thread::spawn(move || stream.and_then(|stream| serve(stream, &shared)));
    }
}

/// Serves one request per connection.
fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let Some((line, body)) = receive(&mut stream)? else { return Ok(()) };
    let is_for_model = line.starts_with("POST /v1/messages?") || line.starts_with("POST /v1/messages ");
    if !is_for_model {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    }
    let Some(block) = shared.answer(body) else { return Ok(()) };
    let text = spoken(shared.answers.fetch_add(1, Ordering::SeqCst), &block);
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
        text.len()
    )
}

impl Shared {
    /// Returns the answer to a request. None if the script has ended.
    fn answer(&self, body: Json) -> Option<Block> {
        // A request without tools asks for a title or the like.
        if body["tools"].as_array().is_none_or(Vec::is_empty) {
            return Some(Block::Text("ok".to_owned()));
        }
        if let Some(answer) = self.of_sub_agent(&body) {
            return Some(Block::Text(answer));
        }
        let (answer, answered) = channel();
        self.turns.lock().ok()?.send(Turn { body, answer }).ok()?;
        answered.recv().ok()
    }

    /// Returns the sub-agent's answer if the conversation begins with its prompt.
    fn of_sub_agent(&self, body: &Json) -> Option<String> {
        let delegated = self.delegated.lock().ok()?;
        let (prompt, answer) = delegated.as_ref()?;
        let first = body["messages"].as_array()?.iter().find(|message| message["role"] == "user")?;
        let is_first = body["messages"].as_array()?.iter().all(|message| message["role"] != "assistant");
        (is_first && texts(first).contains(prompt.as_str())).then(|| answer.clone())
    }
}

/// Reads a request: its first line and its body. None if the client sent nothing.
fn receive(stream: &mut TcpStream) -> io::Result<Option<(String, Json)>> {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_owned());
    }
    let length = |header: &String| {
        header.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse::<usize>().ok()
    };
    let length = head.iter().find_map(length).unwrap_or(0);
    let Some(line) = head.into_iter().next().filter(|_| length <= BODY_BYTES_MAX) else { return Ok(None) };
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some((line, serde_json::from_slice(&body).unwrap_or_default())))
}

/// Renders an answer as a stream of events.
fn spoken(number: usize, block: &Block) -> String {
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
    let events = [
        json!({"type": "message_start", "message": {"id": format!("msg_{number}"), "type": "message",
            "role": "assistant", "model": "scripted", "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": 1, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": start}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
            "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ];
    let event =
        |data: &Json| format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default());
    events.iter().map(event).collect()
}
