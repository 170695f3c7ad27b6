//! A commit's bundle as a git note.

use thiserror::Error;

use super::envelope::{BYTES_MAX, Bundle, EnvelopeError};
use super::repository::{Commit, Repository, RepositoryError};

/// Where the notes are.
pub const REFERENCE: &str = "refs/notes/holdpoint";

/// The reason why there is no bundle.
#[derive(Debug, Error)]
pub enum NoteError {
    /// There are no notes of ours at all.
    #[error("no attestation: there is no {REFERENCE} here")]
    NoNotes,
    /// The commit has none.
    #[error("no attestation")]
    NoNote,
    /// The note is no bundle.
    #[error("the attestation cannot be read: {0}")]
    Unreadable(#[from] EnvelopeError),
    /// The repository cannot be read.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
}

/// The notes of a repository as they are now.
#[derive(Debug)]
pub struct Notes<'a> {
    repository: &'a Repository,
    is_there: bool,
}

impl<'a> Notes<'a> {
    /// Opens the notes of a repository.
    pub fn of(repository: &'a Repository) -> Result<Notes<'a>, RepositoryError> {
        let found = repository.users(&["rev-parse", "--verify", "--quiet", REFERENCE]).answer()?;
        if let Some(id) = &found {
            repository.refer(REFERENCE, id)?;
        }
        Ok(Notes { repository, is_there: found.is_some() })
    }

    /// Reads the bundle of a commit.
    pub fn read(&self, commit: &Commit) -> Result<Bundle, NoteError> {
        if !self.is_there {
            return Err(NoteError::NoNotes);
        }
        let id = self.repository.ask(&["notes", "--ref", REFERENCE, "list", commit.id.as_str()])?;
        let id = id.ok_or(NoteError::NoNote)?;
        let bytes = self.repository.blob(&id, BYTES_MAX)?.ok_or(EnvelopeError::TooLarge)?;
        Ok(Bundle::read(&bytes)?)
    }
}

/// Writes the bundle of a commit, instead of the one that it has. What was there stays in the history of the notes.
pub fn write(repository: &Repository, commit: &Commit, bundle: &Bundle) -> Result<(), RepositoryError> {
    let text = bundle.to_string().into_bytes();
    let blob = repository.users(&["hash-object", "-w", "--stdin"]).input(text).line()?;
    let args = ["notes", "--ref", REFERENCE, "add", "--force", "--reuse-message", &blob, commit.id.as_str()];
    repository.users(&args).printed()?;
    Ok(())
}
