//! Why a sealed state cannot be told, or its seal not be kept, and what to do about it.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use crate::allow::waiting;
use crate::store::error::StoreError;
use crate::store::folder::FileError;
use crate::store::lock::LockError;

/// Why a sealed state cannot be told, or its seal not be kept.
#[derive(Debug, Error)]
pub enum SealError {
    /// A state is there that the engine has not written.
    NoCopy {
        /// The state.
        state: String,
    },
    /// It was begun with a layer's own workflow, and a built-in one is to go on with it.
    NotBuiltIn {
        /// The workflow's name.
        workflow: String,
        /// The run's home.
        home: PathBuf,
    },
    /// The workflow that it was begun with has changed, or is gone.
    Orphaned {
        /// The workflow's name.
        workflow: String,
        /// The run's home.
        home: PathBuf,
    },
    /// Both were changed: nobody can say what was true.
    BothChanged {
        /// The state.
        state: String,
        /// The run's home.
        home: PathBuf,
    },
    /// The copy is not what was sealed.
    Forged {
        /// The workflow's name.
        workflow: String,
    },
    /// There is a copy that no record knows of.
    Unrecorded {
        /// The state.
        state: String,
        /// The run's home.
        home: PathBuf,
    },
    /// The project knows of a run that the books do not.
    Gone {
        /// Where the books were.
        books: PathBuf,
        /// How far they had come.
        counter: u64,
        /// The run's home.
        home: PathBuf,
    },
    /// The project has seen more than the books say.
    SetBack {
        /// How far they are.
        counter: u64,
        /// How far they were.
        seen: u64,
        /// The run's home.
        home: PathBuf,
    },
    /// The project is a copy of another.
    Copy {
        /// Where the run began.
        of: PathBuf,
        /// The copy.
        home: PathBuf,
    },
    /// The project's git folder is another than the one the run began with.
    Exchanged {
        /// The run's home.
        home: PathBuf,
    },
    /// Its lock cannot be had. The message has the reason, as with the next two, so it is not a source.
    Lock(LockError),
    /// One of the two cannot be read or written.
    File(FileError),
    /// Its record cannot be kept.
    Record(StoreError),
}

impl SealError {
    /// Says what is wrong.
    pub fn what(&self) -> String {
        match self {
            SealError::NoCopy { state } => {
                format!("`{state}` was changed by others, and the engine has no copy of it")
            }
            SealError::NotBuiltIn { workflow, .. } => {
                format!("this run was begun with a workflow `{workflow}` that is not built in")
            }
            SealError::Orphaned { workflow, .. } => {
                format!("the workflow `{workflow}` that this run was begun with has changed, or is gone")
            }
            SealError::BothChanged { state, .. } => {
                format!("`{state}` was changed by others, and so was its copy in the books")
            }
            SealError::Forged { workflow } => {
                format!("the copy of the state of `{workflow}` in the books was changed by others")
            }
            SealError::Unrecorded { state, .. } => {
                format!("the books have a copy of `{state}`, and no record of it: others have written it")
            }
            SealError::Gone { books, counter, .. } => {
                format!("the books of this run are gone: {} had {counter} records", books.display())
            }
            SealError::SetBack { counter, seen, .. } => {
                format!("the books of this run were set back to record {counter}, of {seen} that there were")
            }
            SealError::Copy { of, .. } => {
                format!("this is a copy of {}, with a run that began there", of.display())
            }
            SealError::Exchanged { .. } => {
                "the git folder here is another than the one that this run began with".to_owned()
            }
            SealError::Lock(error) => error.to_string(),
            SealError::File(error) => error.to_string(),
            SealError::Record(error) => error.to_string(),
        }
    }

    /// Says what can be done about it; nothing if the engine cannot know.
    fn remedy(&self) -> String {
        let typed = |home: &PathBuf| format!("the user types in a terminal: {}", waiting::command(home));
        match self {
            SealError::NoCopy { .. } => ": to start from scratch, delete it".to_owned(),
            SealError::NotBuiltIn { home, .. } | SealError::Orphaned { home, .. } => {
                format!(": put that back, or to end the run, {}", typed(home))
            }
            SealError::Forged { workflow } => {
                format!(". To have it put right, or be told what to do: holdpoint {workflow} status")
            }
            SealError::BothChanged { home, .. } | SealError::Unrecorded { home, .. } => {
                format!(". To end the run, {}", typed(home))
            }
            SealError::Gone { home, .. } => {
                format!(". Nothing is performed without them. To end the run, {}", typed(home))
            }
            SealError::SetBack { home, .. } => {
                format!(". Nothing is performed. To go on with what they say, {}", typed(home))
            }
            SealError::Copy { home, .. } => {
                format!(". Nothing is performed here. To go on with it here, {}", typed(home))
            }
            SealError::Exchanged { home } => {
                format!(". Nothing is performed. To go on with the run, {}", typed(home))
            }
            SealError::Lock(_) | SealError::File(_) | SealError::Record(_) => String::new(),
        }
    }
}

impl From<LockError> for SealError {
    fn from(error: LockError) -> SealError {
        SealError::Lock(error)
    }
}

impl From<FileError> for SealError {
    fn from(error: FileError) -> SealError {
        SealError::File(error)
    }
}

impl From<StoreError> for SealError {
    fn from(error: StoreError) -> SealError {
        SealError::Record(error)
    }
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.what(), self.remedy())
    }
}
