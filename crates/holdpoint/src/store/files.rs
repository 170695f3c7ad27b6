//! Files that workflows write and remove: below the project, whole or not at all.

use std::io;
use std::path::{Path, PathBuf};

use holdpoint_core::effects::FileChange;
use holdpoint_core::path::{fits, stays_below, tidy};

use super::atomic;

/// Makes the changes in the project at `home`, in order.
pub fn change(home: &Path, changes: &[FileChange]) -> Result<(), String> {
    for change in changes {
        match change {
            FileChange::Write { path, text } => write(home, path, text),
            FileChange::Remove(path) => remove(home, path),
        }?;
    }
    Ok(())
}

/// Writes a file beside its place and moves it there: a shell that is reading the old one keeps it.
fn write(home: &Path, path: &str, text: &str) -> Result<(), String> {
    let file = own_place(home, path)?;
    let told = |error: io::Error| format!("{}: {error}", file.display());
    file.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(told)?;
    atomic::replace_as(&file, text.as_bytes(), text.starts_with("#!")).map_err(told)
}

/// The file that a path stands for, if it is the project's own: below it, and no link anywhere leads elsewhere.
pub(super) fn own_place(home: &Path, path: &str) -> Result<PathBuf, String> {
    let file = place(home, path)?;
    let there = file.ancestors().skip(1).find(|folder| folder.exists()).unwrap_or(home);
    is_inside(home, &there.join("x"))?;
    if file.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(format!("{} is a link: it is not written through", file.display()));
    }
    Ok(file)
}

/// Removes what a path stands for; what is not there is no fault.
fn remove(home: &Path, path: &str) -> Result<(), String> {
    let is_folder = path.ends_with('/');
    let pattern = place(home, path)?;
    let (Some(folder), Some(glob)) = (pattern.parent(), pattern.file_name().and_then(|name| name.to_str()))
    else {
        return Ok(());
    };
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    is_inside(home, &pattern)?;
    for entry in entries.flatten() {
        let kind = entry.file_type().map_err(|error| error.to_string())?;
        let named = entry.file_name().to_str().is_some_and(|name| fits(glob, name));
        if !named || kind.is_dir() != is_folder {
            continue;
        }
        let removed = if is_folder {
            std::fs::remove_dir_all(entry.path())
        } else {
            std::fs::remove_file(entry.path())
        };
        removed.or_else(gone).map_err(|error| format!("{}: {error}", entry.path().display()))?;
    }
    Ok(())
}

/// What somebody else removed meanwhile is gone all the same.
fn gone(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// The file that a path stands for: below the project, by name.
/// Where a path of the project is; an error if it leaves it.
pub fn place(home: &Path, path: &str) -> Result<PathBuf, String> {
    let tidied = tidy(path);
    if tidied.is_empty() || !stays_below(&tidied) {
        return Err(format!("`{path}` leaves the project folder"));
    }
    Ok(home.join(tidied))
}

/// Whether a file's folder really lies in the project: a link on the way could lead out of it.
fn is_inside(home: &Path, file: &Path) -> Result<(), String> {
    let real = |path: &Path| path.canonicalize().map_err(|error| format!("{}: {error}", path.display()));
    let folder = real(file.parent().unwrap_or(home))?;
    if folder.starts_with(real(home)?) {
        return Ok(());
    }
    Err(format!("{} leads out of the project folder", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for path in ["../x", "/etc/x", "", "a/../../x"] {
            assert!(change(home.path(), &[write(path)]).is_err(), "{path}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outside.path(), home.path().join("link")).unwrap();
            assert!(change(home.path(), &[write("link/x")]).is_err());
            std::fs::write(outside.path().join("kept"), "x").unwrap();
            assert!(change(home.path(), &[FileChange::Remove("link/*".into())]).is_err());
            assert!(outside.path().join("kept").exists());
        }
    }
}
