//! Runs a registered command as its agent would, in a temporary project: once it must allow, once it must hold.

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use holdpoint_core::event::Moment;
use serde_json::Value as Json;
use thiserror::Error;

use super::payload::payload;
use super::registered::Hook;
use crate::allow::content::{Content, ContentError};
use crate::cli::Context;
use crate::env::StateOf;
use crate::env_vars::{ALLOW, REVIEWER, SHELL, XDG_STATE_HOME};
use crate::error::in_full;
use crate::install::host::{Host, Runs};
use crate::layers::Layers;
use crate::program::{self, Channels, How};
use crate::store::books::Books;
use crate::store::folder::Access;
use crate::store::journal::Decision;
use crate::store::{atomic, journal, layout};

/// The longest time that a hook may take here.
const DEADLINE: Duration = Duration::from_secs(20);
/// The variables in which agents give their hooks the session's folder.
const BEGUN: [&str; 3] = ["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR"];
/// The text of the hold.
const MARK: &str = "held-by-holdpoint-doctor";
/// A workflow that holds every event while its state says so.
const WORKFLOW: &str = r#"
about = "Holds while the state says so."
[run]
home  = ".doctor"
state = ".doctor/state.json"
[holds.doctor]
on   = ["before", "after", "stop", "prompt", "start", "subagent-stop", "task-created", "task-completed",
  "permission", "settings"]
when = "state.locked"
say  = "held-by-holdpoint-doctor"
"#;

/// The settings that enable it.
const SETTINGS: &str = "workflows = [\"doctors-trial\"]\n";

/// The result of a trial.
#[derive(Debug, Default)]
pub(super) struct Trial {
    /// Whether the hook allows the event that must be allowed.
    pub(super) allows: bool,
    /// Whether the hook holds the event that must be held.
    pub(super) holds: bool,
    /// The problem, if there is one.
    pub(super) why: Option<String>,
}

/// The reason why a trial has no result.
#[derive(Debug, Error)]
enum TrialError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("{}", in_full(.0))]
    Content(ContentError),
    #[error("it ended with {status}: {said}")]
    Exit { status: ExitStatus, said: String },
    #[error("it did not answer within {} seconds", DEADLINE.as_secs())]
    Late,
    #[error("it was interrupted")]
    Interrupted,
}

/// Tries a hook.
pub(super) fn run(context: &Context, host: &Host, hook: &Hook, moment: Moment) -> Trial {
    match try_hook(context, host, hook, moment) {
        Ok(trial) => trial,
        Err(error) => Trial { why: Some(error.to_string()), ..Trial::default() },
    }
}

fn try_hook(context: &Context, host: &Host, hook: &Hook, moment: Moment) -> Result<Trial, TrialError> {
    let temporary = tempfile::Builder::new().prefix("holdpoint-doctor-").tempdir()?;
    let root = temporary.path().canonicalize()?;
    let workflow = layout::workflows(&root).join("doctors-trial/workflow.toml");
    layout::prepare(&root, &workflow)
        .and_then(|project| project.create(&workflow, WORKFLOW.as_bytes(), Access::Users))
        .map_err(std::io::Error::from)?;
    // Whatever the user's list of workflows says: the nearest one counts.
    let settings = layout::config(&root);
    layout::prepare(&root, &settings)
        .and_then(|project| project.create(&settings, SETTINGS.as_bytes(), Access::Users))
        .map_err(std::io::Error::from)?;
    let allowed = Content::read(&root).map_err(TrialError::Content)?.digest();
    let state = root.join(".doctor/state.json");
    std::fs::create_dir(root.join(".doctor"))?;
    let event = payload(host, &hook.event, moment, hook.matcher.as_deref(), &root).to_string();
    let kept = root.join(".doctor/kept");
    let books = || Books::of(&root, &StateOf(kept.clone()));
    let asked = |locked: bool| {
        let text = serde_json::json!({"locked": locked}).to_string();
        atomic::replace(&state, text.as_bytes())?;
        // What it keeps of a project that is gone in a moment is not kept with the user's.
        ask(command(context, host, hook).env(ALLOW, &allowed).env(XDG_STATE_HOME, &kept), &root, &event)
    };
    let free = asked(false)?;
    let held = asked(true)?;
    if !may_hold(context, &root) {
        return Ok(by_fault(&books()));
    }
    if host.ignores_output_at.contains(&moment) {
        return Ok(by_journal(&books()));
    }
    let why = problem(&free, &held);
    Ok(Trial { allows: !free.contains(MARK), holds: held.contains(MARK) && why.is_none(), why })
}

