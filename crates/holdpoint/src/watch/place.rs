//! A folder that is looked into by a handle: what is in it is found by its name, without the way down to it each time.

use super::touched::Instant;

#[cfg(unix)]
pub(super) use self::unix::Place;

#[cfg(not(unix))]
pub(super) use self::other::Place;

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};

    use super::Instant;

    #[cfg(target_os = "linux")]
    const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
    #[cfg(not(target_os = "linux"))]
    const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    /// An open folder.
    pub(in super::super) struct Place(OwnedFd);

    impl Place {
        /// The top of a working tree.
        pub(in super::super) fn top(path: &Path) -> Option<Place> {
            rustix::fs::openat(CWD, path, FOLDER, Mode::empty()).ok().map(Place)
        }

        /// A folder below it. Behind a link is nothing that git knows.
        pub(in super::super) fn below(&self, folder: &[u8]) -> Option<Place> {
            let folder = OsStr::from_bytes(if folder.is_empty() { b"." } else { folder });
            #[cfg(target_os = "linux")]
            {
                use rustix::fs::{ResolveFlags, openat2};
                use rustix::io::Errno;

                let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
                match openat2(&self.0, folder, FOLDER, Mode::empty(), resolve) {
                    // The kernel is older than 5.6, or a sandbox does not know the call.
                    Err(Errno::NOSYS | Errno::PERM) => {}
                    opened => return opened.ok().map(Place),
                }
            }
            rustix::fs::openat(&self.0, folder, FOLDER | OFlags::NOFOLLOW, Mode::empty()).ok().map(Place)
        }

        /// When the folder itself was changed.
        pub(in super::super) fn changed(&self) -> Option<Instant> {
            rustix::fs::fstat(&self.0).ok().map(|stat| at(&stat))
        }

        /// When something in it was changed; none if it is not there.
        pub(in super::super) fn changed_in(&self, name: &[u8]) -> Option<Instant> {
            rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).ok().map(|stat| at(&stat))
        }

        /// What is in it but folders, with the time of each.
        pub(in super::super) fn files(&self) -> impl Iterator<Item = (Vec<u8>, Instant)> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let again = rustix::fs::openat(&self.0, ".", flags, Mode::empty());
            let names = again.and_then(Dir::new).into_iter().flatten().flatten();
            names.filter_map(|entry| {
                let stat = rustix::fs::statat(&self.0, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW).ok()?;
                let is_file = FileType::from_raw_mode(stat.st_mode) != FileType::Directory;
                is_file.then(|| (entry.file_name().to_bytes().to_vec(), at(&stat)))
            })
        }
    }

    #[expect(clippy::useless_conversion, reason = "the types of a time differ between systems")]
    fn at(stat: &Stat) -> Instant {
        Instant::new(i64::from(stat.st_ctime), i64::try_from(stat.st_ctime_nsec).unwrap_or(0))
    }
}

/// Where there are no handles: by the whole path, and by the time of the last write.
#[cfg(not(unix))]
mod other {
    use std::path::{Path, PathBuf};
    use std::time::UNIX_EPOCH;

    use super::Instant;

    /// A folder's path.
    pub(in super::super) struct Place(PathBuf);

    impl Place {
        pub(in super::super) fn top(path: &Path) -> Option<Place> {
            Some(Place(path.to_owned()))
        }

        pub(in super::super) fn below(&self, folder: &[u8]) -> Option<Place> {
            let place = self.0.join(std::str::from_utf8(folder).ok()?);
            place.symlink_metadata().is_ok_and(|there| there.is_dir()).then_some(Place(place))
        }

        pub(in super::super) fn changed(&self) -> Option<Instant> {
            self.0.symlink_metadata().ok().map(|there| at(&there))
        }

        pub(in super::super) fn changed_in(&self, name: &[u8]) -> Option<Instant> {
            let path = self.0.join(std::str::from_utf8(name).ok()?);
            path.symlink_metadata().ok().map(|there| at(&there))
        }

        pub(in super::super) fn files(&self) -> impl Iterator<Item = (Vec<u8>, Instant)> {
            std::fs::read_dir(&self.0).into_iter().flatten().flatten().filter_map(|entry| {
                let there = entry.metadata().ok().filter(|there| !there.is_dir())?;
                Some((entry.file_name().into_string().ok()?.into_bytes(), at(&there)))
            })
        }
    }

    fn at(there: &std::fs::Metadata) -> Instant {
        let written = there.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let written = written.unwrap_or_default();
        Instant::new(written.as_secs().cast_signed(), i64::from(written.subsec_nanos()))
    }
}
