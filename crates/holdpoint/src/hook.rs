//! `holdpoint hook`: the fast path. It reads one event, answers it, and leaves with exit code 0 whatever happens.
//!
//! Invariant: exit code 2 means "block" to agents, so it is never used, not even by a panic. The one exception is a
//! choice: bad input, under `--protocol legacy`, where the workflow's `[legacy]` says so.

pub mod input;
pub mod options;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use crate::engine::{self, Call, Reply};
use crate::env_vars::{self, Env, ProcessEnv};
use options::Options;

/// Answers one event.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(|panic| leave_after_panic(&panic.to_string())));
    let env: Arc<dyn Env> = Arc::new(ProcessEnv);
    // A reviewer that we started is not held by the hooks it would trigger itself.
    if env.var(env_vars::REVIEWER).is_some() {
        return ExitCode::SUCCESS;
    }
    let cwd = std::env::current_dir().unwrap_or_default();
    let reply = match Options::read(args) {
        Err(problem) => Reply::to_user(&format!(
            "holdpoint hook: {problem}. Nothing is held until this is mended: see `holdpoint hook --help`."
        )),
        Ok(options) if options.help => Reply { stdout: options::HELP.to_owned(), ..Reply::default() },
        Ok(options) => {
            let read = input::read(input::patience(env.as_ref()));
            engine::answer(&Call { input: read, options: &options, cwd: &cwd, env })
        }
    };
    print(&reply);
    ExitCode::from(reply.exit)
}

/// One write for each stream; a reader that is gone is no fault.
fn print(reply: &Reply) {
    let _ =
        std::io::stdout().lock().write_all(reply.stdout.as_bytes()).and_then(|()| std::io::stdout().flush());
    let _ = std::io::stderr().lock().write_all(reply.stderr.as_bytes());
}

/// A fault of ours must neither block the agent nor go unseen: it goes to the journal and to standard error.
#[expect(clippy::exit, reason = "with panic = \"abort\" this is the only way to leave with 0")]
fn leave_after_panic(what: &str) {
    let text = format!("holdpoint: internal error, nothing held: {what}");
    print(&Reply::to_user(&text));
    if let Ok(cwd) = std::env::current_dir() {
        engine::note_fault(&cwd, &format!("internal error: {what}"));
    }
    std::process::exit(0);
}
