//! What a project brings along that could run or steer something: its settings and its own workflows, every file of
//! them. Only plain files in plain folders count, as they do for `catalog.rs`: what a link leads to could change after it
//! was allowed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::Metadata;
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
    /// A name that could pass for another one.
    #[error("the name of {} is not plain text, or has a backslash", path.display())]
    BadName {
        /// The file.
        path: PathBuf,
    },
    /// Two files have one name.
    #[error("there are two files with the name of {}", path.display())]
    Twice {
        /// The second one.
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
        let mut content = Content::default();
        walk(base, &mut |name, path, _| {
            let failed = |source| ContentError::Io { path: path.to_path_buf(), source };
            match content.files.insert(name, std::fs::read(path).map_err(failed)?) {
                None => Ok(()),
                Some(_) => Err(ContentError::Twice { path: path.to_path_buf() }),
            }
        })?;
        Ok(content)
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

/// Something to do with each file: its name, its path, and what it is.
type Visit<'a> = dyn FnMut(String, &Path, &Metadata) -> Result<(), ContentError> + 'a;

/// Visits every plain file of a project's content.
pub(super) fn walk(base: &Path, visit: &mut Visit<'_>) -> Result<(), ContentError> {
    let ours = layout::folder(base);
    if metadata(&ours)?.is_some_and(|found| !found.is_dir()) {
        return Err(ContentError::NotPlain { path: ours });
    }
    let mut walk = Walk { ours: &ours, visit, files: 0, bytes: 0 };
    walk.take(&layout::config(base))?;
    walk.take(&layout::workflows(base))
}

fn metadata(path: &Path) -> Result<Option<Metadata>, ContentError> {
    match path.symlink_metadata() {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ContentError::Io { path: path.to_path_buf(), source }),
    }
}

struct Walk<'a, 'v> {
    ours: &'a Path,
    visit: &'a mut Visit<'v>,
    files: usize,
    bytes: u64,
}

impl Walk<'_, '_> {
    /// Takes in a file, or all files below a folder. Anything else is nothing.
    fn take(&mut self, path: &Path) -> Result<(), ContentError> {
        match metadata(path)? {
            Some(found) if found.is_dir() => self.folder(path),
            Some(found) if found.is_file() => self.file(path, &found),
            _ => Ok(()),
        }
    }

    fn folder(&mut self, folder: &Path) -> Result<(), ContentError> {
        let failed = |source| ContentError::Io { path: folder.to_path_buf(), source };
        let entries = std::fs::read_dir(folder).map_err(failed)?;
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>().map_err(failed)?;
        paths.sort();
        paths.iter().try_for_each(|path| self.take(path))
    }

    fn file(&mut self, path: &Path, found: &Metadata) -> Result<(), ContentError> {
        self.bytes += found.len();
        self.files += 1;
        if self.bytes > BYTES_MAX || self.files > FILES_MAX {
            return Err(ContentError::TooLarge { path: self.ours.to_path_buf() });
        }
        let name = name(path.strip_prefix(self.ours).unwrap_or(path));
        let name = name.ok_or_else(|| ContentError::BadName { path: path.to_path_buf() })?;
        (self.visit)(name, path, found)
    }
}

/// Names a file, with slashes everywhere. None if another file could have that name.
fn name(path: &Path) -> Option<String> {
    let plain = |part: &OsStr| part.to_str().filter(|part| !part.contains('\\')).map(str::to_owned);
    let parts: Option<Vec<String>> = path.components().map(|part| plain(part.as_os_str())).collect();
    Some(parts?.join("/"))
}
