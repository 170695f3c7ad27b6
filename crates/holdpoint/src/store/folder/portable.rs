//! A folder's handle where there is no `openat`: its path. Every name on the way is looked at before it is used.

#![expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as on Unix, which has more to do")]

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::{Found, Kind, Opening};

impl Opening {
    fn options(self) -> OpenOptions {
        let mut options = OpenOptions::new();
        match self {
            Opening::Read => options.read(true),
            Opening::Append => options.read(true).append(true).create(true),
            Opening::Write => options.write(true).create(true).truncate(false),
            Opening::CreateNew => options.write(true).create_new(true),
        };
        options
    }
}

/// A folder, by its path.
#[derive(Debug)]
pub(super) struct Handle(PathBuf);

impl Handle {
    pub(super) fn open(path: &Path) -> io::Result<Handle> {
        if path.metadata()?.is_dir() {
            Ok(Handle(path.to_path_buf()))
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    pub(super) fn again(&self) -> io::Result<Handle> {
        Ok(Handle(self.0.clone()))
    }

    #[cfg(test)]
    pub(super) fn stepwise(self) -> Handle {
        self
    }

    pub(super) fn folder(&self, path: &Path) -> io::Result<Handle> {
        Handle::open(&self.plain(path)?)
    }

    pub(super) fn open_file(&self, path: &Path, opening: Opening, _mode: u32) -> io::Result<File> {
        let file = self.plain(path)?;
        // Looked at first: to open a pipe could wait for its other end.
        match file.metadata() {
            Ok(metadata) if !metadata.is_file() => Err(io::ErrorKind::InvalidInput.into()),
            _ => opening.options().open(file),
        }
    }

    pub(super) fn make_folder(&self, path: &Path, _mode: u32) -> io::Result<()> {
        std::fs::create_dir(self.parent(path)?)
    }

    pub(super) fn find(&self, path: &Path) -> io::Result<Found> {
        let metadata = self.parent(path)?.symlink_metadata()?;
        let kind = match metadata.file_type() {
            kind if kind.is_symlink() => Kind::Link,
            kind if kind.is_file() => Kind::File,
            kind if kind.is_dir() => Kind::Folder,
            _ => Kind::Other,
        };
        Ok(Found { kind, modified: metadata.modified().unwrap_or(UNIX_EPOCH), mode: 0 })
    }

    pub(super) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(self.parent(from)?, self.parent(to)?)
    }

    pub(super) fn remove_file(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(self.parent(path)?)
    }

    pub(super) fn remove_folder(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_dir(self.parent(path)?)
    }

    pub(super) fn sync_folder_of(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn names(&self, limit: usize) -> io::Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(&self.0)?.take(limit);
        entries.map(|entry| Ok(PathBuf::from(entry?.file_name()))).collect()
    }

    /// Returns a path whose folders are no links; its last name may be one.
    fn parent(&self, path: &Path) -> io::Result<PathBuf> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.plain(path.parent().unwrap_or(Path::new("")))?.join(name))
    }

    /// Returns a path without links.
    fn plain(&self, path: &Path) -> io::Result<PathBuf> {
        let mut place = self.0.clone();
        for name in path {
            place.push(name);
            if place.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
                return Err(io::Error::other("a link is on the way"));
            }
        }
        Ok(place)
    }
}

pub(super) fn set_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

pub(super) fn close_to_others(_file: &File, _metadata: &Metadata) -> io::Result<()> {
    Ok(())
}
