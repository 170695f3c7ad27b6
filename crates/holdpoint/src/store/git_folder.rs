//! What git writes for us: objects that no branch of the user's knows, and indexes that are not the user's.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

use super::layout;

/// How long an object is kept that nothing has written again.
const OBJECT_KEPT: Duration = Duration::from_hours(30 * 24);
/// How long a scratch folder may be in use; an older one is what a crash has left.
const SCRATCH_KEPT: Duration = Duration::from_hours(24);
/// How often old things are looked for.
const CLEARED_EVERY: Duration = Duration::from_hours(24);

/// Our folder for git in a project.
#[derive(Debug)]
pub struct GitFolder {
    folder: PathBuf,
}

impl GitFolder {
    /// Makes the folder, and clears it of old things once a day.
    pub fn open(home: &Path) -> io::Result<GitFolder> {
        let ours = GitFolder { folder: layout::git(home) };
        layout::prepare(home, &ours.objects().join("x"))?;
        std::fs::create_dir_all(ours.scratches())?;
        ours.clear_daily();
        Ok(ours)
    }

    /// Where git puts the objects it writes for us.
    pub fn objects(&self) -> PathBuf {
        self.folder.join("objects")
    }

    /// A folder for indexes that goes when it is dropped.
    pub fn scratch(&self) -> io::Result<TempDir> {
        tempfile::tempdir_in(self.scratches())
    }

    /// The second since when files have to be looked at one by one: when that was last done, or the first there was.
    pub fn looked(&self, now: SystemTime) -> u32 {
        let last = self.looked_mark().metadata().and_then(|mark| mark.modified()).ok();
        // Who comes from the future has not looked.
        let seconds = last.filter(|last| *last <= now).and_then(|last| last.duration_since(UNIX_EPOCH).ok());
        seconds.and_then(|seconds| u32::try_from(seconds.as_secs()).ok()).unwrap_or(0)
    }

    /// Notes that every file was looked at, not before `when`. Where that cannot be noted they are looked at again.
    pub fn set_looked(&self, when: SystemTime, scratch: &TempDir) {
        // The mark has its time from the first moment that others can see it.
        let mark = scratch.path().join("looked");
        let _ = File::create(&mark)
            .and_then(|file| file.set_modified(when))
            .and_then(|()| std::fs::rename(&mark, self.looked_mark()));
    }

    fn looked_mark(&self) -> PathBuf {
        self.folder.join("looked")
    }

    fn scratches(&self) -> PathBuf {
        self.folder.join("scratch")
    }

    /// An object that is written again is as good as new: git touches it. So the old ones are those that no tree of
    /// late has needed.
    fn clear_daily(&self) {
        let mark = self.folder.join("cleared");
        let is_due = age(&mark).is_none_or(|age| age > CLEARED_EVERY);
        if !is_due || File::create(&mark).and_then(|file| file.set_modified(SystemTime::now())).is_err() {
            return;
        }
        for folder in entries(&self.objects()) {
            for object in entries(&folder).filter(|object| is_older(object, OBJECT_KEPT)) {
                let _ = std::fs::remove_file(object);
            }
        }
        for scratch in entries(&self.scratches()).filter(|scratch| is_older(scratch, SCRATCH_KEPT)) {
            let _ = std::fs::remove_dir_all(scratch);
        }
    }
}

/// Copies an index with the time it was written at: git reads a file again that is as young as the index, because it
/// may have changed after it was read. An index that is not there yet is copied by doing nothing.
pub fn copy_index(from: &Path, to: &Path) -> io::Result<()> {
    let mut original = match File::open(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    let written = original.metadata()?.modified()?;
    let mut copy = File::create_new(to)?;
    io::copy(&mut original, &mut copy)?;
    copy.set_modified(written)
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn age(path: &Path) -> Option<Duration> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()?.elapsed().ok()
}

fn is_older(path: &Path, than: Duration) -> bool {
    age(path).is_some_and(|age| age > than)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aged(path: &Path, days: u64) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = File::create(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_hours(24 * days)).unwrap();
    }

    #[test]
    fn old_objects_go_once_a_day() {
        let home = tempfile::tempdir().unwrap();
        let ours = GitFolder::open(home.path()).unwrap();
        let object = |name: &str| ours.objects().join(name);
        let reopened = || GitFolder::open(home.path()).unwrap();
        aged(&object("ab/old"), 31);
        aged(&object("ab/young"), 29);
        reopened();
        assert!(object("ab/old").exists(), "it was looked for today");
        aged(&ours.folder.join("cleared"), 2);
        reopened();
        assert!(!object("ab/old").exists() && object("ab/young").exists());
    }

    #[test]
    fn a_copied_index_is_as_old_as_the_original() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a"), folder.path().join("b"));
        copy_index(&from, &to).unwrap();
        assert!(!to.exists());
        aged(&from, 3);
        copy_index(&from, &to).unwrap();
        let modified = |path: &Path| path.metadata().unwrap().modified().unwrap();
        assert_eq!(modified(&from), modified(&to));
    }
}
