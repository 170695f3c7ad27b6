//! What the engine remembers of one session in one run: how often a Stop was held without progress.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::books::Books;
use super::error::StoreError;
use super::folder::Access;
use super::{layout, lock};

/// The most a memory can be: a few numbers and the start of a text.
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
    /// The tasks in the background that a Stop of this turn was postponed for.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub waited_for: BTreeSet<String>,
    /// Where the run stands, for the first prompt of a session whose client loses what is said at its start.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stands: String,
}

/// Reads the memory, changes it and writes it back, under its lock.
pub fn update<T>(
    books: &Books,
    session: &str,
    workflow: &str,
    change: impl FnOnce(&mut Memory) -> T,
) -> Result<T, StoreError> {
    let path = books.memory(session, workflow);
    let lock_path = books.lock("sessions");
    let folder = books.prepare(&lock_path)?;
    folder.make_folder_of(&path, Access::Ours)?;
    let _lock = lock::take(folder, &lock_path, lock::PATIENCE)?;
    let bytes = folder.read(&path, BYTES_MAX)?;
    if bytes.is_none() {
        layout::clear_old_beside(folder, &path);
    }
    let bytes = bytes.unwrap_or_default();
    let mut memory: Memory = serde_json::from_slice(&bytes).unwrap_or_default();
    let before = memory.clone();
    let result = change(&mut memory);
    if memory != before {
        folder.replace(&path, &serde_json::to_vec(&memory)?, Access::Ours)?;
    }
    Ok(result)
}

/// Reads the memory as it is, without its lock: it is replaced whole.
pub fn read(books: &Books, session: &str, workflow: &str) -> Option<Memory> {
    let bytes = books.read(&books.memory(session, workflow), BYTES_MAX).ok().flatten()?;
    serde_json::from_slice(&bytes).ok()
}

/// Whether there is anything to remember, without taking a lock.
pub fn exists(books: &Books, session: &str, workflow: &str) -> bool {
    books.memory(session, workflow).is_file()
}
