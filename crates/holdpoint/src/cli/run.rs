//! `holdpoint run`: starts an agent in a fence, and keeps its proofs outside of it.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;

use super::Context;
use crate::error::{CommandError, Kind};
use crate::fence::FenceError;
use crate::user;

/// Run an agent in a fence, and keep what it proves outside
///
/// Holdpoint stays outside of the fence as the keeper: it answers the agent's hooks, performs checks, reviews and commits, and
/// records them. Inside, Holdpoint's own files can be read, not written. The evidence has the level `fenced`. Ends with the
/// agent, with the agent's exit code.
///
/// Needs Linux and bubblewrap. Without them, says why and starts the agent without a fence; the evidence is then `kept`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint run claude                       Claude Code in a fence
  holdpoint run -- claude --resume           with options of its own
  holdpoint run --require -- claude -p 'go'  in a fence or not at all")]
pub(super) struct Arguments {
    /// Do not start the agent if there can be no fence
    #[arg(long)]
    require: bool,
    /// The agent's program and its arguments
    #[arg(value_name = "PROGRAM", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<ExitCode, CommandError> {
    user::refuse_agents(context.env.as_ref(), "run")?;
    let name = arguments.words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    if !name.contains('/') && context.env.program(&name).is_none() {
        return Err(CommandError::new(Kind::Files, format!("there is no program `{name}` on PATH"))
            .hinted("install it, or give its path: holdpoint run /path/to/agent"));
    }
    match in_fence(context, &arguments.words) {
        Ok(code) => Ok(ExitCode::from(code)),
        Err(error) if arguments.require => {
            let hint = error.hint();
            Err(CommandError::new(Kind::Failed, format!("{name} was not started: {error}")).hinted(hint))
        }
        Err(error) => {
            context.ui.note(format!("warning: no fence: {error}"));
            context.ui.note(format!("hint: {}", error.hint()));
            context.ui.note(format!("{name} runs without one: what it proves is `kept`, not `fenced`."));
            unfenced(&arguments.words)
        }
    }
}

/// Runs the agent in a fence. Fails only if it was not started.
#[cfg(target_os = "linux")]
fn in_fence(context: &Context, words: &[OsString]) -> Result<u8, FenceError> {
    crate::fence::keeper::Fence::prepare(context.env.as_ref(), &context.cwd)?.run(words)
}

#[cfg(not(target_os = "linux"))]
fn in_fence(_: &Context, _: &[OsString]) -> Result<u8, FenceError> {
    Err(FenceError::System)
}

/// Becomes the agent, without a fence.
#[cfg(unix)]
fn unfenced(words: &[OsString]) -> Result<ExitCode, CommandError> {
    use std::os::unix::process::CommandExt;
    let Some((program, args)) = words.split_first() else { return Ok(ExitCode::SUCCESS) };
    let error = std::process::Command::new(program).args(args).exec();
    Err(CommandError::new(Kind::Files, format!("{} cannot be started: {error}", program.display())))
}

/// Runs the agent, without a fence.
#[cfg(not(unix))]
fn unfenced(words: &[OsString]) -> Result<ExitCode, CommandError> {
    let Some((program, args)) = words.split_first() else { return Ok(ExitCode::SUCCESS) };
    let status = std::process::Command::new(program).args(args).status()?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}
