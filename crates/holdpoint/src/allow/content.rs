//! What a project brings along that could run or steer something: its settings and its own workflows, every file of
//! them. Only plain files in plain folders count, as they do for `catalog.rs`: what a link leads to could change after it
//! was allowed.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::store::layout::{self, content_digest};

/// The most files that are read.
const FILES_MAX: usize = 5_000;
/// The most bytes that are read.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The files of a project's `.holdpoint` that could run or steer something, by their path in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Each file's path and bytes.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// The reason why a project's content can be neither read nor allowed.
#[derive(Debug, Error)]
pub enum ContentError {
    /// Our folder is a link.
    #[error("{} is not a plain folder", path.display())]
    NotPlain {
        /// What it is.
        path: PathBuf,
    },
    /// It is too much.
    #[error("{} has more than {FILES_MAX} files or {} MiB", path.display(), BYTES_MAX / 1024 / 1024)]
    TooLarge {
        /// The folder.
        path: PathBuf,
    },
    /// It cannot be read.
    #[error("{}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Content {
    /// Reads the content of the project at `base`.
    pub fn read(base: &Path) -> Result<Content, ContentError> {
        let ours = layout::folder(base);
        let mut reader = Reader { ours: &ours, content: Content::default(), bytes: 0 };
        if metadata(&ours)?.is_some_and(|found| !found.is_dir()) {
            return Err(ContentError::NotPlain { path: ours });
        }
        reader.take(layout::config(base))?;
        reader.take(layout::workflows(base))?;
        Ok(reader.content)
    }

    /// Returns whether there is nothing to allow.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the digest of every path and every byte.
    pub fn digest(&self) -> String {
        let mut whole = Vec::new();
        for (path, bytes) in &self.files {
            whole.extend(format!("{} {}\n{path}\n", path.len(), bytes.len()).into_bytes());
            whole.extend(bytes);
        }
        content_digest(&whole)
    }
}

fn metadata(path: &Path) -> Result<Option<std::fs::Metadata>, ContentError> {
    match path.symlink_metadata() {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ContentError::Io { path: path.to_path_buf(), source }),
    }
}

struct Reader<'a> {
    ours: &'a Path,
    content: Content,
    bytes: u64,
}

impl Reader<'_> {
    /// Takes in a file, or all files below a folder. Anything else is nothing.
    fn take(&mut self, path: PathBuf) -> Result<(), ContentError> {
        match metadata(&path)? {
            Some(found) if found.is_dir() => self.folder(&path),
            Some(found) if found.is_file() => self.file(path, found.len()),
            _ => Ok(()),
        }
    }

    fn folder(&mut self, folder: &Path) -> Result<(), ContentError> {
        let failed = |source| ContentError::Io { path: folder.to_path_buf(), source };
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            self.take(entry.map_err(failed)?.path())?;
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf, length: u64) -> Result<(), ContentError> {
        self.bytes += length;
        if self.bytes > BYTES_MAX || self.content.files.len() >= FILES_MAX {
            return Err(ContentError::TooLarge { path: self.ours.to_path_buf() });
        }
        let bytes = std::fs::read(&path).map_err(|source| ContentError::Io { path: path.clone(), source })?;
        let name = path.strip_prefix(self.ours).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        self.content.files.insert(name, bytes);
        Ok(())
    }
}
