//! `holdpoint statusline`: prints one line about the runs here, for an agent's status line. It runs every few seconds,
//! so it is dispatched before clap, like the hook, and reads no more than it shows.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::Facts;
use holdpoint_core::workflow::Text;
use serde_json::Value as Json;

use super::phrase;
use crate::engine::standing;
use crate::env::{Env, ProcessEnv};
use crate::hook::input::{self, Input};
use crate::project::{self, Run};
use crate::ui::blanked;

/// The most characters of a phase or a rule.
const PART_CHARS_MAX: usize = 60;

/// Print one line about the runs, for Claude Code to show
///
/// The line has the workflow, the phase, the round, and what is going on now. Reads the agent's JSON from standard input. Prints nothing if no workflow is active.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  In Claude Code's settings.json:
    \"statusLine\": {\"type\": \"command\",
      \"command\": \"holdpoint statusline\", \"refreshInterval\": 2}
  By hand:
    echo '{}' | holdpoint statusline")]
pub(super) struct Arguments {}

/// Prints the line. Always exits with 0, because a status line is no place for errors.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|_| leave()));
    let env: Arc<dyn Env> = Arc::new(ProcessEnv);
    let (folder, session) = folder_and_session(env.as_ref());
    let found = project::find(&folder, &env, session.as_deref(), None);
    let parts: Vec<String> = found.runs.iter().map(|run| part(run, &folder, &env)).collect();
    if !parts.is_empty() {
        let _ = writeln!(std::io::stdout(), "{}", blanked(&parts.join(" | ")));
    }
    ExitCode::SUCCESS
}

#[expect(clippy::exit, reason = "with panic = \"abort\" this is the only way to leave with 0")]
fn leave() {
    std::process::exit(0);
}

/// Reads the agent's folder and session from standard input. The default is the current folder.
fn folder_and_session(env: &dyn Env) -> (PathBuf, Option<String>) {
    let own = || std::env::current_dir().unwrap_or_default();
    if std::io::stdin().is_terminal() {
        return (own(), None);
    }
    let json = match input::read(input::patience(env)) {
        Input::Whole(bytes) | Input::Late(bytes) => holdpoint_core::json::first(&bytes).unwrap_or_default(),
        Input::TooLarge | Input::Broken(_) => Json::Null,
    };
    let text = |pointer: &str| json.pointer(pointer).and_then(Json::as_str).filter(|text| !text.is_empty());
    let folder = text("/workspace/current_dir").or(text("/cwd")).map(PathBuf::from);
    (folder.unwrap_or_else(own), text("/session_id").map(str::to_owned))
}

/// Renders one run.
fn part(run: &Run, folder: &Path, env: &Arc<dyn Env>) -> String {
    let event = Arc::new(Event::from_shell(Moment::Start, &folder.to_string_lossy()));
    let facts = run.facts(event, Arc::clone(env));
    let mut words = vec![run.workflow.name.to_string()];
    let phase = run.workflow.run.shows.as_ref().and_then(|source| phase(&facts, source));
    let standing = standing::of(run, &facts);
    words.extend(phase.map(|phase| short(&phase)));
    words.extend(standing.round.map(|round| format!("round {round}")));
    words.extend(standing.condition().in_short(phrase::since).map(|text| short(&text)));
    words.join(" · ")
}

/// Evaluates the phase as `status` shows it. An unreadable state gets a short note.
fn phase(facts: &Arc<Facts>, source: &Text) -> Option<String> {
    facts.shown(source).unwrap_or_else(|_| Some("state unreadable".to_owned()))
}

fn short(text: &str) -> String {
    phrase::printable(text).chars().take(PART_CHARS_MAX).collect()
}
