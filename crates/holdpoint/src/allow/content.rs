//! What a project brings along that could run or steer something: its settings and its own workflows, every file of
//! them. Only plain files in plain folders count: what a link leads to could change after it was allowed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use holdpoint_core::workflow::parse::FILE;
use thiserror::Error;

use super::part::{Digests, Part};
use crate::catalog;
use crate::store::folder::{FileError, Folder};
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
    /// What is in the place of a file that would count, and is none.
    pub ignored: Vec<PathBuf>,
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
    #[error("the name of {} is not plain text, or has a backslash or a control character", path.display())]
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
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A folder cannot be read.
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
        Content::read_and_look(base, &mut |_, _| ())
    }

    /// Reads it, and looks at each file once it is read.
    pub(super) fn read_and_look(
        base: &Path,
        look: &mut dyn FnMut(&str, &Metadata),
    ) -> Result<Content, ContentError> {
        let project = Folder::project(base)?;
        let mut files = BTreeMap::new();
        let ignored = walk(base, &mut |name, path, _| {
            // Nothing that was put there since the walk looked is followed, and one that is gone is not there.
            let Some(file) = project.open(path)? else { return Ok(()) };
            let failed = FileError::io(path);
            let mut bytes = Vec::new();
            (&file).take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(&failed)?;
            if bytes.len() as u64 > BYTES_MAX {
                return Err(ContentError::TooLarge { path: path.to_path_buf() });
            }
            look(&name, &file.metadata().map_err(&failed)?);
            match files.insert(name, bytes) {
                None => Ok(()),
                Some(_) => Err(ContentError::Twice { path: path.to_path_buf() }),
            }
        })?;
        Ok(Content { files, ignored })
    }

    /// Returns whether there is nothing to allow.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the digest of every path and every byte.
    pub fn digest(&self) -> String {
        digest(self.files.iter())
    }

    /// Returns the digests of all of it, and of each part.
    pub fn digests(&self) -> Digests {
        let mut parts: BTreeMap<Part, Vec<(&String, &Vec<u8>)>> = BTreeMap::new();
        for file in &self.files {
            if let Some(part) = Part::of(file.0) {
                parts.entry(part).or_default().push(file);
            }
        }
        let parts = parts.into_iter().map(|(part, files)| (part, digest(files.into_iter()))).collect();
        Digests { whole: self.digest(), parts }
    }

    /// Returns each file as a text that can be shown and compared: a binary one is described.
    pub fn texts(&self) -> BTreeMap<String, String> {
        self.files.iter().map(|(path, bytes)| (path.clone(), text(bytes))).collect()
    }
}

fn digest<'a>(files: impl Iterator<Item = (&'a String, &'a Vec<u8>)>) -> String {
    let mut whole = Vec::new();
    for (path, bytes) in files {
        whole.extend(format!("{} {}\n{path}\n", path.len(), bytes.len()).into_bytes());
        whole.extend(bytes);
    }
    content_digest(&whole)
}

fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => text.to_owned(),
        _ => format!("binary, {} bytes, sha256 {}\n", bytes.len(), &content_digest(bytes)[..16]),
    }
}

/// Something to do with each file: its name, its path, and what it is.
type Visit<'a> = dyn FnMut(String, &Path, &Metadata) -> Result<(), ContentError> + 'a;

/// Visits every plain file of a project's content. Returns what is in the place of one that would count, and is none.
pub(super) fn walk(base: &Path, visit: &mut Visit<'_>) -> Result<Vec<PathBuf>, ContentError> {
    let ours = layout::folder(base);
    if metadata(&ours)?.is_some_and(|found| !found.is_dir()) {
        return Err(ContentError::NotPlain { path: ours });
    }
    let mut walk = Walk { ours: &ours, visit, files: 0, bytes: 0, ignored: Vec::new() };
    walk.settings(layout::config(base))?;
    walk.workflows(layout::workflows(base))?;
    Ok(walk.ignored)
}

fn metadata(path: &Path) -> Result<Option<Metadata>, ContentError> {
    match path.symlink_metadata() {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ContentError::Io { path: path.to_path_buf(), source }),
    }
}

/// Lists the paths in a folder, in order.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, ContentError> {
    let failed = |source| ContentError::Io { path: folder.to_path_buf(), source };
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>().map_err(failed)?;
    paths.sort();
    Ok(paths)
}

struct Walk<'a, 'v> {
    ours: &'a Path,
    visit: &'a mut Visit<'v>,
    files: usize,
    bytes: u64,
    ignored: Vec<PathBuf>,
}

impl Walk<'_, '_> {
    fn settings(&mut self, path: PathBuf) -> Result<(), ContentError> {
        match metadata(&path)? {
            Some(found) if found.is_file() => self.file(&path, &found)?,
            Some(_) => self.ignored.push(path),
            None => {}
        }
        Ok(())
    }

    fn workflows(&mut self, path: PathBuf) -> Result<(), ContentError> {
        match metadata(&path)? {
            Some(found) if found.is_dir() => {
                listed(&path)?.into_iter().try_for_each(|entry| self.workflow(entry))?;
            }
            Some(found) if found.is_symlink() && path.is_dir() => self.ignored.push(path),
            _ => {}
        }
        Ok(())
    }

    /// Takes in the folder of a workflow. Whatever else is beside it steers nothing.
    fn workflow(&mut self, path: PathBuf) -> Result<(), ContentError> {
        let name = self.name(&path)?;
        if !name.strip_prefix("workflows/").is_some_and(catalog::is_name) {
            return Ok(());
        }
        let file = path.join(FILE);
        match metadata(&path)? {
            Some(found) if found.is_dir() => match metadata(&file)? {
                Some(found) if found.is_file() => self.folder(&path)?,
                Some(_) => self.ignored.push(file),
                None => {}
            },
            Some(found) if found.is_symlink() && file.exists() => self.ignored.push(path),
            _ => {}
        }
        Ok(())
    }

    /// Takes in all files below a folder. Anything else in it is nothing.
    fn folder(&mut self, folder: &Path) -> Result<(), ContentError> {
        for path in listed(folder)? {
            match metadata(&path)? {
                Some(found) if found.is_dir() => self.folder(&path)?,
                Some(found) if found.is_file() => self.file(&path, &found)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, found: &Metadata) -> Result<(), ContentError> {
        self.bytes += found.len();
        self.files += 1;
        if self.bytes > BYTES_MAX || self.files > FILES_MAX {
            return Err(ContentError::TooLarge { path: self.ours.to_path_buf() });
        }
        let name = self.name(path)?;
        (self.visit)(name, path, found)
    }

    /// Names a file, with slashes everywhere. An error if another file could have that name.
    fn name(&self, path: &Path) -> Result<String, ContentError> {
        let below = path.strip_prefix(self.ours).unwrap_or(path);
        let parts: Option<Vec<&str>> = below.components().map(|part| plain(part.as_os_str())).collect();
        parts.map(|parts| parts.join("/")).ok_or_else(|| ContentError::BadName { path: path.to_path_buf() })
    }
}

fn plain(part: &OsStr) -> Option<&str> {
    part.to_str().filter(|part| !part.contains(|c: char| c == '\\' || c.is_control()))
}
