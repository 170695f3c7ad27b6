//! What can be wrong with case files, and what can keep a case from running.

use std::io;

use thiserror::Error;

use super::call::STEP_KEYS;
use super::file::{CASE_KEYS, FILE_KEYS};
use crate::catalog::Defect;
use crate::store::seal::VouchError;
use crate::worktree::TreeError;

/// A case file that cannot be used.
#[derive(Debug, Error)]
pub enum CaseFileError {
    /// It is not TOML.
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    /// The file has an unknown key.
    #[error("unknown key `{key}`; a case file knows {} and [[case]]", FILE_KEYS.join(", "))]
    UnknownKey {
        /// The key.
        key: String,
    },
    /// The file has no cases.
    #[error("there is no [[case]]")]
    NoCases,
    /// A case is something else than a table.
    #[error("a case must be a table")]
    NotATable,
    /// A case has an unknown key.
    #[error("case `{case}`: unknown key `{key}`; a case knows {}", CASE_KEYS.join(", "))]
    UnknownCaseKey {
        /// The case's name.
        case: String,
        /// The key.
        key: String,
    },
    /// A case has no name.
    #[error("a case has no name")]
    Nameless,
}

/// The reason why a case could not be run.
#[derive(Debug, Error)]
pub enum CaseError {
    /// The case's folder, or a program in it, cannot be prepared.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A file of the case cannot be written or removed.
    #[error("{path}")]
    File {
        /// The file, from the case's folder.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// A path leads out of the case's folder.
    #[error("`{path}` leaves the case's folder")]
    Outside {
        /// The path.
        path: String,
    },
    /// There is a `state`, but no file to write it to.
    #[error("`state` needs a `state_at`")]
    StateWithoutFile,
    /// A commit has no message.
    #[error("a commit needs a `message`")]
    CommitWithoutMessage,
    /// Git could not be started.
    #[error("git could not be started")]
    GitStart {
        /// Why.
        source: io::Error,
    },
    /// Git could not prepare the repository.
    #[error("{message}")]
    Git {
        /// Git's message.
        message: String,
    },
    /// A placeholder stands for a commit, and there is none.
    #[error("{placeholder}: there is no commit")]
    NoCommit {
        /// The placeholder.
        placeholder: &'static str,
    },
    /// The working tree cannot be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The state that the case starts from cannot be sealed.
    #[error(transparent)]
    Seal(#[from] VouchError),
    /// The workflow cannot be used.
    #[error(transparent)]
    Workflow(#[from] Defect),
    /// There is no workflow of this name.
    #[error("there is no such workflow")]
    UnknownWorkflow,
    /// The case names an agent that does not exist.
    #[error("unknown agent")]
    UnknownAgent,
    /// `now` cannot be read as a time.
    #[error("`now` is not a time")]
    NotATime,
    /// `first` is something else than a list of tables.
    #[error("`first` is a list of tables")]
    FirstNotTables,
    /// A step of `first` has an unknown key.
    #[error("unknown key `{key}` in `first`; it knows {}", STEP_KEYS.join(", "))]
    UnknownStepKey {
        /// The key.
        key: String,
    },
    /// A step of `first` failed.
    #[error("{step} of `first` ended with {exit}: {stderr}")]
    StepFailed {
        /// The step.
        step: String,
        /// Its exit code.
        exit: u8,
        /// Its message.
        stderr: String,
    },
    /// `run` is empty.
    #[error("`run` names no command")]
    NoCommand,
    /// The workflow has no such command.
    #[error("no such command")]
    UnknownCommand,
    /// The case expects nothing.
    #[error("a case must `expect` hold, warn or allow")]
    NoExpectation,
}
