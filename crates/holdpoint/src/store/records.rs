//! The records of a home: which states were sealed there, in order, each with the one before it hashed in. The head names the
//! newest, by a counter that only goes up.
//!
//! What is sealed is written first, then its record, then the head, and last it is put in its place. The record decides:
//! what has none does not count. Whoever is killed after it leaves a copy that is not in its place yet, or a head that is one
//! behind: the longest valid chain counts.

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

/// The largest records that are searched.
const RECORDS_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// The largest counter: no run takes so many steps, and whoever writes a larger one has made it up.
const COUNTER_MAX: u64 = u64::MAX / 2;
/// How far ahead a counter may be that somebody else has seen. One that is further ahead is made up.
const LEAP_MAX: u64 = 1_000_000;

/// One record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Record {
    counter: u64,
    workflow: String,
    /// A digest of the state that was sealed; none where its run is over and another begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// A digest of the workflow's file with which the run was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    begun: Option<String>,
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
    /// A digest of the workflow's file with which the run was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begun: Option<String>,
}

impl Head {
    /// The next counter, which is larger than this one that somebody has seen, unless that is made up.
    fn after(&self, seen: u64) -> u64 {
        let is_near = seen.saturating_sub(self.counter) <= LEAP_MAX;
        // Neither is anywhere near the end: larger ones are not read.
        if is_near { self.counter.max(seen).saturating_add(1) } else { self.counter + 1 }
    }

    /// Takes in a record, if it follows the newest.
    fn take(&mut self, record: Record) -> bool {
        if !(self.counter + 1..=COUNTER_MAX).contains(&record.counter)
            || record.chain != record.link(&self.chain)
        {
            return false;
        }
        self.counter = record.counter;
        self.chain = record.chain;
        match record.state {
            Some(state) => {
                let sealed = Sealed { counter: record.counter, state, begun: record.begun };
                self.runs.insert(record.workflow, sealed);
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

/// Records that a state is sealed, or with none that its run is over. `seal` writes the copy, with the record's counter and
/// with what was recorded of the run before, and returns which workflow the run was begun with.
pub fn add(
    books: &Books,
    workflow: &str,
    state: Option<&str>,
    at_least: u64,
    seal: impl FnOnce(&Folder, u64, Option<&Sealed>) -> Result<Option<String>, FileError>,
) -> Result<Head, StoreError> {
    let lock_path = books.lock("records");
    let folder = books.prepare(&lock_path)?;
    let _lock = lock::take(folder, &lock_path, lock::PATIENCE)?;
    let (mut head, is_torn) = newest(books, folder)?;
    let counter = head.after(at_least);
    let begun = seal(folder, counter, head.runs.get(workflow))?;
    let (workflow, state) = (workflow.to_owned(), state.map(str::to_owned));
    let mut record = Record { counter, workflow, state, begun, chain: String::new() };
    record.chain = record.link(&head.chain);
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
    let head = serde_json::from_slice(&head).ok().filter(|head: &Head| head.counter < COUNTER_MAX);
    let mut head = head.unwrap_or_default();
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

/// Returns whether this state of a workflow's run was ever sealed.
pub fn has(books: &Books, workflow: &str, counter: u64, state: &str) -> Result<bool, FileError> {
    let is_it = |record: &Record| record.counter == counter && record.state.as_deref() == Some(state);
    Ok(all(books)?.iter().any(|record| record.workflow == workflow && is_it(record)))
}

/// Returns the record by which a workflow's run is over, if that is its last.
pub fn over(books: &Books, workflow: &str) -> Result<Option<u64>, FileError> {
    let last = all(books)?.into_iter().rfind(|record| record.workflow == workflow);
    Ok(last.filter(|record| record.state.is_none()).map(|record| record.counter))
}

/// All records that can be read, oldest first.
fn all(books: &Books) -> Result<Vec<Record>, FileError> {
    let bytes = books.read(&records(books), RECORDS_BYTES_MAX)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
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
        add(books, "flow", state, 0, |_, _, _| Ok(None)).unwrap()
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

    fn head_of(books: &Books) -> u64 {
        head(books).unwrap().unwrap().counter
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a forger")]
    fn the_counter_only_goes_up() {
        let home = tempfile::tempdir().unwrap();
        let books = Books::in_project(home.path());
        let after = |seen| add(&books, "flow", Some("a"), seen, |_, _, _| Ok(None)).unwrap().counter;
        assert_eq!((after(41), after(0)), (42, 43));
        assert_eq!(
            (after(u64::MAX), after(u64::MAX - 1), after(50)),
            (44, 45, 51),
            "what is made up is none"
        );
        for made_up in [u64::MAX, COUNTER_MAX] {
            let head = Head { counter: made_up, ..Head::default() };
            std::fs::write(head_file(&books), serde_json::to_vec(&head).unwrap()).unwrap();
            assert_eq!(head_of(&books), 51, "the records alone say it");
        }
        assert_eq!(after(0), 52);
    }
}
