//! Whose run it is: the session that last worked on it. Where the run's own state names a session, this is kept only once
//! another has taken that one's place.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::books::Books;
use super::error::StoreError;
use super::folder::{Access, Folder};
use super::{layout, lock};

/// After how long without a sign a session has given a run up, in seconds.
const SILENT_S: i64 = 2 * 60 * 60;

/// The most that is read of an owner's file: ids and a time.
const BYTES_MAX: u64 = 64 * 1024;

/// The owner of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Owner {
    /// The session; empty: nobody.
    pub session: String,
    seen: i64,
    /// The session that the run's own state names, whose place this one has taken.
    #[serde(skip_serializing_if = "String::is_empty")]
    instead_of: String,
}

impl Owner {
    /// Returns whether it has given no sign for so long that it counts as gone.
    pub fn is_silent(&self, now: i64) -> bool {
        now.saturating_sub(self.seen) > SILENT_S
    }

    /// The owner by the kept bytes, where the state names this session.
    fn of(kept: Option<Vec<u8>>, named: &str) -> Owner {
        let kept: Owner = serde_json::from_slice(&kept.unwrap_or_default()).unwrap_or_default();
        let is_newer = kept.instead_of == named && (named.is_empty() || !kept.session.is_empty());
        if is_newer {
            kept
        } else {
            Owner { session: named.to_owned(), seen: i64::MAX, instead_of: String::new() }
        }
    }
}

/// Reads who owns the run at `place`, whose own state names this session, or nobody.
pub fn read(books: &Books, place: &Path, named: &str) -> Owner {
    Owner::of(books.read(&books.owner(place), BYTES_MAX).ok().flatten(), named)
}

/// Makes the run at `place` this session's: somebody works on it there.
pub fn claim(books: &Books, place: &Path, session: &str, now: i64) -> Result<(), StoreError> {
    OwnerFile::open(books, place)?.write("", session, now)
}

/// Makes the run this session's if its owner lets it go. Returns who keeps it otherwise.
pub fn take(
    books: &Books,
    place: &Path,
    named: &str,
    session: &str,
    now: i64,
    lets_go: impl FnOnce(&Owner) -> bool,
) -> Result<Option<Owner>, StoreError> {
    // What the state says of this very session needs no record.
    if named == session && read(books, place, named).session == session {
        return Ok(None);
    }
    let file = OwnerFile::open(books, place)?;
    let owner = Owner::of(file.folder.read(&file.path, BYTES_MAX)?, named);
    if owner.session != session && !owner.session.is_empty() && !lets_go(&owner) {
        return Ok(Some(owner));
    }
    file.write(named, session, now)?;
    Ok(None)
}

/// The file that says whose a run is, with its lock held.
struct OwnerFile<'a> {
    folder: &'a Folder,
    path: PathBuf,
    _lock: lock::Lock,
}

impl<'a> OwnerFile<'a> {
    fn open(books: &'a Books, place: &Path) -> Result<OwnerFile<'a>, StoreError> {
        let path = books.owner(place);
        let lock_path = books.lock("owners");
        let folder = books.prepare(&lock_path)?;
        folder.make_folder_of(&path, Access::Ours)?;
        let lock = lock::take(folder, &lock_path, lock::PATIENCE)?;
        Ok(OwnerFile { folder, path, _lock: lock })
    }

    fn write(&self, instead_of: &str, session: &str, seen: i64) -> Result<(), StoreError> {
        if self.folder.find(&self.path)?.is_none() {
            layout::clear_old_beside(self.folder, &self.path);
        }
        let owner = Owner { session: session.to_owned(), seen, instead_of: instead_of.to_owned() };
        Ok(self.folder.replace(&self.path, &serde_json::to_vec(&owner)?, Access::Ours)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_session_owns_a_run_until_it_falls_silent_or_another_works_on_it() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("plan");
        let books = Books::in_project(home.path());
        let anothers = |session: &str, now: i64| {
            take(&books, &place, "", session, now, |owner| owner.is_silent(now)).unwrap().is_some()
        };
        assert!(!anothers("a", 0));
        assert!(anothers("b", 10));
        assert!(!anothers("a", 20));
        claim(&books, &place, "b", 30).unwrap();
        assert!(anothers("a", 40));
        assert!(!anothers("a", 31 + SILENT_S));
        assert!(anothers("b", 32 + SILENT_S));
    }

    #[test]
    fn what_a_state_says_counts_until_another_takes_that_sessions_place() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("loop");
        let books = Books::in_project(home.path());
        let kept_by = |named: &str, session: &str, lets_go: bool| {
            take(&books, &place, named, session, 0, |_| lets_go).unwrap().map(|owner| owner.session)
        };
        assert_eq!(kept_by("a", "b", false).as_deref(), Some("a"));
        assert_eq!(read(&books, &place, "a").session, "a");
        assert_eq!(kept_by("a", "b", true), None);
        assert_eq!(read(&books, &place, "a").session, "b");
        assert_eq!(kept_by("a", "a", false).as_deref(), Some("b"), "it is back, too late");
        assert_eq!(kept_by("c", "d", false).as_deref(), Some("c"), "the state names another by now");
    }
}
