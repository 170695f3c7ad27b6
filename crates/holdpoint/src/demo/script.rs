//! A demo's script: a workflow's `demo.toml`.

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::error::ScriptError;

/// The order of a script without one: after all others.
const LAST: u32 = u32::MAX;

/// A demo's script.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Its subject.
    pub about: String,
    /// Without a workflow's name, `demo` plays the script with the lowest order.
    #[serde(default = "last")]
    pub order: u32,
    /// The initial project: `files`, `git` and `branches`, as in a case.
    #[serde(default)]
    pub(super) given: Map<String, Json>,
    /// The steps, in order.
    #[serde(rename = "step")]
    pub(super) steps: Vec<Step>,
    /// Proofs at the end, by real commands.
    #[serde(default, rename = "proof")]
    pub(super) proofs: Vec<Proof>,
}

impl Script {
    /// Returns the sub-agents that the agent calls.
    pub(super) fn sub_agents(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| step.input.get("subagent_type")?.as_str())
    }
}

fn last() -> u32 {
    LAST
}

/// One act of the agent or its user: exactly one of `tool`, `runs`, `writes`, `stops`, `asks` and `starts`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    /// A description for the reader.
    pub(super) does: String,
    /// The tool that the agent calls, with its `input`.
    tool: Option<String>,
    #[serde(default)]
    input: Map<String, Json>,
    /// A shell command that the agent runs, and the exit code it must have.
    runs: Option<String>,
    #[serde(default)]
    pub(super) exits: i32,
    /// A file that the agent writes, with this `text`.
    writes: Option<String>,
    #[serde(default)]
    text: String,
    /// The agent's last message before it stops.
    stops: Option<String>,
    /// The user's prompt.
    asks: Option<String>,
    /// The start of a session: `startup`, `resume`, `clear` or `compact`.
    starts: Option<String>,
    /// The reviewers' answers, in order. Exactly these reviews must take place.
    #[serde(default)]
    pub(super) reviews: Vec<Answer>,
    /// The result it must have.
    pub(super) expect: Expect,
    /// Parts that the messages must have.
    #[serde(default)]
    pub(super) says: Vec<String>,
    /// State fields that it must set, with their values.
    #[serde(default)]
    pub(super) sets: Map<String, Json>,
}

/// A scripted reviewer's answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    /// Its verdict, printed as a structured answer.
    pub(super) verdict: Option<String>,
    /// The text it prints instead.
    pub(super) says: Option<String>,
    /// The report that it writes, relative to the project, with this `text`.
    pub(super) writes: Option<String>,
    #[serde(default)]
    pub(super) text: String,
    /// Its exit code.
    #[serde(default)]
    pub(super) exit: i32,
}

/// A proof: a command that must succeed and print this.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Proof {
    pub(super) that: String,
    pub(super) run: String,
    pub(super) prints: Option<String>,
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expect {
    /// The call is held.
    Hold,
    /// The call is allowed, with a message.
    Warn,
    /// The call is allowed.
    Pass,
}

/// The act of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// The agent calls a tool.
    Call {
        /// The tool's name.
        tool: String,
        /// Its input.
        input: Map<String, Json>,
    },
    /// The agent stops, with this last message.
    Stop(String),
    /// The user sends a prompt.
    Prompt(String),
    /// A session starts.
    Start(String),
}

impl Step {
    /// Returns the act, with its placeholders filled in.
    pub(super) fn act(&self, filled: &dyn Fn(&str) -> String) -> Result<Act, ScriptError> {
        let mut acts = Vec::new();
        let mut call = |tool: &str, input: Json| {
            let input = input.as_object().cloned().unwrap_or_default();
            acts.push(Act::Call { tool: tool.to_owned(), input });
        };
        if let Some(tool) = &self.tool {
            call(tool, fill(&Json::Object(self.input.clone()), filled));
        }
        if let Some(command) = &self.runs {
            call("Bash", json!({"command": filled(command)}));
        }
        if let Some(path) = &self.writes {
            call("Write", json!({"file_path": filled(path), "content": filled(&self.text)}));
        }
        acts.extend(self.stops.as_deref().map(filled).map(Act::Stop));
        acts.extend(self.asks.as_deref().map(filled).map(Act::Prompt));
        acts.extend(self.starts.clone().map(Act::Start));
        match <[Act; 1]>::try_from(acts) {
            Ok([act]) => Ok(act),
            Err(acts) => Err(ScriptError::NotOneAct { step: self.does.clone(), count: acts.len() }),
        }
    }
}

/// Fills in the placeholders in all texts of a value.
fn fill(value: &Json, filled: &dyn Fn(&str) -> String) -> Json {
    match value {
        Json::String(text) => Json::String(filled(text)),
        Json::Array(items) => items.iter().map(|item| fill(item, filled)).collect(),
        Json::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), fill(value, filled))).collect()
        }
        other => other.clone(),
    }
}

/// Reads a script.
pub fn parse(text: &str) -> Result<Script, ScriptError> {
    let script: Script = toml::from_str(text)?;
    for step in &script.steps {
        step.act(&str::to_owned)?;
    }
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(keys: &str) -> Result<Act, ScriptError> {
        let script = parse(&format!("about = ''\n[[step]]\ndoes = 'x'\nexpect = 'pass'\n{keys}"))?;
        script.steps[0].act(&|text| text.replace("(root)", "/p"))
    }

    #[test]
    fn a_step_does_exactly_one_thing() {
        let call = |tool: &str, input: Json| Act::Call {
            tool: tool.to_owned(),
            input: input.as_object().unwrap().clone(),
        };
        assert_eq!(step("runs = 'ls (root)'"), Ok(call("Bash", json!({"command": "ls /p"}))));
        let write = call("Write", json!({"file_path": "a", "content": "b"}));
        assert_eq!(step("writes = 'a'\ntext = 'b'"), Ok(write));
        let task = call("Task", json!({"prompt": "in /p"}));
        assert_eq!(step("tool = 'Task'\ninput = { prompt = 'in (root)' }"), Ok(task));
        assert_eq!(step("stops = 'Done.'"), Ok(Act::Stop("Done.".into())));
        assert!(step("").unwrap_err().to_string().contains("does 0 things"));
        assert!(step("stops = 'a'\nruns = 'b'").unwrap_err().to_string().contains("does 2 things"));
        assert!(step("stosp = 'a'").unwrap_err().to_string().contains("stosp"));
    }
}
