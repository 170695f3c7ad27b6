//! The plan of `uninstall`: each file as it was before, or, where others have edited it since, without what is ours.

use std::path::{Path, PathBuf};

use super::draft::{Draft, Planned, read};
use super::error::{NotEdited, Purpose, SettingsError};
use super::extra::Extra;
use super::host::{self, Host};
use super::ours::Ours;
use super::place::{Place, Scope};
use super::record::{Before, Kept, Part, Record, backup, digest};
use super::{apply, settings};
use crate::error::{CommandError, Kind};
use crate::store::folder::{is_temporary, resolved};
use crate::store::layout;

/// What is in our folder and is nobody's but ours.
const WORKING_FILES: [&str; 27] = [
    ".gitignore",
    "aside",
    "backups",
    "change.diff",
    "changed.json",
    "checked",
    "door",
    "evidence",
    "git",
    "head",
    "holds",
    "home",
    "install.lock",
    "installed.json",
    "jobs",
    "kept",
    "locks",
    "logs",
    "messages",
    "owners",
    "records.jsonl",
    "reports",
    "sealed",
    "sessions",
    "tmp",
    "told",
    "unheard",
];

/// The plan.
#[derive(Debug, Default)]
pub struct Removal {
    /// The changes.
    pub draft: Draft,
    /// Files that the user has edited and that stay.
    pub left_alone: Vec<PathBuf>,
}

/// Plans to take everything out; nothing is written.
pub fn plan(place: &Place, record: Option<&Record>) -> Result<Removal, CommandError> {
    let mut removal = Removal::default();
    let none = Record::default();
    let record = record.unwrap_or(&none);
    for kept in &record.files {
        removal.take_out(place, kept, &record.programs)?;
    }
    for host in host::ALL {
        for path in place.all_settings(host) {
            removal.take_out_unrecorded(host, &path, record, place)?;
        }
    }
    Ok(removal)
}

impl Removal {
    fn take_out(&mut self, place: &Place, kept: &Kept, known: &[PathBuf]) -> Result<(), CommandError> {
        let path = place.path(&kept.path);
        if leads_out(place, &path) {
            self.left_alone.push(path);
            return Ok(());
        }
        let Some(there) = read(&path)? else { return Ok(()) };
        let original = match &kept.before {
            Before::File(name) => backup(place, name)?,
            Before::Nothing | Before::Edited(_) => None,
        };
        let is_as_left = digest(&there) == kept.left;
        let after = match (&kept.before, kept.part) {
            _ if original.as_ref() == Some(&there) => return Ok(()),
            (Before::Nothing, _) if is_as_left => None,
            (Before::File(_), _) if is_as_left && original.is_some() => original,
            (_, Part::Hooks) => {
                let shape = host::named(&kept.agent).map_or(host::Shape::Grouped, |host| host.shape);
                let without =
                    settings::unregister(&path, &there, shape, &kept.made, Ours { known, agent: None });
                let without = without.map_err(|why| unusable(&path, why))?;
                // A file that was there stays there, whatever is left in it.
                without.or_else(|| (kept.before != Before::Nothing).then(|| "{}\n".to_owned()))
            }
            (_, Part::Command | Part::Choices | Part::PrePush) => {
                self.left_alone.push(path);
                return Ok(());
            }
        };
        self.draft.put(Draft::change(&path, &kept.agent, kept.part, after)?)
    }

    /// Entries of ours that no record tells of: by hand, or after the record was lost.
    fn take_out_unrecorded(
        &mut self,
        host: &Host,
        path: &Path,
        record: &Record,
        place: &Place,
    ) -> Result<(), CommandError> {
        if record.file(&place.shown(path)).is_some() || leads_out(place, path) {
            return Ok(());
        }
        let Some(text) = self.draft.text(path)? else { return Ok(()) };
        let ours = Ours { known: &record.programs, agent: None };
        let hooks = settings::registered(path, &text, host.shape).unwrap_or_default();
        if !hooks.iter().any(|hook| ours.has(&hook.handler)) {
            return Ok(());
        }
        let made = made_by_hand(host, &hooks);
        let after = settings::unregister(path, &text, host.shape, &made, ours);
        let after = after.map_err(|why| unusable(path, why))?;
        self.draft.put(Draft::change(path, host.name, Part::Hooks, after)?)
    }

    /// The changes that there are.
    pub fn changes(&self) -> impl Iterator<Item = &Planned> {
        self.draft.files.iter().filter(|planned| planned.is_change())
    }
}

/// Whether a project's file is a link out of the project. The record and the link come with the project, and may be
/// anybody's: what is elsewhere stays as it is.
fn leads_out(place: &Place, path: &Path) -> bool {
    let real = resolved(path).unwrap_or_else(|_| path.to_path_buf());
    place.scope == Scope::Project && !place.open(&real).is_ok_and(|folder| folder.is_some())
}

/// Where nobody knows what was made for our entries: the lists, and what held them.
fn made_by_hand(host: &Host, hooks: &[settings::Registered]) -> Vec<Vec<String>> {
    let lists = hooks.iter().map(|hook| vec!["hooks".to_owned(), hook.event.clone()]);
    let mut made: Vec<_> = lists.chain([vec!["hooks".to_owned()], vec!["version".to_owned()]]).collect();
    if let Some(cap) = host.cap {
        made.push(Extra::value(cap.path, cap.value).made());
        made.extend(cap.path.first().map(|key| vec![(*key).to_owned()]));
    }
    made
}

fn unusable(path: &Path, why: SettingsError) -> CommandError {
    let error = NotEdited { path: path.to_path_buf(), why, purpose: Purpose::Uninstall };
    CommandError::new(Kind::Files, error).hinted("fix it or remove it, and run `holdpoint uninstall` again")
}

/// Removes our own folder of a place: all of it if only working files of ours are in it, otherwise what is about the
/// installation. What it says is what stays.
pub fn remove_own(place: &Place, record: &Record) -> std::io::Result<Vec<PathBuf>> {
    let ours = place.ours();
    if place.scope == Scope::Project && ours.is_symlink() {
        return Ok(vec![ours]);
    }
    let Ok(entries) = std::fs::read_dir(&ours) else { return Ok(Vec::new()) };
    let foreign: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| !is_working_file(path)).collect();
    if foreign.is_empty() {
        std::fs::remove_dir_all(&ours)?;
        return Ok(Vec::new());
    }
    let _ = std::fs::remove_dir_all(ours.join("backups"));
    let _ = std::fs::remove_file(apply::lock_file(place));
    let _ = std::fs::remove_dir(ours.join("locks"));
    apply::clear_temporaries(&ours.join("tmp"));
    let _ = std::fs::remove_dir(ours.join("tmp"));
    std::fs::remove_file(place.record()).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })?;
    if record.made_ignore && !has_working_files(&ours) {
        let _ = std::fs::remove_file(layout::ignore(&place.root));
    }
    Ok(foreign)
}

fn is_working_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let text = name.to_string_lossy();
    let is_journal = text.starts_with("journal") && text.ends_with(".jsonl");
    // What was kept of the project's files, or moved out of the way, may be the only copy.
    let is_kept = ["aside", "kept"].contains(&&*text) && !is_empty(path);
    !is_kept && (WORKING_FILES.contains(&&*text) || is_journal || is_temporary(name, ""))
}

/// Whether working files are left that git must not see.
fn has_working_files(ours: &Path) -> bool {
    let mut paths = std::fs::read_dir(ours).into_iter().flatten().flatten().map(|entry| entry.path());
    paths.any(|path| is_working_file(&path) && path.file_name().is_some_and(|name| name != ".gitignore"))
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}
