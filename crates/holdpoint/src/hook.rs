//! `holdpoint hook`: the fast path. It reads one event, answers it, and exits with 0 whatever happens.
//!
//! Invariant: exit code 2 means "block" to agents, so it is never used by accident, not even by a panic. There are two
//! exceptions: bad input under `--protocol legacy`, if the workflow's `[legacy]` says so, and a held `TaskCompleted` of Claude
//! Code, which heeds nothing else.

pub mod input;
pub mod options;

use std::ffi::OsString;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::process::ExitCode;
use std::sync::Arc;

use crate::engine::leftovers::Leftovers;
use crate::engine::{self, Call, Reply};
use crate::env::{Env, ProcessEnv};
use crate::env_vars;
use crate::fence::inside;
use crate::store::review_token;
use crate::store::unheard::Note;
use options::Options;

/// Answers one event, or has the keeper answer it that is outside of this fence.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(|panic| leave_after_panic(&panic.to_string())));
    match ProcessEnv.var(env_vars::KEEPER) {
        Some(keeper) => inside::hook(&ProcessEnv, &keeper, args),
        None => here(args),
    }
}

/// Answers one event in this process.
pub(crate) fn here(args: impl Iterator<Item = OsString>) -> ExitCode {
    let env: Arc<dyn Env> = Arc::new(ProcessEnv);
    // A reviewer that Holdpoint started must not be held by Holdpoint's hooks.
    if env.var(env_vars::REVIEWER).is_some_and(|token| review_token::is_under_way(env.as_ref(), &token)) {
        return ExitCode::SUCCESS;
    }
    let cwd = std::env::current_dir().unwrap_or_default();
    let reply = match Options::read(args) {
        Err(problem) => Reply::to_user(&format!(
            "holdpoint hook: {problem}. Holdpoint is inactive until the hook registration is fixed: see `holdpoint hook --help`."
        )),
        Ok(options) if options.help => Reply { stdout: options::HELP.to_owned(), ..Reply::default() },
        Ok(options) => {
            let read = input::read(input::patience(env.as_ref()));
            let leftovers = Leftovers::default();
            let call = Call { input: read, options: &options, cwd: &cwd, env, leftovers };
            // The process ends: nothing needs to be freed.
            engine::answer(&ManuallyDrop::new(call))
        }
    };
    if print(&reply) {
        reply.unheard.iter().for_each(Note::clear);
    }
    ExitCode::from(reply.exit)
}

/// Prints the reply with one write per stream. A closed stream is not an error. True if standard output took it.
pub(crate) fn print(reply: &Reply) -> bool {
    let printed =
        std::io::stdout().lock().write_all(reply.stdout.as_bytes()).and_then(|()| std::io::stdout().flush());
    let _ = std::io::stderr().lock().write_all(reply.stderr.as_bytes());
    printed.is_ok()
}

/// Reports an internal error to the journal and to standard error, and exits with 0, so that it never blocks the agent.
#[expect(clippy::exit, reason = "with panic = \"abort\" this is the only way to leave with 0")]
fn leave_after_panic(what: &str) {
    let text = format!("holdpoint: internal error, nothing held: {what}");
    print(&Reply::to_user(&text));
    if let Ok(cwd) = std::env::current_dir() {
        let env: Arc<dyn Env> = Arc::new(ProcessEnv);
        engine::note_fault(&env, &cwd, &format!("internal error: {what}"));
    }
    std::process::exit(0);
}
