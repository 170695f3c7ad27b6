//! Carrying out a plan: copies first, then the record, then the files. If a write fails, everything is restored.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::draft::{Draft, Planned, read};
use super::error::FileError;
use super::place::{Place, Scope};
use super::record::{Before, Record, backup};
use crate::error::{CommandError, Kind};
use crate::store::lock::{self, Lock};
use crate::store::{atomic, layout};

/// How long to wait for another `init` or `uninstall`.
const PATIENCE: Duration = Duration::from_secs(10);

/// Takes the lock of a place's installation. Creates Holdpoint's folder there.
pub fn lock(place: &Place) -> Result<Lock, CommandError> {
    let path = lock_file(place);
    prepare(place, &path).map_err(|error| failed(&path, error))?;
    lock::take(&path, PATIENCE)
        .map_err(|why| CommandError::new(Kind::Files, format!("the installation is at work: {why}")))
}

/// Returns the lock file of a place's installation.
pub fn lock_file(place: &Place) -> PathBuf {
    match place.scope {
        Scope::Project => layout::lock(&place.root, "install"),
        Scope::User => place.ours().join("install.lock"),
    }
}

/// Creates the folder of one of Holdpoint's files.
fn prepare(place: &Place, file: &Path) -> std::io::Result<()> {
    match place.scope {
        Scope::Project => layout::prepare(&place.root, file),
        Scope::User => file.parent().map_or(Ok(()), std::fs::create_dir_all),
    }
}

/// Copies the original of every file whose copy is in the new record and not in the old one.
pub fn back_up(place: &Place, draft: &Draft, old: Option<&Record>, new: &Record) -> Result<(), CommandError> {
    for planned in draft.files.iter().filter(|planned| planned.before.is_some()) {
        let shown = place.shown(&planned.path);
        let before = |record: &Record| record.file(&shown).map(|kept| kept.before.clone());
        let is_copied = |name: &str| old.and_then(before) == Some(Before::File(name.to_owned()));
        match before(new) {
            Some(Before::File(name)) if is_copied(&name) => {}
            Some(Before::File(name) | Before::Edited(name)) => {
                let copy = backup(place, &name);
                prepare(place, &copy)
                    .and_then(|()| copy_whole(&planned.path, &copy))
                    .map_err(|error| failed(&copy, error))?;
            }
            Some(Before::Nothing) | None => {}
        }
    }
    Ok(())
}

/// Copies a file with its permissions. A process that is killed here leaves no partial copy under the final name.
fn copy_whole(from: &Path, to: &Path) -> std::io::Result<()> {
    let beside = to.with_extension("part");
    let _ = std::fs::remove_file(&beside);
    std::fs::copy(from, &beside)?;
    std::fs::File::open(&beside)?.sync_all()?;
    std::fs::rename(&beside, to)
}

/// Writes the record, then the files. If a file fails, restores the files before it and the record.
pub fn carry_out(
    place: &Place,
    draft: &Draft,
    old: Option<&Record>,
    new: &Record,
) -> Result<(), CommandError> {
    prepare(place, &place.record())
        .and_then(|()| new.write(place))
        .map_err(|error| failed(&place.record(), error))?;
    let mut done: Vec<&Planned> = Vec::new();
    for planned in draft.files.iter().filter(|planned| planned.is_change()) {
        if let Err(error) = write(planned) {
            done.iter().rev().for_each(|planned| put_back(planned));
            remove_empty(place, &new.folders);
            let _ = match old {
                Some(old) => old.write(place),
                None => std::fs::remove_file(place.record()),
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
pub fn write(planned: &Planned) -> Result<(), CommandError> {
    if read(&planned.path)? != planned.before {
        let what = format!("{} was changed by others meanwhile", planned.path.display());
        return Err(CommandError::new(Kind::Files, what).hinted("run the command again"));
    }
    let done = match &planned.after {
        Some(text) => planned
            .path
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| atomic::replace(&planned.path, text.as_bytes())),
        None => std::fs::remove_file(&planned.path),
    };
    done.map_err(|error| failed(&planned.path, error))
}

fn put_back(planned: &Planned) {
    let _ = match &planned.before {
        Some(text) => atomic::replace(&planned.path, text.as_bytes()),
        None => std::fs::remove_file(&planned.path),
    };
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
fn clear_temporaries(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if atomic::is_temporary(&entry.file_name()) {
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

fn failed(path: &Path, source: std::io::Error) -> CommandError {
    CommandError::new(Kind::Files, FileError::Io { path: path.to_path_buf(), source })
}
