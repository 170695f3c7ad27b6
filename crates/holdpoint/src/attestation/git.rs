//! One call of git for attestations: in the user's repository, or in a store of Holdpoint's own whose configuration is
//! nobody's.

use std::io::{self, Seek, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use thiserror::Error;

use crate::confinement::{Role, variables};
use crate::env_vars;

/// How many lines of git's message an error shows.
const MESSAGE_LINES_MAX: usize = 3;
/// Configuration for every call: no programs that a configuration names, no network.
const SETTINGS: [&str; 5] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.fileMode=true",
    "core.symlinks=true",
    "protocol.allow=never",
];

/// The failure of a call of git.
#[derive(Debug, Error)]
pub enum GitError {
    /// It could not be run.
    #[error("git {command} could not be run")]
    Run {
        /// The git command.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// It failed.
    #[error("git {command}: {message}")]
    Failed {
        /// The git command.
        command: String,
        /// The end of its message.
        message: String,
    },
}

/// A call of git.
pub(super) struct Git {
    command: Command,
    name: String,
    input: Vec<u8>,
}

impl Git {
    /// Prepares a call in the user's repository that `folder` lies in, with the user's configuration.
    pub(super) fn users(folder: &Path, args: &[&str]) -> Git {
        let mut command = Command::new("git");
        // They describe the repository of another git process.
        for name in env_vars::of_git() {
            command.env_remove(name);
        }
        Git::prepared(command.envs(env_vars::for_commit()), folder, args)
    }

    /// Prepares a call with the git folder `store`, whose work tree is `folder`. Nothing of the user's configuration and
    /// nothing of the caller's environment counts.
    pub(super) fn isolated(store: &Path, folder: &Path, args: &[&str]) -> Git {
        let mut command = Command::new("git");
        command
            .env_clear()
            .envs(variables::passed(Role::Check, &[]))
            .env("HOME", store)
            .env("XDG_CONFIG_HOME", store)
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_DIR", store)
            .env("GIT_WORK_TREE", folder)
            .env("GIT_INDEX_FILE", store.join("index"));
        Git::prepared(command.args(["-c", "core.bare=false"]), folder, args)
    }

    fn prepared(command: &mut Command, folder: &Path, args: &[&str]) -> Git {
        let mut command = std::mem::replace(command, Command::new("git"));
        command.env("GIT_NO_REPLACE_OBJECTS", "1").env("GIT_TERMINAL_PROMPT", "0").arg("-C").arg(folder);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        let name = args.first().copied().unwrap_or_default().to_owned();
        command.args(args);
        Git { command, name, input: Vec::new() }
    }

    /// Leaves the work tree out: a store that is being made has none.
    pub(super) fn without_work_tree(mut self) -> Git {
        self.command.env_remove("GIT_WORK_TREE");
        self
    }

    /// Gives git this on standard input.
    pub(super) fn input(mut self, bytes: Vec<u8>) -> Git {
        self.input = bytes;
        self
    }

    /// Returns what git prints, or an error with git's message.
    pub(super) fn printed(self) -> Result<Vec<u8>, GitError> {
        let name = self.name.clone();
        let output = self.done()?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let text = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(MESSAGE_LINES_MAX)..];
        let message = if last.is_empty() { output.status.to_string() } else { last.join(" ") };
        Err(GitError::Failed { command: name, message })
    }

    /// Returns the line that git prints, or an error with git's message.
    pub(super) fn line(self) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.printed()?).trim().to_owned())
    }

    /// Returns the line that git prints; none if it fails or prints nothing.
    pub(super) fn answer(self) -> Result<Option<String>, GitError> {
        let output = self.done()?;
        let line = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Ok(Some(line).filter(|line| output.status.success() && !line.is_empty()))
    }

    fn done(mut self) -> Result<Output, GitError> {
        let output = with_input(&mut self.command, &self.input);
        output.map_err(|source| GitError::Run { command: self.name.clone(), source })
    }
}

/// Runs a program with a text on its standard input. The text is in a file, so that nothing has to be written meanwhile.
pub(super) fn with_input(command: &mut Command, bytes: &[u8]) -> io::Result<Output> {
    let mut input = tempfile::tempfile()?;
    input.write_all(bytes)?;
    input.rewind()?;
    command.stdin(Stdio::from(input)).output()
}
