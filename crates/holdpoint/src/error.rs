//! Errors: how one is shown with its causes, and a command's failure with its kind, its hints and its exit code.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

use crate::store::state_folder::StateFolderError;

/// Any error, as a cause.
type Cause = Box<dyn Error + Send + Sync>;

/// The kind of a command's failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The command found something wrong: a workflow that does not pass, a case that fails.
    Failed,
    /// The command line is wrong.
    Usage,
    /// Files could not be read or written.
    Files,
    /// A workflow's command refuses, with its own exit code.
    Refused(u8),
    /// A signal of this number ended it.
    Interrupted(u8),
}

/// The error of a command.
#[derive(Debug)]
pub struct CommandError {
    /// Its kind.
    pub kind: Kind,
    /// What to do about it.
    pub hints: Vec<String>,
    error: Cause,
}

impl CommandError {
    /// Makes a failure of this kind, from an error or from a message.
    pub fn new(kind: Kind, error: impl Into<Cause>) -> CommandError {
        CommandError { kind, hints: Vec::new(), error: error.into() }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hinted(mut self, hint: impl Into<String>) -> CommandError {
        self.hints.push(hint.into());
        self
    }

    /// Says what happened, with all causes.
    pub fn what(&self) -> String {
        in_full(self.error.as_ref())
    }

    /// Returns the exit code: 1 for what was found wrong, 2 for wrong use, 3 for files, a workflow's own, or 128 and
    /// a signal's number.
    pub fn code(&self) -> u8 {
        match self.kind {
            Kind::Failed => 1,
            Kind::Usage => 2,
            Kind::Files => 3,
            Kind::Refused(code) => code,
            Kind::Interrupted(signal) => 128_u8.saturating_add(signal),
        }
    }

    /// Returns the exit code, as the process ends with it.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code())
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(formatter)
    }
}

impl Error for CommandError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

impl From<std::io::Error> for CommandError {
    fn from(error: std::io::Error) -> CommandError {
        let is_state = matches!(error.get_ref(), Some(inner) if inner.is::<StateFolderError>());
        let error = CommandError::new(Kind::Files, error);
        if is_state { error.hinted(StateFolderError::HINT) } else { error }
    }
}

/// Shows an error with all its causes, in one line. An error's own message never repeats its cause.
pub fn in_full(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| (*error).source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("state.json")]
    struct Read(#[source] io::Error);

    #[test]
    fn a_failure_shows_its_causes_and_keeps_them() {
        let error = CommandError::new(Kind::Files, Read(io::Error::other("no room")));
        assert_eq!(error.what(), "state.json: no room");
        assert_eq!(error.source().map(ToString::to_string), Some("no room".to_owned()));
        assert_eq!(CommandError::new(Kind::Failed, "it is gone").what(), "it is gone");
    }
}
