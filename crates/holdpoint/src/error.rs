//! What can go wrong in a command: a kind, what happened, and hints. Each kind has one exit code.

use std::process::ExitCode;

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something the command looked at is not as it should be: a workflow that does not pass, a case that fails.
    Failed,
    /// The command was not called right.
    Usage,
    /// Files could not be read or written.
    Files,
    /// A workflow's command says no, with an exit code of its own.
    Refused(u8),
}

/// A command's failure.
#[derive(Debug)]
pub struct CommandError {
    /// The kind.
    pub kind: Kind,
    /// What happened.
    pub what: String,
    /// What to do about it.
    pub hints: Vec<String>,
}

impl CommandError {
    /// A failure of this kind.
    pub fn new(kind: Kind, what: impl Into<String>) -> CommandError {
        CommandError { kind, what: what.into(), hints: Vec::new() }
    }

    /// The same with a hint.
    #[must_use]
    pub fn hinted(mut self, hint: impl Into<String>) -> CommandError {
        self.hints.push(hint.into());
        self
    }

    /// The exit code: 1 for what was found wrong, 2 for wrong use, 3 for files, or a workflow's own.
    pub fn code(&self) -> u8 {
        match self.kind {
            Kind::Failed => 1,
            Kind::Usage => 2,
            Kind::Files => 3,
            Kind::Refused(code) => code,
        }
    }

    /// The exit code, as the process leaves with it.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code())
    }
}

impl From<std::io::Error> for CommandError {
    fn from(error: std::io::Error) -> CommandError {
        CommandError::new(Kind::Files, error.to_string())
    }
}
