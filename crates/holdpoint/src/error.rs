//! The error of a command: its kind, a message, and hints. Each kind has one exit code.

use std::process::ExitCode;

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The command found a problem: a workflow with errors, a case that fails.
    Failed,
    /// The command was called with wrong arguments.
    Usage,
    /// Files could not be read or written.
    Files,
    /// A workflow's command refused, with its own exit code.
    Refused(u8),
}

/// The error of a command.
#[derive(Debug)]
pub struct CommandError {
    /// Its kind.
    pub kind: Kind,
    /// The message.
    pub what: String,
    /// How to fix it.
    pub hints: Vec<String>,
}

impl CommandError {
    /// Creates an error of this kind.
    pub fn new(kind: Kind, what: impl Into<String>) -> CommandError {
        CommandError { kind, what: what.into(), hints: Vec::new() }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hinted(mut self, hint: impl Into<String>) -> CommandError {
        self.hints.push(hint.into());
        self
    }

    /// Returns the exit code: 1 for a problem found, 2 for wrong usage, 3 for files, or the workflow's own.
    pub fn code(&self) -> u8 {
        match self.kind {
            Kind::Failed => 1,
            Kind::Usage => 2,
            Kind::Files => 3,
            Kind::Refused(code) => code,
        }
    }

    /// Returns the exit code of the process.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code())
    }
}

impl From<std::io::Error> for CommandError {
    fn from(error: std::io::Error) -> CommandError {
        CommandError::new(Kind::Files, error.to_string())
    }
}
