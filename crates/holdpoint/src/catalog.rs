//! The workflows: those built in, and the layers' own, each in a folder: how they are found in it, read and checked.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use holdpoint_core::diagnostic::{Diagnostic, Severity};
use holdpoint_core::settings::Layer;
use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::check::{Surroundings, check};
use holdpoint_core::workflow::parse::{FILE, Parsed, parse};
use thiserror::Error;

use crate::allow::waiting;
use crate::error::in_full;
use crate::layers::trust::TrustError;
use crate::store::checked::Checked;
use crate::store::folder::{FileError, Folder};
use crate::store::layout;
use crate::store::state_folder::StateFolder;

include!(concat!(env!("OUT_DIR"), "/built_in.rs"));

/// A workflow that is part of the program.
#[derive(Debug)]
pub struct BuiltIn {
    /// The workflow, ready to use.
    pub workflow: Workflow,
    /// Its folder's files: path and text.
    pub files: &'static [(&'static str, &'static str)],
}

/// The origin of a workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The program.
    BuiltIn,
    /// A folder of a layer's own.
    Own {
        /// The layer.
        layer: Layer,
        /// The folder.
        folder: PathBuf,
    },
}

/// A workflow of a layer's own that cannot be used.
#[derive(Debug, Error)]
#[error("workflow `{name}` cannot be used, so it holds nothing")]
pub struct Unusable {
    /// Its name.
    pub name: String,
    /// What is wrong with it.
    #[source]
    pub why: Defect,
}

impl Unusable {
    /// Says what is wrong, in a sentence.
    pub fn in_words(&self) -> String {
        in_full(self)
    }
}

/// The reason why a workflow cannot be used.
#[derive(Debug, Error)]
pub enum Defect {
    /// Its file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    /// It is a project's, and was looked at without asking what the user has allowed.
    #[error("it is not allowed yet")]
    NotAllowed,
    /// Its file has an error.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// Where the error is.
        line: usize,
        /// Where in the line.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// Its file was changed while a sealed run was using it.
    #[error(
        "it was changed after the run here was begun: put it back, or to end the run, the user types in a terminal: {}",
        waiting::command(home)
    )]
    Changed {
        /// The run's home.
        home: PathBuf,
    },
}

/// The failure to read a text file of a workflow.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Others than its layer could have written it.
    #[error(transparent)]
    Distrusted(#[from] TrustError),
    /// It is no longer what was allowed.
    #[error("{} was changed while it was read", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
}

/// The largest workflow file or text that is read.
pub const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Returns all built-in workflows.
pub fn built_in() -> &'static [BuiltIn] {
    BUILT_IN
}

/// Returns the built-in workflow of this name.
pub fn named(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|built_in| built_in.workflow.name == name)
}

/// Returns whether a workflow or a run can have this name: one plain name, of letters, digits, `-`, `_` and `.`.
pub fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain)
}

/// Lists the folders of a project's own workflows, by name. One whose name cannot be a workflow's is passed over.
pub fn own_folders(home: &Path) -> Vec<(String, PathBuf)> {
    folders(&layout::workflows(home))
}

/// Lists the folders of the workflows in a place, by name.
pub fn folders(place: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(place) else { return Vec::new() };
    let mut folders: Vec<(String, PathBuf)> = entries
        .flatten()
        .filter(|entry| is_plain(place, &entry.path().join(FILE)))
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
        .filter(|(name, _)| is_name(name))
        .collect();
    folders.sort();
    folders
}

/// Loads the workflow in a folder. What `check` calls an error is not run.
pub fn load(name: &str, folder: &Path) -> Result<Workflow, Unusable> {
    let read = |file: &str| match file {
        FILE => read_text(&folder.join(FILE)),
        file => file_below(folder, file),
    };
    load_with(name, folder, &read, &Around::default())
}

/// What is around a workflow's folder.
#[derive(Debug, Default)]
pub struct Around<'a> {
    /// Where it is remembered that it was found good, if not in its project.
    pub state: Option<StateFolder>,
    /// Workflows that its texts can name, other than those beside it and the built-in ones.
    pub others: &'a [String],
}

