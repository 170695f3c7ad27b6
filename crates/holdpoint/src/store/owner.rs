//! Whose run it is, where the run's own state does not say: the session that last worked on it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::books::Books;
use super::error::StoreError;
use super::folder::{Access, Folder};
use super::{layout, lock};

/// After how long without a sign a session has given a run up, in seconds.
const SILENT_S: i64 = 2 * 60 * 60;

/// The most that is read of an owner's file: an id and a time.
const BYTES_MAX: u64 = 64 * 1024;

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Owner {
    session: String,
    seen: i64,
}

/// Makes the run at `place` this session's: somebody works on it there.
pub fn claim(books: &Books, place: &Path, session: &str, now: i64) -> Result<(), StoreError> {
    OwnerFile::open(books, place)?.write(session, now)
}

/// Whether the run is another session's. One that is nobody's, or whose session has fallen silent, becomes this
/// session's.
pub fn is_anothers(books: &Books, place: &Path, session: &str, now: i64) -> Result<bool, StoreError> {
    let file = OwnerFile::open(books, place)?;
    let bytes = file.folder.read(&file.path, BYTES_MAX)?.unwrap_or_default();
    let owner: Owner = serde_json::from_slice(&bytes).unwrap_or_default();
    let silent = now.saturating_sub(owner.seen) > SILENT_S;
    if owner.session != session && !owner.session.is_empty() && !silent {
        return Ok(true);
    }
    file.write(session, now)?;
    Ok(false)
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

    fn write(&self, session: &str, seen: i64) -> Result<(), StoreError> {
        if self.folder.find(&self.path)?.is_none() {
            layout::clear_old_beside(self.folder, &self.path);
        }
        let owner = Owner { session: session.to_owned(), seen };
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
        let anothers = |session: &str, now: i64| is_anothers(&books, &place, session, now).unwrap();
        assert!(!anothers("a", 0));
        assert!(anothers("b", 10));
        assert!(!anothers("a", 20));
        claim(&books, &place, "b", 30).unwrap();
        assert!(anothers("a", 40));
        assert!(!anothers("a", 31 + SILENT_S));
        assert!(anothers("b", 32 + SILENT_S));
    }
}
