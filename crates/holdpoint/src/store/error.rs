//! Why one of the engine's own books could not be kept.

use thiserror::Error;

use super::folder::FileError;
use super::lock::LockError;

/// Why one of the engine's own books could not be read or written.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Its file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// Its lock cannot be had.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// It cannot be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}
