//! A demo: a scripted agent that works in a temporary project. Its hook calls, files and commits are real. Only the
//! decisions of the agent and its reviewers are scripted, in a workflow's `demo.toml`.

mod agent;
mod api;
mod client;
mod dialect;
mod error;
mod model;
mod reviewer;
mod script;
mod stage;

use std::path::Path;

use serde_json::{Map, Value as Json};

use self::agent::{Agent, Reaction};
use self::client::Client;
use self::script::Step;
use crate::store::journal::{self, Entry};

pub use self::dialect::Dialect;
pub use self::error::{ClientError, DemoError, FailedDemo, ScriptError};
pub use self::script::{Act, Expect, Script, parse};
pub use self::stage::{Setting, Stage};

/// The file of a demo's script, in a workflow's folder.
pub const FILE: &str = "demo.toml";

/// A step and its results.
#[derive(Debug)]
pub struct Scene {
    /// A description for the reader.
    pub does: String,
    /// The act.
    pub act: Act,
    /// The result.
    pub got: Expect,
    /// All messages, to the agent and to the user.
    pub said: String,
    /// The reviewers' answers, one line each.
    pub reviews: Vec<String>,
    /// The changed state fields.
    pub sets: Map<String, Json>,
}

/// A proof at the end.
#[derive(Debug)]
pub struct Proved {
    /// The statement.
    pub that: String,
    /// The command.
    pub run: String,
}

/// The player of the agent.
#[derive(Debug)]
enum Player<'a> {
    Scripted(Agent<'a>),
    Client(Box<Client<'a>>),
}

impl Player<'_> {
    fn act(&mut self, act: &Act) -> Result<Reaction, DemoError> {
        match self {
            Player::Scripted(agent) => agent.act(act),
            Player::Client(client) => client.act(act),
        }
    }
}

/// Plays a script and reports each scene as it happens, inside a real client if its program is given. Ends with an
/// error at the first step that has another result than the script says.
pub fn play(
    script: &Script,
    stage: &Stage,
    client: Option<(Dialect, &Path)>,
    tell: &mut dyn FnMut(&Scene),
) -> Result<(), DemoError> {
    let mut agent = match client {
        None => Player::Scripted(Agent::new(stage)),
        Some((dialect, program)) => Player::Client(Box::new(Client::new(script, stage, dialect, program)?)),
    };
    for step in &script.steps {
        let filled = |text: &str| stage.filled(text);
        let act = step.act(&filled)?;
        let seen = journal::read(&stage.books()).len();
        let reviews = answers(step, &filled);
        reviewer::prepare(&reviews, &stage.tools, &stage.root)?;
        let reaction = agent.act(&act)?;
        stage.go_on()?;
        let entries = journal::read(&stage.books()).split_off(seen);
        let scene = scene(step, act, &reaction, &reviews, &entries);
        tell(&scene);
        judge(step, &reaction, &scene, reviewer::left(&stage.tools))?;
    }
    Ok(())
}

fn answers(step: &Step, filled: &dyn Fn(&str) -> String) -> Vec<script::Answer> {
    let filled = |answer: &script::Answer| script::Answer {
        writes: answer.writes.as_deref().map(filled),
        text: filled(&answer.text),
        ..answer.clone()
    };
    step.reviews.iter().map(filled).collect()
}

fn scene(step: &Step, act: Act, reaction: &Reaction, reviews: &[script::Answer], entries: &[Entry]) -> Scene {
    Scene {
        does: step.does.clone(),
        act,
        got: reaction.got,
        said: reaction.said.clone(),
        reviews: reviews.iter().map(review_in_a_line).collect(),
        sets: entries.iter().flat_map(|entry| entry.set.clone()).collect(),
    }
}

/// Compares a step's result with the script.
fn judge(step: &Step, reaction: &Reaction, scene: &Scene, left: usize) -> Result<(), DemoError> {
    if reaction.got != step.expect {
        return Err(DemoError::Unexpected { expected: step.expect, got: reaction.got });
    }
    if let Some(code) = reaction.exit.filter(|code| *code != step.exits) {
        let why = reaction.last_line.clone();
        return Err(DemoError::ExitCode { code, expected: step.exits, why });
    }
    if let Some(part) = step.says.iter().find(|part| !reaction.said.contains(part.as_str())) {
        return Err(DemoError::Unsaid { part: part.clone() });
    }
    let differs = step.sets.iter().find(|(field, value)| scene.sets.get(*field) != Some(*value));
    if let Some((field, value)) = differs {
        return Err(DemoError::NotSet { field: field.clone(), value: value.clone() });
    }
    match left {
        0 => Ok(()),
        count => Err(DemoError::UnusedReviews { count }),
    }
}

/// Runs the proofs at the end.
pub fn prove(script: &Script, stage: &Stage) -> Result<Vec<Proved>, DemoError> {
    let prove = |proof: &script::Proof| {
        let run = stage.filled(&proof.run);
        let output = stage.shell(&run)?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let expected = stage.filled(proof.prints.as_deref().unwrap_or_default());
        if output.status.success() && printed.contains(&expected) {
            return Ok(Proved { that: proof.that.clone(), run });
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(DemoError::NotProved { that: proof.that.clone(), run, printed: format!("{printed}{stderr}") })
    };
    script.proofs.iter().map(prove).collect()
}

/// Summarizes a review in a line: the verdict, the report's name, and its text without headings.
fn review_in_a_line(answer: &script::Answer) -> String {
    let report = answer.writes.as_deref().and_then(|path| path.rsplit('/').next());
    let text = answer.text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let text = text.collect::<Vec<_>>().join(" ");
    let words = [answer.verdict.as_deref(), report, Some(text.as_str()).filter(|text| !text.is_empty())];
    words.into_iter().flatten().collect::<Vec<_>>().join(": ")
}

impl Act {
    /// Renders the act as the agent's user would see it.
    pub fn shown(&self) -> String {
        match self {
            Act::Call { tool, input } => {
                let text = |name: &str| input.get(name).and_then(Json::as_str);
                match text("command") {
                    Some(command) => format!("$ {}", command.trim().replace('\n', "\n  ")),
                    None => {
                        let about = text("file_path").or(text("subagent_type")).unwrap_or_default();
                        format!("{tool}({about})")
                    }
                }
            }
            Act::Stop(words) => format!("Stop: {words}"),
            Act::Prompt(words) => format!("User: {words}"),
            Act::Start(source) => format!("Session: {source}"),
        }
    }
}
