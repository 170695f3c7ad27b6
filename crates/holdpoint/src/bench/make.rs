//! Folders that a command makes on the bench, again when the file that says what must be in them changes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use holdpoint_core::workflow::bench::Make;
use holdpoint_core::workflow::grants::Grants;
use thiserror::Error;

use crate::confinement::{Child, Role};
use crate::env::Env;
use crate::program::{self, Channels, How};
use crate::store::folder::{Access, FileError, Folder};
use crate::store::layout;

/// How long a command may take: dependencies may have to be built.
const MAKE_MAX: Duration = Duration::from_mins(9);
/// The largest file that says what must be in a folder.
const BY_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// How many lines of what a command printed are shown.
const LINES_SHOWN: usize = 5;

/// Why a folder was not made.
#[derive(Debug, Error)]
pub enum MakeError {
    /// The file that says what must be in it cannot be read.
    #[error("`{name}` cannot be made by `{by}`")]
    By {
        /// The folder.
        name: String,
        /// The file.
        by: String,
        /// Why.
        source: FileError,
    },
    /// The command could not be started.
    #[error("`{name}` cannot be made")]
    Start {
        /// The folder.
        name: String,
        /// Why.
        source: std::io::Error,
    },
    /// The command failed.
    #[error("`{name}` was not made: `{command}` failed: {said}")]
    Failed {
        /// The folder.
        name: String,
        /// What makes it.
        command: String,
        /// The last lines that it printed.
        said: String,
    },
}

/// Makes the folders that are missing, or were made by another file.
pub(super) fn all(made: &[Make], folder: &Path, beside: &Path, env: &dyn Env) -> Result<(), MakeError> {
    made.iter().try_for_each(|make| one(make, folder, beside, env))
}

fn one(make: &Make, folder: &Path, beside: &Path, env: &dyn Env) -> Result<(), MakeError> {
    let (name, by) = (make.name.to_string(), make.by.to_string());
    let unreadable = |source| MakeError::By { name: name.clone(), by: by.clone(), source };
    let bench = Folder::users(folder).map_err(unreadable)?;
    let text = bench.read(&folder.join(&by), BY_BYTES_MAX).map_err(unreadable)?.unwrap_or_default();
    let wanted = layout::digest(&[&make.command, &layout::content_digest(&text)]);
    let note: PathBuf = beside.join(format!("made-{}", layout::digest(&[&name])));
    let books = Folder::users(beside).map_err(unreadable)?;
    let noted = books.read(&note, BY_BYTES_MAX).map_err(unreadable)?;
    if folder.join(&name).is_dir() && noted.as_deref() == Some(wanted.as_bytes()) {
        return Ok(());
    }
    let start = |source| MakeError::Start { name: name.clone(), source };
    match std::fs::remove_dir_all(folder.join(&name)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(start(error)),
        _ => {}
    }
    run(make, folder, env)?;
    books.replace(&note, wanted.as_bytes(), Access::Ours).map_err(unreadable)
}

fn run(make: &Make, folder: &Path, env: &dyn Env) -> Result<(), MakeError> {
    let name = make.name.to_string();
    let grants = Grants::default();
    let child = Child { name: "sh", role: Role::Check, folder, report: None, grants: &grants, env };
    let ended = child.start(|mut command| {
        program::run(command.args(["-c", &make.command]), None, MAKE_MAX, Channels::Both)
    });
    let ended = ended.map_err(|source| MakeError::Start { name: name.clone(), source })?;
    if matches!(ended.how, How::Exit(status) if status.success()) {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&ended.output);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let said = lines[lines.len().saturating_sub(LINES_SHOWN)..].join("; ");
    Err(MakeError::Failed { name, command: make.command.to_string(), said })
}
