//! Carrying out a plan: copies first, then the record, then the files. If a write fails, everything is restored.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::draft::{Draft, Planned, read};
use super::place::{Place, Scope};
use super::record::{Before, Record, backup_path};
use crate::error::{CommandError, Kind};
use crate::store::folder::{Access, FileError, is_temporary};
use crate::store::layout;
use crate::store::lock::{self, Lock, LockError};

/// How long to wait for another `init` or `uninstall`.
const PATIENCE: Duration = Duration::from_secs(10);

/// Takes the lock of a place's installation. Creates Holdpoint's folder there.
pub fn lock(place: &Place) -> Result<Lock, CommandError> {
    let path = lock_file(place);
    lock::take(&place.prepare(&path).map_err(failed)?, &path, PATIENCE).map_err(|why| match why {
        LockError::Busy(_) => CommandError::new(Kind::Files, format!("the installation is at work: {why}")),
        LockError::File { why } => failed(why),
    })
}

/// Returns the lock file of a place's installation.
pub fn lock_file(place: &Place) -> PathBuf {
    match place.scope {
        Scope::Project => layout::lock(&place.root, "install"),
        Scope::User => place.ours().join("install.lock"),
    }
}

/// Copies the original of every file whose copy is in the new record and not in the old one.
pub fn back_up(place: &Place, draft: &Draft, old: Option<&Record>, new: &Record) -> Result<(), CommandError> {
    for planned in &draft.files {
        let Some(original) = &planned.before else { continue };
        let shown = place.shown(&planned.path);
        let before = |record: &Record| record.file(&shown).map(|kept| kept.before.clone());
        let is_copied = |name: &str| old.and_then(before) == Some(Before::File(name.to_owned()));
        match before(new) {
            Some(Before::File(name)) if is_copied(&name) => {}
            Some(Before::File(name) | Before::Edited(name)) => {
                let copy = backup_path(place, &name);
                let folder = place.prepare(&copy).map_err(failed)?;
                folder.replace(&copy, original.as_bytes(), Access::Ours).map_err(failed)?;
            }
            Some(Before::Nothing) | None => {}
        }
    }
    Ok(())
}

/// Writes the record, then the files. If a file fails, restores the files before it and the record.
pub fn carry_out(
    place: &Place,
    draft: &Draft,
    old: Option<&Record>,
    new: &Record,
) -> Result<(), CommandError> {
    new.write(place).map_err(|error| CommandError::new(Kind::Files, error))?;
    let mut done: Vec<&Planned> = Vec::new();
    for planned in draft.files.iter().filter(|planned| planned.is_change()) {
        if let Err(error) = write(place, planned) {
            done.iter().rev().for_each(|planned| put_back(place, planned));
            remove_empty(place, &new.folders);
            let _ = match old {
                Some(old) => old.write(place),
                None => place
                    .prepare(&place.record())
                    .and_then(|ours| ours.remove(&place.record()))
                    .map_err(Into::into),
            };
            return Err(error.hinted("everything is as it was before"));
        }
        done.push(planned);
    }
    if draft.files.iter().any(|planned| planned.after.is_none()) {
        remove_empty(place, &new.folders);
    }
    Ok(())
}

/// Writes one file, unless it was changed since it was read.
pub fn write(place: &Place, planned: &Planned) -> Result<(), CommandError> {
    if read(&planned.path)? != planned.before {
        let what = format!("{} was changed by others meanwhile", planned.path.display());
        return Err(CommandError::new(Kind::Files, what).hinted("run the command again"));
    }
    put(place, &planned.target, planned.after.as_deref()).map_err(failed)
}

fn put_back(place: &Place, planned: &Planned) {
    let _ = put(place, &planned.target, planned.before.as_deref());
}

/// Writes or removes a file of the user's.
fn put(place: &Place, target: &Path, text: Option<&str>) -> Result<(), FileError> {
    let Some(folder) = place.open(target)? else {
        return Err(FileError::Leaves { path: target.to_path_buf() });
    };
    let Some(text) = text else { return folder.remove(target) };
    folder.make_folder_of(target, Access::Users)?;
    let access = if text.starts_with("#!") { Access::Program } else { Access::Users };
    folder.replace(target, text.as_bytes(), access)
}

/// Removes folders that `init` created and that are empty, inner ones first.
pub fn remove_empty(place: &Place, folders: &[String]) {
    let mut paths: Vec<PathBuf> = folders.iter().map(|folder| place.path(folder)).collect();
    paths.sort();
    for path in paths.iter().rev() {
        clear_temporaries(path);
        let _ = std::fs::remove_dir(path);
    }
}

/// Removes files that a killed process left next to those it was replacing.
pub fn clear_temporaries(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_temporary(&entry.file_name(), "") {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Lists the missing folders that the plan's new files need, each before those in it.
pub fn folders_to_make(place: &Place, draft: &Draft) -> Vec<String> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for planned in draft.files.iter().filter(|planned| planned.before.is_none() && planned.after.is_some()) {
        let missing = planned.path.ancestors().skip(1).take_while(|folder| !folder.exists());
        folders.extend(missing.map(Path::to_path_buf));
    }
    folders.sort();
    folders.dedup();
    folders.iter().map(|folder| place.shown(folder)).collect()
}

fn failed(error: FileError) -> CommandError {
    CommandError::new(Kind::Files, error)
}
