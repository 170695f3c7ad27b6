//! A demo inside a real client: the client calls the tools and the hooks, and the script plays the model.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use holdpoint_core::workflow::step::Delivery;
use serde_json::{Map, Value as Json, json};

use super::agent::Reaction;
use super::dialect::Dialect;
use super::error::{ClientError, DemoError};
use super::model::{Block, Model, Turn};
use super::script::{Act, Expect, Script};
use super::stage::Stage;
use crate::catalog;
use crate::plugin::Source;
use crate::process_group;
use crate::store::atomic;
use crate::store::journal::{self, Decision, Entry, Speech};

/// The longest time that the client may take for a turn.
const PATIENCE: Duration = Duration::from_mins(5);
/// How often it is polled meanwhile.
const GLANCE: Duration = Duration::from_millis(20);
/// The user's prompt where the script has none.
const GO_ON: &str = "Go on.";

/// The client, which runs from a prompt to the Stop that is allowed.
#[derive(Debug)]
pub(super) struct Client<'a> {
    stage: &'a Stage,
    dialect: Dialect,
    program: PathBuf,
    model: Model,
    turns: Receiver<Turn>,
    running: Option<Child>,
    /// The model's turn, until it answers.
    turn: Option<Turn>,
    has_session: bool,
    /// The rules that speak to the journal alone.
    silent: Vec<String>,
}

impl<'a> Client<'a> {
    /// Prepares the client: its hooks, its settings and its model.
    pub(super) fn new(
        script: &Script,
        stage: &'a Stage,
        dialect: Dialect,
        program: &Path,
    ) -> Result<Client<'a>, DemoError> {
        let (model, turns) = Model::start()?;
        dialect.prepare(script, stage, &model.url())?;
        let program = program.to_owned();
        let rules = source(stage)?.workflow.rules;
        let silent = rules.iter().filter(|rule| rule.step.delivery == Delivery::Log);
        let silent = silent.map(|rule| rule.name.to_string()).collect();
        Ok(Client {
            stage,
            dialect,
            program,
            model,
            turns,
            running: None,
            turn: None,
            has_session: false,
            silent,
        })
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
        let reaction = reaction(&entries, &self.silent, self.exit_code(act));
        if reaction.got == Expect::Hold && !matches!(act, Act::Prompt(_)) {
            let line = reaction.said.lines().next().unwrap_or_default();
            // The journal has the paths without the project's own.
            let books = self.stage.books();
            let home = books.home().to_string_lossy();
            if !shown.as_deref().is_some_and(|shown| journal::below(&home, shown).contains(line)) {
                return Err(ClientError::HoldNotShown { shown }.into());
            }
        }
        if matches!(act, Act::Call { .. }) && shown.is_none() {
            return Err(ClientError::EndedDuringCall {
                title: self.dialect.title(),
                printed: self.printed(),
            }
            .into());
        }
        Ok(reaction)
    }

    /// Calls a tool. Claude Code edits only files that it has read.
    fn call(&mut self, tool: &str, input: &Map<String, Json>) -> Result<(), DemoError> {
        let text = |name: &str| input.get(name).and_then(Json::as_str).unwrap_or_default();
        let mut input = input.clone();
        let path = self.stage.root.join(text("file_path"));
        if self.dialect == Dialect::Claude && input.contains_key("file_path") && path.is_file() {
            self.say(Block::Call { tool: "Read".into(), input: json!({"file_path": path}) })?;
        }
        let is_delegation = input.contains_key("subagent_type");
        if is_delegation {
            let answer = input.remove("answer").and_then(|answer| Some(answer.as_str()?.to_owned()));
            let answer = self.dialect.report(answer.as_deref().unwrap_or("done"));
            self.model.delegate(input["prompt"].as_str().unwrap_or_default(), answer);
        }
        self.say(self.dialect.call(self.stage, tool, &input))?;
        match self.news().filter(|_| is_delegation).and_then(|news| self.dialect.wait(&news)) {
            Some(wait) => self.say(wait),
            None => Ok(()),
        }
    }

    /// Gives the model's answer, and waits for its next turn.
    fn say(&mut self, block: Block) -> Result<(), DemoError> {
        if self.turn.is_none() {
            self.begin(GO_ON)?;
        }
        let turn = self
            .turn
            .take()
            .ok_or_else(|| ClientError::Ended { title: self.dialect.title(), printed: self.printed() })?;
        turn.answer(block);
        self.wait()
    }

    /// Starts the client with a prompt, in the existing session if there is one.
    fn begin(&mut self, prompt: &str) -> Result<(), DemoError> {
        if self.running.is_some() {
            return Err(ClientError::Busy.into());
        }
        let failed = |source| DemoError::File { path: self.program.clone(), source };
        let url = self.model.url();
        let mut client = self.dialect.command(self.stage, &self.program, prompt, self.has_session, &url);
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
                    return Err(ClientError::Failed {
                        title: self.dialect.title(),
                        status,
                        printed: self.printed(),
                    }
                    .into());
                }
            } else if started.elapsed() > PATIENCE {
                return Err(
                    ClientError::Timeout { title: self.dialect.title(), printed: self.printed() }.into()
                );
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
        self.dialect.exit_code(&text, is_error)
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
pub(super) fn source(stage: &Stage) -> Result<Source, DemoError> {
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

/// Reads a step's result from the journal, which also has what the `silent` rules say to nobody else.
fn reaction(entries: &[Entry], silent: &[String], exit: Option<i32>) -> Reaction {
    let last_line = String::new();
    let said = |kind: Speech| {
        let rules = entries.iter().flat_map(|entry| &entry.rules).filter(|rule| rule.kind == kind);
        let rules = rules.filter(|rule| !silent.contains(&rule.rule));
        rules.map(|rule| rule.text.trim_end()).collect::<Vec<_>>().join("\n")
    };
    let is_heard = |entry: &Entry| {
        let is_silent = !entry.rules.is_empty() && entry.rules.iter().all(|rule| silent.contains(&rule.rule));
        entry.decision == Decision::Witness && !is_silent
    };
    let decided = |decision: Decision| entries.iter().any(|entry| entry.decision == decision);
    let (got, said) = if decided(Decision::Hold) {
        (Expect::Hold, said(Speech::Hold))
    } else if entries.iter().any(is_heard) || decided(Decision::Release) {
        (Expect::Warn, said(Speech::Witness))
    } else {
        (Expect::Pass, String::new())
    };
    Reaction { got, said, exit, last_line }
}

pub(super) fn put(file: &Path, text: &str) -> Result<(), DemoError> {
    let failed = |source| DemoError::File { path: file.to_path_buf(), source };
    file.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
    atomic::replace(file, text.as_bytes()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::journal::Spoken;

    #[test]
    fn what_goes_to_the_journal_alone_is_no_warning() {
        let spoken = |rule: &str| Spoken { rule: rule.into(), text: format!("{rule}!"), ..Spoken::default() };
        let entry = |rules: &[&str]| Entry {
            decision: Decision::Witness,
            rules: rules.iter().map(|rule| spoken(rule)).collect(),
            ..Entry::default()
        };
        let silent = ["log".to_owned()];
        let got = |rules: &[&str]| {
            let reaction = reaction(&[entry(rules)], &silent, None);
            (reaction.got, reaction.said)
        };
        assert_eq!(got(&["log"]), (Expect::Pass, String::new()));
        assert_eq!(got(&["log", "look"]), (Expect::Warn, "look!".to_owned()));
        assert_eq!(got(&[]), (Expect::Warn, String::new()));
    }
}
