//! A folder and those above it, in which workflows' markers are looked for. Every event looks for all of them, so the
//! folders are listed once and one buffer has every path that is asked about.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::unreadable::{self, Refused};
use crate::store::{layout, state_folder};

/// A folder and those above it, the folder itself first. None of a path that is not absolute.
pub(crate) struct Ancestry<'a> {
    folders: Vec<&'a Path>,
    path: RefCell<OsString>,
    /// Markers that could not be looked at: in which folder, and why.
    refused: RefCell<Vec<(usize, String, io::Error)>>,
}

impl<'a> Ancestry<'a> {
    pub(crate) fn of(start: &'a Path) -> Ancestry<'a> {
        let folders = if start.is_absolute() { start.ancestors().collect() } else { Vec::new() };
        Ancestry { folders, path: RefCell::default(), refused: RefCell::default() }
    }

    /// Finds the nearest folder that contains `marker`.
    pub(crate) fn nearest(&self, marker: &str) -> Option<&'a Path> {
        self.nearest_from(0, marker).map(|at| self.folders[at])
    }

    /// Finds the nearest folder with a `.holdpoint`, and the nearest one whose `.holdpoint` has choices or workflows.
    /// One with only a journal does not count: it is next to a run's marker, and must not hide the project's choices
    /// further up.
    pub(crate) fn ours(&self) -> (Option<&'a Path>, Option<&'a Path>) {
        let nearest = self.nearest_from(0, layout::FOLDER);
        let mut next = nearest;
        while let Some(at) = next {
            if self.has(at, layout::CONFIG_BELOW) || self.has(at, layout::WORKFLOWS_BELOW) {
                break;
            }
            next = self.nearest_from(at + 1, layout::FOLDER);
        }
        let folder = |at: usize| self.folders[at];
        (nearest.map(folder), next.map(folder))
    }

    /// Finds the nearest of the markers that is there and is not the user's.
    pub(crate) fn anothers(&self, markers: &[&str]) -> Option<PathBuf> {
        let is_anothers = |at: usize, marker: &str| {
            self.in_folder(at, marker, Path::symlink_metadata).is_ok() && !self.is_users(at, marker, at == 0)
        };
        let in_folder = |at: usize| {
            let marker = markers.iter().find(|marker| is_anothers(at, marker))?;
            Some(self.folders[at].join(marker))
        };
        (0..self.folders.len()).find_map(in_folder)
    }

    /// Returns where `marker` could not be looked at, of those that were looked for.
    pub(super) fn refused(&self, marker: &str) -> Option<Refused> {
        let mut refused = self.refused.borrow_mut();
        let at = refused.iter().position(|(_, of, _)| of == marker)?;
        let (at, _, why) = refused.remove(at);
        Some(Refused { home: self.folders[at].to_path_buf(), why })
    }

    fn nearest_from(&self, from: usize, marker: &str) -> Option<usize> {
        if marker.is_empty() {
            return None;
        }
        (from..self.folders.len()).find(|at| self.is_users(*at, marker, *at == from))
    }

    /// Returns whether a folder has `marker`, and the marker belongs to the user. So must a folder above the first:
    /// others may have put the marker there.
    fn is_users(&self, at: usize, marker: &str, is_first: bool) -> bool {
        let found = match self.in_folder(at, marker, Path::symlink_metadata) {
            Ok(found) => found,
            Err(error) => {
                if !unreadable::is_absent(&error) {
                    self.refused.borrow_mut().push((at, marker.to_owned(), error));
                }
                return false;
            }
        };
        state_folder::is_users(&found)
            && (is_first || self.folders[at].metadata().is_ok_and(|folder| state_folder::is_users(&folder)))
    }

    fn has(&self, at: usize, path: &str) -> bool {
        self.in_folder(at, path, Path::exists)
    }

    fn in_folder<T>(&self, at: usize, path: &str, ask: impl FnOnce(&Path) -> T) -> T {
        let mut whole = self.path.borrow_mut();
        whole.clear();
        whole.push(self.folders[at]);
        whole.push(std::path::MAIN_SEPARATOR_STR);
        whole.push(path);
        ask(Path::new(&*whole))
    }
}
