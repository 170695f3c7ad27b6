//! A folder's handle on Unix: `openat2` where there is one, otherwise one name after the other without links.

use std::ffi::OsStr;
use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};

use super::{Found, Kind, Opening};

impl Opening {
    /// Never waits for the other end of a pipe, and never makes a terminal ours.
    fn flags(self) -> OFlags {
        let how = match self {
            Opening::Read => OFlags::RDONLY,
            Opening::Append => OFlags::RDWR | OFlags::APPEND | OFlags::CREATE,
            Opening::Write => OFlags::WRONLY | OFlags::CREATE,
            Opening::CreateNew => OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL,
        };
        how | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC
    }
}

/// A folder is only gone through, where the system can open it for that alone.
#[cfg(target_os = "linux")]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// An open folder.
#[derive(Debug)]
pub(super) struct Handle {
    descriptor: OwnedFd,
    /// Whether paths are resolved one name after the other: the kernel cannot do it at once.
    is_stepwise: AtomicBool,
}

impl Handle {
    pub(super) fn open(path: &Path) -> io::Result<Handle> {
        Ok(Handle {
            descriptor: rustix::fs::openat(CWD, path, FOLDER, Mode::empty())?,
            is_stepwise: AtomicBool::new(cfg!(not(target_os = "linux"))),
        })
    }

    pub(super) fn again(&self) -> io::Result<Handle> {
        Ok(Handle {
            descriptor: self.descriptor.try_clone()?,
            is_stepwise: AtomicBool::new(self.is_stepwise.load(Ordering::Relaxed)),
        })
    }

    /// The same, as on a system without `openat2`.
    #[cfg(test)]
    pub(super) fn stepwise(self) -> Handle {
        Handle { is_stepwise: AtomicBool::new(true), ..self }
    }

    pub(super) fn folder(&self, path: &Path) -> io::Result<Handle> {
        Ok(Handle {
            descriptor: self.resolve(path, FOLDER, Mode::empty())?,
            is_stepwise: AtomicBool::new(self.is_stepwise.load(Ordering::Relaxed)),
        })
    }

    pub(super) fn open_file(&self, path: &Path, opening: Opening, mode: u32) -> io::Result<File> {
        let flags = opening.flags();
        let mode = if flags.contains(OFlags::CREATE) { Mode::from_raw_mode(mode) } else { Mode::empty() };
        Ok(File::from(self.resolve(path, flags, mode)?))
    }

    pub(super) fn make_folder(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.at(path, |folder, name| Ok(rustix::fs::mkdirat(folder, name, Mode::from_raw_mode(mode))?))
    }

    pub(super) fn find(&self, path: &Path) -> io::Result<Found> {
        self.at(path, |folder, name| Ok(found(&rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)))
    }

    pub(super) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.at(from, |source, old| {
            self.at(to, |target, new| Ok(rustix::fs::renameat(source, old, target, new)?))
        })
    }

    pub(super) fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.at(path, |folder, name| Ok(rustix::fs::unlinkat(folder, name, AtFlags::empty())?))
    }

    pub(super) fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.at(path, |folder, name| Ok(rustix::fs::unlinkat(folder, name, AtFlags::REMOVEDIR)?))
    }

    /// Makes a rename in a file's folder durable, where folders can be synced.
    pub(super) fn sync_folder_of(&self, path: &Path) -> io::Result<()> {
        self.at(path, |folder, _| Ok(rustix::fs::fsync(readable(folder)?)?))
    }

    pub(super) fn names(&self, limit: usize) -> io::Result<Vec<PathBuf>> {
        let mut names = Vec::new();
        for entry in Dir::new(readable(self.descriptor.as_fd())?)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(PathBuf::from(OsStr::from_bytes(name)));
            }
            if names.len() >= limit {
                break;
            }
        }
        Ok(names)
    }

    /// Does something with the folder that a path is in and its last name.
    fn at<T>(&self, path: &Path, act: impl FnOnce(BorrowedFd<'_>, &OsStr) -> io::Result<T>) -> io::Result<T> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            None => act(self.descriptor.as_fd(), name),
            Some(parent) => act(self.resolve(parent, FOLDER, Mode::empty())?.as_fd(), name),
        }
    }

    fn resolve(&self, path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        #[cfg(target_os = "linux")]
        if !self.is_stepwise.load(Ordering::Relaxed) {
            use rustix::fs::{ResolveFlags, openat2};
            use rustix::io::Errno;

            let below = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            match openat2(&self.descriptor, path, flags, mode, below) {
                // The kernel is older than 5.6, or a sandbox does not know the call.
                Err(Errno::NOSYS | Errno::PERM) => self.is_stepwise.store(true, Ordering::Relaxed),
                opened => return Ok(opened?),
            }
        }
        self.step_by_step(path, flags, mode)
    }

    fn step_by_step(&self, path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let mut folder: Option<OwnedFd> = None;
        let mut names = path.iter().peekable();
        while let Some(name) = names.next() {
            let from = folder.as_ref().unwrap_or(&self.descriptor);
            let (flags, mode) = if names.peek().is_some() { (FOLDER, Mode::empty()) } else { (flags, mode) };
            let next = rustix::fs::openat(from, name, flags | OFlags::NOFOLLOW, mode)?;
            folder = Some(next);
        }
        folder.ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

/// Opens a folder again, so that it can be read and synced.
fn readable(folder: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(folder, ".", flags, Mode::empty())?)
}

fn found(stat: &Stat) -> Found {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    };
    #[cfg_attr(
        target_os = "linux",
        expect(clippy::useless_conversion, reason = "modes are smaller elsewhere")
    )]
    let mode = u32::from(stat.st_mode) & 0o7777;
    Found { kind, modified: modified(stat), mode }
}

fn modified(stat: &Stat) -> SystemTime {
    let nanoseconds = u32::try_from(stat.st_mtime_nsec).unwrap_or(0);
    let since = u64::try_from(stat.st_mtime).map(|seconds| Duration::new(seconds, nanoseconds));
    since.ok().and_then(|since| UNIX_EPOCH.checked_add(since)).unwrap_or(UNIX_EPOCH)
}

pub(super) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode))
}

/// Takes the rights of all but the owner from a file.
pub(super) fn close_to_others(file: &File, metadata: &Metadata) -> io::Result<()> {
    let is_closed = metadata.mode() & 0o777 & !0o700 == 0;
    if is_closed { Ok(()) } else { set_mode(file, 0o600) }
}
