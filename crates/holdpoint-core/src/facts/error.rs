//! The reasons why a condition or a text has no value, and the one place where the template engine's errors become ours.

use minijinja::ErrorKind;
use minijinja::value::Value;
use thiserror::Error;

use crate::shell::ShellError;
use crate::world::WorldError;

/// The reason why a condition or a text has no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FactError {
    /// The source does not parse.
    #[error("syntax error: {0}")]
    Syntax(String),
    /// The source uses a filter, test, function or method that does not exist.
    #[error("{0}")]
    Unknown(String),
    /// A value is not of the type that an operation needs, or an argument is missing.
    #[error("{0}")]
    WrongType(String),
    /// A name of the workflow needs its own value.
    #[error("`{0}` is defined by itself")]
    Circular(String),
    /// The workflow or its state names something that does not exist.
    #[error("{0}")]
    Missing(String),
    /// A name would become a path outside its folder.
    #[error("{0}")]
    Outside(String),
    /// A file or a value is not in its format.
    #[error("{what}: {why}")]
    Malformed {
        /// What is malformed.
        what: String,
        /// The parser's reason.
        why: String,
    },
    /// The world could not answer.
    #[error("{what}: {why}")]
    World {
        /// What could not be done.
        what: String,
        /// The world's reason.
        why: WorldError,
    },
    /// A shell command could not be followed.
    #[error("{0}")]
    Shell(ShellError),
    /// The evaluation takes too many steps, or reads and writes too much.
    #[error("it takes too much work: too many steps, or too much text")]
    TooMuchWork,
    /// A value, or the source itself, is too large.
    #[error("it is too large: more than {0} bytes")]
    TooLarge(usize),
    /// Names need each other too deeply.
    #[error("`{0}` needs too many other names")]
    TooDeep(String),
}

impl FactError {
    /// The world's reason for not doing `what`.
    pub(crate) fn world(what: impl Into<String>, why: WorldError) -> FactError {
        FactError::World { what: what.into(), why }
    }

    /// A parser's reason for refusing `what`.
    pub(crate) fn malformed(what: impl Into<String>, why: impl ToString) -> FactError {
        FactError::Malformed { what: what.into(), why: why.to_string() }
    }
}

/// Carries the error through the template engine.
impl From<FactError> for minijinja::Error {
    fn from(error: FactError) -> minijinja::Error {
        minijinja::Error::new(ErrorKind::InvalidOperation, error.to_string()).with_source(error)
    }
}

/// A value that raises the error where it is used.
impl From<FactError> for Value {
    fn from(error: FactError) -> Value {
        Value::from(minijinja::Error::from(error))
    }
}

/// The error that the template engine carried, or its own.
impl From<minijinja::Error> for FactError {
    fn from(error: minijinja::Error) -> FactError {
        if let Some(carried) = carried(&error) {
            return carried.clone();
        }
        let text = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        match error.kind() {
            ErrorKind::SyntaxError | ErrorKind::BadEscape => FactError::Syntax(text),
            ErrorKind::UnknownFilter
            | ErrorKind::UnknownTest
            | ErrorKind::UnknownFunction
            | ErrorKind::UnknownMethod => FactError::Unknown(text),
            ErrorKind::OutOfFuel => FactError::TooMuchWork,
            _ => FactError::WrongType(text),
        }
    }
}

fn carried(error: &minijinja::Error) -> Option<&FactError> {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if let Some(carried) = cause.downcast_ref() {
            return Some(carried);
        }
        source = cause.source();
    }
    None
}
