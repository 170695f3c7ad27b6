//! What can go wrong with a working tree.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use crate::pinned::NotPinned;
use crate::store::folder::FileError;
use thiserror::Error;

/// The failure of an operation on a working tree.
#[derive(Debug, Error)]
pub enum TreeError {
    /// The folder is not the top of a repository.
    #[error("{} is not the top of a git repository: there is no .git", root.display())]
    NotARepository {
        /// The folder.
        root: PathBuf,
    },
    /// Holdpoint's folder in the repository cannot be written.
    #[error("{}: our folder cannot be written", root.display())]
    OurFolder {
        /// The top of the working tree.
        root: PathBuf,
        /// Why.
        source: FileError,
    },
    /// A file or folder cannot be read or created.
    #[error("{}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file that should be added does not exist.
    #[error("{} is not there", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The folder that should be written to has files in it.
    #[error("{} is not empty", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A text that should be the id of a tree or commit is something else.
    #[error("{text:?} is not the id of a tree")]
    NotAnId {
        /// The text.
        text: String,
    },
    /// There is no folder for a scratch index.
    #[error("there is no room for an index of our own")]
    Scratch {
        /// Why.
        source: io::Error,
    },
    /// A copy is not the tree that was laid in it.
    #[error("the copy changed while it was made: {}", paths.join(", "))]
    Unsteady {
        /// What differs.
        paths: Vec<String>,
    },
    /// A repository lies in the working tree that the last commit does not know as a submodule.
    #[error(
        "{} in the project {} a git repository of its own, whose files no tree has: remove it, or name it in .gitignore",
        paths.join(", "), if paths.len() == 1 { "is" } else { "are each" }
    )]
    Nested {
        /// Where they are.
        paths: Vec<String>,
    },
    /// The scratch index cannot be read.
    #[error("the index of our own cannot be read")]
    ReadIndex {
        /// Why.
        source: io::Error,
    },
    /// The scratch index has an unknown format.
    #[error("the index of our own cannot be read: its format is unknown")]
    IndexFormat,
    /// A thread that compared files panicked.
    #[error("the files could not be compared with the index")]
    Compare,
    /// Git is another program than it was.
    #[error(transparent)]
    Pinned(#[from] NotPinned),
    /// A call of git failed.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// The failure of one call of git.
#[derive(Debug, Error)]
pub enum GitError {
    /// Git could not be started.
    #[error("git {command} could not be started")]
    Start {
        /// The git command.
        command: &'static str,
        /// Why.
        source: io::Error,
    },
    /// Git took too long.
    #[error("git {command} did not end within {seconds} seconds")]
    Timeout {
        /// The git command.
        command: &'static str,
        /// The time it had.
        seconds: u64,
    },
    /// The output of git cannot be read.
    #[error("git {command}")]
    Output {
        /// The git command.
        command: &'static str,
        /// Why.
        source: io::Error,
    },
    /// Git failed with a message.
    #[error("git {command}: {message}")]
    Failed {
        /// The git command.
        command: &'static str,
        /// The last lines of its message.
        message: String,
    },
    /// Git failed without a message.
    #[error("git {command} failed: {status}")]
    Silent {
        /// The git command.
        command: &'static str,
        /// How it ended.
        status: ExitStatus,
    },
}
