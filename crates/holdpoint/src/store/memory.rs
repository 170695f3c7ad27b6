//! What the engine remembers of one session in one run: how often a Stop was held without progress.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{atomic, layout, lock};
use crate::world::read_file;

/// The memory of a session's run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// What the last Stop was held for: a digest of its text and the state.
    pub stop_digest: String,
    /// How often in a row it was held for that.
    pub stop_holds: u32,
}

/// Reads the memory, changes it and writes it back, under its lock.
pub fn update<T>(
    home: &Path,
    session: &str,
    workflow: &str,
    change: impl FnOnce(&mut Memory) -> T,
) -> Result<T, String> {
    let path = layout::memory(home, session, workflow);
    let lock_path = layout::lock(home, &path.to_string_lossy());
    layout::prepare(home, &lock_path).map_err(|error| error.to_string())?;
    layout::prepare(home, &path).map_err(|error| error.to_string())?;
    let _lock = lock::take(&lock_path, Duration::from_secs(2)).map_err(|error| error.to_string())?;
    let bytes = read_file(&path, 64 * 1024)?.unwrap_or_default();
    let mut memory: Memory = serde_json::from_slice(&bytes).unwrap_or_default();
    let before = memory.clone();
    let result = change(&mut memory);
    if memory != before {
        let bytes = serde_json::to_vec(&memory).map_err(|error| error.to_string())?;
        atomic::replace(&path, &bytes).map_err(|error| error.to_string())?;
    }
    Ok(result)
}

/// Whether there is anything to remember, without taking a lock.
pub fn exists(home: &Path, session: &str, workflow: &str) -> bool {
    layout::memory(home, session, workflow).is_file()
}
