//! How files and folders stand: what nobody can put back after a change, even where the file is as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use holdpoint_core::path::fits;

use super::entries;
use super::error::TreeError;
use super::repository::Repository;
use crate::env::Env;
use crate::git::folders::to_path;

/// The files of a working tree, and the folders they are in, each with its inode, mode, size and the time of its last
/// change.
#[derive(Debug, PartialEq, Eq)]
pub struct Standing(BTreeMap<PathBuf, Option<Mark>>);

/// Inode, mode, size, seconds and nanoseconds.
type Mark = (u64, u32, u64, i64, i64);

impl Standing {
    /// Looks at what `hash` has just taken in at `root`, except paths that match a glob in `aside`.
    pub fn of(root: &Path, aside: &[String], env: &dyn Env) -> Result<Standing, TreeError> {
        let repository = Repository::at(root, env)?;
        let known = repository.ours.known_index(&repository.root);
        let index = std::fs::read(known).map_err(|source| TreeError::ReadIndex { source })?;
        let entries = entries::read(&index).ok_or(TreeError::IndexFormat)?;
        let is_aside = |path: &[u8]| aside.iter().any(|glob| fits(glob, &String::from_utf8_lossy(path)));
        let files = entries.iter().filter(|entry| !is_aside(&entry.path)).map(|entry| to_path(&entry.path));
        let files: BTreeSet<PathBuf> = files.collect();
        let folders: BTreeSet<PathBuf> =
            files.iter().flat_map(|file| file.ancestors().skip(1)).map(Path::to_path_buf).collect();
        let mark = |path: PathBuf| {
            let found = repository.root.join(&path).symlink_metadata().ok().map(|there| mark(&there));
            (path, found)
        };
        Ok(Standing(files.into_iter().chain(folders).map(mark).collect()))
    }

    /// Returns whether it has this path.
    pub fn has(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }

    /// Leaves out all paths but those that are meant.
    pub fn keep(&mut self, is_meant: impl Fn(&Path) -> bool) {
        self.0.retain(|path, _| is_meant(path));
    }

    /// Returns the paths that stand otherwise.
    pub fn differing(&self, other: &Standing) -> Vec<String> {
        let here =
            self.0.iter().filter(|(path, mark)| other.0.get(*path) != Some(*mark)).map(|(path, _)| path);
        let there = other.0.keys().filter(|path| !self.0.contains_key(*path));
        let shown = |path: &PathBuf| match path.to_string_lossy() {
            path if path.is_empty() => ".".to_owned(),
            path => path.into_owned(),
        };
        here.chain(there).map(shown).collect()
    }
}

#[cfg(unix)]
fn mark(there: &std::fs::Metadata) -> Mark {
    use std::os::unix::fs::MetadataExt;

    (there.ino(), there.mode(), there.size(), there.ctime(), there.ctime_nsec())
}

/// Where files have no change time, that of the last write must do.
#[cfg(not(unix))]
fn mark(there: &std::fs::Metadata) -> Mark {
    let written = there.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let written = written.unwrap_or_default();
    (0, 0, there.len(), written.as_secs().cast_signed(), i64::from(written.subsec_nanos()))
}
