//! Whose files may steer: the organisation's must be root's, the user's the user's, and nobody else may write them. A
//! project's are judged by what the user has allowed.

use std::fs::Metadata;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use holdpoint_core::settings::Layer;
use thiserror::Error;

use super::source::SourceError;
use crate::catalog::ReadError;
use crate::store::folder::{FileError, Folder};
use crate::store::state_folder;

/// The largest file of settings that is read.
const BYTES_MAX: u64 = 1024 * 1024;

/// Who must have written a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Root, and nobody else can write it.
    Roots,
    /// The user, and not everybody can write it.
    Users,
    /// Anybody: what a project brings along counts once the user has allowed it.
    #[default]
    Allowed,
}

/// Why a file or a folder is not used.
#[derive(Debug, Error)]
pub enum TrustError {
    /// Somebody else could have written it.
    #[error("{} is not used, because {why}; to fix it: {fix}", path.display())]
    Distrusted {
        /// What it is about.
        path: PathBuf,
        /// Why.
        why: &'static str,
        /// The command that fixes it.
        fix: String,
    },
    /// It is something else than a plain file, or too large.
    #[error("{} is not used: it is not a plain file of at most {BYTES_MAX} bytes", path.display())]
    NotPlain {
        /// What it is about.
        path: PathBuf,
    },
    /// It is something else than a plain folder.
    #[error("{} is not used: it is not a plain folder", path.display())]
    NotAFolder {
        /// What it is about.
        path: PathBuf,
    },
    /// It cannot be read.
    #[error("{} is not used: {source}", path.display())]
    Io {
        /// What it is about.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl TrustError {
    /// Returns whether nothing is there.
    pub fn is_missing(&self) -> bool {
        use io::ErrorKind::{NotADirectory, NotFound};
        matches!(self, TrustError::Io { source, .. } if matches!(source.kind(), NotFound | NotADirectory))
    }
}

impl Trust {
    /// Returns who must have written a layer's files.
    pub fn of(layer: Layer) -> Trust {
        match layer {
            Layer::Organisation => Trust::Roots,
            Layer::User => Trust::Users,
            Layer::Project => Trust::Allowed,
        }
    }

    /// Checks a folder. The user's may be behind a link, which came with no project; the organisation's may not.
    pub fn check(self, folder: &Path) -> Result<(), TrustError> {
        let found = if self == Trust::Roots { folder.symlink_metadata() } else { folder.metadata() };
        let found = found.map_err(|source| TrustError::Io { path: folder.to_path_buf(), source })?;
        if !found.is_dir() {
            return Err(TrustError::NotAFolder { path: folder.to_path_buf() });
        }
        self.judge(folder, &found)
    }

    /// Reads a file of settings. None if there is none. No link is followed, and nothing is waited for.
    pub(super) fn read(self, path: &Path) -> Result<Option<String>, SourceError> {
        let not_plain = || TrustError::NotPlain { path: path.to_path_buf() };
        let opened = Folder::users(path.parent().unwrap_or(path)).and_then(|folder| folder.open(path));
        let file = match opened {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(None),
            Err(error) if error.is_missing() => return Ok(None),
            Err(error) if error.in_the_way().is_some() => return Err(not_plain().into()),
            Err(error) => return Err(ReadError::from(error).into()),
        };
        let failed = |error| ReadError::from(FileError::io(path)(error));
        let found = file.metadata().map_err(failed)?;
        if found.len() > BYTES_MAX {
            return Err(not_plain().into());
        }
        self.judge(path, &found)?;
        let mut bytes = Vec::new();
        file.take(BYTES_MAX).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Checks a file of a workflow.
    pub fn check_file(self, path: &Path) -> Result<(), TrustError> {
        if self == Trust::Allowed {
            return Ok(());
        }
        let found = path.symlink_metadata();
        self.judge(path, &found.map_err(|source| TrustError::Io { path: path.to_path_buf(), source })?)
    }

    fn judge(self, path: &Path, found: &Metadata) -> Result<(), TrustError> {
        let place = || crate::install::host::quoted(&path.to_string_lossy());
        let (why, fix) = match self {
            Trust::Roots if !is_roots(found) => ("it is not root's", format!("sudo chown root {}", place())),
            Trust::Roots if is_writable(found, 0o022) => {
                ("others than root can write it", format!("sudo chmod go-w {}", place()))
            }
            Trust::Users if !state_folder::is_users(found) => {
                ("it belongs to another user", format!("sudo chown \"$USER\" {}", place()))
            }
            Trust::Users if is_writable(found, 0o002) => {
                ("everybody can write it", format!("chmod o-w {}", place()))
            }
            Trust::Roots | Trust::Users | Trust::Allowed => return Ok(()),
        };
        Err(TrustError::Distrusted { path: path.to_path_buf(), why, fix })
    }
}

/// Returns whether something is root's. In a debug build, whose tests have another folder, it may be the user's.
#[cfg(unix)]
fn is_roots(found: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(found) == 0
        || (cfg!(debug_assertions) && state_folder::is_users(found))
}

#[cfg(unix)]
fn is_writable(found: &Metadata, by: u32) -> bool {
    std::os::unix::fs::MetadataExt::mode(found) & by != 0
}

/// Elsewhere nobody can tell, so there is no organisation's layer.
#[cfg(not(unix))]
fn is_roots(_: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn is_writable(_: &Metadata, _: u32) -> bool {
    false
}
