//! States that were given and not made, as those of a workflow's cases are.

use std::path::Path;

use thiserror::Error;

use super::{BYTES_MAX, Seal, SealError};
use crate::catalog::Origin;
use crate::store::books::Books;
use crate::store::error::StoreError;
use crate::store::evidence;
use crate::store::folder::{FileError, Folder};

/// Vouches for a state that was given, and for the evidence beside it.
pub fn vouch(books: &Books, workflow: &str, origin: Origin, state: &Path) -> Result<(), VouchError> {
    let home = books.home();
    if let Some(bytes) = Folder::project(home)?.read(state, BYTES_MAX)? {
        let (books, workflow, place) = (books.clone(), workflow.to_owned(), home.to_path_buf());
        Seal { books, workflow, origin, place }.close(&bytes)?;
    }
    Ok(evidence::vouch(books, workflow)?)
}

/// Why a given state or its evidence cannot be vouched for.
#[derive(Debug, Error)]
pub enum VouchError {
    /// The state cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The state cannot be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The evidence cannot be read or written.
    #[error(transparent)]
    Evidence(#[from] StoreError),
}
