//! The open holds of each run, in the books. There is no file while a run has none, so that an event which nobody holds pays
//! for one look.

use std::path::{Path, PathBuf};

use holdpoint_core::holds::Holds;

use super::books::Books;
use super::error::StoreError;
use super::folder::Access;
use super::{layout, lock};

/// The most that is read: twenty holds with a line of text each.
const BYTES_MAX: u64 = 256 * 1024;

fn path(books: &Books, workflow: &str, place: &Path) -> PathBuf {
    let name = layout::name(books.home(), place);
    books.base().join("holds").join(format!("{}.json", layout::digest(&[workflow, &name])))
}

/// Whether a run may have open holds, without taking a lock.
pub fn are_any(books: &Books, workflow: &str, place: &Path) -> bool {
    books.has(&path(books, workflow, place))
}

/// The open holds of a run, as they are now.
pub fn read(books: &Books, workflow: &str, place: &Path) -> Holds {
    let bytes = books.read(&path(books, workflow, place), BYTES_MAX).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Changes the open holds of a run, under their lock.
pub fn change<T>(
    books: &Books,
    workflow: &str,
    place: &Path,
    change: impl FnOnce(&mut Holds) -> T,
) -> Result<T, StoreError> {
    let path = path(books, workflow, place);
    let lock_path = books.lock("holds");
    let folder = books.prepare(&lock_path)?;
    folder.make_folder_of(&path, Access::Ours)?;
    let _lock = lock::take(folder, &lock_path, lock::PATIENCE)?;
    let bytes = folder.read(&path, BYTES_MAX)?.unwrap_or_default();
    let mut holds: Holds = serde_json::from_slice(&bytes).unwrap_or_default();
    let before = holds.clone();
    let result = change(&mut holds);
    if holds.0.is_empty() {
        match folder.remove(&path) {
            Err(error) if !error.is_missing() => return Err(error.into()),
            _ => {}
        }
    } else if holds != before {
        folder.replace(&path, &serde_json::to_vec(&holds)?, Access::Ours)?;
    }
    Ok(result)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "what others wrote")]
mod tests {
    use holdpoint_core::holds::OpenHold;

    use super::*;

    #[test]
    fn there_is_a_file_as_long_as_a_hold_is_open() {
        let home = tempfile::tempdir().unwrap();
        let books = Books::in_project(home.path());
        let place = home.path().join("plan");
        assert!(!are_any(&books, "flow", &place));
        change(&books, "flow", &place, |holds| holds.0.push(OpenHold::default())).unwrap();
        assert!(are_any(&books, "flow", &place) && !are_any(&books, "other", &place));
        assert_eq!(read(&books, "flow", &place).0.len(), 1);
        change(&books, "flow", &place, |holds| holds.0.clear()).unwrap();
        assert!(!are_any(&books, "flow", &place));
        std::fs::create_dir_all(books.base().join("holds")).unwrap();
        std::fs::write(path(&books, "flow", &place), "rubbish").unwrap();
        assert!(read(&books, "flow", &place).0.is_empty(), "rubbish is no hold");
    }
}
