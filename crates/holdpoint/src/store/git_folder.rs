//! Holdpoint's own repository for a project: objects that no branch of the user's knows, indexes that are not the user's,
//! and attributes that leave every file as it is. It lies in the user's state folder, out of the project's reach, or in the
//! project where there is none.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

use super::folder::{Access, FileError, Folder, Kind};
use super::layout;
use super::state_folder::StateFolder;
use crate::env::Env;

/// How long an object is kept that nothing has written again.
const OBJECT_KEPT: Duration = Duration::from_hours(30 * 24);
/// How long a scratch folder may be in use; an older one is what a crash has left.
const SCRATCH_KEPT: Duration = Duration::from_hours(24);
/// How often old things are looked for.
const CLEARED_EVERY: Duration = Duration::from_hours(24);

/// How many names of a folder are looked at: objects have 256 folders, and what is left another day will do.
const NAMES_MAX: usize = 100_000;

/// Attributes that outrank every `.gitattributes`: a file is its bytes, and shown as what it contains.
const ATTRIBUTES: &str = "* -text !eol !crlf !ident !filter !working-tree-encoding !diff !merge\n";
/// A branch that is never there.
const HEAD: &str = "ref: refs/heads/none\n";
/// The largest file of the repository's own that is read.
const BYTES_MAX: u64 = 4096;

/// Holdpoint's own repository for a project.
#[derive(Debug)]
pub struct GitFolder {
    /// The folder that it lies in: the state folder, or the project.
    holder: Folder,
    folder: PathBuf,
}

impl GitFolder {
    /// Makes the folder of the project with this id, and clears it of old things once a day. Git writes below it by name: a
    /// link there, which git would follow, is an error.
    pub fn open(home: &Path, id: Option<&str>, env: &dyn Env) -> Result<GitFolder, FileError> {
        let ours = match StateFolder::of(env).ok().zip(id) {
            Some((state, id)) => {
                let (holder, folder) = state.folder(&format!("projects/{id}/git"))?;
                GitFolder { holder, folder }
            }
            None => {
                let folder = layout::git(home);
                GitFolder { holder: layout::prepare(home, &folder.join("objects/x"))?, folder }
            }
        };
        for part in ["objects", "scratch", "indexes"] {
            ours.holder.make_folder(&ours.folder.join(part), Access::Ours)?;
        }
        let objects = ours.objects();
        let entries = ours.holder.entries(&objects, NAMES_MAX)?;
        if let Some((link, _)) = entries.iter().find(|(_, found)| found.kind == Kind::Link) {
            return Err(FileError::Link { path: objects.join(link) });
        }
        ours.clear_daily();
        Ok(ours)
    }

    /// Returns whether it is a repository, with the attributes that it must have.
    pub fn is_ready(&self) -> bool {
        let has = |name: &str| self.holder.has_file(&self.folder.join(name));
        let attributes = self.holder.read(&self.folder.join("info/attributes"), BYTES_MAX);
        has("config")
            && has("HEAD")
            && attributes.is_ok_and(|text| text.as_deref() == Some(ATTRIBUTES.as_bytes()))
    }

