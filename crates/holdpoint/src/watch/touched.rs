//! The files of a working tree that have changed since a moment: by the time of their last change, which no program can set.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use holdpoint_core::path::fits;
use holdpoint_core::workflow::Text;
use serde::{Deserialize, Serialize};

use super::place::Place;
use crate::git::folders::GitFolders;
use crate::worktree::entries::{self, Name};

/// The largest index that is read: some two million files.
const INDEX_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// The most files that are listed.
pub const FILES_MAX: usize = 50_000;
/// How many threads look at most, and from how many files on it is worth one more.
const THREADS_MAX: usize = 4;
const FILES_A_THREAD: usize = 1_000;
/// How many files a thread takes at once: one that the system lets wait must not keep the others waiting at the end.
const FILES_A_SHARE: usize = 500;
/// By how much the clock that files are stamped with may be behind.
const BEHIND: Duration = Duration::from_millis(12);

/// A moment, in the time that files are stamped with: seconds and nanoseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Instant(i64, i64);

impl Instant {
    /// Seconds since 1970, and nanoseconds.
    pub(super) fn new(seconds: i64, nanoseconds: i64) -> Instant {
        Instant(seconds, nanoseconds)
    }

    /// Now.
    pub fn now() -> Instant {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(BEHIND);
        Instant(since.as_secs().cast_signed(), i64::from(since.subsec_nanos()))
    }
}

/// Lists the files below `home`, by their paths from there, that were changed, made or removed since a moment. Of files
/// that git does not know it sees those in folders that git knows. Nothing where there is no index to read.
///
/// Where `within` is given, only files that fit one of its globs are looked at, beside those that git does not know.
pub fn since(home: &Path, git: &GitFolders, moment: Instant, within: Option<&[Text]>) -> Vec<String> {
    let Ok(Some(index)) = crate::world::read_file(&git.index(), INDEX_BYTES_MAX) else { return Vec::new() };
    let Some(mut names) = entries::names(&index) else { return Vec::new() };
    let root = git.root.as_path();
    let Some(top) = Place::top(root) else { return Vec::new() };
    let mut prefix = home.strip_prefix(root).unwrap_or(Path::new("")).as_os_str().as_encoded_bytes().to_vec();
    if !prefix.is_empty() {
        prefix.push(b'/');
        names.retain(|name| name.path.starts_with(&prefix));
    }
    let within = within.map(|globs| globs.iter().map(|glob| Glob::new(glob)).collect::<Vec<_>>());
    let walk = Walk { top: &top, names: &names, moment, below: prefix.len(), within };
    let found = walk.changed();
    let below = |path: &Vec<u8>| {
        path.strip_prefix(&prefix[..]).map(|path| String::from_utf8_lossy(path).into_owned())
    };
    found.iter().filter_map(below).take(FILES_MAX).collect()
}

/// A look at all files of an index.
struct Walk<'a> {
    top: &'a Place,
    names: &'a [Name<'a>],
    moment: Instant,
    /// Where the names begin that globs are about.
    below: usize,
    /// The globs of the files that are meant; none: all are.
    within: Option<Vec<Glob<'a>>>,
}

/// A glob, and what every path that fits it begins with.
struct Glob<'a> {
    text: &'a str,
    beginning: &'a [u8],
}

impl<'a> Glob<'a> {
    fn new(text: &'a str) -> Glob<'a> {
        let plain = text.find(['*', '?', '[', ']', '{', '}', '!', '\\']).unwrap_or(text.len());
        Glob { text, beginning: &text.as_bytes()[..plain] }
    }

    fn fits(&self, path: &[u8]) -> bool {
        path.starts_with(self.beginning) && fits(self.text, &String::from_utf8_lossy(path))
    }
}

/// What a part of a look has found.
#[derive(Default)]
struct Part<'a> {
    files: Vec<&'a [u8]>,
    folders: Vec<&'a [u8]>,
}

/// The folder that is looked into.
struct Current<'a> {
    folder: &'a [u8],
    place: Option<Place>,
    /// Whether it has changed; where it is gone, the one that it was in.
    is_changed: bool,
}

