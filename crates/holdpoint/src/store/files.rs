//! Files that workflows write and remove: below the project, whole or not at all.

use std::path::{Path, PathBuf};

use holdpoint_core::effects::FileChange;
use holdpoint_core::path::{fits, stays_below, tidy};

use super::aside;
use super::folder::{Access, FileError, Folder, Kind};

/// How many names of a folder are compared with a glob.
const NAMES_MAX: usize = 100_000;

/// Makes the changes in the project at `home`, in order.
pub fn change(home: &Path, changes: &[FileChange]) -> Result<(), FileError> {
    for change in changes {
        match change {
            FileChange::Write { path, text } => write(home, path, text),
            FileChange::Remove(path) => remove(home, path),
        }?;
    }
    Ok(())
}

/// Writes a file beside its place and moves it there: a shell that is reading the old one keeps it.
fn write(home: &Path, path: &str, text: &str) -> Result<(), FileError> {
    let project = Folder::project(home)?;
    let file = project.place(&named(path)?)?;
    project.make_folder_of(&file, Access::Users)?;
    let access = if text.starts_with("#!") { Access::Program } else { Access::Users };
    project.replace(&file, text.as_bytes(), access)
}

/// Removes the files that a path stands for. A folder is set aside: what is in it may be the user's.
fn remove(home: &Path, path: &str) -> Result<(), FileError> {
    let wanted = if path.ends_with('/') { Kind::Folder } else { Kind::File };
    let project = Folder::project(home)?;
    let pattern = project.place(&named(path)?)?;
    let (Some(folder), Some(glob)) = (pattern.parent(), pattern.file_name().and_then(|name| name.to_str()))
    else {
        return Ok(());
    };
    for (name, found) in project.entries(folder, NAMES_MAX)? {
        let is_meant = name.to_str().is_some_and(|name| fits(glob, name));
        match found.kind {
            Kind::Folder if is_meant && wanted == Kind::Folder => {
                aside::set_aside(home, &folder.join(name))?;
            }
            Kind::File | Kind::Link if is_meant && wanted == Kind::File => {
                project.remove(&folder.join(name))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the path of a file that a workflow names: one below the project.
pub fn named(path: &str) -> Result<PathBuf, FileError> {
    let tidied = tidy(path);
    if tidied.is_empty() || !stays_below(&tidied) {
        return Err(FileError::Leaves { path: path.into() });
    }
    Ok(tidied.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{layout, tree};

    fn write(path: &str) -> FileChange {
        FileChange::Write { path: path.into(), text: "#!/bin/sh\n".into() }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "files to be removed")]
    fn files_are_written_and_removed_only_below_the_project() {
        let outside = tempfile::tempdir().unwrap();
        let home = tempfile::tempdir().unwrap();
        change(home.path(), &[write("a/b/run.sh")]).unwrap();
        std::fs::write(home.path().join("a/b/other.txt"), "x").unwrap();
        change(home.path(), &[FileChange::Remove("a/b/*.sh".into()), FileChange::Remove("nowhere/*".into())])
            .unwrap();
        assert!(!home.path().join("a/b/run.sh").exists() && home.path().join("a/b/other.txt").exists());
        change(home.path(), &[FileChange::Remove("a/b/".into())]).unwrap();
        assert!(!home.path().join("a/b").exists());
        let kept = tree::names(&layout::aside(home.path())).unwrap();
        assert!(
            kept.len() == 1 && kept[0].ends_with("-b/other.txt"),
            "a folder is not removed as a whole: {kept:?}"
        );
        for path in ["../x", "/etc/x", "", "a/../../x"] {
            assert!(change(home.path(), &[write(path)]).is_err(), "{path}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outside.path(), home.path().join("link")).unwrap();
            assert!(change(home.path(), &[write("link/x")]).is_err());
            std::fs::write(outside.path().join("kept"), "x").unwrap();
            assert!(change(home.path(), &[FileChange::Remove("link/*".into())]).is_err());
            assert!(change(home.path(), &[FileChange::Remove("link/".into())]).is_ok());
            assert!(outside.path().join("kept").exists() && home.path().join("link").exists());
        }
    }
}
