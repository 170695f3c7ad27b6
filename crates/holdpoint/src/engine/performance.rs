//! A command of ours that an agent types is performed by the hook that sees the call: with the client's surroundings, which
//! the agent's shell cannot change. The shell only shows what came of it.

use std::path::Path;
use std::sync::Arc;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::shell::plain_words;
use holdpoint_core::tool::{Tool, ToolKind};
use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::command::Command;
use serde_json::Value as Json;

use super::Call;
use super::command::{Typed, choice, words};
use super::delegation;
use crate::agent::{Asked, Protocol};
use crate::catalog::Origin;
use crate::error::CommandError;
use crate::project::{Found, Run};
use crate::store::receipt::{self, Receipt};

/// Returns whether something may be performed, recorded or taken for the user's word at this event: then it matters who
/// calls.
pub(super) fn may_act(event: &Event, found: &Found) -> bool {
    match event.moment {
        Moment::Start | Moment::Prompt => true,
        Moment::Before => {
            let is_ours = |text: std::borrow::Cow<'_, str>| ours(&text).is_some();
            event.tool.as_ref().and_then(Tool::command).is_some_and(is_ours)
                || delegation::is_one(event, found)
        }
        // Whoever says that a shell call is over could say so before it does what it does.
        Moment::After => found.runs.iter().any(|run| run.workflow.hears(event) || ends_call(event, run)),
        Moment::Beside(_) => {
            found.runs.iter().any(|run| run.workflow.rules_for(event, None).next().is_some())
        }
        Moment::Stop => {
            found.runs.iter().any(|run| !run.workflow.phases.is_empty() || run.workflow.run.watch.is_any())
        }
    }
}

fn ends_call(event: &Event, run: &Run) -> bool {
    let is_shell = event.tool.as_ref().is_some_and(|tool| tool.kind() == ToolKind::Shell);
    is_shell && run.workflow.run.watch.is_any()
}

/// Performs the command that a tool call consists of, if it is one for hooks. Returns the tool's input by which the shell
/// shows what came of it, if the agent takes another than its own.
pub(super) fn perform(call: &Call<'_>, asked: &Asked, event: &Event) -> Option<Json> {
    if event.moment != Moment::Before || call.options.protocol == Protocol::Legacy {
        return None;
    }
    let tool = event.tool.as_ref()?;
    let words = ours(&tool.command()?)?;
    // What a plan says is not to be done yet.
    if asked.is_planning {
        return None;
    }
    let key = ["command", "cmd"].into_iter().find(|key| tool.input[*key].is_string());
    let session = event.session.as_deref().unwrap_or_default();
    let typed = Named::read(call, event, &words)?;
    if !receipt::begin(call.env.as_ref(), session, asked.call_id.as_deref()) {
        return None;
    }
    let receipt = Receipt::from(typed.perform(call, event));
    let Some(key) = key.filter(|_| asked.agent.takes_other_input()) else {
        let call_made = receipt::Call { session, cwd: &event.cwd, words: &words };
        let _ = receipt.keep_for(call.env.as_ref(), &call_made);
        return None;
    };
    let id = receipt.keep(call.env.as_ref()).ok()?;
    let mut input = tool.input.clone();
    input[key] = Json::String(format!("{} receipt {id}", program()));
    Some(input)
}

/// Returns the words after our program's name, if the command is nothing but a call of ours.
fn ours(command: &str) -> Option<Vec<String>> {
    // Most commands do not name us, and need not be read.
    let may_be = command.contains("holdpoint");
    let mut words = may_be.then(|| plain_words(command)).flatten()?;
    let program = words.remove(0);
    let is_name = program == "holdpoint";
    (is_name || is_this_program(Path::new(&program))).then_some(words)
}

fn is_this_program(path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    path.is_absolute() && std::env::current_exe().is_ok_and(|own| real(&own) == real(path))
}

/// This program, as a shell calls it whatever its PATH is.
fn program() -> String {
    let own = std::env::current_exe().unwrap_or_else(|_| "holdpoint".into());
    format!("'{}'", own.display().to_string().replace('\'', r"'\''"))
}

/// A workflow's command that is for hooks.
struct Named {
    workflow: Arc<Workflow>,
    origin: Origin,
    command: Command,
    words: words::Words,
}

impl Named {
    /// Reads the words after our name. What is wrong with them the shell says.
    fn read(call: &Call<'_>, event: &Event, words: &[String]) -> Option<Named> {
        let [name, wanted, rest @ ..] = words else { return None };
        if call.options.workflow.as_deref().is_some_and(|only| only != name) {
            return None;
        }
        let chosen = choice::workflow(Path::new(&event.cwd), call.env.as_ref(), name).ok()??;
        let choice::Choice { workflow, origin } = chosen;
        let command = workflow.commands.iter().find(|command| command.name == *wanted)?.clone();
        let is_meant = workflow.is_for_hooks(&command) && !command.is_users;
        let words = words::read(name, &command, rest).ok().filter(|_| is_meant)?;
        Some(Named { workflow, origin, command, words })
    }

    fn perform(self, call: &Call<'_>, event: &Event) -> Result<String, CommandError> {
        let Named { workflow, origin, command, words } = self;
        let cwd = Path::new(&event.cwd);
        let session = event.session.clone();
        let (command, env, is_confirmed) = (&command, &call.env, false);
        Typed { workflow: &workflow, origin, command, words, cwd, env, session, is_confirmed }.perform()
    }
}
