//! An agent's client that a test plays: a process of its own, which calls the hook by sockets that it made, and runs shells
//! below itself.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

/// Does one thing for each line, and says what came of it in one.
const CLIENT: &str = r#"
import json, socket, subprocess, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "event" in asked:
        ours, theirs = socket.socketpair()
        hook = subprocess.Popen([sys.argv[1], "hook", "--agent", "claude"], stdin=theirs, stdout=subprocess.PIPE)
        theirs.close()
        ours.sendall(json.dumps(asked["event"]).encode())
        ours.close()
        said = hook.communicate()[0]
    else:
        shell = [asked["program"], "-c", asked["script"]]
        said = subprocess.run(shell, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
    print(json.dumps(said.decode()), flush=True)
"#;

/// A client at work. It ends with this.
pub(crate) struct Client {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Client {
    /// Starts one with the surroundings of this command, whose program does not matter.
    pub(crate) fn like(command: &Command) -> Client {
        let mut python = Command::new("python3");
        python.args(["-c", CLIENT, env!("CARGO_BIN_EXE_holdpoint")]).env_clear();
        python.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        python.current_dir(command.get_current_dir().unwrap());
        let mut process = python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        Client { process, input, output }
    }

    fn ask(&mut self, what: &Json) -> String {
        writeln!(self.input.as_ref().unwrap(), "{what}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// What the hook answers to an event that the client sends.
    pub(crate) fn send(&mut self, event: &Json) -> Json {
        let said = self.ask(&json!({ "event": event }));
        if said.is_empty() { Json::Null } else { serde_json::from_str(&said).unwrap() }
    }

    /// What a shell below the client prints, and whatever that started.
    pub(crate) fn shell(&mut self, script: &str) -> String {
        self.run("sh", script)
    }

    /// The same of another program that takes a script.
    pub(crate) fn run(&mut self, program: &str, script: &str) -> String {
        self.ask(&json!({"program": program, "script": script}))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.process.wait();
    }
}

/// A line of Claude Code's transcript, from those that were recorded under this name, about another prompt.
pub(crate) fn recorded(name: &str, prompt: &str, prompt_id: &str) -> String {
    let lines = include_str!("../payloads/claude-transcript.jsonl").lines();
    let mut lines = lines.map(|line| serde_json::from_str::<Json>(line).unwrap());
    let mut line = lines.find(|line| line["promptId"] == name).unwrap();
    line["promptId"] = json!(prompt_id);
    let content = match prompt.strip_prefix('/') {
        Some(command) => {
            let (name, args) = command.split_once(' ').unwrap_or((command, ""));
            format!(
                "<command-message>{name}</command-message>\n<command-name>/{name}</command-name>\n\
                 <command-args>{args}</command-args>"
            )
        }
        None => prompt.to_owned(),
    };
    line["message"]["content"] = json!(content);
    format!("{line}\n")
}
