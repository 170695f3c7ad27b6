//! The review or check of each run that is being performed now, in the books: for people who look while it runs.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::books::Books;
use super::folder::Access;
use super::journal::Job;
use super::layout;
use crate::caller::process::Process;

/// The most that is read of one.
const BYTES_MAX: u64 = 64 * 1024;

/// A review or check that is being performed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnderWay {
    /// Since when.
    pub at: String,
    /// What it is.
    pub job: Job,
    /// When its process started: a number that was given to another process is not taken for it.
    start: u64,
}

/// The note that something is being performed, removed when it is dropped.
#[derive(Debug)]
pub struct Note<'a> {
    books: &'a Books,
    path: PathBuf,
}

impl Drop for Note<'_> {
    fn drop(&mut self) {
        if let Ok(Some(folder)) = self.books.opened() {
            // One that stays is told from a live one by its process.
            let _ = folder.remove(&self.path);
        }
    }
}

fn path(books: &Books, workflow: &str, place: &Path) -> PathBuf {
    let name = layout::name(books.home(), place);
    books.base().join("jobs").join(format!("{}.json", layout::digest(&[workflow, &name])))
}

/// Notes that this process performs something of a run. Where it cannot be noted, nobody sees it.
pub fn begin<'a>(books: &'a Books, workflow: &str, place: &Path, at: &str, job: &Job) -> Option<Note<'a>> {
    let path = path(books, workflow, place);
    let start = Process::of(std::process::id()).map_or(0, |process| process.start);
    let under_way = UnderWay { at: at.to_owned(), job: job.clone(), start };
    let bytes = serde_json::to_vec(&under_way).ok()?;
    books.prepare(&path).ok()?.replace(&path, &bytes, Access::Ours).ok()?;
    Some(Note { books, path })
}

/// What is being performed of a run now, if anything is.
pub fn under_way(books: &Books, workflow: &str, place: &Path) -> Option<UnderWay> {
    let bytes = books.read(&path(books, workflow, place), BYTES_MAX).ok()??;
    let found: UnderWay = serde_json::from_slice(&bytes).ok()?;
    let pid = found.job.pid?;
    Process { pid, start: found.start }.is_alive().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_seen_while_its_process_performs_it() {
        let home = tempfile::tempdir().unwrap();
        let (books, place) = (Books::in_project(home.path()), home.path());
        let job = Job { id: "j1".into(), pid: Some(std::process::id()), ..Job::default() };
        let note = begin(&books, "flow", place, "now", &job);
        assert_eq!(under_way(&books, "flow", place).unwrap().job.id, "j1");
        drop(note);
        assert_eq!(under_way(&books, "flow", place), None);
        let gone = Job { pid: Some(u32::MAX), ..job };
        let note = begin(&books, "flow", place, "now", &gone);
        assert_eq!(under_way(&books, "flow", place), None, "its process is gone");
        drop(note);
    }
}
