//! A client at a terminal: a user who types there, the screen, and its end; and a model that says what the test says.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value as Json, json};

use super::screen::{SIZE, Screen};
use super::session::{PATIENCE, claude_at};
use crate::model::{Block, Model, news};
use crate::project::Project;
use crate::terminal::{Terminal, in_front};

/// How long until a condition is looked at again while the client shows nothing.
const GLANCE: Duration = Duration::from_millis(50);

/// How long until keys are pressed again that have shown no effect.
const AGAIN: Duration = Duration::from_secs(2);

/// Ctrl-U, which all clients take for it.
const EMPTY_LINE: char = '\u{15}';

/// A client at a terminal. It is killed with this.
pub(super) struct Seat {
    terminal: Terminal,
    client: Child,
    shown: Receiver<Vec<u8>>,
    screen: Screen,
}

impl Seat {
    /// Claude Code, whose user has answered the questions of a first start, with this home.
    pub(super) fn claude(
        program: &Path,
        project: &Project,
        model: &Model,
        home: &Path,
        more: &[&str],
    ) -> Seat {
        let own = json!({"hasCompletedOnboarding": true, "theme": "dark", "bypassPermissionsModeAccepted": true,
            "customApiKeyResponses": {"approved": ["none"], "rejected": []},
            "projects": {project.root().to_str().unwrap(): {"hasTrustDialogAccepted": true}}});
        let file = home.join(".claude.json");
        if !file.exists() {
            std::fs::write(file, own.to_string()).unwrap();
            std::fs::create_dir_all(home.join(".claude")).unwrap();
            let settings = json!({"skipDangerousModePermissionPrompt": true}).to_string();
            std::fs::write(home.join(".claude/settings.json"), settings).unwrap();
        }
        let args = [&["--dangerously-skip-permissions", "--model", "sonnet"], more].concat();
        let mut seat = Seat::at(claude_at(home, program, project, model, &args));
        seat.sees("\u{276f}");
        seat
    }

    /// Starts a client at a new terminal.
    pub(super) fn at(mut client: Command) -> Seat {
        client.env("TERM", "xterm-256color");
        let terminal = Terminal::new();
        let side = terminal.users_side();
        rustix::termios::tcsetwinsize(&side, SIZE).unwrap();
        let mut client = in_front(&client);
        client.stdin(side.try_clone().unwrap()).stdout(side.try_clone().unwrap()).stderr(side);
        let client = client.spawn().unwrap();
        let mut reader = terminal.controller().try_clone().unwrap();
        let (show, shown) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count) = reader.read(&mut bytes) {
                if count == 0 || show.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Seat { terminal, client, shown, screen: Screen::new() }
    }

    /// Waits until this is so.
    pub(super) fn waits(&mut self, what: &str, mut is_so: impl FnMut(&Screen) -> bool) {
        let started = Instant::now();
        while !is_so(&self.screen) {
            match self.shown.recv_timeout(GLANCE) {
                Ok(bytes) => self.screen.take(&bytes),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("the client ended: {what}\n{}", self.screen.text())
                }
            }
            assert!(started.elapsed() < PATIENCE, "it did not come: {what}\n{}", self.screen.text());
        }
    }

    /// Waits until the screen shows this.
    pub(super) fn sees(&mut self, words: &str) {
        self.waits(words, |screen| screen.has(words));
    }

    /// Types a line, and enters it once it is on the screen. What a client has lost because it was not ready is typed again, on
    /// an empty line.
    pub(super) fn types(&mut self, line: &str) {
        self.shown.try_iter().for_each(|bytes| self.screen.take(&bytes));
        let before = self.screen.count(line);
        self.presses(line);
        let again = format!("{EMPTY_LINE}{line}");
        self.waits_and_presses(line, &again, |screen| screen.count(line) > before);
        self.presses("\r");
    }

    /// Types a line, and enters it until this is so: a client that is not ready for it yet leaves it standing. An empty line
    /// means nothing.
    pub(super) fn types_until(&mut self, line: &str, is_so: impl FnMut(&Screen) -> bool) {
        self.types(line);
        self.waits_and_presses(line, "\r", is_so);
    }

    /// Waits until this is so, and presses these keys from time to time until it is.
    fn waits_and_presses(&mut self, what: &str, keys: &str, mut is_so: impl FnMut(&Screen) -> bool) {
        let terminal = self.terminal.controller().try_clone().unwrap();
        let mut pressed = Instant::now();
        self.waits(what, |screen| {
            let is_so = is_so(screen);
            if !is_so && pressed.elapsed() > AGAIN {
                pressed = Instant::now();
                (&terminal).write_all(keys.as_bytes()).unwrap();
            }
            is_so
        });
    }

    /// Presses a key.
    pub(super) fn presses(&self, key: &str) {
        self.terminal.controller().write_all(key.as_bytes()).unwrap();
    }

    /// What the screen shows and has shown.
    pub(super) fn screen(&self) -> String {
        self.screen.text()
    }

    /// Ends the client by this signal, which goes to all that is in front at its terminal, and waits for it to be gone.
    pub(super) fn ends_by(mut self, signal: Signal) {
        self.signal(signal);
        let started = Instant::now();
        while self.client.try_wait().unwrap().is_none() {
            let _ = self.shown.recv_timeout(GLANCE);
            assert!(started.elapsed() < PATIENCE, "the client did not end");
        }
    }

    fn signal(&self, signal: Signal) {
        let _ = kill_process_group(Pid::from_child(&self.client), signal);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        let _ = self.client.wait();
    }
}

/// A model that says what the test says, turn by turn.
pub(super) struct Puppet {
    pub(super) model: Model,
    turns: Receiver<String>,
    answers: Sender<Block>,
}

impl Puppet {
    pub(super) fn new() -> Puppet {
        let (turn, turns) = channel();
        let (answers, answer) = channel();
        let answer = Mutex::new(answer);
        let model = Model::start(move |request| {
            let _ = turn.send(news(request));
            vec![answer.lock().unwrap().recv().unwrap_or(Block::Text("The test is over."))]
        });
        Puppet { model, turns, answers }
    }

    /// Waits for the model's turn, and returns what it is shown.
    pub(super) fn hears(&self) -> String {
        let shown = || self.model.shown().pop().unwrap_or_default();
        self.turns.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no turn after this one: {}", shown()))
    }

    /// Says something in the turn at hand.
    pub(super) fn says(&self, text: &'static str) {
        self.answers.send(Block::Text(text)).unwrap();
    }

    /// Calls a tool in the turn at hand, and returns what came of it.
    pub(super) fn calls(&self, name: &'static str, input: Json) -> String {
        self.answers.send(Block::ToolUse { name, input }).unwrap();
        self.hears()
    }

    /// Runs a command in the agent's shell.
    pub(super) fn runs(&self, command: &str) -> String {
        self.calls("Bash", json!({"command": command}))
    }

    /// Nobody listens to the answer to this turn any more: gives it all the same, so that the next turn can be had.
    pub(super) fn is_cut_off(&self) {
        self.says("Nobody hears this.");
    }
}
