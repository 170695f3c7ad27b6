//! Walks in Claude Code itself, from the slash command to the end, with setbacks: what the agent did, what it was held with
//! and what its user saw are recorded in `docs/`, and stay true. Only the model and the reviewer are scripted.

mod claudex;
mod taskie;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::json;

use crate::clients::held::ask;
use crate::clients::session::ask_claude;
use crate::model::{Block, Model, news};
use crate::project::Project;

/// How wide a recording is.
const WIDTH: usize = 80;
/// How many lines of a text are shown.
const LINES_MAX: usize = 6;
/// Where a recording has the project.
const ROOT: &str = "/home/me/shop";

/// The plugin of a workflow, as the repository has it.
fn plugin(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin").join(name).canonicalize().unwrap()
}

/// What happened, in lines.
#[derive(Clone, Default)]
struct Recording(Arc<Mutex<Vec<String>>>);

impl Recording {
    /// Adds a text by somebody: its first lines, folded.
    fn add(&self, who: &str, text: &str) {
        let lines: Vec<&str> = text.trim().lines().filter(|line| !line.trim().is_empty()).collect();
        let mut kept = self.0.lock().unwrap();
        for (at, line) in lines.iter().take(LINES_MAX).enumerate() {
            kept.extend(folded(if at == 0 { who } else { "" }, line));
        }
        if lines.len() > LINES_MAX {
            kept.push(format!("{:10}… ({} lines more)", "", lines.len() - LINES_MAX));
        }
    }

    fn heading(&self, text: &str) {
        self.0.lock().unwrap().extend([String::new(), text.to_owned(), String::new()]);
    }

    /// All of it, without what differs from run to run.
    fn text(&self, title: &str, project: &Project, names: &[(&str, &str)]) -> String {
        let text = format!("{title}\n{}\n", self.0.lock().unwrap().join("\n"));
        let text = text.replace(project.root().to_str().unwrap(), ROOT);
        names.iter().fold(text, |text, (from, to)| text.replace(from, to))
    }
}

/// A line after its speaker, folded at spaces. What is folded is found by its words alone, whatever the length of paths.
fn folded(who: &str, line: &str) -> Vec<String> {
    let mut lines = vec![format!("{who:10}")];
    for word in line.trim_end().split(' ') {
        let last = lines.last_mut().unwrap();
        let is_first = last.trim().is_empty() || last.len() == 10;
        if !is_first && last.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(format!("{:10}{word}", ""));
        } else {
            if !is_first {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

/// What the agent does by itself in one session, before it is told anything.
type Calls = VecDeque<Block>;

fn shell(command: &str) -> Block {
    Block::ToolUse { name: "Bash", input: json!({"command": command}) }
}

fn write(path: &Path, text: &str) -> Block {
    Block::ToolUse { name: "Write", input: json!({"file_path": path, "content": text}) }
}

fn read(path: &Path) -> Block {
    Block::ToolUse { name: "Read", input: json!({"file_path": path}) }
}

/// One session: the user types a slash command, the agent does these calls, and after each hold what `obey` makes of it.
struct Walk<'a> {
    claude: &'a Path,
    project: &'a Project,
    plugin: &'static str,
    recording: Recording,
}

impl Walk<'_> {
    fn session(&self, prompt: &str, first: Vec<Block>, mut obey: impl FnMut(&str) -> Calls + Send + 'static) {
        self.recording.heading(&format!("> {prompt}"));
        let (recording, mut calls, mut was_shell) = (self.recording.clone(), Calls::from(first), false);
        let root = self.project.root().to_str().unwrap().to_owned();
        let model = Model::start(move |request| {
            let news = news(request).replace(&root, ROOT);
            if let Some(text) = ask(&news) {
                recording.add("HELD", text);
                calls = obey(&text.replace(ROOT, &root));
            } else if was_shell {
                recording.add("", &printed(&news));
            }
            let call = calls.pop_front().unwrap_or(Block::Text("I am done."));
            was_shell = matches!(&call, Block::ToolUse { name: "Bash", .. });
            recording.add("Agent", &described(&call).replace(&root, ROOT));
            vec![call]
        });
        let plugin = plugin(self.plugin);
        let more = ["--plugin-dir", plugin.to_str().unwrap()];
        let session = ask_claude(self.claude, self.project, &model, prompt, &more);
        let root = self.project.root().to_str().unwrap();
        for message in session.shown_to_user() {
            self.recording.add("User sees", &message.replace(root, ROOT));
        }
    }
}

/// What a shell printed, without what the client adds to it.
fn printed(news: &str) -> String {
    let text = news.split("<system-reminder>").next().unwrap_or_default();
    let is_own = |line: &&str| {
        let words = ["", "tool_result", "user", "text"];
        !words.contains(&line.trim()) && !line.starts_with("toolu_")
    };
    // Where the client keeps what it sent in a cache, it says so after it.
    let own = text.lines().take_while(|line| line.trim() != "ephemeral");
    own.filter(is_own).collect::<Vec<_>>().join("\n")
}

/// What the agent does, in a line or two.
fn described(call: &Block) -> String {
    match call {
        Block::Text(text) => format!("(stops) {text}"),
        Block::ToolUse { name: "Bash", input } => format!("$ {}", input["command"].as_str().unwrap()),
        Block::ToolUse { name, input } => format!("{name} {}", input["file_path"].as_str().unwrap()),
    }
}
