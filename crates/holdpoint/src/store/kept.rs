//! Files of a project as they were when a run was made, so that they can be put back.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::folder::{Access, FileError, Folder};
use super::{files, layout};

/// The largest file that is kept.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Why a file was not kept.
#[derive(Debug, Error)]
#[error("{path} cannot be kept: {why}")]
pub struct KeptError {
    /// The file, from the project.
    path: String,
    /// Why. The message has it, so it is not a source.
    why: FileError,
}

/// The kept files of one run.
#[derive(Debug)]
pub struct Kept<'a> {
    home: &'a Path,
    folder: PathBuf,
}

impl<'a> Kept<'a> {
    /// Those of the run of this id in the project at `home`.
    pub fn new(home: &'a Path, workflow: &str, id: &str) -> Kept<'a> {
        Kept { home, folder: layout::kept(home).join(layout::digest(&[workflow, id])) }
    }

    /// Keeps files as they are now; one that is not there is kept as that.
    pub fn keep(&self, paths: &[&str]) -> Result<(), KeptError> {
        for path in paths {
            self.keep_one(path).map_err(|why| KeptError { path: (*path).to_owned(), why })?;
        }
        Ok(())
    }

    fn keep_one(&self, path: &str) -> Result<(), FileError> {
        let project = layout::prepare(self.home, &self.folder.join("x"))?;
        let named = files::named(path)?;
        match project.read(&project.place(&named)?, BYTES_MAX)? {
            Some(bytes) => put(&project, &self.folder.join(named), &bytes),
            None => Ok(()),
        }
    }

    /// Whether anything was kept for this run.
    pub fn exists(&self) -> bool {
        Folder::project(self.home).is_ok_and(|project| matches!(project.folder(&self.folder), Ok(Some(_))))
    }

    /// A file as it was kept; none if it was not there then.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, FileError> {
        Folder::project(self.home)?.read(&self.folder.join(files::named(path)?), BYTES_MAX)
    }

    /// Puts files back as they were. What they were replaced by is set aside, never lost; the folder that has it is
    /// returned, if there was anything.
    pub fn restore(&self, paths: &[&str]) -> Result<Option<PathBuf>, FileError> {
        let aside = self.folder.join("replaced");
        let mut replaced = None;
        for path in paths.iter().filter(|_| self.exists()) {
            let project = layout::prepare(self.home, &self.folder.join("x"))?;
            let named = files::named(path)?;
            let file = project.place(&named)?;
            let (now, then) = (project.read(&file, BYTES_MAX)?, self.read(path)?);
            if now == then {
                continue;
            }
            if let Some(bytes) = &now {
                put(&project, &aside.join(named), bytes)?;
                replaced = Some(aside.clone());
            }
            match then {
                Some(bytes) => project.replace(&file, &bytes, Access::Users)?,
                None => project.remove(&file)?,
            }
        }
        Ok(replaced)
    }
}

fn put(project: &Folder, path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    project.make_folder_of(path, Access::Ours)?;
    project.replace(path, bytes, Access::Ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a project's own files")]
    fn files_come_back_and_what_replaced_them_is_not_lost() {
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str| home.path().join(name);
        std::fs::write(file("PLAN.md"), "old").unwrap();
        let kept = Kept::new(home.path(), "flow", "1");
        kept.keep(&["PLAN.md", "NEW.md"]).unwrap();
        std::fs::write(file("PLAN.md"), "new").unwrap();
        std::fs::write(file("NEW.md"), "drafted").unwrap();
        assert_eq!(kept.read("PLAN.md").unwrap().as_deref(), Some(b"old".as_slice()));
        let aside = kept.restore(&["PLAN.md", "NEW.md"]).unwrap().unwrap();
        assert_eq!(std::fs::read_to_string(file("PLAN.md")).unwrap(), "old");
        assert!(!file("NEW.md").exists());
        assert_eq!(std::fs::read_to_string(aside.join("NEW.md")).unwrap(), "drafted");
        assert_eq!(std::fs::read_to_string(aside.join("PLAN.md")).unwrap(), "new");
        assert!(!Kept::new(home.path(), "flow", "2").exists());
    }
}
