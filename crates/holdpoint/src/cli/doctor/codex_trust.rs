//! Asks Codex which hooks it trusts. Codex silently ignores hooks that the user has not trusted.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::registered::Hook;
use crate::process_group;

/// The longest time that Codex may take to answer.
const DEADLINE: Duration = Duration::from_secs(15);

/// Codex's list of the hooks for a folder.
#[derive(Debug)]
pub(super) struct Inventory {
    hooks: Vec<Json>,
    /// Codex's warnings and errors.
    pub(super) complaints: Vec<String>,
}

/// Asks the program. None if it does not answer.
pub(super) fn ask(program: &Path, folder: &Path) -> Option<Inventory> {
    let mut command = Command::new(program);
    command.arg("app-server").current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    process_group::own(&mut command);
    let mut child = command.spawn().ok()?;
    let lines = child.stdout.take().map(listen)?;
    let answer = child.stdin.take().and_then(|mut stdin| talk(&mut stdin, &lines, folder));
    process_group::kill(&child);
    let _ = child.wait();
    let found = answer?.pointer("/result/data/0")?.clone();
    let list = |name: &str| found.get(name).and_then(Json::as_array).cloned().unwrap_or_default();
    let complaints = [list("warnings"), list("errors")].concat();
    let words = |complaint: &Json| complaint.as_str().map_or_else(|| complaint.to_string(), str::to_owned);
    Some(Inventory { hooks: list("hooks"), complaints: complaints.iter().map(words).collect() })
}

fn listen(stdout: std::process::ChildStdout) -> Receiver<Json> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if let Ok(message) = serde_json::from_str(&line) {
                let _ = send.send(message);
            }
        }
    });
    receive
}

/// Sends the handshake and the question. The connection stays open until the answer arrives, because Codex exits when
/// it closes.
fn talk(stdin: &mut ChildStdin, lines: &Receiver<Json>, folder: &Path) -> Option<Json> {
    let client = json!({"name": "holdpoint", "title": "Holdpoint", "version": env!("CARGO_PKG_VERSION")});
    let started = Instant::now();
    let mut say = |message: Json| writeln!(stdin, "{message}").ok();
    let answer = |id: i64| loop {
        let message = lines.recv_timeout(DEADLINE.checked_sub(started.elapsed())?).ok()?;
        if message.get("id").and_then(Json::as_i64) == Some(id) {
            break Some(message);
        }
    };
    say(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"clientInfo": client}}))?;
    answer(1)?;
    say(json!({"jsonrpc": "2.0", "method": "initialized"}))?;
    say(json!({"jsonrpc": "2.0", "id": 2, "method": "hooks/list", "params": {"cwds": [folder]}}))?;
    answer(2)
}

impl Inventory {
    /// Returns Codex's status of a hook: `trusted`, another of its words, or `not loaded`.
    pub(super) fn trust(&self, hook: &Hook) -> String {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let text =
            |json: &Json, name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        let is_this = |listed: &&Json| {
            text(listed, "eventName").eq_ignore_ascii_case(&hook.event)
                && text(listed, "command") == hook.line.text
                && real(Path::new(&text(listed, "sourcePath"))) == real(&hook.file)
        };
        let listed = self.hooks.iter().find(is_this);
        listed.map_or_else(|| "not loaded".to_owned(), |listed| text(listed, "trustStatus"))
    }
}
