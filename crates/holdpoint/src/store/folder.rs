//! The one way to files that Holdpoint owns or shares: everything is opened from a folder that is held open.
//!
//! Invariants: no link below the folder is followed, not even one that is put there while we look; only regular files
//! are read and written, and none is waited for; every read has a limit; a file is replaced whole or not at all.
//!
//! How to use it:
//!
//! - [`Folder::project`] for a project (temporary files are then below `.holdpoint`), [`Folder::own`] for a folder that
//!   is Holdpoint's, such as the state folder of a user. Open it once for each piece of work, not once for each file.
//! - Paths are relative to the folder, or absolute and below it. A path with `..` in it is refused.
//! - [`Folder::read`], [`Folder::replace`], [`Folder::create`], [`Folder::append`], [`Folder::remove`]. A missing file
//!   is `None` where it is read and no error where it is removed.
//! - [`Access`] says whose a new file is: ours is 0600 (and its folders 0700), a user's file keeps its mode.
//! - Where the user may have a link to another place in the project, [`Folder::follow`] gives the path to use instead.

mod error;
#[cfg_attr(unix, path = "folder/unix.rs")]
#[cfg_attr(not(unix), path = "folder/portable.rs")]
mod handle;
mod link;
mod replace;
mod temporary;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

pub use self::error::FileError;
use self::handle::Handle;
pub use self::link::resolved;
use self::temporary::Scratch;
pub use self::temporary::is_temporary;

/// Whose a new file is, and so who may read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Holdpoint's: files 0600, folders 0700. An older file that others can read is closed to them.
    Ours,
    /// The user's: a file that is there keeps its mode, a new one gets the usual one.
    Users,
    /// A program of the user's: as `Users`, and everybody can run it.
    Program,
}

impl Access {
    fn file_mode(self) -> u32 {
        match self {
            Access::Ours => 0o600,
            Access::Users => 0o666,
            Access::Program => 0o777,
        }
    }

    fn folder_mode(self) -> u32 {
        match self {
            Access::Ours => 0o700,
            Access::Users | Access::Program => 0o777,
        }
    }
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug)]
enum Opening {
    Read,
    Append,
    Write,
    CreateNew,
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link.
    Link,
    /// A pipe, a device or a socket.
    Other,
}

/// What is known of a path without opening it.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// What is there.
    pub kind: Kind,
    /// When it was last written.
    pub modified: SystemTime,
    /// Its permission bits; zero where there are none.
    mode: u32,
}

/// A folder that is held open.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    handle: Handle,
    scratch: Scratch,
}

impl Folder {
    /// Opens a project's folder. Links that lead to it are followed: that way is the caller's own.
    pub fn project(home: &Path) -> Result<Folder, FileError> {
        Folder::opened(home, Scratch::Below(super::layout::TEMPORARY))
    }

    /// Opens a folder of Holdpoint's own outside of projects, and makes it if it is missing. It must not be a link.
    pub fn own(path: &Path) -> Result<Folder, FileError> {
        let parent = path.parent().unwrap_or(path);
        std::fs::create_dir_all(parent).map_err(FileError::io(parent))?;
        Folder::opened(parent, Scratch::Beside)?.make_folder(path, Access::Ours)
    }

