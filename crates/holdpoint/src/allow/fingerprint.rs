//! What a project's content looks like from outside: so long as that is the same, its bytes need not be read at every
//! event. A file's change time is the kernel's, and nobody can set it back.

use std::fmt::Write;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::content::{ContentError, walk};

/// How long a file must have been left alone: two changes within a tick of the clock look the same.
pub(crate) const SETTLED_S: i64 = 2;

/// The names, inodes, sizes and times of all files.
#[derive(Debug, Default)]
pub(super) struct Fingerprint {
    /// A line for each.
    pub(super) lines: String,
    /// The files' names.
    pub(super) names: Vec<String>,
    /// What is in the place of a file that would count, and is none.
    pub(super) ignored: Vec<PathBuf>,
    /// When a file was last changed, in seconds since 1970.
    changed: i64,
}

impl Fingerprint {
    /// Takes the fingerprint of the content at `base`.
    pub(super) fn of(base: &Path) -> Result<Fingerprint, ContentError> {
        let mut taken = Fingerprint::default();
        let ignored = walk(base, &mut |name, _, found| {
            taken.add(name, found);
            Ok(())
        })?;
        Ok(Fingerprint { ignored, ..taken })
    }

    /// Adds a file.
    pub(super) fn add(&mut self, name: String, found: &Metadata) {
        let (at, look) = look(found);
        self.changed = self.changed.max(at);
        let _ = writeln!(self.lines, "{look} {name}");
        self.names.push(name);
    }

    /// Returns whether a further change would show.
    pub(super) fn is_settled(&self, now: i64) -> bool {
        self.changed < now - SETTLED_S
    }

    /// Returns whether a file still looks as it did.
    pub(super) fn fits(&self, name: &str, found: &Metadata) -> bool {
        let line = format!("{} {name}", look(found).1);
        self.lines.lines().any(|there| there == line)
    }
}

/// Returns when a file was changed, and everything about it that a change would alter.
#[cfg(unix)]
pub(crate) fn look(found: &Metadata) -> (i64, String) {
    use std::os::unix::fs::MetadataExt;
    let look = format!(
        "{} {} {}.{} {}.{}",
        found.ino(),
        found.len(),
        found.mtime(),
        found.mtime_nsec(),
        found.ctime(),
        found.ctime_nsec()
    );
    (found.ctime(), look)
}

/// Without such times a file never counts as left alone.
#[cfg(not(unix))]
pub(crate) fn look(_: &Metadata) -> (i64, String) {
    (i64::MAX, String::new())
}
