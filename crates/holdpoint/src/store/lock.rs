//! Locks between processes, with a deadline. The file stays: deleting a lock is how locks are lost.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::folder::{Access, FileError, Folder};

/// How long a lock of state is waited for: others hold it for as long as a few files take to read and write.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// A lock that is held until it is dropped, also by a crash.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why there is no lock.
#[derive(Debug, Error)]
pub enum LockError {
    /// Others held it all the time.
    #[error("it was locked by others for {} ms", .0.as_millis())]
    Busy(Duration),
    /// The file could not be opened or locked. The message has the reason, so it is not a source.
    #[error("it could not be locked: {why}")]
    File {
        /// Why.
        why: FileError,
    },
}

impl From<FileError> for LockError {
    fn from(why: FileError) -> LockError {
        LockError::File { why }
    }
}

/// Takes the lock at `path` in a folder, waiting for others no longer than `patience`.
pub fn take(folder: &Folder, path: &Path, patience: Duration) -> Result<Lock, LockError> {
    let file = folder.append(path, Access::Ours)?;
    let started = Instant::now();
    let mut pause = Duration::from_micros(100);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock { _file: file }),
            Err(TryLockError::Error(error)) => return Err(FileError::io(path)(error).into()),
            Err(TryLockError::WouldBlock) if started.elapsed() >= patience => {
                return Err(LockError::Busy(started.elapsed()));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}
