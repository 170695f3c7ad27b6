//! Locks between processes, with a deadline. The file stays: deleting a lock is how locks are lost.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a lock of state is waited for: others hold it for as long as a few files take to read and write.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// A lock that is held until it is dropped, also by a crash.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why there is no lock.
#[derive(Debug)]
pub enum LockError {
    /// Others held it all the time.
    Busy(Duration),
    /// The file could not be opened or locked.
    Io(io::Error),
}

impl std::fmt::Display for LockError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LockError::Busy(waited) => write!(f, "it was locked by others for {} ms", waited.as_millis()),
            LockError::Io(error) => write!(f, "it could not be locked: {error}"),
        }
    }
}

/// Takes the lock at `path`, waiting for others no longer than `patience`.
pub fn take(path: &Path, patience: Duration) -> Result<Lock, LockError> {
    let file = OpenOptions::new().create(true).append(true).open(path).map_err(LockError::Io)?;
    let started = Instant::now();
    let mut pause = Duration::from_micros(100);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock { _file: file }),
            Err(TryLockError::Error(error)) => return Err(LockError::Io(error)),
            Err(TryLockError::WouldBlock) if started.elapsed() >= patience => {
                return Err(LockError::Busy(started.elapsed()));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}
