//! By what a shell is known for an agent's: a person in a terminal that an agent once started hears why it is not theirs.

use std::fmt;

use super::process::{self, Process, StartedWith};
use super::whence::spelled;
use super::{FOLDER, PERFORMERS, file, is_client, is_noted_elsewhere, performer};
use crate::env::Env;
use crate::env_vars::{AGENTS, REVIEWER, SESSIONS};
use crate::store::state_folder::StateFolder;

/// By what a shell is known for an agent's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A client that a hook has noted is above.
    Client(Process),
    /// A process above performs for Holdpoint.
    Performer(Process),
    /// A process above is a client by its program.
    Program(Process),
    /// A process above was started with this variable.
    StartedWith(Process, &'static str),
    /// This variable is set.
    Variable(&'static str),
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sign::Client(process) => write!(f, "{} above it is an agent's client", spelled(*process)),
            Sign::Performer(process) => {
                write!(f, "{} above it is Holdpoint, which performs a check or a review", spelled(*process))
            }
            Sign::Program(process) => write!(f, "{} above it is an agent's program", spelled(*process)),
            Sign::StartedWith(process, name) => {
                write!(f, "{} above it was started with {name}", spelled(*process))
            }
            Sign::Variable(name) => write!(f, "{name} is set"),
        }
    }
}

impl Sign {
    /// Finds it. The outermost process counts: whatever is below it has it from there.
    pub fn find(env: &dyn Env) -> Option<Sign> {
        let folder = StateFolder::of(env).ok();
        let above = env.lineage().above;
        let of = |process: &Process| Sign::of(folder.as_ref(), *process);
        above.iter().rev().find_map(of).or_else(|| variable(env).map(Sign::Variable))
    }

    fn of(folder: Option<&StateFolder>, process: Process) -> Option<Sign> {
        let has =
            |kind: &str, file: &str| folder.is_some_and(|folder| folder.has_folder(kind) && folder.has(file));
        if has(FOLDER, &file(&process)) || is_noted_elsewhere(folder, process) {
            return Some(Sign::Client(process));
        }
        if has(PERFORMERS, &performer(&process)) {
            return Some(Sign::Performer(process));
        }
        if is_client(&process::words(process)) {
            return Some(Sign::Program(process));
        }
        let started = StartedWith::of(process.pid);
        let name = started.any_of(&AGENTS).or_else(|| started.any_of(&SESSIONS));
        name.map(|name| Sign::StartedWith(process, name))
    }
}

fn variable(env: &dyn Env) -> Option<&'static str> {
    let is_set = |name: &&&'static str| env.var(name).is_some_and(|value| !value.is_empty());
    [&REVIEWER].into_iter().chain(&AGENTS).chain(&SESSIONS).find(is_set).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::FixedEnv;

    #[test]
    fn a_variable_is_named() {
        let found = |name: &str, value: &str| {
            let variables = [(name.to_owned(), value.to_owned())].into();
            Sign::find(&FixedEnv { variables, now: None }).map(|sign| sign.to_string())
        };
        assert_eq!(found("CLAUDECODE", "1").as_deref(), Some("CLAUDECODE is set"));
        assert_eq!(found("CODEX_THREAD_ID", "x").as_deref(), Some("CODEX_THREAD_ID is set"));
        assert_eq!((found("CLAUDECODE", ""), found("EDITOR", "vi")), (None, None));
    }

    #[test]
    fn a_process_is_named_by_its_number_and_its_program() {
        let process = Process { pid: 2_000_000_007, start: 7 };
        assert_eq!(
            Sign::StartedWith(process, "CLAUDECODE").to_string(),
            "process 2000000007 above it was started with CLAUDECODE"
        );
        #[cfg(target_os = "linux")]
        {
            let own = Process::of(std::process::id()).unwrap();
            let said = Sign::Program(own).to_string();
            assert!(said.starts_with(&format!("process {} (", own.pid)), "{said}");
        }
    }
}