/// Returns whether the layers above let the project's workflow hold anything.
fn may_hold(context: &Context, root: &Path) -> bool {
    let configuration = Layers::of(context.env.as_ref()).unjudged(Some(root));
    configuration.own("doctors-trial").is_some() && configuration.effective.enables("doctors-trial")
}

/// Judges by the fault that the hook leaves, where a project's own workflows are switched off: it found the project, and
/// said what keeps it from holding.
fn by_fault(books: &Books) -> Trial {
    let holds = journal::read(books).iter().any(|entry| entry.decision == Decision::Fault);
    Trial { allows: true, holds, why: (!holds).then(|| "it wrote no journal".to_owned()) }
}

/// Returns what is wrong with the answers to the event that must be allowed and to the one that must be held.
fn problem(free: &str, held: &str) -> Option<String> {
    if free.contains(MARK) {
        Some("it holds an event that it must allow".to_owned())
    } else if !held.contains(MARK) {
        Some(format!("it answered {}", in_short(held)))
    } else if serde_json::from_str::<Json>(held).is_err() {
        Some("a shell's profile prints text around the answer, so the agent cannot read it".to_owned())
    } else {
        None
    }
}

/// Judges by the journal, for moments at which the agent ignores the hook's output.
fn by_journal(books: &Books) -> Trial {
    let events = journal::read(books).into_iter().filter(|entry| entry.kind.is_event());
    let decisions: Vec<Decision> = events.map(|entry| entry.decision).collect();
    let holds = decisions == [Decision::None, Decision::Hold];
    let why = (!holds).then(|| {
        format!("its journal has {:?}", decisions.iter().map(|decision| decision.name()).collect::<Vec<_>>())
    });
    Trial { allows: decisions.first().is_some_and(|first| *first == Decision::None), holds, why }
}

/// Returns the command as the agent starts it.
fn command(context: &Context, host: &Host, hook: &Hook) -> Command {
    let shell = |program: &str, flag: &str| {
        let mut command = Command::new(program);
        command.args([flag, &hook.line.text]);
        command
    };
    if hook.line.is_exec {
        let args = hook.entry.get("args").and_then(Json::as_array).into_iter().flatten();
        let mut command = Command::new(&hook.line.program);
        command.args(args.filter_map(Json::as_str));
        return command;
    }
    match host.runs {
        Runs::Shell => shell("sh", "-c"),
        Runs::Bash => shell("bash", "-c"),
        Runs::LoginShell => shell(&context.env.var(SHELL).unwrap_or_else(|| "sh".to_owned()), "-lc"),
    }
}

/// Runs the command and returns its output. An error if it fails.
fn ask(command: &mut Command, root: &Path, event: &str) -> Result<String, TrialError> {
    let errors = root.join("errors");
    let stderr = std::fs::File::create(&errors).map_or_else(|_| Stdio::null(), Stdio::from);
    command.current_dir(root).stderr(stderr).env_remove(REVIEWER);
    command.envs(BEGUN.map(|name| (name, root)));
    let ended = program::run(command, Some(event.to_owned()), DEADLINE, Channels::Output)?;
    let said = std::fs::read(&errors).unwrap_or_default();
    let said = in_short(&String::from_utf8_lossy(&said));
    match ended.how {
        // The one way to hold an event that heeds no answer.
        How::Exit(status) if status.code() == Some(2) && said.contains(MARK) => {
            Ok(Json::from(said).to_string())
        }
        How::Exit(status) if status.success() => Ok(String::from_utf8_lossy(&ended.output).into_owned()),
        How::Exit(status) => Err(TrialError::Exit { status, said }),
        How::Late => Err(TrialError::Late),
        How::Interrupted => Err(TrialError::Interrupted),
    }
}

fn in_short(text: &str) -> String {
    const CHARS_MAX: usize = 200;
    match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => line.chars().take(CHARS_MAX).collect(),
        None => "nothing".to_owned(),
    }
}