    /// Opens the same, if it is there.
    pub fn own_if_there(path: &Path) -> Result<Option<Folder>, FileError> {
        match Folder::opened(path.parent().unwrap_or(path), Scratch::Beside) {
            Ok(parent) => parent.folder(path),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a folder of the user's, for files that are replaced in it.
    pub fn users(path: &Path) -> Result<Folder, FileError> {
        Folder::opened(path, Scratch::Beside)
    }

    fn opened(path: &Path, scratch: Scratch) -> Result<Folder, FileError> {
        let handle = Handle::open(path).map_err(FileError::io(path))?;
        Ok(Folder { path: path.to_path_buf(), handle, scratch })
    }

    /// Returns the path that it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder below; `None` if it is missing.
    pub fn folder(&self, path: &Path) -> Result<Option<Folder>, FileError> {
        let below = self.below(path)?;
        if below.as_os_str().is_empty() {
            let handle = self.handle.again().map_err(FileError::io(&self.path))?;
            return Ok(Some(Folder { path: self.path.clone(), handle, scratch: Scratch::Beside }));
        }
        match self.handle.folder(below) {
            Ok(handle) => Ok(Some(Folder { path: self.path.join(below), handle, scratch: Scratch::Beside })),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.why_no_folder(below, error)),
        }
    }

    /// Opens a folder below, and makes it and those above it if they are missing.
    pub fn make_folder(&self, path: &Path, access: Access) -> Result<Folder, FileError> {
        if let Some(folder) = self.folder(path)? {
            return Ok(folder);
        }
        let below = self.below(path)?;
        let mut made = PathBuf::new();
        for name in below.components() {
            made.push(name);
            match self.handle.make_folder(&made, access.folder_mode()) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(self.why_no_folder(&made, error));
                }
                _ => {}
            }
        }
        self.folder(below)?.ok_or_else(|| FileError::io(path)(io::ErrorKind::NotFound.into()))
    }

    /// Makes the folder that a file is to be in.
    pub fn make_folder_of(&self, file: &Path, access: Access) -> Result<(), FileError> {
        match self.below(file)?.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => self.make_folder(parent, access).map(drop),
            _ => Ok(()),
        }
    }

    /// Says what is at a path; `None` if nothing is. A link is a link, wherever it leads.
    pub fn find(&self, path: &Path) -> Result<Option<Found>, FileError> {
        let below = self.below(path)?;
        match self.handle.find(below) {
            Ok(found) => Ok(Some(found)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.why_not(below, error)),
        }
    }

    /// Returns whether a regular file is there. What cannot be looked at is not.
    pub fn has_file(&self, path: &Path) -> bool {
        self.find(path).is_ok_and(|found| found.is_some_and(|found| found.kind == Kind::File))
    }

    /// Says what is at a path if it is a regular file, and `None` if nothing is. Rejects anything else.
    pub fn find_file(&self, path: &Path) -> Result<Option<Found>, FileError> {
        match self.find(path)? {
            Some(found) if found.kind != Kind::File => Err(self.wrong_kind(self.below(path)?, found.kind)),
            found => Ok(found),
        }
    }

    /// Opens a file to be read; `None` if it is missing.
    pub fn open(&self, path: &Path) -> Result<Option<File>, FileError> {
        match self.opened_file(path, Opening::Read, Access::Users) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads a file of at most `limit` bytes; `None` if it is missing.
    pub fn read(&self, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
        let Some(file) = self.open(path)? else { return Ok(None) };
        let failed = FileError::io(path);
        let length = file.metadata().map_err(&failed)?.len();
        let too_large = || FileError::TooLarge { path: path.to_path_buf(), limit };
        if length > limit {
            return Err(too_large());
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        file.take(limit + 1).read_to_end(&mut bytes).map_err(&failed)?;
        if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(Some(bytes)) }
    }

    /// Opens a file at its end, to be read and appended to, and makes it if it is missing.
    pub fn append(&self, path: &Path, access: Access) -> Result<File, FileError> {
        self.opened_file(path, Opening::Append, access)
    }

    /// Opens a file to be written from its start, emptied, and makes it if it is missing.
    pub fn rewrite(&self, path: &Path, access: Access) -> Result<File, FileError> {
        // Emptied only now that it is known to be a regular file of this folder.
        let file = self.opened_file(path, Opening::Write, access)?;
        file.set_len(0).map_err(FileError::io(path))?;
        Ok(file)
    }

    /// Writes a file that must not be there yet.
    pub fn create(&self, path: &Path, bytes: &[u8], access: Access) -> Result<(), FileError> {
        let mut file = self.opened_file(path, Opening::CreateNew, access)?;
        file.write_all(bytes).map_err(FileError::io(path))
    }

    /// Renames what is at one path to another, which must be free or a file. Links are moved, not followed.
    pub fn rename(&self, from: &Path, to: &Path) -> Result<(), FileError> {
        let (source, target) = (self.below(from)?, self.below(to)?);
        self.handle.rename(source, target).map_err(|error| self.why_no_folder(source, error))
    }

    /// Removes a file, or the link itself that is in its place; never a folder. A missing one is no error.
    pub fn remove(&self, path: &Path) -> Result<(), FileError> {
        let below = self.below(path)?;
        match self.handle.remove_file(below) {
            Err(error) if !is_missing(&error) => Err(self.why_not(below, error)),
            _ => Ok(()),
        }
    }

    /// Removes a folder if it is empty. True if it is gone.
    pub fn remove_empty(&self, path: &Path) -> bool {
        self.below(path).is_ok_and(|below| self.handle.remove_folder(below).is_ok())
    }

    /// Lists what is in a folder, at most `limit` names; nothing if it is missing.
    pub fn entries(&self, path: &Path, limit: usize) -> Result<Vec<(PathBuf, Found)>, FileError> {
        let Some(folder) = self.folder(path)? else { return Ok(Vec::new()) };
        let names = folder.handle.names(limit).map_err(FileError::io(path))?;
        let found = |name: PathBuf| folder.handle.find(&name).ok().map(|found| (name, found));
        Ok(names.into_iter().filter_map(found).collect())
    }

    fn opened_file(&self, path: &Path, opening: Opening, access: Access) -> Result<File, FileError> {
        let below = self.below(path)?;
        let file = self
            .handle
            .open_file(below, opening, access.file_mode())
            .map_err(|error| self.why_not(below, error))?;
        let metadata = file.metadata().map_err(FileError::io(path))?;
        if !metadata.is_file() {
            return Err(self.wrong_kind(below, Kind::Other));
        }
        if access == Access::Ours {
            let _ = handle::close_to_others(&file, &metadata);
        }
        Ok(file)
    }

    /// Returns a path as it is from this folder.
    fn below<'a>(&self, path: &'a Path) -> Result<&'a Path, FileError> {
        let below = path.strip_prefix(&self.path).unwrap_or(path);
        if below.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Ok(below);
        }
        Err(FileError::Leaves { path: path.to_path_buf() })
    }

    /// Says why a file could not be opened. Only looked into once it failed: what it says is not relied on.
    fn why_not(&self, below: &Path, error: io::Error) -> FileError {
        if let Some(link) = self.link_on(below) {
            return FileError::Link { path: link };
        }
        match self.handle.find(below) {
            Ok(found) if found.kind != Kind::File => self.wrong_kind(below, found.kind),
            _ => FileError::io(&self.path.join(below))(error),
        }
    }

    fn why_no_folder(&self, below: &Path, error: io::Error) -> FileError {
        match self.link_on(below) {
            Some(path) => FileError::Link { path },
            None => FileError::io(&self.path.join(below))(error),
        }
    }

    fn wrong_kind(&self, below: &Path, kind: Kind) -> FileError {
        let path = self.path.join(below);
        if kind == Kind::Link { FileError::Link { path } } else { FileError::NotAFile { path } }
    }
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

#[cfg(test)]
#[path = "folder/folder_tests.rs"]
mod tests;
