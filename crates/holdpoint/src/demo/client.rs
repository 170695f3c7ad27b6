//! A demo inside the real Claude Code: the client calls the tools and the hooks, and the script plays the model.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value as Json, json};

use super::agent::Reaction;
use super::error::{ClientError, DemoError};
use super::model::{Block, Model, Turn};
use super::script::{Act, Expect, Script};
use super::stage::{SESSION, Stage};
use crate::catalog;
use crate::plugin::{self, Source};
use crate::process_group;
use crate::store::atomic;
use crate::store::journal::{self, Decision, Entry, Speech};

/// The longest time that the client may take for a turn.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often it is polled meanwhile.
const GLANCE: Duration = Duration::from_millis(20);
/// The user's prompt where the script has none.
const GO_ON: &str = "Go on.";

/// The client, which runs from a prompt to the Stop that is allowed.
#[derive(Debug)]
pub(super) struct Client<'a> {
    stage: &'a Stage,
    program: PathBuf,
    model: Model,
    turns: Receiver<Turn>,
    running: Option<Child>,
    /// The model's turn, until it answers.
    turn: Option<Turn>,
    has_session: bool,
}

impl<'a> Client<'a> {
    /// Prepares the client: the workflow as a plugin, and the sub-agents that the script calls.
    pub(super) fn new(script: &Script, stage: &'a Stage, program: &Path) -> Result<Client<'a>, DemoError> {
        let (model, turns) = Model::start()?;
        for (path, text) in plugin::marketplace(&[source(stage)?]) {
            put(&stage.tools.join("plugin").join(path), &text)?;
        }
        for name in script.sub_agents() {
            let text = format!("---\nname: {name}\ndescription: {name}\n---\n\nDo as you are told.\n");
            put(&stage.home.join(".claude/agents").join(format!("{name}.md")), &text)?;
        }
        let program = program.to_owned();
        Ok(Client { stage, program, model, turns, running: None, turn: None, has_session: false })
    }

    /// Performs an act, as the model or as the user.
    pub(super) fn act(&mut self, act: &Act) -> Result<Reaction, DemoError> {
        let seen = journal::read(&self.stage.books()).len();
        let shown = match act {
            Act::Prompt(words) => self.begin(words).map(|()| self.news())?,
            Act::Start(_) => self.begin(GO_ON).map(|()| self.news())?,
            Act::Stop(words) => {
                self.say(Block::Text(words.clone()))?;
                self.news()
            }
            Act::Call { tool, input } => {
                self.call(tool, input)?;
                self.news()
            }
        };
        let entries = journal::read(&self.stage.books()).split_off(seen);
        let reaction = reaction(&entries, self.exit_code(act));
        if reaction.got == Expect::Hold && !matches!(act, Act::Prompt(_)) {
            let line = reaction.said.lines().next().unwrap_or_default();
            if !shown.as_ref().is_some_and(|shown| shown.contains(line)) {
                return Err(ClientError::HoldNotShown { shown }.into());
            }
        }
        if matches!(act, Act::Call { .. }) && shown.is_none() {
            return Err(ClientError::EndedDuringCall { printed: self.printed() }.into());
        }
        Ok(reaction)
    }

    /// Calls a tool. Claude Code edits only files that it has read.
    fn call(&mut self, tool: &str, input: &Map<String, Json>) -> Result<(), DemoError> {
        let text = |name: &str| input.get(name).and_then(Json::as_str).unwrap_or_default();
        let mut input = input.clone();
        if input.contains_key("file_path") {
            let path = self.stage.root.join(text("file_path"));
            if path.is_file() {
                self.say(Block::Call { tool: "Read".into(), input: json!({"file_path": path}) })?;
            }
            input.insert("file_path".into(), json!(path));
        }
        if input.contains_key("subagent_type") {
            let answer = input.remove("answer").and_then(|answer| Some(answer.as_str()?.to_owned()));
            self.model.delegate(text("prompt"), answer.as_deref().unwrap_or("done"));
            input.insert("description".into(), json!("work"));
            input.insert("run_in_background".into(), json!(false));
        }
        if input.contains_key("command") {
            input.insert("description".into(), json!("work"));
        }
        self.say(Block::Call { tool: tool.to_owned(), input: Json::Object(input) })
    }

    /// Gives the model's answer, and waits for its next turn.
    fn say(&mut self, block: Block) -> Result<(), DemoError> {
        if self.turn.is_none() {
            self.begin(GO_ON)?;
        }
        let turn = self.turn.take().ok_or_else(|| ClientError::Ended { printed: self.printed() })?;
        turn.answer(block);
        self.wait()
    }

    /// Starts the client with a prompt, in the existing session if there is one.
    fn begin(&mut self, prompt: &str) -> Result<(), DemoError> {
        if self.running.is_some() {
            return Err(ClientError::Busy.into());
        }
        let failed = |source| DemoError::File { path: self.program.clone(), source };
        let mut client = self.stage.command(&self.program);
        client.args(["-p", prompt, if self.has_session { "--resume" } else { "--session-id" }, SESSION]);
        client.args(["--dangerously-skip-permissions", "--output-format", "json", "--model", "sonnet"]);
        let name = self.stage.workflow.as_str();
        client.arg("--plugin-dir").arg(self.stage.tools.join("plugin").join(name));
        client.envs(environment(&self.model.url())).env_remove(crate::env_vars::SESSIONS[0]);
        let output = std::fs::File::create(self.output()).map_err(failed)?;
        client.stdin(Stdio::null()).stderr(output.try_clone().map_err(failed)?).stdout(output);
        process_group::own(&mut client);
        self.running = Some(client.spawn().map_err(failed)?);
        self.has_session = true;
        self.wait()
    }

    /// Waits until it is the model's turn, or the client has ended.
    fn wait(&mut self) -> Result<(), DemoError> {
        let started = Instant::now();
        while let Some(child) = &mut self.running {
            match self.turns.recv_timeout(GLANCE) {
                Ok(turn) => {
                    self.turn = Some(turn);
                    return Ok(());
                }
                Err(RecvTimeoutError::Disconnected) => return Err(ClientError::ModelGone.into()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.stage.go_on()?;
            if let Some(status) = child.try_wait()? {
                process_group::kill(child);
                self.running = None;
                if !status.success() {
                    return Err(ClientError::Failed { status, printed: self.printed() }.into());
                }
            } else if started.elapsed() > PATIENCE {
                return Err(ClientError::Timeout { printed: self.printed() }.into());
            }
        }
        Ok(())
    }

    /// Returns what the client last showed the model, or `None` if the client has ended.
    fn news(&self) -> Option<String> {
        self.turn.as_ref().map(Turn::news)
    }

    /// Returns the shell's exit code, as the client shows it to the model.
    fn exit_code(&self, act: &Act) -> Option<i32> {
        let is_shell = matches!(act, Act::Call { tool, .. } if tool == "Bash");
        let (text, is_error) = self.turn.as_ref().filter(|_| is_shell)?.result()?;
        let code =
            text.trim_start().strip_prefix("Exit code ").and_then(|rest| rest.lines().next()?.parse().ok());
        if is_error { code } else { Some(0) }
    }

    fn output(&self) -> PathBuf {
        self.stage.home.join("client.out")
    }

    /// Returns the client's output.
    fn printed(&self) -> String {
        std::fs::read_to_string(self.output()).unwrap_or_default()
    }
}

impl Drop for Client<'_> {
    fn drop(&mut self) {
        if let Some(mut child) = self.running.take() {
            process_group::kill(&child);
            let _ = child.wait();
        }
    }
}

/// Loads the workflow for the plugin.
fn source(stage: &Stage) -> Result<Source, DemoError> {
    let own = stage.root.join(".holdpoint/workflows").join(&stage.workflow);
    if own.is_dir() {
        let files = crate::store::tree::texts(&own)?;
        let workflow = catalog::load(&stage.workflow, &own).map_err(|unusable| unusable.why)?;
        return Ok(Source { workflow, files });
    }
    let built_in = catalog::named(&stage.workflow).ok_or(DemoError::UnknownWorkflow)?;
    let files = built_in.files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    Ok(Source { workflow: built_in.workflow.clone(), files })
}

/// Variables that make the client talk only to the scripted model: no account, no other traffic.
fn environment(url: &str) -> Vec<(&'static str, String)> {
    let proxies =
        ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map(|name| (name, url.to_owned()));
    let switches = [
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "DISABLE_TELEMETRY",
        "DISABLE_ERROR_REPORTING",
        "DISABLE_AUTOUPDATER",
        "IS_SANDBOX",
    ];
    let mut all = vec![("ANTHROPIC_BASE_URL", url.to_owned()), ("ANTHROPIC_API_KEY", "none".to_owned())];
    all.extend([("NO_PROXY", "127.0.0.1".to_owned()), ("no_proxy", "127.0.0.1".to_owned())]);
    all.push(("CLAUDE_CODE_MAX_RETRIES", "0".to_owned()));
    all.extend(proxies);
    all.extend(switches.map(|name| (name, "1".to_owned())));
    all
}

/// Reads a step's result from the journal.
fn reaction(entries: &[Entry], exit: Option<i32>) -> Reaction {
    let last_line = String::new();
    let said = |kind: Speech| {
        let rules = entries.iter().flat_map(|entry| &entry.rules).filter(|rule| rule.kind == kind);
        rules.map(|rule| rule.text.trim_end()).collect::<Vec<_>>().join("\n")
    };
    let decided = |decision: Decision| entries.iter().any(|entry| entry.decision == decision);
    let (got, said) = if decided(Decision::Hold) {
        (Expect::Hold, said(Speech::Hold))
    } else if decided(Decision::Witness) || decided(Decision::Release) {
        (Expect::Warn, said(Speech::Witness))
    } else {
        (Expect::Pass, String::new())
    };
    Reaction { got, said, exit, last_line }
}

fn put(file: &Path, text: &str) -> Result<(), DemoError> {
    let failed = |source| DemoError::File { path: file.to_path_buf(), source };
    file.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
    atomic::replace(file, text.as_bytes()).map_err(failed)
}
