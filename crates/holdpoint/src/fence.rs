//! The fence: an agent's client runs inside, where Holdpoint's own files cannot be written, and a keeper outside performs
//! and records. `docs/design/017-the-fence.md` says why so, what it holds against, and what remains.
//!
//! `holdpoint run` is the keeper (`keeper.rs`) and starts the client (`client.rs`) in bubblewrap (`bubblewrap.rs`). A hook
//! inside (`inside.rs`) hands its streams over with its arguments (`call.rs`); the keeper starts a process for it outside,
//! which learns who called (`relayed.rs`).

pub mod bubblewrap;
#[cfg(target_os = "linux")]
pub mod call;
#[cfg(target_os = "linux")]
mod client;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod hands_over;
pub mod inside;
#[cfg(target_os = "linux")]
pub mod keeper;
#[cfg(target_os = "linux")]
mod places;
pub mod relayed;

use std::path::PathBuf;

use crate::store::state_folder::StateFolderError;

/// Why there is no fence here.
#[derive(Debug, thiserror::Error)]
pub enum FenceError {
    /// The system has none.
    #[error("this system has no fence: it needs Linux and bubblewrap")]
    System,
    /// The program is missing.
    #[error("bubblewrap is not installed: there is no `bwrap` on PATH")]
    NoProgram,
    /// The system does not let it.
    #[error("the system does not let bubblewrap make a fence: {why}")]
    Refused {
        /// What it said.
        why: String,
    },
    /// There is nothing to close.
    #[error(transparent)]
    StateFolder(#[from] StateFolderError),
    /// The agent could lead us elsewhere.
    #[error("{} is a link that an agent could replace, on the way to {}", link.display(), place.display())]
    Link {
        /// The link.
        link: PathBuf,
        /// What it leads to.
        place: PathBuf,
    },
    /// A place cannot be closed.
    #[error("{} cannot be closed to the agent: {why}", place.display())]
    Place {
        /// Which.
        place: PathBuf,
        /// Why.
        why: std::io::Error,
    },
    /// The keeper cannot listen.
    #[error("the keeper cannot listen at {}: {why}", place.display())]
    Listen {
        /// Where.
        place: PathBuf,
        /// Why.
        why: std::io::Error,
    },
    /// The client cannot be started.
    #[error("the fence cannot be started: {0}")]
    Start(std::io::Error),
}

impl FenceError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            FenceError::System => {
                "there is none for macOS and Windows yet; a Linux container has one".to_owned()
            }
            FenceError::NoProgram => "install it, for example: sudo apt install bubblewrap".to_owned(),
            FenceError::Refused { .. } => bubblewrap::remedy(),
            FenceError::StateFolder(_) => StateFolderError::HINT.to_owned(),
            FenceError::Link { .. } => {
                "set XDG_STATE_HOME and XDG_CONFIG_HOME to folders that no link leads to".to_owned()
            }
            FenceError::Place { .. } | FenceError::Listen { .. } | FenceError::Start(_) => {
                "see what is wrong with the place that is named, then try again".to_owned()
            }
        }
    }
}
