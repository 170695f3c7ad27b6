//! Why a file of ours, or of a run, was not read or written.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file was not read or written.
#[derive(Debug, Error)]
pub enum FileError {
    /// A link is on the way.
    #[error("{} is a link, and Holdpoint follows no link here", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A link that may be followed leads to a place that is not the project's.
    #[error("{} is a link that leads to {}, out of the project's files", path.display(), to.display())]
    LeadsOut {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        to: PathBuf,
    },
    /// A folder, a pipe, a device or a socket is in the file's place.
    #[error("{} is not a regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The file is too large to be read.
    #[error("{} is larger than {}", path.display(), size(*limit))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },
    /// The path is not one below the folder.
    #[error("`{}` leaves the project folder", path.display())]
    Leaves {
        /// The path.
        path: PathBuf,
    },
    /// The system refused.
    #[error("{}: {why}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why. The message has it, so it is not a source.
        why: io::Error,
    },
}

/// Renders a limit: `1 MiB`.
fn size(bytes: u64) -> String {
    match bytes {
        bytes if bytes % (1024 * 1024) == 0 => format!("{} MiB", bytes / 1024 / 1024),
        bytes if bytes % 1024 == 0 => format!("{} KiB", bytes / 1024),
        bytes => format!("{bytes} bytes"),
    }
}

impl FileError {
    /// Adds the path to an error of the system's.
    pub fn io(path: &Path) -> impl Fn(io::Error) -> FileError {
        move |why| FileError::Io { path: path.to_path_buf(), why }
    }

    /// Returns the path of what is in the place of a file or a folder and must be moved away.
    pub fn in_the_way(&self) -> Option<&Path> {
        match self {
            FileError::Link { path } | FileError::NotAFile { path } => Some(path),
            _ => None,
        }
    }

    /// Returns whether the file, or a folder on the way to it, is missing.
    pub fn is_missing(&self) -> bool {
        matches!(self, FileError::Io { why, .. } if why.kind() == io::ErrorKind::NotFound)
    }

    /// Returns whether the system does not let this process write there.
    pub fn is_refused(&self) -> bool {
        use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        matches!(self, FileError::Io { why, .. } if matches!(why.kind(), PermissionDenied | ReadOnlyFilesystem))
    }

    /// Returns whether something is there already that must not be.
    pub fn is_taken(&self) -> bool {
        matches!(self, FileError::Io { why, .. } if why.kind() == io::ErrorKind::AlreadyExists)
    }
}

impl From<FileError> for io::Error {
    fn from(error: FileError) -> io::Error {
        match error {
            FileError::Io { why, .. } => why,
            other => io::Error::other(other),
        }
    }
}
