//! The records of a home: which states were sealed there, in order, each with the one before it hashed in. The head names the
//! newest, by a counter that only goes up.
//!
//! What is sealed is written first, then its record, then the head. So whoever is killed in between leaves a copy that is one
//! ahead of the records, or records that are one ahead of the head: the longest valid chain counts.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::books::Books;
use super::error::StoreError;
use super::folder::{Access, FileError, Folder};
use super::{layout, lock};

/// The largest head: a few names and digests.
const HEAD_BYTES_MAX: u64 = 1024 * 1024;
/// The most that is read of the records behind the head: a crash leaves one.
const TAIL_BYTES_MAX: u64 = 1024 * 1024;

/// One record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Record {
    counter: u64,
    workflow: String,
    /// A digest of the state that was sealed; none where its run is over and another begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// A digest of this record and the one before it.
    chain: String,
}

impl Record {
    fn link(&self, before: &str) -> String {
        let record = Record { chain: before.to_owned(), ..self.clone() };
        layout::content_digest(&serde_json::to_vec(&record).unwrap_or_default())
    }
}

/// The newest record, and what is sealed now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Head {
    /// How many records there are.
    pub counter: u64,
    /// The chain of the newest.
    pub chain: String,
    /// How long the records were when it was written.
    bytes: u64,
    /// The sealed states, by their workflows.
    pub runs: BTreeMap<String, Sealed>,
}

/// What is sealed of one workflow's run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sealed {
    /// The counter of its record.
    pub counter: u64,
    /// A digest of the state.
    pub state: String,
}

impl Head {
    /// Takes in a record, if it follows the newest.
    fn take(&mut self, record: Record) -> bool {
        if record.counter <= self.counter || record.chain != record.link(&self.chain) {
            return false;
        }
        self.counter = record.counter;
        self.chain = record.chain;
        match record.state {
            Some(state) => {
                self.runs.insert(record.workflow, Sealed { counter: record.counter, state });
            }
            None => {
                self.runs.remove(&record.workflow);
            }
        }
        true
    }
}

/// Returns the head, with the records that were written behind it. None if nothing was ever recorded.
pub fn head(books: &Books) -> Result<Option<Head>, FileError> {
    let Some(folder) = books.opened()? else { return Ok(None) };
    let (head, _) = newest(books, folder)?;
    Ok((head.counter > 0).then_some(head))
}

/// Records that a state is sealed, or with none that its run is over. `seal` writes the copy, with the record's counter,
/// before the record is.
pub fn add(
    books: &Books,
    workflow: &str,
    state: Option<&str>,
    at_least: u64,
    seal: impl FnOnce(&Folder, u64) -> Result<(), FileError>,
) -> Result<Head, StoreError> {
    let lock_path = books.lock("records");
    let folder = books.prepare(&lock_path)?;
    let _lock = lock::take(folder, &lock_path, lock::PATIENCE)?;
    let (mut head, is_torn) = newest(books, folder)?;
    let (workflow, state) = (workflow.to_owned(), state.map(str::to_owned));
    let mut record =
        Record { counter: head.counter.max(at_least) + 1, workflow, state, chain: String::new() };
    record.chain = record.link(&head.chain);
    seal(folder, record.counter)?;
    let mut line = serde_json::to_vec(&record)?;
    line.push(b'\n');
    if is_torn {
        line.insert(0, b'\n');
    }
    let path = records(books);
    let mut file = folder.append(&path, Access::Ours)?;
    file.write_all(&line).map_err(FileError::io(&path))?;
    head.take(record);
    head.bytes = file.metadata().map_err(FileError::io(&path))?.len();
    folder.replace(&head_file(books), &serde_json::to_vec(&head)?, Access::Ours)?;
    Ok(head)
}

/// Reads the head and the records behind it, and whether the last of them is torn.
fn newest(books: &Books, folder: &Folder) -> Result<(Head, bool), FileError> {
    let head = folder.read(&head_file(books), HEAD_BYTES_MAX)?.unwrap_or_default();
    let mut head: Head = serde_json::from_slice(&head).unwrap_or_default();
    let path = records(books);
    let Some(mut file) = folder.open(&path)? else { return Ok((head, false)) };
    let failed = FileError::io(&path);
    if file.metadata().map_err(&failed)?.len() <= head.bytes {
        return Ok((head, false));
    }
    file.seek(SeekFrom::Start(head.bytes)).map_err(&failed)?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES_MAX).read_to_end(&mut bytes).map_err(&failed)?;
    let text = String::from_utf8_lossy(&bytes);
    for record in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        head.take(record);
    }
    Ok((head, !text.ends_with('\n')))
}

fn head_file(books: &Books) -> PathBuf {
    books.base().join("head")
}

fn records(books: &Books) -> PathBuf {
    books.base().join("records.jsonl")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add_one(books: &Books, state: Option<&str>) -> Head {
        add(books, "flow", state, 0, |_, _| Ok(())).unwrap()
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a crash")]
    fn the_longest_valid_chain_counts() {
        let home = tempfile::tempdir().unwrap();
        let books = Books::in_project(home.path());
        assert_eq!(head(&books).unwrap(), None);
        add_one(&books, Some("a"));
        let one = std::fs::read(head_file(&books)).unwrap();
        let two = add_one(&books, Some("b"));
        assert_eq!((two.counter, two.runs["flow"].state.as_str()), (2, "b"));
        std::fs::write(head_file(&books), &one).unwrap();
        assert_eq!(head(&books).unwrap().unwrap().runs, two.runs, "killed before the head was written");
        let whole = std::fs::read(records(&books)).unwrap();
        std::fs::write(records(&books), &whole[..whole.len() - 9]).unwrap();
        assert_eq!(head(&books).unwrap().unwrap().counter, 1, "killed in mid-record");
        let again = add_one(&books, Some("c"));
        assert_eq!((again.counter, again.runs["flow"].state.as_str()), (2, "c"));
        std::fs::remove_file(head_file(&books)).unwrap();
        assert_eq!(head(&books).unwrap().unwrap().runs, again.runs, "the records alone say it, too");
        assert!(add_one(&books, None).runs.is_empty());
    }

    #[test]
    fn the_counter_only_goes_up() {
        let home = tempfile::tempdir().unwrap();
        let books = Books::in_project(home.path());
        assert_eq!(add(&books, "flow", Some("a"), 41, |_, _| Ok(())).unwrap().counter, 42);
        assert_eq!(add_one(&books, Some("b")).counter, 43);
    }
}
