//! A scripted model on loopback, for a demo in a real client. It implements as much of the models' interfaces as the
//! clients need (`api.rs`), and hands every turn to the script.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value as Json;

use super::api::{Api, is_own, items, result, texts};

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
        self.new_items().iter().map(texts).collect()
    }

    /// Returns the result of the last tool call: its text, and whether it is an error.
    pub(super) fn result(&self) -> Option<(String, bool)> {
        result(self.new_items())
    }

    fn new_items(&self) -> &[Json] {
        let items = items(&self.body);
        let last = items.iter().rposition(is_own);
        &items[last.map_or(0, |last| last + 1)..]
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
    delegated: Mutex<Option<(String, Block)>>,
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
    pub(super) fn delegate(&self, prompt: &str, answer: Block) {
        if let Ok(mut delegated) = self.shared.delegated.lock() {
            *delegated = Some((prompt.to_owned(), answer));
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
    let Some(api) = Api::of(&line) else {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    };
    let Some(block) = shared.answer(body) else { return Ok(()) };
    let text = api.spoken(shared.answers.fetch_add(1, Ordering::SeqCst), &block);
    let (kind, length) = (api.content_type(), text.len());
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}"
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
            return Some(answer);
        }
        let (answer, answered) = channel();
        self.turns.lock().ok()?.send(Turn { body, answer }).ok()?;
        answered.recv().ok()
    }

    /// Returns the sub-agent's answer if the conversation begins with its prompt.
    fn of_sub_agent(&self, body: &Json) -> Option<Block> {
        let delegated = self.delegated.lock().ok()?;
        let (prompt, answer) = delegated.as_ref()?;
        let items = items(body);
        let is_first = !items.iter().any(is_own);
        let is_meant = items.iter().any(|item| texts(item).contains(prompt.as_str()));
        (is_first && is_meant).then(|| answer.clone())
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
