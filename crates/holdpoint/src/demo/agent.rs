//! The scripted agent: it asks the hook before it calls a tool, does what the tool does, and tells the hook after, as
//! Claude Code would.

use std::path::Path;

use serde_json::{Map, Value as Json, json};

use super::script::{Act, Expect};
use super::stage::{SESSION, Stage, feed};
use crate::store::atomic;

/// What came of an act.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) got: Expect,
    /// What was said, to whomever.
    pub(super) said: String,
    /// How the tool itself ended, if it was called and it was a shell.
    pub(super) exit: Option<i32>,
    /// What it printed last, for whoever wonders why.
    pub(super) last_line: String,
}

/// The agent and what it remembers.
#[derive(Debug)]
pub(super) struct Agent<'a> {
    stage: &'a Stage,
    was_held_at_stop: bool,
}

/// What the hook answered.
struct Answer {
    json: Json,
    stderr: String,
}

impl Answer {
    fn at(&self, pointer: &str) -> Option<&str> {
        self.json.pointer(pointer).and_then(Json::as_str)
    }

    /// What was said without holding anything.
    fn aside(&self) -> String {
        let places = ["/hookSpecificOutput/additionalContext", "/systemMessage"];
        let mut said: Vec<&str> = places.iter().filter_map(|place| self.at(place)).collect();
        said.extend(Some(self.stderr.trim_end()).filter(|text| !text.is_empty() && !said.contains(text)));
        said.join("\n")
    }
}

impl<'a> Agent<'a> {
    pub(super) fn new(stage: &'a Stage) -> Agent<'a> {
        Agent { stage, was_held_at_stop: false }
    }

    /// Does one thing.
    pub(super) fn act(&mut self, act: &Act) -> Result<Outcome, String> {
        match act {
            Act::Call { tool, input } => self.call(tool, input),
            Act::Stop(words) => {
                let active = self.was_held_at_stop;
                let outcome = self.tell(&json!({"hook_event_name": "Stop", "stop_hook_active": active,
                    "last_assistant_message": words, "background_tasks": []}))?;
                self.was_held_at_stop = outcome.got == Expect::Hold;
                Ok(outcome)
            }
            Act::Prompt(prompt) => {
                self.tell(&json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt}))
            }
            Act::Start(source) => self.tell(&json!({"hook_event_name": "SessionStart", "source": source})),
        }
    }

    /// An event that is about no tool.
    fn tell(&self, event: &Json) -> Result<Outcome, String> {
        let answer = self.ask(event)?;
        if answer.at("/decision") == Some("block") {
            let said = answer.at("/reason").unwrap_or_default().to_owned();
            return Ok(Outcome { got: Expect::Hold, said, exit: None, last_line: String::new() });
        }
        Ok(spoken(answer.aside(), None))
    }

    fn call(&self, tool: &str, input: &Map<String, Json>) -> Result<Outcome, String> {
        let call = json!({"tool_name": tool, "tool_input": self.whole(input), "tool_use_id": "toolu_1"});
        let before = self.ask(&with(&call, json!({"hook_event_name": "PreToolUse"})))?;
        if before.at("/hookSpecificOutput/permissionDecision") == Some("deny") {
            let said = before.at("/hookSpecificOutput/permissionDecisionReason").unwrap_or_default();
            let said = said.to_owned();
            return Ok(Outcome { got: Expect::Hold, said, exit: None, last_line: String::new() });
        }
        let (exit, result) = self.carry_out(tool, input)?;
        let after = match exit {
            None | Some(0) => json!({"hook_event_name": "PostToolUse", "tool_response": result}),
            Some(code) => json!({"hook_event_name": "PostToolUseFailure", "is_interrupt": false,
                "error": format!("Exit code {code}\n{}", result["stderr"].as_str().unwrap_or_default())}),
        };
        let after = self.ask(&with(&call, after))?;
        let said = [before.aside(), after.at("/reason").unwrap_or_default().to_owned(), after.aside()];
        let said = said.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        Ok(Outcome { last_line: last_line(&result), ..spoken(said, exit) })
    }

    /// Calls the hook, as the agent would: its own process, the event on standard input.
    fn ask(&self, event: &Json) -> Result<Answer, String> {
        let about = json!({"session_id": SESSION, "cwd": self.stage.root, "permission_mode": "default"});
        let mut hook = self.stage.command(self.stage.program());
        hook.args(["hook", "--agent", "claude"]);
        let output = feed(hook, with(&about, event.clone()).to_string().as_bytes())?;
        let json = serde_json::from_slice(&output.stdout).unwrap_or_default();
        Ok(Answer { json, stderr: String::from_utf8_lossy(&output.stderr).into_owned() })
    }

    /// The tool's input with its path made whole, as agents send it.
    fn whole(&self, input: &Map<String, Json>) -> Map<String, Json> {
        let mut input = input.clone();
        if let Some(path) =
            input.get("file_path").and_then(Json::as_str).map(|path| self.stage.root.join(path))
        {
            input.insert("file_path".into(), json!(path));
        }
        input
    }

    /// Does what the tool does; the shell's exit code, and what the tool would answer.
    fn carry_out(&self, tool: &str, input: &Map<String, Json>) -> Result<(Option<i32>, Json), String> {
        let text = |name: &str| input.get(name).and_then(Json::as_str).unwrap_or_default();
        let path = self.stage.root.join(text("file_path"));
        match tool {
            "Bash" => {
                let output = self.stage.shell(text("command"))?;
                let printed = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let answer = json!({"stdout": printed(&output.stdout), "stderr": printed(&output.stderr)});
                Ok((Some(output.status.code().unwrap_or(-1)), answer))
            }
            "Write" => {
                write(&path, text("content")).map_err(|error| error.to_string())?;
                Ok((None, json!({"type": "update"})))
            }
            "Edit" => {
                let told = |error: std::io::Error| format!("{}: {error}", path.display());
                let old = std::fs::read_to_string(&path).map_err(told)?;
                if !old.contains(text("old_string")) {
                    return Err(format!("{} does not have the text to replace", path.display()));
                }
                write(&path, &old.replacen(text("old_string"), text("new_string"), 1)).map_err(told)?;
                Ok((None, json!({"type": "update"})))
            }
            _ => Ok((None, input.get("answer").cloned().unwrap_or_else(|| json!("done")))),
        }
    }
}

fn spoken(said: String, exit: Option<i32>) -> Outcome {
    let got = if said.is_empty() { Expect::Pass } else { Expect::Warn };
    Outcome { got, said, exit, last_line: String::new() }
}

/// The last line that a shell command printed, standard error first.
fn last_line(result: &Json) -> String {
    let lines = ["stderr", "stdout"].map(|channel| {
        result[channel].as_str().unwrap_or_default().lines().rfind(|line| !line.trim().is_empty())
    });
    lines.into_iter().flatten().next().unwrap_or_default().to_owned()
}

/// A table with the fields of another.
fn with(table: &Json, more: Json) -> Json {
    let mut table = table.clone();
    if let (Json::Object(table), Json::Object(more)) = (&mut table, more) {
        table.extend(more);
    }
    table
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    atomic::replace(path, text.as_bytes())
}
