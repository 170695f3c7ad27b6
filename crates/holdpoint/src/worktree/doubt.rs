//! Files that an index considers unchanged although they may have changed.
//!
//! Most builds of git compare times by the second. They do not read a file again that was changed within the second of
//! the last check, kept its size, and had its modification time restored. Nobody can restore the nanoseconds of a
//! file's change time, so those are compared here as well.

use std::path::Path;

use super::entries::Entry;
#[cfg(unix)]
use super::entries::Time;
use super::error::TreeError;

/// The mode of a submodule. It stands for the commit checked out in it; its folder's times say nothing.
pub(super) const SUBMODULE: u32 = 0o160_000;
/// How many files justify another thread.
const FILES_A_THREAD: usize = 1000;
const THREADS_MAX: usize = 4;

/// Returns the entries whose files have other times than the index says. Skips files that last changed before `since`,
/// in seconds: they were checked then, and any later change is in a later second.
pub(super) fn doubtful<'a>(
    entries: &'a [Entry],
    root: &Path,
    since: u32,
) -> Result<Vec<&'a Entry>, TreeError> {
    let may_be = |entry: &&Entry| entry.changed.seconds >= since && entry.mode != SUBMODULE;
    let asked: Vec<&Entry> = entries.iter().filter(may_be).collect();
    let folder = Folder::open(root).map_err(|source| TreeError::Io { path: root.to_path_buf(), source })?;
    let look = |part: &[&'a Entry]| part.iter().copied().filter(|entry| folder.differs(entry)).collect();
    let threads = (asked.len() / FILES_A_THREAD).clamp(1, THREADS_MAX);
    let mut parts = asked.chunks(asked.len().div_ceil(threads).max(1));
    std::thread::scope(|scope| {
        let first = parts.next().unwrap_or_default();
        let running: Vec<_> = parts.map(|part| scope.spawn(move || look(part))).collect();
        let mut found: Vec<&Entry> = look(first);
        for part in running {
            found.extend(part.join().map_err(|_| TreeError::Compare)?);
        }
        Ok(found)
    })
}

/// The top of the working tree, kept open: relative names are a third cheaper to look up.
#[cfg(unix)]
struct Folder(rustix::fd::OwnedFd);

#[cfg(unix)]
impl Folder {
    fn open(root: &Path) -> std::io::Result<Folder> {
        use rustix::fs::{Mode, OFlags};

        Ok(Folder(rustix::fs::open(root, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?))
    }

    fn differs(&self, entry: &Entry) -> bool {
        use rustix::fs::AtFlags;

        let Ok(file) = rustix::fs::statat(&self.0, entry.path.as_slice(), AtFlags::SYMLINK_NOFOLLOW) else {
            return false;
        };
        !is_same(entry.changed, file.st_ctime, file.st_ctime_nsec)
            || !is_same(entry.modified, file.st_mtime, file.st_mtime_nsec)
    }
}

/// Returns whether a time is the one in the index, which keeps 32 bits. Some file systems, and some programs that
/// write indexes, have no nanoseconds. The integer types differ between systems.
#[cfg(unix)]
fn is_same<S: Into<i128>, N: Into<i128>>(noted: Time, seconds: S, nanoseconds: N) -> bool {
    let (seconds, nanoseconds) = (seconds.into() & i128::from(u32::MAX), nanoseconds.into());
    let is_known = noted.nanoseconds != 0 && nanoseconds != 0;
    i128::from(noted.seconds) == seconds && (!is_known || i128::from(noted.nanoseconds) == nanoseconds)
}

/// Where files have no change time, git is trusted.
#[cfg(not(unix))]
struct Folder;

#[cfg(not(unix))]
impl Folder {
    fn open(_: &Path) -> std::io::Result<Folder> {
        Ok(Folder)
    }

    fn differs(&self, _: &Entry) -> bool {
        false
    }
}
