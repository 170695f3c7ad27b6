//! The numbers of the journal's lines: each line has that of the one before it and one, which is found at the journal's end, so
//! that nothing else need be kept.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom};
use std::time::{Duration, Instant};

use super::{TAIL_BYTES, length};
use crate::store::books::Books;
use crate::store::folder::Folder;

/// How much of the end has the last line's number: the name, twenty digits, and the line's end.
const END_BYTES: u64 = 32;
/// What comes before a number.
const NAME: &str = "\"seq\":";
/// How long others may take to write a line.
const PATIENCE: Duration = Duration::from_secs(1);

/// How the journal ends.
pub(super) struct End {
    /// The last line's number, if it has one.
    pub(super) seq: Option<u64>,
    /// Whether the last line has no end: a full disk or a lost machine left it so, and it must not swallow the next one. A
    /// line that another process is just writing looks the same where no lock can be had; then an empty line comes between,
    /// which readers pass over.
    pub(super) is_torn: bool,
}

impl End {
    /// Looks at the end of a journal of this length.
    pub(super) fn of(file: &mut File, length: u64) -> End {
        let bytes = tail(file, length, END_BYTES);
        let seq = bytes.strip_suffix(b"}\n").and_then(|bytes| last(&String::from_utf8_lossy(bytes)));
        End { seq, is_torn: bytes.last().is_some_and(|byte| *byte != b'\n') }
    }
}

/// Takes the journal for a line, so that no other has the same number; false if it cannot be had.
pub(super) fn is_locked(file: &File) -> bool {
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return true,
            Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_micros(200));
            }
            Err(_) => return false,
        }
    }
}

/// The last number before a line that has none, or in the journal that was set aside.
pub(super) fn before(books: &Books, folder: &Folder, file: &mut File, end: u64) -> Option<u64> {
    let bytes = tail(file, end, TAIL_BYTES);
    if !bytes.is_empty() {
        return last_of_lines(&bytes);
    }
    let mut old = folder.open(&books.old_journal(1)).ok()??;
    let end = length(&old);
    last_of_lines(&tail(&mut old, end, TAIL_BYTES))
}

fn last_of_lines(bytes: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().rev().find_map(|line| last(line.strip_suffix('}')?))
}

/// The number at the end of a line, without its bracket.
fn last(line: &str) -> Option<u64> {
    line.rsplit_once(NAME)?.1.parse().ok()
}

fn tail(file: &mut File, length: u64, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if length > 0 && file.seek(SeekFrom::Start(length.saturating_sub(most))).is_ok() {
        // What cannot be read has no number.
        let _ = file.take(most).read_to_end(&mut bytes);
    }
    bytes
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "what others wrote")]
mod tests {
    use super::super::{Entry, append, read};
    use super::*;

    fn numbers(books: &Books) -> Vec<u64> {
        read(books).iter().map(|entry| entry.seq).collect()
    }

    #[test]
    fn lines_are_numbered_without_gaps_also_by_many_at_once_and_over_files() {
        let home = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let books = Books::in_project(home.path());
                    for _ in 0..20 {
                        append(&books, &Entry::default()).unwrap();
                    }
                });
            }
        });
        let books = Books::in_project(home.path());
        assert_eq!(numbers(&books), (1..=160).collect::<Vec<u64>>());
        let big = Entry { about: Some("x".repeat(4 * 1024 * 1024)), ..Entry::default() };
        append(&books, &big).unwrap();
        append(&books, &Entry::default()).unwrap();
        assert_eq!(numbers(&books), (1..=162).collect::<Vec<u64>>());
    }

    #[test]
    fn a_line_without_a_number_is_looked_past() {
        let home = tempfile::tempdir().unwrap();
        let books = Books::in_project(home.path());
        append(&books, &Entry::default()).unwrap();
        let mut text = std::fs::read_to_string(books.journal()).unwrap();
        text.push_str("{\"at\":\"2\",\"took_us\":5}\n{\"at\":\"3\",\"seq\":9");
        std::fs::write(books.journal(), text).unwrap();
        append(&books, &Entry::default()).unwrap();
        assert_eq!(numbers(&books), [1, 0, 2], "a torn line has no number");
    }
}
