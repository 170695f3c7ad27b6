//! The side inside the fence: a hook and some commands are answered by the keeper outside.
//!
//! Invariant: where the keeper does not answer, nothing is judged here in its place. What a gate could hold is held.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::env::Env;

/// The commands that the keeper answers: they read what is kept. All others read the project, or are the user's.
#[cfg(target_os = "linux")]
const READING: [&str; 5] = ["evidence", "log", "stats", "status", "why"];

/// Returns whether the keeper answers a command: a reading one, or a workflow's.
#[cfg(target_os = "linux")]
pub(super) fn is_answered_outside(args: &[String]) -> bool {
    let first = args.first().map(String::as_str).unwrap_or_default();
    let is_own = || crate::cli::names().iter().any(|name| name == first);
    READING.contains(&first) || !first.is_empty() && !first.starts_with('-') && !is_own()
}

/// Has the keeper answer a hook.
#[cfg(target_os = "linux")]
pub fn hook(env: &dyn Env, keeper: &str, args: impl Iterator<Item = OsString>) -> ExitCode {
    linux::hook(env, keeper, args.map(|arg| arg.to_string_lossy().into_owned()).collect())
}

/// There is no fence on other systems, so the variable means nothing.
#[cfg(not(target_os = "linux"))]
pub fn hook(_: &dyn Env, _: &str, args: impl Iterator<Item = OsString>) -> ExitCode {
    crate::hook::here(args)
}

/// Has the keeper answer a command. None if it is not for the keeper.
#[cfg(target_os = "linux")]
pub fn command(env: &dyn Env, args: &[OsString]) -> Option<ExitCode> {
    linux::command(env, args)
}

/// There is no fence on other systems.
#[cfg(not(target_os = "linux"))]
pub fn command(_: &dyn Env, _: &[OsString]) -> Option<ExitCode> {
    None
}

#[cfg(target_os = "linux")]
pub use linux::become_client;

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsString;
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Command, ExitCode};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use holdpoint_core::event::Moment;
    use serde_json::Value as Json;

    use crate::agent::{self, Agent, Answer, Otherwise};
    use crate::engine::Reply;
    use crate::env::{Env, ProcessEnv};
    use crate::env_vars::KEEPER;
    use crate::error::{CommandError, Kind};
    use crate::fence::call::{self, Answered, Call, Wanted};
    use crate::hook::input::{self, Input};
    use crate::hook::options::Options;
    use crate::ui::Ui;

    /// Asks the keeper.
    fn ask(env: &dyn Env, keeper: &str, kind: Wanted, args: Vec<String>) -> io::Result<Answered> {
        let mut stream = call::connect(Path::new(keeper))?;
        let variables = call::passed().filter_map(|name| Some((name.to_owned(), env.var(name)?))).collect();
        let cwd = std::env::current_dir()?;
        call::make(&mut stream, &Call { kind, args, cwd, variables })
    }

    pub(super) fn hook(env: &dyn Env, keeper: &str, args: Vec<String>) -> ExitCode {
        let why = match ask(env, keeper, Wanted::Hook, args.clone()) {
            Ok(Answered::Exit(code)) => return ExitCode::from(code),
            Ok(Answered::Refused(why)) => why,
            Err(error) => error.to_string(),
        };
        crate::hook::print(&held(env, &args, &why));
        ExitCode::SUCCESS
    }

    /// Holds what a gate could hold, because nobody can judge it.
    fn held(env: &dyn Env, args: &[String], why: &str) -> Reply {
        let text = format!(
            "HOLDPOINT IS OUT OF REACH: this agent runs in a fence, and the fence's keeper does not answer ({why}), so \
             nothing can be judged.\nEnd your turn, and tell the user to end this session and to start it again with: \
             holdpoint run"
        );
        let read = match input::read(input::patience(env)) {
            Input::Whole(bytes) | Input::Late(bytes) => holdpoint_core::json::first(&bytes).ok(),
            Input::TooLarge | Input::Broken(_) => None,
        };
        let options = Options::read(args.iter().map(OsString::from)).unwrap_or_default();
        let held = read.and_then(|payload: Json| {
            let agent = Agent::recognise(options.agent, &payload);
            let (asked, event) = agent::event(agent, &payload, &Otherwise { cwd: "/", moment: None })?;
            // Nobody is trapped: a Stop is held once.
            let was_held = payload.get("stop_hook_active").and_then(Json::as_bool) == Some(true);
            let can_hold = event.moment == Moment::Before || event.moment == Moment::Stop && !was_held;
            let answer = Answer { hold: Some(text.clone()), ..Answer::default() };
            can_hold.then(|| agent::render(&answer, &asked, event.moment, options.protocol)).flatten()
        });
        match held {
            Some(json) => {
                Reply { stdout: format!("{json}\n"), stderr: format!("{text}\n"), ..Reply::default() }
            }
            None => Reply::to_user(&text),
        }
    }

    fn unanswered(why: &str) -> CommandError {
        CommandError::new(Kind::Files, format!("the keeper of this fence does not answer: {why}"))
            .hinted("tell the user to end this session and to start it again with: holdpoint run")
    }

    pub(super) fn command(env: &dyn Env, args: &[OsString]) -> Option<ExitCode> {
        let keeper = env.var(KEEPER)?;
        let args: Vec<String> = args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        if !super::is_answered_outside(&args) {
            return None;
        }
        let why = match ask(env, &keeper, Wanted::Command, args) {
            Ok(Answered::Exit(code)) => return Some(ExitCode::from(code)),
            Ok(Answered::Refused(why)) => why,
            Err(error) => error.to_string(),
        };
        let error = unanswered(&why);
        Ui::new(env).error(&error);
        Some(error.exit_code())
    }

    /// Becomes the client, in the fence that was just made: tells the keeper, and takes signals again that bubblewrap must
    /// not end by. Returns only if that fails.
    pub fn become_client(mut args: impl Iterator<Item = OsString>) -> ExitCode {
        let env = ProcessEnv;
        let signals = args.next().unwrap_or_default();
        let (program, args): (Option<OsString>, Vec<OsString>) = (args.next(), args.collect());
        let ui = Ui::new(&env);
        let (Some(keeper), Some(program)) = (env.var(KEEPER), program) else {
            let error = CommandError::new(Kind::Failed, "only a keeper calls this");
            ui.error(&error.hinted("see `holdpoint help run`"));
            return ExitCode::FAILURE;
        };
        match ask(&env, &keeper, Wanted::Ready, Vec::new()) {
            Ok(Answered::Exit(0)) => {}
            other => {
                let why = match other {
                    Err(error) => error.to_string(),
                    Ok(answered) => format!("{answered:?}"),
                };
                ui.error(&unanswered(&why));
                return ExitCode::FAILURE;
            }
        }
        // A handler goes with the program that has it, and so does the order to ignore the signal.
        for signal in signals.to_string_lossy().split(',').filter_map(|signal| signal.parse().ok()) {
            let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
        }
        let error = Command::new(&program).args(args).exec();
        let what = format!("{} cannot be started: {error}", program.display());
        ui.error(&CommandError::new(Kind::Files, what));
        ExitCode::from(127)
    }
}
