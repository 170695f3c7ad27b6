//! Files of a project as they were when a run was made, so that they can be put back.

use std::io;
use std::path::{Path, PathBuf};

use holdpoint_core::path::{stays_below, tidy};

use super::{atomic, files, layout};
use crate::world::read_file;

/// The largest file that is kept.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

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
    pub fn keep(&self, paths: &[&str]) -> Result<(), String> {
        let told = |error: io::Error| format!("the project's files could not be kept: {error}");
        layout::prepare(self.home, &self.folder.join("x")).map_err(told)?;
        for path in paths {
            let file = files::own_place(self.home, path)?;
            let bytes = read_file(&file, BYTES_MAX).map_err(|why| format!("{path} cannot be kept: {why}"))?;
            if let Some(bytes) = bytes {
                put(&self.folder.join(path), &bytes).map_err(told)?;
            }
        }
        Ok(())
    }

    /// Whether anything was kept for this run.
    pub fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    /// A file as it was kept; none if it was not there then.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, String> {
        if !stays_below(&tidy(path)) {
            return Err("it leaves the project folder".into());
        }
        read_file(&self.folder.join(path), BYTES_MAX)
    }

    /// Puts files back as they were. What they were replaced by is set aside, never lost; the folder that has it is
    /// returned, if there was anything.
    pub fn restore(&self, paths: &[&str]) -> Result<Option<PathBuf>, String> {
        let aside = self.folder.join("replaced");
        let mut replaced = None;
        for path in paths.iter().filter(|_| self.exists()) {
            let file = files::own_place(self.home, path)?;
            let (now, then) = (read_file(&file, BYTES_MAX)?, self.read(path)?);
            if now == then {
                continue;
            }
            let told = |error: io::Error| format!("{path}: {error}");
            if let Some(bytes) = &now {
                put(&aside.join(path), bytes).map_err(told)?;
                replaced = Some(aside.clone());
            }
            match then {
                Some(bytes) => atomic::replace(&file, &bytes).map_err(told)?,
                None => std::fs::remove_file(&file).map_err(told)?,
            }
        }
        Ok(replaced)
    }
}

fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    atomic::replace(path, bytes)
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
