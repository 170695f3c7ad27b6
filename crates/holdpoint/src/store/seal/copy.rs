//! The engine's copy of a sealed state: a line about it, and the state itself.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::BYTES_MAX;
use crate::store::books::Books;
use crate::store::folder::{Access, FileError, Folder};
use crate::store::layout;
use crate::store::records::Sealed;

/// The longest head of a copy: two digests and a counter.
const HEAD_BYTES_MAX: u64 = 256;

/// The first line of a copy: digests of the state, and of the workflow's file if it is not built in, and its record's
/// counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) state: String,
    pub(super) workflow: String,
    pub(super) counter: u64,
}

impl Head {
    fn line(&self) -> String {
        format!("{} {} {}\n", self.state, self.workflow, self.counter)
    }

    fn read(sealed: &[u8]) -> (Head, &[u8]) {
        let end = sealed.iter().position(|byte| *byte == b'\n').unwrap_or(sealed.len());
        let line = String::from_utf8_lossy(&sealed[..end]);
        let mut words = line.split(' ');
        let mut word = || words.next().unwrap_or_default().to_owned();
        let head = Head { state: word(), workflow: word(), counter: word().parse().unwrap_or_default() };
        (head, sealed.get(end + 1..).unwrap_or_default())
    }

    /// Returns whether it is what the record says.
    pub(super) fn is_of(&self, record: &Sealed) -> bool {
        let is_begun_so = record.begun.as_ref().is_none_or(|begun| *begun == self.workflow);
        self.counter == record.counter && self.state == record.state && is_begun_so
    }
}

/// A copy.
#[derive(Debug)]
pub(super) struct Copy {
    pub(super) head: Head,
    pub(super) state: Vec<u8>,
}

impl Copy {
    /// Reads a copy; none if it is not there.
    pub(super) fn read(books: &Books, file: &Path) -> Result<Option<Copy>, FileError> {
        let read = books.read(file, BYTES_MAX)?;
        Ok(read.map(|sealed| {
            let (head, state) = Head::read(&sealed);
            Copy { head, state: state.to_vec() }
        }))
    }

    /// Returns whether it is what was written: its state is the one that its head names.
    pub(super) fn is_whole(&self) -> bool {
        self.is_of(&self.state)
    }

    /// Returns whether its head names this state.
    pub(super) fn is_of(&self, state: &[u8]) -> bool {
        layout::content_digest(state) == self.head.state
    }
}

/// Where a copy is until it is recorded: only then it counts.
pub(super) fn next(copy: &Path) -> PathBuf {
    copy.with_extension("next.json")
}

/// Writes the next copy.
pub(super) fn write_next(folder: &Folder, copy: &Path, head: &Head, state: &[u8]) -> Result<(), FileError> {
    folder.make_folder_of(copy, Access::Ours)?;
    folder.replace(&next(copy), &[head.line().as_bytes(), state].concat(), Access::Ours)
}

/// The workflow that a sealed run was begun with, by the first line of its copy.
pub(super) fn begun_with(books: &Books, copy: &Path) -> Result<Option<String>, FileError> {
    let Some(folder) = books.opened()? else { return Ok(None) };
    let Some(file) = folder.open(copy)? else { return Ok(None) };
    let mut head = Vec::new();
    file.take(HEAD_BYTES_MAX).read_to_end(&mut head).map_err(FileError::io(copy))?;
    Ok(Some(Head::read(&head).0.workflow).filter(|begun| !begun.is_empty()))
}
