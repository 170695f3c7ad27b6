//! What the engine remembers of one session in one run: how often a Stop was held without progress.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{atomic, layout, lock};
use crate::world::read_file;

/// The most a memory can be.
const BYTES_MAX: u64 = 64 * 1024;

/// The memory of a session's run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// What the last Stop was held for: a digest of its text and the state.
    pub stop_digest: String,
    /// How often in a row it was held for that.
    pub stop_holds: u32,
    /// How often it was held since the user's last prompt.
    pub stop_holds_in_all: u32,
    /// How the text begins that held the last Stop, where the agent hands it to itself as a prompt.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stop_text: String,
}

/// Reads the memory, changes it and writes it back, under its lock.
pub fn update<T>(
    home: &Path,
    session: &str,
    workflow: &str,
    change: impl FnOnce(&mut Memory) -> T,
) -> Result<T, String> {
    let path = layout::memory(home, session, workflow);
    let lock_path = layout::lock(home, "sessions");
    layout::prepare(home, &lock_path).map_err(|error| error.to_string())?;
    layout::prepare(home, &path).map_err(|error| error.to_string())?;
    let _lock = lock::take(&lock_path, lock::PATIENCE).map_err(|error| error.to_string())?;
    if !path.exists() {
        path.parent().map(layout::clear_old);
    }
    let bytes = read_file(&path, BYTES_MAX)?.unwrap_or_default();
    let mut memory: Memory = serde_json::from_slice(&bytes).unwrap_or_default();
    let before = memory.clone();
    let result = change(&mut memory);
    if memory != before {
        let bytes = serde_json::to_vec(&memory).map_err(|error| error.to_string())?;
        atomic::replace(&path, &bytes).map_err(|error| error.to_string())?;
    }
    Ok(result)
}

/// Reads the memory as it is, without its lock: it is replaced whole.
pub fn read(home: &Path, session: &str, workflow: &str) -> Option<Memory> {
    let bytes = read_file(&layout::memory(home, session, workflow), BYTES_MAX).ok().flatten()?;
    serde_json::from_slice(&bytes).ok()
}

/// Whether there is anything to remember, without taking a lock.
pub fn exists(home: &Path, session: &str, workflow: &str) -> bool {
    layout::memory(home, session, workflow).is_file()
}