    /// Makes it a repository, whose ids are of this format.
    pub fn make_ready(&self, format: &str) -> Result<(), FileError> {
        self.holder.make_folder(&self.folder.join("refs"), Access::Ours)?;
        let config = match format {
            "" | "sha1" => "[core]\n\trepositoryformatversion = 0\n\tbare = false\n".to_owned(),
            other => format!(
                "[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectFormat = {other}\n"
            ),
        };
        for (name, text) in [("info/attributes", ATTRIBUTES), ("HEAD", HEAD), ("config", &config)] {
            let path = self.folder.join(name);
            self.holder.make_folder_of(&path, Access::Ours)?;
            self.holder.replace(&path, text.as_bytes(), Access::Ours)?;
        }
        Ok(())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Where git puts the objects it writes for us.
    pub fn objects(&self) -> PathBuf {
        self.folder.join("objects")
    }

    /// A folder for indexes that goes when it is dropped.
    pub fn scratch(&self) -> io::Result<TempDir> {
        tempfile::tempdir_in(self.scratches())
    }

    /// The index of a working tree as it was last taken. It saves reading files that have not changed since.
    pub fn known_index(&self, root: &Path) -> PathBuf {
        self.folder.join("indexes").join(layout::digest(&[&root.to_string_lossy()]))
    }

    /// Remembers the index of a working tree. Where that cannot be done its files are read again.
    pub fn know_index(&self, root: &Path, index: &Path, scratch: &TempDir) {
        let copy = scratch.path().join("known");
        let copied = copy_index(index, &copy);
        let _ = copied.map(|()| self.holder.rename(&copy, &self.known_index(root)));
    }

    /// The second since when files of a working tree have to be looked at one by one: when that was last done, or the
    /// first there was.
    pub fn looked(&self, root: &Path, now: SystemTime) -> u32 {
        let last = self.holder.find(&self.looked_mark(root)).ok().flatten().map(|found| found.modified);
        // Who comes from the future has not looked.
        let seconds = last.filter(|last| *last <= now).and_then(|last| last.duration_since(UNIX_EPOCH).ok());
        seconds.and_then(|seconds| u32::try_from(seconds.as_secs()).ok()).unwrap_or(0)
    }

    /// Notes that every file was looked at, not before `when`. Where that cannot be noted they are looked at again.
    pub fn set_looked(&self, root: &Path, when: SystemTime, scratch: &TempDir) {
        // The mark has its time from the first moment that others can see it.
        let mark = scratch.path().join("looked");
        let made = File::create_new(&mark).and_then(|file| file.set_modified(when));
        let _ = made.map(|()| self.holder.rename(&mark, &self.looked_mark(root)));
    }

    fn looked_mark(&self, root: &Path) -> PathBuf {
        self.known_index(root).with_extension("looked")
    }

    fn scratches(&self) -> PathBuf {
        self.folder.join("scratch")
    }

    /// An object that is written again is as good as new: git touches it. So the old ones are those that no tree of
    /// late has needed.
    fn clear_daily(&self) {
        let mark = self.folder.join("cleared");
        let last = self.holder.find(&mark).ok().flatten().map(|found| found.modified);
        let is_due = last.is_none_or(|last| is_older(last, CLEARED_EVERY));
        let touched = || self.holder.rewrite(&mark, Access::Ours)?.set_modified(SystemTime::now());
        if !is_due || touched().is_err() {
            return;
        }
        for (folder, _) in self.entries(&self.objects(), Kind::Folder) {
            for (object, found) in self.entries(&folder, Kind::File) {
                if is_older(found, OBJECT_KEPT) {
                    let _ = self.holder.remove(&object);
                }
            }
        }
        for (scratch, written) in self.entries(&self.scratches(), Kind::Folder) {
            if is_older(written, SCRATCH_KEPT) {
                self.clear_scratch(&scratch);
            }
        }
    }

    /// Removes a scratch folder that a crash has left: the indexes in it, and then itself.
    fn clear_scratch(&self, scratch: &Path) {
        for (file, _) in self.entries(scratch, Kind::File) {
            let _ = self.holder.remove(&file);
        }
        self.holder.remove_empty(scratch);
    }

    /// What is of this kind in a folder, with the time it was written at.
    fn entries(&self, folder: &Path, kind: Kind) -> Vec<(PathBuf, SystemTime)> {
        let entries = self.holder.entries(folder, NAMES_MAX).unwrap_or_default().into_iter();
        let wanted = entries.filter(|(_, found)| found.kind == kind);
        wanted.map(|(name, found)| (folder.join(name), found.modified)).collect()
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

fn is_older(written: SystemTime, than: Duration) -> bool {
    written.elapsed().is_ok_and(|age| age > than)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::FixedEnv;

    fn aged(path: &Path, days: u64) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = File::create(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_hours(24 * days)).unwrap();
    }

    #[test]
    fn old_objects_go_once_a_day() {
        let home = tempfile::tempdir().unwrap();
        let ours = GitFolder::open(home.path(), None, &FixedEnv::default()).unwrap();
        let object = |name: &str| ours.objects().join(name);
        let reopened = || GitFolder::open(home.path(), None, &FixedEnv::default()).unwrap();
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