impl<'a> Walk<'a> {
    /// The paths of all that is not as it was.
    fn changed(&self) -> BTreeSet<Vec<u8>> {
        let threads = (self.names.len() / FILES_A_THREAD).clamp(1, THREADS_MAX);
        let shares = Mutex::new(self.names.chunks(FILES_A_SHARE));
        let next = || shares.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            let mut part = Part::default();
            while let Some(share) = next() {
                self.look(share, &mut part);
            }
            part
        };
        let found: Vec<Part<'a>> = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let first = work();
            let others = others.into_iter().map(|thread| thread.join().unwrap_or_default());
            std::iter::once(first).chain(others).collect()
        });
        let mut all: BTreeSet<Vec<u8>> =
            found.iter().flat_map(|part| &part.files).map(|file| file.to_vec()).collect();
        let folders: BTreeSet<&[u8]> = found.iter().flat_map(|part| &part.folders).copied().collect();
        all.extend(folders.into_iter().flat_map(|folder| self.new_in(folder)).take(FILES_MAX));
        all
    }

    /// Adds those that are not as they were. One that is gone counts if the folder that it was in has changed.
    fn look(&self, names: &'a [Name<'a>], part: &mut Part<'a>) {
        let mut current: Option<Current<'a>> = None;
        for name in names {
            let (folder, file) = split(&name.path);
            if current.as_ref().is_none_or(|current| current.folder != folder) {
                self.climb(folder, current.as_ref().map(|current| current.folder), part);
                current = Some(self.enter(folder, part));
            }
            let Some(current) = current.as_ref().filter(|_| self.is_meant(&name.path)) else { continue };
            let is_changed = match current.place.as_ref().and_then(|place| place.changed_in(file)) {
                Some(at) => at >= self.moment,
                None => current.is_changed && !name.is_skipped,
            };
            if is_changed {
                part.files.push(&name.path);
            }
        }
    }

    fn is_meant(&self, path: &[u8]) -> bool {
        let path = path.get(self.below..).unwrap_or_default();
        self.within.as_ref().is_none_or(|globs| globs.iter().any(|glob| glob.fits(path)))
    }

    fn enter(&self, folder: &'a [u8], part: &mut Part<'a>) -> Current<'a> {
        let place = self.top.below(folder);
        let is_changed = match &place {
            Some(place) => self.has_changed(place),
            None => above(folder)
                .find_map(|folder| self.top.below(folder))
                .is_some_and(|it| self.has_changed(&it)),
        };
        if place.is_some() && is_changed {
            part.folders.push(folder);
        }
        Current { folder, place, is_changed }
    }

    /// Looks at the folders on the way to a folder that were not on the way to the one before it.
    fn climb(&self, folder: &'a [u8], before: Option<&[u8]>, part: &mut Part<'a>) {
        let is_known = |above: &&[u8]| {
            before.is_some_and(|before| {
                before
                    .strip_prefix(*above)
                    .is_some_and(|rest| above.is_empty() || rest.is_empty() || rest[0] == b'/')
            })
        };
        for above in above(folder).take_while(|above| !is_known(above)) {
            if self.top.below(above).is_some_and(|place| self.has_changed(&place)) {
                part.folders.push(above);
            }
        }
    }

    fn has_changed(&self, place: &Place) -> bool {
        place.changed().is_some_and(|at| at >= self.moment)
    }

    /// Files that git does not know, in a folder that has changed.
    fn new_in(&self, folder: &[u8]) -> Vec<Vec<u8>> {
        let Some(place) = self.top.below(folder) else { return Vec::new() };
        let new = place.files().filter(|(_, at)| *at >= self.moment);
        let whole = |name: Vec<u8>| if folder.is_empty() { name } else { [folder, b"/", &name].concat() };
        let is_known = |path: &Vec<u8>| {
            self.names.binary_search_by(|name| name.path.as_ref().cmp(path.as_slice())).is_ok()
        };
        new.map(|(name, _)| whole(name)).filter(|path| !is_known(path)).take(FILES_MAX).collect()
    }
}

/// A path's folder and its last name.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (&[], path),
    }
}

/// The folders that a folder is in, the nearest first.
fn above(folder: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| split(folder).0)).skip(1)
}

#[cfg(all(test, unix))]
#[expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a repository of others'")]
mod tests {
    use std::os::unix::fs::MetadataExt;
    use std::process::Command;

    use super::*;

    fn at(there: &std::fs::Metadata) -> Instant {
        Instant(there.ctime(), there.ctime_nsec())
    }

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
        assert!(since(folder.path(), &git, moment, None).is_empty());
        sh(
            "echo y > a/one; touch -d '2001-01-01' top; rm c/three; echo z > a/b/new; mv c/four c/five; mkdir d; echo q > d/far",
        );
        let found = since(folder.path(), &git, moment, None);
        assert_eq!(found, ["a/b/new", "a/one", "c/five", "c/four", "c/three", "top"]);
        assert_eq!(since(&folder.path().join("a"), &git, moment, None), ["b/new", "one"]);
        let meant = |home: &Path, glob: &str| since(home, &git, moment, Some(&[glob.to_owned().into()]));
        assert_eq!(meant(folder.path(), "a/**"), ["a/b/new", "a/one", "c/five"]);
        assert_eq!(meant(&folder.path().join("a"), "on?"), ["b/new", "one"]);
        std::fs::write(folder.path().join(".git/index"), "rubbish").unwrap();
        assert!(since(folder.path(), &git, moment, None).is_empty());
    }

    #[test]
    fn what_git_skips_and_what_a_link_hides_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let sh = |script: &str| {
            let ran = Command::new("sh").args(["-ec", script]).current_dir(folder.path()).status();
            assert!(ran.unwrap().success(), "{script}");
        };
        sh(
            "git init -q . && mkdir -p a/b c/d && for f in a/b/one c/d/two c/d/gone top; do echo x > $f; done && git add . \
            && git update-index --skip-worktree top c/d/gone && rm c/d/gone && cp -r a copy",
        );
        let git = GitFolders::of(folder.path()).unwrap();
        let moment = later_than(&folder.path().join("copy/b/one"));
        assert!(since(folder.path(), &git, moment, None).is_empty());
        // A file is put where git knows folders alone; one that is skipped is written, and one that is gone stays so.
        sh("echo y > top; echo z > c/new; mv a was; ln -s copy a");
        assert_eq!(since(folder.path(), &git, moment, None), ["a", "a/b/one", "c/new", "top"]);
        sh("git update-index --index-version 4");
        assert_eq!(since(folder.path(), &git, moment, None), ["a", "a/b/one", "c/new", "top"]);
    }
}
