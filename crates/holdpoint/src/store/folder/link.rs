//! Links on the way to a file: refused, or resolved where the user may have one.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::{FileError, Folder, Kind, is_missing};
use crate::store::layout;

impl Folder {
    /// Returns the path of a file with links resolved, if it stays in this folder: for files that the user may have put
    /// elsewhere in the project. A file that is no link, in folders that are none, stays as it is.
    pub fn follow(&self, path: &Path) -> Result<PathBuf, FileError> {
        let below = self.below(path)?;
        match self.find(below) {
            Ok(found) if found.is_none_or(|found| found.kind != Kind::Link) => return Ok(below.to_path_buf()),
            Ok(_) | Err(FileError::Link { .. }) => {}
            Err(error) => return Err(error),
        }
        let failed = FileError::io(path);
        let root = self.path.canonicalize().map_err(&failed)?;
        let real = resolved(&self.path.join(below)).map_err(&failed)?;
        let is_ours = |part: Component<'_>| part.as_os_str() == ".git" || part.as_os_str() == layout::FOLDER;
        match real.strip_prefix(&root) {
            Ok(inside) if !inside.components().any(is_ours) => Ok(inside.to_path_buf()),
            _ => Err(FileError::LeadsOut { path: path.to_path_buf(), to: real }),
        }
    }

    /// Returns the path of a file in folders that may be links to another place in the project. The file itself must not
    /// be a link: that is for whoever opens it.
    pub fn place(&self, path: &Path) -> Result<PathBuf, FileError> {
        let below = self.below(path)?;
        match (below.parent(), below.file_name()) {
            (Some(parent), Some(name)) if !parent.as_os_str().is_empty() => {
                Ok(self.follow(parent)?.join(name))
            }
            _ => Ok(below.to_path_buf()),
        }
    }

    /// Returns the first link on the way to a path.
    pub(super) fn link_on(&self, below: &Path) -> Option<PathBuf> {
        let steps: Vec<&Path> = below.ancestors().filter(|step| !step.as_os_str().is_empty()).collect();
        let mut steps = steps.into_iter().rev().map(|step| self.path.join(step));
        steps.find(|step| step.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()))
    }
}

/// Resolves the links of a path as far as it exists.
pub fn resolved(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Err(error) if is_missing(&error) && path.symlink_metadata().is_err() => {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Err(error) };
            Ok(resolved(parent)?.join(name))
        }
        resolved => resolved,
    }
}
