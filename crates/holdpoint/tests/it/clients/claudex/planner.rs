//! The agent that drafts a plan and has it reviewed: a scripted model that knows the topic and, beyond that, nothing but
//! the texts it is held with.

use std::collections::VecDeque;

use serde_json::{Value as Json, json};

use crate::clients::held::ask;
use crate::model::{Block, news};

pub(super) const DRAFT: &str = "1. Keep prices in memory.\n";
pub(super) const REVISED: &str =
    "1. Keep prices on disk.\n\n## Changelog\n\n- Round 1: took both, a restart must lose nothing.\n";

/// What an agent's tools are called.
#[derive(Clone, Copy)]
pub(super) enum Tools {
    Claude,
    Codex,
}

impl Tools {
    pub(super) fn run(self, command: &str) -> Block {
        match self {
            Tools::Claude => Block::ToolUse { name: "Bash", input: json!({"command": command}) },
            Tools::Codex => Block::ToolUse { name: "exec_command", input: json!({"cmd": command}) },
        }
    }

    /// The same without waiting for its end; the client says when that is.
    fn run_in_background(self, command: &str) -> Block {
        match self {
            Tools::Claude => {
                Block::ToolUse { name: "Bash", input: json!({"command": command, "run_in_background": true}) }
            }
            Tools::Codex => panic!("Codex does not say when a command has ended"),
        }
    }

    fn read(self, path: &str) -> Block {
        match self {
            Tools::Claude => Block::ToolUse { name: "Read", input: json!({"file_path": path}) },
            Tools::Codex => self.run(&format!("cat '{path}'")),
        }
    }

    fn write(self, path: &str, text: &str) -> Block {
        match self {
            Tools::Claude => {
                Block::ToolUse { name: "Write", input: json!({"file_path": path, "content": text}) }
            }
            Tools::Codex => self.run(&format!("cat > '{path}' <<'END'\n{text}END")),
        }
    }
}

/// The agent.
pub(super) struct Planner {
    tools: Tools,
    /// Whether it ends its turn while the reviewer runs.
    in_background: bool,
    calls: VecDeque<Block>,
    /// What there is to choose from once the findings are read.
    choice: Option<Choice>,
}

struct Choice {
    plan: String,
    mark_done: String,
}

impl Planner {
    /// One that begins with these commands.
    pub(super) fn new(tools: Tools, first: &[&str]) -> Planner {
        let calls = first.iter().map(|command| tools.run(command)).collect();
        Planner { tools, in_background: false, calls, choice: None }
    }

    /// The same, but it runs the reviewer in the background.
    pub(super) fn in_background(self) -> Planner {
        Planner { in_background: true, ..self }
    }

    /// What it does about a request.
    pub(super) fn turn(&mut self, request: &Json) -> Vec<Block> {
        let news = news(request);
        if let Some(ask) = ask(&news) {
            self.obey(ask);
        }
        if let Some(call) = self.calls.pop_front() {
            return vec![call];
        }
        match self.choice.take() {
            Some(choice) if news.contains("No substantive findings.") => {
                vec![self.tools.run(&choice.mark_done)]
            }
            Some(choice) => vec![self.tools.write(&choice.plan, REVISED)],
            None => vec![Block::Text("I am done.")],
        }
    }

    /// Takes from a text what is to be done: commands as they are printed, files by their names there.
    fn obey(&mut self, ask: &str) {
        let command = |start: &str| ask.lines().map(str::trim).find(|line| line.starts_with(start));
        let draft = between(ask, "Write the plan to ", ", as").map(|path| self.tools.write(path, DRAFT));
        let run = if self.in_background { Tools::run_in_background } else { Tools::run };
        let runner = command("bash ").map(|line| run(self.tools, line));
        let wait =
            (self.in_background && runner.is_some()).then_some(Block::Text("The reviewer is at work."));
        let findings = between(ask, "Read what it found: ", ". That").map(|path| self.tools.read(path));
        self.calls = [draft, runner, wait, findings].into_iter().flatten().collect();
        let choice = between(ask, "revise ", ". Under").zip(command("holdpoint claudex mark-done "));
        self.choice = choice.map(|(plan, line)| Choice { plan: plan.to_owned(), mark_done: line.to_owned() });
    }
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    Some(text.split_once(start)?.1.split_once(end)?.0)
}
