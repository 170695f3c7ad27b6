//! The scripted agent. Like Claude Code, it calls the hook before a tool, does what the tool does, and calls the hook
//! again after it.

use std::path::Path;

use serde_json::{Map, Value as Json, json};

use super::error::DemoError;
use super::script::{Act, Expect};
use super::stage::{SESSION, Stage, feed};
use crate::store::atomic;

/// What came back on an act.
#[derive(Debug)]
pub(super) struct Reaction {
    pub(super) got: Expect,
    /// All messages, to the agent and to the user.
    pub(super) said: String,
    /// The exit code, if the tool is a shell and was not held.
    pub(super) exit: Option<i32>,
    /// The last line that it printed, for error messages.
    pub(super) last_line: String,
}

/// The agent and its memory.
#[derive(Debug)]
pub(super) struct Agent<'a> {
    stage: &'a Stage,
    was_held_at_stop: bool,
    /// How many tools it has called: each call has an id of its own.
    calls: usize,
}

/// The hook's answer.
struct Answer {
    json: Json,
    stderr: String,
}

impl Answer {
    fn at(&self, pointer: &str) -> Option<&str> {
        self.json.pointer(pointer).and_then(Json::as_str)
    }

    /// Returns the messages that do not hold anything.
    fn aside(&self) -> String {
        let places = ["/hookSpecificOutput/additionalContext", "/systemMessage"];
        let mut said: Vec<&str> = places.iter().filter_map(|place| self.at(place)).collect();
        said.extend(Some(self.stderr.trim_end()).filter(|text| !text.is_empty() && !said.contains(text)));
        said.join("\n")
    }
}

impl<'a> Agent<'a> {
    pub(super) fn new(stage: &'a Stage) -> Agent<'a> {
        Agent { stage, was_held_at_stop: false, calls: 0 }
    }

    /// Performs an act.
    pub(super) fn act(&mut self, act: &Act) -> Result<Reaction, DemoError> {
        match act {
            Act::Call { tool, input } => self.call(tool, input),
            Act::Stop(words) => {
                let active = self.was_held_at_stop;
                let reaction = self.tell(&json!({"hook_event_name": "Stop", "stop_hook_active": active,
                    "last_assistant_message": words, "background_tasks": []}))?;
                self.was_held_at_stop = reaction.got == Expect::Hold;
                Ok(reaction)
            }
            Act::Prompt(prompt) => {
                self.tell(&json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt}))
            }
            Act::Start(source) => self.tell(&json!({"hook_event_name": "SessionStart", "source": source})),
        }
    }

    /// Sends an event without a tool.
    fn tell(&self, event: &Json) -> Result<Reaction, DemoError> {
        let answer = self.ask(event)?;
        if answer.at("/decision") == Some("block") {
            let said = answer.at("/reason").unwrap_or_default().to_owned();
            return Ok(Reaction { got: Expect::Hold, said, exit: None, last_line: String::new() });
        }
        Ok(spoken(answer.aside(), None))
    }

    fn call(&mut self, tool: &str, input: &Map<String, Json>) -> Result<Reaction, DemoError> {
        self.calls += 1;
        let id = format!("toolu_{}", self.calls);
        let call = json!({"tool_name": tool, "tool_input": self.whole(input), "tool_use_id": id});
        let before = self.ask(&with(&call, json!({"hook_event_name": "PreToolUse"})))?;
        if before.at("/hookSpecificOutput/permissionDecision") == Some("deny") {
            let said = before.at("/hookSpecificOutput/permissionDecisionReason").unwrap_or_default();
            let said = said.to_owned();
            return Ok(Reaction { got: Expect::Hold, said, exit: None, last_line: String::new() });
        }
        // The hook may have performed the command: the shell shows what came of it.
        let instead = before.json.pointer("/hookSpecificOutput/updatedInput").and_then(Json::as_object);
        let (exit, result) = self.carry_out(tool, instead.unwrap_or(input))?;
        let after = match exit {
            None | Some(0) => json!({"hook_event_name": "PostToolUse", "tool_response": result}),
            Some(code) => json!({"hook_event_name": "PostToolUseFailure", "is_interrupt": false,
                "error": format!("Exit code {code}\n{}", result["stderr"].as_str().unwrap_or_default())}),
        };
        let after = self.ask(&with(&call, after))?;
        let said = [before.aside(), after.at("/reason").unwrap_or_default().to_owned(), after.aside()];
        let said = said.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        Ok(Reaction { last_line: last_line(&result), ..spoken(said, exit) })
    }

    /// Calls the hook as the agent does: in a separate process, with the event on standard input.
    fn ask(&self, event: &Json) -> Result<Answer, DemoError> {
        let about = json!({"session_id": SESSION, "cwd": self.stage.root, "permission_mode": "default"});
        let mut hook = self.stage.command(self.stage.program());
        hook.args(["hook", "--agent", "claude"]);
        let output = feed(hook, with(&about, event.clone()).to_string().as_bytes())?;
        let json = serde_json::from_slice(&output.stdout).unwrap_or_default();
        Ok(Answer { json, stderr: String::from_utf8_lossy(&output.stderr).into_owned() })
    }

    /// Makes the path in a tool's input absolute, as agents send it.
    fn whole(&self, input: &Map<String, Json>) -> Map<String, Json> {
        let mut input = input.clone();
        if let Some(path) =
            input.get("file_path").and_then(Json::as_str).map(|path| self.stage.root.join(path))
        {
            input.insert("file_path".into(), json!(path));
        }
        input
    }

    /// Does what the tool does. Returns the shell's exit code, and the tool's result.
    fn carry_out(&self, tool: &str, input: &Map<String, Json>) -> Result<(Option<i32>, Json), DemoError> {
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
                write(&path, text("content"))?;
                Ok((None, json!({"type": "update"})))
            }
            "Edit" => {
                let failed = |source| DemoError::File { path: path.clone(), source };
                let old = std::fs::read_to_string(&path).map_err(failed)?;
                if !old.contains(text("old_string")) {
                    return Err(DemoError::NoSuchText { path });
                }
                write(&path, &old.replacen(text("old_string"), text("new_string"), 1)).map_err(failed)?;
                Ok((None, json!({"type": "update"})))
            }
            _ => Ok((None, input.get("answer").cloned().unwrap_or_else(|| json!("done")))),
        }
    }
}

fn spoken(said: String, exit: Option<i32>) -> Reaction {
    let got = if said.is_empty() { Expect::Pass } else { Expect::Warn };
    Reaction { got, said, exit, last_line: String::new() }
}

/// Returns the last line that a shell command printed, on standard error if there is any.
fn last_line(result: &Json) -> String {
    let lines = ["stderr", "stdout"].map(|channel| {
        result[channel].as_str().unwrap_or_default().lines().rfind(|line| !line.trim().is_empty())
    });
    lines.into_iter().flatten().next().unwrap_or_default().to_owned()
}

/// Adds the fields of another table.
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
