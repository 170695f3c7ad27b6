//! Whose run it is, where the run's own state does not say: the session that last worked on it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

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
pub fn claim(home: &Path, place: &Path, session: &str, now: i64) -> Result<(), StoreError> {
    Books::open(home, place)?.write(session, now)
}

/// Whether the run is another session's. One that is nobody's, or whose session has fallen silent, becomes this
/// session's.
pub fn is_anothers(home: &Path, place: &Path, session: &str, now: i64) -> Result<bool, StoreError> {
    let books = Books::open(home, place)?;
    let bytes = books.project.read(&books.path, BYTES_MAX)?.unwrap_or_default();
    let owner: Owner = serde_json::from_slice(&bytes).unwrap_or_default();
    let silent = now.saturating_sub(owner.seen) > SILENT_S;
    if owner.session != session && !owner.session.is_empty() && !silent {
        return Ok(true);
    }
    books.write(session, now)?;
    Ok(false)
}

/// The file that says whose a run is, with its lock held.
struct Books {
    project: Folder,
    path: PathBuf,
    _lock: lock::Lock,
}

impl Books {
    fn open(home: &Path, place: &Path) -> Result<Books, StoreError> {
        let path = layout::owner(home, place);
        let lock_path = layout::lock(home, "owners");
        let project = layout::prepare(home, &lock_path)?;
        project.make_folder_of(&path, Access::Ours)?;
        let lock = lock::take(&project, &lock_path, lock::PATIENCE)?;
        Ok(Books { project, path, _lock: lock })
    }

    fn write(&self, session: &str, seen: i64) -> Result<(), StoreError> {
        if self.project.find(&self.path)?.is_none() {
            layout::clear_old_beside(&self.project, &self.path);
        }
        let owner = Owner { session: session.to_owned(), seen };
        Ok(self.project.replace(&self.path, &serde_json::to_vec(&owner)?, Access::Ours)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_session_owns_a_run_until_it_falls_silent_or_another_works_on_it() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("plan");
        let anothers = |session: &str, now: i64| is_anothers(home.path(), &place, session, now).unwrap();
        assert!(!anothers("a", 0));
        assert!(anothers("b", 10));
        assert!(!anothers("a", 20));
        claim(home.path(), &place, "b", 30).unwrap();
        assert!(anothers("a", 40));
        assert!(!anothers("a", 31 + SILENT_S));
        assert!(anothers("b", 32 + SILENT_S));
    }
}
