//! Files that an index takes for unchanged, and that may have changed all the same.
//!
//! Git as it is mostly built compares times by the second: a file that is changed in the second it was last looked
//! at, keeps its size, and has its time put back, is not read again. The nanoseconds of a file's last change nobody
//! can put back, so they are compared, too.

use std::path::Path;

use super::entries::Entry;
#[cfg(unix)]
use super::entries::Time;

/// The mode of a submodule. It is what is checked out in it; its folder's times say nothing.
const SUBMODULE: u32 = 0o160_000;
/// So many files are worth a further thread.
const FILES_A_THREAD: usize = 1000;
const THREADS_MAX: usize = 4;

/// The entries whose files have another time than the index has noted. Files that were last changed before `since`,
/// in seconds, are left out: they were looked at then, and any change after that is in a later second.
pub(super) fn doubtful<'a>(entries: &'a [Entry], root: &Path, since: u32) -> Result<Vec<&'a Entry>, String> {
    let may_be = |entry: &&Entry| entry.changed.seconds >= since && entry.mode != SUBMODULE;
    let asked: Vec<&Entry> = entries.iter().filter(may_be).collect();
    let folder = Folder::open(root).map_err(|error| format!("{}: {error}", root.display()))?;
    let look = |part: &[&'a Entry]| part.iter().copied().filter(|entry| folder.differs(entry)).collect();
    let threads = (asked.len() / FILES_A_THREAD).clamp(1, THREADS_MAX);
    let mut parts = asked.chunks(asked.len().div_ceil(threads).max(1));
    std::thread::scope(|scope| {
        let first = parts.next().unwrap_or_default();
        let running: Vec<_> = parts.map(|part| scope.spawn(move || look(part))).collect();
        let mut found: Vec<&Entry> = look(first);
        for part in running {
            found.extend(part.join().map_err(|_| "the files could not be looked at".to_owned())?);
        }
        Ok(found)
    })
}

/// The top of the working tree, held open: names from there on are shorter, and a third cheaper to look up.
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

/// Whether a time is the one an index has noted, in its 32 bits. Some file systems, and some programs that write
/// indexes, have no nanoseconds. The numbers' types are the system's own.
#[cfg(unix)]
fn is_same<S: Into<i128>, N: Into<i128>>(noted: Time, seconds: S, nanoseconds: N) -> bool {
    let (seconds, nanoseconds) = (seconds.into() & i128::from(u32::MAX), nanoseconds.into());
    let is_known = noted.nanoseconds != 0 && nanoseconds != 0;
    i128::from(noted.seconds) == seconds && (!is_known || i128::from(noted.nanoseconds) == nanoseconds)
}

/// Where files have no time of their last change, git is believed.
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
