//! The files of a working tree that have changed since a moment: by the time of their last change, which no program can set.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::refs::GitFolders;
use crate::worktree::entries;

/// The largest index that is read: some two million files.
const INDEX_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// The most files that are listed.
pub const FILES_MAX: usize = 500;
/// How many threads look.
const THREADS: usize = 2;
/// By how much the clock that files are stamped with may be behind.
const BEHIND: Duration = Duration::from_millis(12);

/// A moment, in the time that files are stamped with: seconds and nanoseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Instant(i64, i64);

impl Instant {
    /// Now.
    pub fn now() -> Instant {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(BEHIND);
        Instant(since.as_secs().cast_signed(), i64::from(since.subsec_nanos()))
    }
}

/// Lists the files below `home`, by their paths from there, that were changed, made or removed since a moment. Of files
/// that git does not know it sees those beside files that git knows. Nothing where there is no index to read.
pub fn since(home: &Path, git: &GitFolders, moment: Instant) -> Vec<String> {
    let Ok(Some(index)) = crate::world::read_file(&git.index(), INDEX_BYTES_MAX) else { return Vec::new() };
    let Some(entries) = entries::read(&index) else { return Vec::new() };
    let Some(root) = home.ancestors().find(|root| root.join(".git").symlink_metadata().is_ok()) else {
        return Vec::new();
    };
    let prefix = home.strip_prefix(root).unwrap_or(Path::new(""));
    let paths: Vec<&Path> = entries
        .iter()
        .filter(|entry| !entry.is_skipped)
        .map(|entry| path(&entry.path))
        .filter(|path| path.starts_with(prefix))
        .collect();
    let mut found = BTreeSet::new();
    let share = paths.len().div_ceil(THREADS).max(1);
    std::thread::scope(|scope| {
        let look = |part: &[&Path]| changed(root, part, moment);
        let threads: Vec<_> = paths.chunks(share).map(|part| scope.spawn(move || look(part))).collect();
        found.extend(threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()));
    });
    found.extend(new_beside(root, &paths, moment));
    let below =
        |path: &PathBuf| path.strip_prefix(prefix).ok().map(|path| path.to_string_lossy().into_owned());
    found.iter().filter_map(below).take(FILES_MAX).collect()
}

/// Those that are not as they were. One that is gone counts if the folder that it was in has changed.
fn changed(root: &Path, paths: &[&Path], moment: Instant) -> Vec<PathBuf> {
    let is_changed = |path: &&&Path| match root.join(path).symlink_metadata() {
        Ok(there) => at(&there) >= moment,
        Err(_) => {
            let folders = path.ancestors().skip(1).map(|folder| root.join(folder));
            let folder = folders.into_iter().find_map(|folder| folder.symlink_metadata().ok());
            folder.is_some_and(|folder| at(&folder) >= moment)
        }
    };
    paths.iter().filter(is_changed).map(|path| path.to_path_buf()).collect()
}

/// Files that git does not know, in folders that have changed and that it knows files of.
fn new_beside(root: &Path, known: &[&Path], moment: Instant) -> Vec<PathBuf> {
    // An index is sorted, so the files of a folder mostly stand together. Comparing paths part by part would be dear.
    let mut folders: Vec<&OsStr> =
        known.iter().filter_map(|path| path.parent()).map(Path::as_os_str).collect();
    folders.dedup();
    let names: OnceCell<HashSet<&OsStr>> = OnceCell::new();
    let mut new = Vec::new();
    for folder in folders {
        let folder = Path::new(folder);
        let place = root.join(folder);
        if !place.symlink_metadata().is_ok_and(|there| there.is_dir() && at(&there) >= moment) {
            continue;
        }
        let names = names.get_or_init(|| known.iter().map(|path| path.as_os_str()).collect());
        for entry in std::fs::read_dir(&place).into_iter().flatten().flatten() {
            let path = folder.join(entry.file_name());
            let is_new = |there: std::fs::Metadata| !there.is_dir() && at(&there) >= moment;
            if !names.contains(path.as_os_str()) && entry.metadata().is_ok_and(is_new) {
                new.push(path);
            }
            if new.len() >= FILES_MAX {
                return new;
            }
        }
    }
    new
}

#[cfg(unix)]
fn at(there: &std::fs::Metadata) -> Instant {
    use std::os::unix::fs::MetadataExt;

    Instant(there.ctime(), there.ctime_nsec())
}

/// Where files have no change time, that of the last write must do.
#[cfg(not(unix))]
fn at(there: &std::fs::Metadata) -> Instant {
    let written = there.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let written = written.unwrap_or_default();
    Instant(written.as_secs().cast_signed(), i64::from(written.subsec_nanos()))
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> &Path {
    Path::new(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::new(std::str::from_utf8(bytes).unwrap_or_default()))
}

#[cfg(all(test, unix))]
#[expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a repository of others'")]
mod tests {
    use std::process::Command;

    use super::*;

    /// A moment after a file was changed: files are stamped by a clock with ticks.
    fn later_than(file: &Path) -> Instant {
        let last = at(&file.symlink_metadata().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let stamp = |number: u32| {
            let path = folder.path().join(number.to_string());
            std::fs::write(&path, "").unwrap();
            at(&path.symlink_metadata().unwrap())
        };
        (0..1_000_000).map(stamp).find(|moment| *moment > last).unwrap()
    }

    #[test]
    fn what_was_changed_made_or_removed_since_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let sh = |script: &str| {
            let ran = Command::new("sh").args(["-ec", script]).current_dir(folder.path()).status();
            assert!(ran.unwrap().success(), "{script}");
        };
        sh(
            "git init -q . && mkdir -p a/b c && for f in a/one a/b/two c/three c/four top; do echo x > $f; done && git add .",
        );
        let git = GitFolders::of(folder.path()).unwrap();
        let moment = later_than(&folder.path().join("top"));
        assert!(since(folder.path(), &git, moment).is_empty());
        sh(
            "echo y > a/one; touch -d '2001-01-01' top; rm c/three; echo z > a/b/new; mv c/four c/five; mkdir d; echo q > d/far",
        );
        let found = since(folder.path(), &git, moment);
        assert_eq!(found, ["a/b/new", "a/one", "c/five", "c/four", "c/three", "top"]);
        assert_eq!(since(&folder.path().join("a"), &git, moment), ["b/new", "one"]);
        std::fs::write(folder.path().join(".git/index"), "rubbish").unwrap();
        assert!(since(folder.path(), &git, moment).is_empty());
    }
}
