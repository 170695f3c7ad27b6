//! Changes to files, planned as a whole: everything is read, edited and looked at before the first byte is written.

use std::path::{Path, PathBuf};

use super::record::Part;
use crate::error::{CommandError, Kind};

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
    /// Where it is, as it is named.
    pub path: PathBuf,
    /// Where that leads to, through links.
    target: PathBuf,
    /// The agent it is for; empty: for none of them.
    pub agent: String,
    /// What it is.
    pub part: Part,
    /// What is there; none: nothing.
    pub before: Option<String>,
    /// What will be there; none: nothing.
    pub after: Option<String>,
    /// What changes, in words.
    pub changes: Vec<String>,
    /// Keys that are made for our entries.
    pub made: Vec<Vec<String>>,
}

impl Planned {
    /// Whether anything changes.
    pub fn is_change(&self) -> bool {
        self.before != self.after
    }
}

impl Draft {
    /// What a file will say as far as it is planned; without a plan, what it says.
    pub fn text(&self, path: &Path) -> Result<Option<String>, CommandError> {
        let target = resolve(path)?;
        match self.files.iter().find(|planned| planned.target == target) {
            Some(planned) => Ok(planned.after.clone()),
            None => read(path),
        }
    }

    /// Plans a file's change. Two names that lead to one file are one change.
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

    /// A change of this file to this text.
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

/// Where a path leads to. A link to nothing is refused: writing would put a file in the link's place.
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
    let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
    Ok(parent.zip(path.file_name()).map_or_else(|| path.to_path_buf(), |(parent, name)| parent.join(name)))
}

/// What a file says; none if it is not there.
pub fn read(path: &Path) -> Result<Option<String>, CommandError> {
    let failed = |what: String| CommandError::new(Kind::Files, format!("{}: {what}", path.display()));
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(failed(error.to_string())
                .hinted("mend what is in the way, or leave its agent out: see `holdpoint init --help`"));
        }
    };
    if !metadata.is_file() || metadata.len() > BYTES_MAX {
        return Err(failed(format!("not a file of at most {BYTES_MAX} bytes"))
            .hinted("move it away, or leave its agent out: see `holdpoint init --help`"));
    }
    let bytes = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map(Some).map_err(|_| {
        failed("it is not UTF-8 text".to_owned())
            .hinted("save it as UTF-8, or move it away; nothing was written")
    })
}

/// A file or folder that its owner has closed stays closed, even where we could write all the same.
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