/// Loads the workflow of a folder whose files are read like this.
pub fn load_with(
    name: &str,
    folder: &Path,
    read: &dyn Fn(&str) -> Result<String, ReadError>,
    around: &Around<'_>,
) -> Result<Workflow, Unusable> {
    let unusable = |why| Unusable { name: name.to_owned(), why };
    let source = read(FILE).map_err(|error| unusable(error.into()))?;
    let texts = RefCell::new(vec![(FILE.to_owned(), source.clone())]);
    let parsed = parse(name, &source, &|file| {
        let text = own_file(file).and_then(|path| read(&path).ok())?;
        texts.borrow_mut().push((file.to_owned(), text.clone()));
        Some(text)
    });
    let texts = texts.into_inner();
    match error(&parsed, folder, &texts, around) {
        None => Ok(parsed.workflow),
        Some(error) => {
            let source = texts.iter().find(|(file, _)| *file == error.file);
            let (line, column) = error.position(source.map(|(_, text)| text.as_str()).unwrap_or_default());
            let hint = error.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            let (path, message) = (folder.join(&error.file), format!("{}{hint}", error.message));
            Err(unusable(Defect::Wrong { path, line, column, message }))
        }
    }
}

/// Parses the workflow in a folder, errors included.
pub fn read(name: &str, folder: &Path) -> Result<Parsed, ReadError> {
    let source = read_text(&folder.join(FILE))?;
    Ok(parse(name, &source, &|file| file_below(folder, &own_file(file)?).ok()))
}

/// Returns the first error of a workflow that was read from these texts. The whole check costs many times what parsing
/// does, so texts that were once found good are not checked again.
fn error(
    parsed: &Parsed,
    folder: &Path,
    texts: &[(String, String)],
    around: &Around<'_>,
) -> Option<Diagnostic> {
    if let Some(error) = parsed.error() {
        return Some(error.clone());
    }
    let mut workflows = names_beside(folder);
    workflows.extend_from_slice(around.others);
    let found = Checked::of(&parsed.workflow.name, folder, texts, &workflows, around.state.clone());
    if found.is_good() {
        return None;
    }
    let commands = crate::cli::names();
    let variables = Some(VARIABLES);
    let around = Surroundings { files: texts, commands: Some(&commands), workflows: &workflows, variables };
    let errors = check(parsed, &around).into_iter().find(|problem| problem.severity == Severity::Error);
    if errors.is_none() {
        found.remember();
    }
    errors
}

/// Returns the names of the workflows beside one of the project's own, itself included.
fn names_beside(folder: &Path) -> Vec<String> {
    let entries = folder.parent().and_then(|beside| std::fs::read_dir(beside).ok());
    let beside = entries.into_iter().flatten().flatten();
    let mut names: Vec<String> = beside.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| is_name(name));
    names.sort();
    names.extend(BUILT_IN.iter().map(|built_in| built_in.workflow.name.to_string()));
    names
}

/// Returns the path of a file that a workflow names, if it is one below its folder.
fn own_file(file: &str) -> Option<String> {
    let path = holdpoint_core::path::tidy(file);
    holdpoint_core::path::stays_below(&path).then_some(path)
}

/// Reads a file of a workflow's folder. What a link leads to is not the workflow's.
pub(crate) fn file_below(folder: &Path, file: &str) -> Result<String, ReadError> {
    let path = folder.join(file);
    text(Folder::users(folder)?.read(&path, FILE_BYTES_MAX)?, &path)
}

/// Returns whether a file is a plain one in plain folders, `folder` included.
fn is_plain(folder: &Path, file: &Path) -> bool {
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    let mut above = file.ancestors().skip(1).take_while(|up| up.starts_with(folder));
    file.symlink_metadata().is_ok_and(|found| found.is_file()) && !above.any(is_link)
}

/// Reads a text file of a workflow.
pub fn read_text(path: &Path) -> Result<String, ReadError> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    text(Folder::users(folder)?.read(path, FILE_BYTES_MAX)?, path)
}

fn text(bytes: Option<Vec<u8>>, path: &Path) -> Result<String, ReadError> {
    let bytes = bytes.ok_or_else(|| FileError::io(path)(std::io::ErrorKind::NotFound.into()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
