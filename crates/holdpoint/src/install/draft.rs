//! Changes to files, planned as a whole: everything is read, edited and checked before the first byte is written.

use std::path::{Path, PathBuf};

use super::error::FileError;
use super::place::{Place, Scope};
use super::record::Part;
use crate::error::{CommandError, Kind};
use crate::store::folder::resolved;

/// The largest file that is edited.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// All changes.
#[derive(Debug, Default)]
pub struct Draft {
    /// The files, in the order they are written.
    pub files: Vec<Planned>,
}

/// One file's change.
#[derive(Debug)]
pub struct Planned {
    /// Its path.
    pub path: PathBuf,
    /// The path with links resolved.
    pub target: PathBuf,
    /// The agent it is for. Empty if it is for none.
    pub agent: String,
    /// Its purpose.
    pub part: Part,
    /// The current content, if the file exists.
    pub before: Option<String>,
    /// The planned content, or `None` to remove the file.
    pub after: Option<String>,
    /// The changes, for people.
    pub changes: Vec<String>,
    /// Keys that are created for Holdpoint's entries.
    pub made: Vec<Vec<String>>,
}

impl Planned {
    /// Whether anything changes.
    pub fn is_change(&self) -> bool {
        self.before != self.after
    }
}

impl Draft {
    /// Returns a file's planned content, or its current content if no change is planned.
    pub fn text(&self, path: &Path) -> Result<Option<String>, CommandError> {
        let target = resolve(path)?;
        match self.files.iter().find(|planned| planned.target == target) {
            Some(planned) => Ok(planned.after.clone()),
            None => read(path),
        }
    }

    /// Plans a file's change. Two paths to one file are one change.
    pub fn put(&mut self, mut planned: Planned) -> Result<(), CommandError> {
        if let Some(there) = self.files.iter_mut().find(|there| there.target == planned.target) {
            there.after = planned.after;
            there.changes.append(&mut planned.changes);
            there.made.append(&mut planned.made);
            return Ok(());
        }
        if planned.is_change() {
            refuse_read_only(&planned.path)?;
        }
        self.files.push(planned);
        Ok(())
    }

    /// Makes a change of this file to this text.
    pub fn change(
        path: &Path,
        agent: &str,
        part: Part,
        after: Option<String>,
    ) -> Result<Planned, CommandError> {
        Ok(Planned {
            target: resolve(path)?,
            path: path.to_path_buf(),
            agent: agent.to_owned(),
            part,
            before: read(path)?,
            after,
            changes: Vec::new(),
            made: Vec::new(),
        })
    }

    /// Whether anything changes at all.
    pub fn has_changes(&self) -> bool {
        self.files.iter().any(Planned::is_change)
    }
}

/// Resolves a path. Rejects a dangling link: writing would replace the link by a file.
fn resolve(path: &Path) -> Result<PathBuf, CommandError> {
    if let Ok(target) = path.canonicalize() {
        return Ok(target);
    }
    if path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(CommandError::new(
            Kind::Files,
            format!("{} is a link that leads nowhere", path.display()),
        )
        .hinted(format!("remove the link, or make what it leads to: rm '{}'", path.display())));
    }
    Ok(resolved(path).unwrap_or_else(|_| path.to_path_buf()))
}

/// Rejects a file that a link leads out of the place: whoever made the link is not asked what is written there.
pub fn refuse_elsewhere(place: &Place, draft: &Draft) -> Result<(), CommandError> {
    for planned in draft.files.iter().filter(|planned| planned.is_change()) {
        if place.open(&planned.target).map_err(|error| CommandError::new(Kind::Files, error))?.is_none() {
            return Err(elsewhere(place, planned));
        }
    }
    Ok(())
}

fn elsewhere(place: &Place, planned: &Planned) -> CommandError {
    let (what, hint) = match place.scope {
        Scope::Project => {
            ("the project", "remove the link, or use `holdpoint init --user` for your own settings")
        }
        Scope::User => {
            ("your home folder", "remove the link, or leave its agent out: see `holdpoint init --help`")
        }
    };
    let (path, target) = (place.shown(&planned.path), planned.target.display());
    let what = format!("{path} leads out of {what}, to {target}; nothing was written");
    CommandError::new(Kind::Files, what).hinted(hint)
}

/// Reads a file. Returns `None` if it does not exist.
pub fn read(path: &Path) -> Result<Option<String>, CommandError> {
    let failed = |error| CommandError::new(Kind::Files, error);
    let io = |source| FileError::Io { path: path.to_path_buf(), source };
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(failed(io(error))
                .hinted("fix what is in the way, or leave its agent out: see `holdpoint init --help`"));
        }
    };
    if !metadata.is_file() || metadata.len() > BYTES_MAX {
        return Err(failed(FileError::NotAFile { path: path.to_path_buf(), max: BYTES_MAX })
            .hinted("move it away, or leave its agent out: see `holdpoint init --help`"));
    }
    let bytes = std::fs::read(path).map_err(|error| failed(io(error)))?;
    String::from_utf8(bytes).map(Some).map_err(|_| {
        failed(FileError::NotText { path: path.to_path_buf() })
            .hinted("save it as UTF-8, or move it away; nothing was written")
    })
}

/// Rejects a file or folder that is read-only, even if this process could write it anyway.
fn refuse_read_only(path: &Path) -> Result<(), CommandError> {
    let there = path.ancestors().find(|path| path.exists()).unwrap_or(path);
    let folder = if there.is_dir() { there } else { there.parent().unwrap_or(there) };
    for place in [there, folder] {
        if place.metadata().is_ok_and(|metadata| metadata.permissions().readonly()) {
            return Err(CommandError::new(
                Kind::Files,
                format!("{} is read-only; nothing was written", place.display()),
            )
            .hinted(format!("to allow it: chmod u+w '{}'", place.display())));
        }
    }
    Ok(())
}
