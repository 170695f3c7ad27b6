//! A commit's bundle as a git note.

use thiserror::Error;

use super::envelope::{BYTES_MAX, Bundle, EnvelopeError};
use super::identity::ObjectId;
use super::repository::{Commit, Repository, RepositoryError};

/// Where the notes are.
pub const REFERENCE: &str = "refs/notes/holdpoint";

/// The most attested commits that one without an attestation is compared with.
const ATTESTED_MAX: usize = 1000;

/// The reason why there is no bundle.
#[derive(Debug, Error)]
pub enum NoteError {
    /// There are no notes of ours at all.
    #[error("no attestation: there is no {REFERENCE} here")]
    NoNotes,
    /// The commit has none.
    #[error("no attestation: this commit has no proof of its own")]
    NoNote,
    /// The commit has none, and one with the same parents has: it was amended, or made again.
    #[error("no attestation: {} was proved, and this commit came in its place without a proof of its own", .0.short())]
    Replaced(ObjectId),
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
        let Some(id) = id else {
            return Err(self.replaced(commit)?.map_or(NoteError::NoNote, NoteError::Replaced));
        };
        let bytes = self.repository.blob(&id, BYTES_MAX)?.ok_or(EnvelopeError::TooLarge)?;
        Ok(Bundle::read(&bytes)?)
    }
}

impl Notes<'_> {
    /// Finds an attested commit that a commit stands in the place of: it has the same parents.
    fn replaced(&self, commit: &Commit) -> Result<Option<ObjectId>, RepositoryError> {
        let listed = self.repository.ask(&["notes", "--ref", REFERENCE, "list"])?.unwrap_or_default();
        let attested = listed.lines().filter_map(|line| line.split(' ').nth(1)).take(ATTESTED_MAX);
        let question = ["rev-list", "--parents", "--no-walk", "--ignore-missing", commit.id.as_str()];
        let ids: Vec<&str> = question.into_iter().chain(attested).collect();
        let lines = self.repository.ask(&ids)?.unwrap_or_default();
        let families: Vec<(&str, &str)> =
            lines.lines().map(|line| line.split_once(' ').unwrap_or((line, ""))).collect();
        let own = families.iter().find(|(id, _)| *id == commit.id.as_str()).map(|(_, parents)| *parents);
        let is_other = |(id, parents): &&(&str, &str)| *id != commit.id.as_str() && Some(*parents) == own;
        Ok(families.iter().find(is_other).and_then(|(id, _)| ObjectId::read(id).ok()))
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
