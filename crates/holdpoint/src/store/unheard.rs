//! What a Stop says to an agent after it has moved a run on: noted before the state is written, and removed when the answer
//! has been printed. What is still there was perhaps not heard.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::books::Books;
use super::error::StoreError;
use super::folder::Access;
use super::layout;
use crate::caller::process::Process;

/// The most that is read of a note.
const BYTES_MAX: u64 = 1024 * 1024;

/// What was to be said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Unheard {
    /// The run, by its place.
    pub place: String,
    /// The phase that says it.
    pub phase: String,
    /// The text.
    pub text: String,
    /// A digest of the state before it was written.
    pub before: String,
    /// The process that will say it.
    pub by: Option<Process>,
}

impl Unheard {
    /// Whether another process is still about to say it.
    fn is_being_said(&self) -> bool {
        self.by.is_some_and(|by| by.pid != std::process::id() && by.is_alive())
    }
}

/// A note in the books.
#[derive(Clone, Debug)]
pub struct Note {
    books: Books,
    path: PathBuf,
}

impl PartialEq for Note {
    fn eq(&self, other: &Note) -> bool {
        self.path == other.path
    }
}

impl Eq for Note {}

impl Note {
    /// The note of a session in a run.
    pub fn of(books: &Books, session: &str, workflow: &str) -> Note {
        let path = books.base().join("unheard").join(layout::digest(&[session, workflow]));
        Note { books: books.clone(), path }
    }

    /// What it says, if it is there and about the run at `place`, and whoever noted it is gone.
    pub fn read(&self, place: &Path) -> Option<Unheard> {
        // Nearly always there is none, and a look is cheaper than opening it.
        let bytes = self.books.has(&self.path).then(|| self.books.read(&self.path, BYTES_MAX))?.ok()??;
        let unheard: Unheard = serde_json::from_slice(&bytes).ok()?;
        let is_its = unheard.place == layout::name(self.books.home(), place);
        (is_its && !unheard.is_being_said()).then_some(unheard)
    }

    /// Writes it.
    pub fn write(&self, place: &Path, unheard: Unheard) -> Result<(), StoreError> {
        let folder = self.books.prepare(&self.path)?;
        let (place, by) = (layout::name(self.books.home(), place), Process::of(std::process::id()));
        let unheard = Unheard { place, by, ..unheard };
        folder.replace(&self.path, &serde_json::to_vec(&unheard)?, Access::Ours)?;
        layout::clear_old_beside(folder, &self.path);
        Ok(())
    }

    /// Removes it: somebody has heard it, or there is nothing to hear.
    pub fn clear(&self) {
        if let Ok(Some(folder)) = self.books.opened() {
            // Said once more, if it stays.
            let _ = folder.remove(&self.path);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_of_one_session_and_one_run() {
        let home = tempfile::tempdir().unwrap();
        let (books, place) = (Books::in_project(home.path()), home.path().join("plan"));
        let note = Note::of(&books, "s", "flow");
        assert_eq!(note.read(&place), None);
        note.write(&place, Unheard { text: "go on".into(), ..Unheard::default() }).unwrap();
        assert_eq!(note.read(&place).unwrap().text, "go on");
        assert_eq!(note.read(home.path()), None, "another run");
        assert_eq!(Note::of(&books, "other", "flow").read(&place), None);
        note.clear();
        assert_eq!(note.read(&place), None);
    }

    #[test]
    fn what_another_process_is_about_to_say_is_not_said_twice() {
        let of = |pid: u32| Unheard { by: Process::of(pid), ..Unheard::default() };
        assert!(of(std::os::unix::process::parent_id()).is_being_said());
        assert!(!of(std::process::id()).is_being_said(), "a keeper goes on after an answer that failed");
        let gone = Process { start: 1, ..Process::of(std::os::unix::process::parent_id()).unwrap() };
        assert!(!Unheard { by: Some(gone), ..Unheard::default() }.is_being_said());
    }
}
