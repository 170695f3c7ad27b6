//! What a project's content looks like from outside: so long as that is the same, its bytes need not be read at every
//! event. A file's change time is the kernel's, and nobody can set it back.

use std::fmt::Write;
use std::fs::Metadata;
use std::path::Path;

use super::content::walk;

/// How long a file must have been left alone: two changes within a tick of the clock look the same.
const SETTLED_S: i64 = 2;

/// The names, inodes, sizes and times of all files.
#[derive(Debug)]
pub(super) struct Fingerprint {
    /// A line for each.
    pub(super) lines: String,
    /// When a file was last changed, in seconds since 1970.
    changed: i64,
}

impl Fingerprint {
    /// Takes the fingerprint of the content at `base`. None if there is none, or it cannot be read.
    pub(super) fn of(base: &Path) -> Option<Fingerprint> {
        let (mut text, mut changed) = (String::new(), i64::MIN);
        let walked = walk(base, &mut |name, _, found| {
            let (at, line) = times(found);
            changed = changed.max(at);
            let _ = writeln!(text, "{line} {name}");
            Ok(())
        });
        (walked.is_ok() && !text.is_empty()).then_some(Fingerprint { lines: text, changed })
    }

    /// Returns whether a further change would show.
    pub(super) fn is_settled(&self, now: i64) -> bool {
        self.changed < now - SETTLED_S
    }
}

/// Returns when a file was changed, and everything about it that a change would alter.
#[cfg(unix)]
fn times(found: &Metadata) -> (i64, String) {
    use std::os::unix::fs::MetadataExt;
    let line = format!(
        "{} {} {}.{} {}.{}",
        found.ino(),
        found.len(),
        found.mtime(),
        found.mtime_nsec(),
        found.ctime(),
        found.ctime_nsec()
    );
    (found.ctime(), line)
}

/// Without such times a file never counts as left alone.
#[cfg(not(unix))]
fn times(_: &Metadata) -> (i64, String) {
    (i64::MAX, String::new())
}
