//! What the user has opened of a run: grants, and a pause. In the books, a file each, and none while nothing is open, so that
//! only a hold that holds looks for grants.

use std::path::{Path, PathBuf};

use holdpoint_core::door::{Grants, Pause};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::books::Books;
use super::error::StoreError;
use super::folder::Access;
use super::{layout, lock};

/// The most that is read of either.
const BYTES_MAX: u64 = 256 * 1024;

/// A run, by where its files in the books are.
#[derive(Clone, Copy, Debug)]
pub struct Door<'a> {
    books: &'a Books,
    workflow: &'a str,
    place: &'a Path,
}

impl<'a> Door<'a> {
    /// Returns the door of a run: of this workflow, at this place.
    pub fn of(books: &'a Books, workflow: &'a str, place: &'a Path) -> Door<'a> {
        Door { books, workflow, place }
    }

    fn path(&self, what: &str) -> PathBuf {
        let name = layout::name(self.books.home(), self.place);
        let file = format!("{}.{what}.json", layout::digest(&[self.workflow, &name]));
        self.books.base().join("door").join(file)
    }

    /// Reads a file. What is no such thing opens nothing.
    fn read<T: DeserializeOwned>(&self, what: &str) -> Option<T> {
        let bytes = self.books.read(&self.path(what), BYTES_MAX).ok().flatten()?;
        serde_json::from_slice(&bytes).ok()
    }

    fn write<T: Serialize>(&self, what: &str, value: Option<&T>) -> Result<(), StoreError> {
        let path = self.path(what);
        let folder = self.books.prepare(&path)?;
        match value {
            Some(value) => folder.replace(&path, &serde_json::to_vec(value)?, Access::Ours)?,
            None => match folder.remove(&path) {
                Err(error) if !error.is_missing() => return Err(error.into()),
                _ => {}
            },
        }
        Ok(())
    }

    /// Returns whether there may be grants, without reading them.
    pub fn has_grants(&self) -> bool {
        self.books.has(&self.path("grants"))
    }

    /// Returns the grants, as they are now.
    pub fn grants(&self) -> Grants {
        self.read("grants").unwrap_or_default()
    }

    /// Changes the grants, under their lock: of hooks in parallel, one uses one up. What is used up is on the disk when this
    /// returns.
    pub fn change_grants<T>(&self, change: impl FnOnce(&mut Grants) -> T) -> Result<T, StoreError> {
        let lock_path = self.books.lock("door");
        let _lock = lock::take(self.books.prepare(&lock_path)?, &lock_path, lock::PATIENCE)?;
        let mut grants = self.grants();
        let before = grants.clone();
        let result = change(&mut grants);
        if grants != before {
            self.write("grants", Some(&grants).filter(|grants| !grants.0.is_empty()))?;
        }
        Ok(result)
    }

    /// Returns the pause, whether its time is over or not.
    pub fn pause(&self) -> Option<Pause> {
        self.books.has(&self.path("pause")).then(|| self.read("pause")).flatten()
    }

    /// Pauses the run, or ends its pause.
    pub fn set_pause(&self, pause: Option<&Pause>) -> Result<(), StoreError> {
        self.write("pause", pause)
    }

    /// Closes it: another run takes the place of this one.
    pub fn close(&self) -> Result<(), StoreError> {
        if self.has_grants() {
            self.change_grants(|grants| grants.0.clear())?;
        }
        if self.books.has(&self.path("pause")) { self.set_pause(None) } else { Ok(()) }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "what others wrote")]
mod tests {
    use holdpoint_core::door::{Grant, Held};

    use super::*;

    fn grant(id: &str) -> Grant {
        let (at, until) = ("1".to_owned(), "9".to_owned());
        Grant { id: id.to_owned(), at, until, ..Grant::default() }
    }

    #[test]
    fn there_are_files_as_long_as_something_is_open() {
        let home = tempfile::tempdir().unwrap();
        let books = Books::in_project(home.path());
        let place = home.path().join("plan");
        let (door, other) = (Door::of(&books, "flow", &place), Door::of(&books, "other", &place));
        assert!(!door.has_grants() && door.pause().is_none());
        door.change_grants(|grants| grants.add(grant("g"))).unwrap();
        door.set_pause(Some(&Pause::default())).unwrap();
        assert!(door.has_grants() && door.pause().is_some());
        assert!(!other.has_grants() && other.pause().is_none());
        door.close().unwrap();
        assert!(!door.has_grants() && door.pause().is_none());
        assert_eq!(std::fs::read_dir(books.base().join("door")).unwrap().count(), 0);
    }

    #[test]
    fn rubbish_opens_nothing() {
        let home = tempfile::tempdir().unwrap();
        let books = Books::in_project(home.path());
        let door = Door::of(&books, "flow", home.path());
        std::fs::create_dir_all(books.base().join("door")).unwrap();
        for rubbish in ["rubbish", "{}", "[{\"id\": 1}]", "[1]", ""] {
            std::fs::write(door.path("grants"), rubbish).unwrap();
            std::fs::write(door.path("pause"), rubbish.replace("{}", "[1]")).unwrap();
            assert!(door.grants().0.is_empty() && door.pause().is_none(), "{rubbish}");
        }
        door.change_grants(|grants| grants.add(grant("g"))).unwrap();
        assert_eq!(door.grants().0.len(), 1, "and is written over");
    }

    #[test]
    fn of_many_at_once_one_uses_a_grant_up() {
        let home = tempfile::tempdir().unwrap();
        let add = |grants: &mut Grants| grants.add(grant("g"));
        Door::of(&Books::in_project(home.path()), "flow", home.path()).change_grants(add).unwrap();
        let take = || {
            let books = Books::in_project(home.path());
            let door = Door::of(&books, "flow", home.path());
            door.change_grants(|grants| grants.take(&Held::default(), None, "5")).unwrap().is_some()
        };
        let taken = std::thread::scope(|scope| {
            let all: Vec<_> = (0..16).map(|_| scope.spawn(take)).collect();
            all.into_iter().map(|one| one.join().unwrap()).filter(|taken| *taken).count()
        });
        assert_eq!(taken, 1);
    }
}
