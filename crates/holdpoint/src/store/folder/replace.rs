//! Files replaced whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::handle;
use super::{Access, FileError, Folder, Opening, temporary};

/// How many names a temporary file is tried to be made under.
const TRIES_MAX: u32 = 100;

/// What a file is to be.
struct Content<'a> {
    bytes: &'a [u8],
    access: Access,
    /// Its permissions, if it is not to have the usual ones.
    mode: Option<u32>,
}

impl Content<'_> {
    fn write(&self, mut file: File) -> io::Result<()> {
        self.mode.map_or(Ok(()), |mode| handle::set_mode(&file, mode))?;
        file.write_all(self.bytes)?;
        file.sync_all()
    }
}

impl Folder {
    /// Replaces a file with `bytes`, or makes it. Its folder must be there.
    ///
    /// The bytes are written to a temporary file, synced, and renamed: a crash at any instruction leaves the old content
    /// or the new one, and at worst a temporary file.
    pub fn replace(&self, path: &Path, bytes: &[u8], access: Access) -> Result<(), FileError> {
        let below = self.below(path)?;
        let mode = match self.find_file(below)? {
            Some(found) if access == Access::Users => Some(found.mode),
            _ => (access == Access::Program).then_some(0o755),
        };
        let content = Content { bytes, access, mode };
        let temporary = self.write_temporary(&content, || self.temporary_for(below))?;
        match self.handle.rename(&temporary, below) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let beside = self.write_temporary(&content, || Ok(temporary::beside(below)));
                let _ = self.handle.remove_file(&temporary);
                self.put(&beside?, below)?;
            }
            Err(_) => self.put(&temporary, below)?,
            Ok(()) => {}
        }
        let _ = self.handle.sync_folder_of(below);
        self.clear_temporaries(&temporary, below);
        Ok(())
    }

    /// Renames a temporary file to its place, or removes it.
    fn put(&self, temporary: &Path, target: &Path) -> Result<(), FileError> {
        self.handle.rename(temporary, target).map_err(|error| {
            let _ = self.handle.remove_file(temporary);
            FileError::io(&self.path.join(target))(error)
        })
    }

    /// Writes a temporary file, at the first of these paths that is free: a process in another container may have our
    /// number, and one that was killed may have left its file.
    fn write_temporary(
        &self,
        content: &Content<'_>,
        next: impl Fn() -> Result<PathBuf, FileError>,
    ) -> Result<PathBuf, FileError> {
        let mut tries = 0;
        let (temporary, file) = loop {
            let temporary = next()?;
            tries += 1;
            match self.opened_file(&temporary, Opening::CreateNew, content.access) {
                Err(error) if error.is_taken() && tries < TRIES_MAX => {}
                opened => break (temporary, opened?),
            }
        };
        content.write(file).map_err(|error| {
            let _ = self.handle.remove_file(&temporary);
            FileError::io(&self.path.join(&temporary))(error)
        })?;
        Ok(temporary)
    }
}
