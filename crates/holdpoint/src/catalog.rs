//! The workflows: those built in, and the layers' own, each in a folder: how they are found in it, read and checked.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use holdpoint_core::diagnostic::{Diagnostic, Severity};
use holdpoint_core::settings::Layer;
use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::check::{Surroundings, check};
use holdpoint_core::workflow::parse::{FILE, Parsed, parse};
use thiserror::Error;

use crate::error::in_full;
use crate::layers::trust::{Trust, TrustError};
use crate::store::checked::Checked;
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
    pub fn told(&self) -> String {
        in_full(self)
    }
}

/// The reason why a workflow cannot be used.
#[derive(Debug, Error)]
pub enum Defect {
    /// Its file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    /// Others than its layer could have written it.
    #[error(transparent)]
    Distrusted(TrustError),
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
        "it was changed after the run here was begun: put it back, or delete the run's state and {}",
        seal.display()
    )]
    Changed {
        /// The run's sealed copy.
        seal: PathBuf,
    },
}

/// The failure to read a text file of a workflow.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is a folder or too large.
    #[error("{}: not a file of at most {FILE_BYTES_MAX} bytes", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
}

/// The largest workflow file or text that is read.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

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

/// Lists the folders of a project's own workflows, by name. A folder with another kind of name is none.
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
    load_in(name, folder, &Around::default())
}

/// What is around a workflow's folder.
#[derive(Debug, Default)]
pub struct Around<'a> {
    /// Who must have written its files.
    pub trust: Trust,
    /// Where it is remembered that it was found good, if not in its project.
    pub state: Option<StateFolder>,
    /// Workflows that its texts can name, other than those beside it and the built-in ones.
    pub others: &'a [String],
}

/// Loads the workflow in a folder, if its files can be trusted.
pub fn load_in(name: &str, folder: &Path, around: &Around<'_>) -> Result<Workflow, Unusable> {
    let trust = around.trust;
    let unusable = |why| Unusable { name: name.to_owned(), why };
    let file = folder.join(FILE);
    trust.check_file(&file).map_err(|error| unusable(Defect::Distrusted(error)))?;
    let source = read_text(&file).map_err(|error| unusable(error.into()))?;
    let texts = RefCell::new(vec![(FILE.to_owned(), source.clone())]);
    let parsed = parse(name, &source, &|file| {
        let text = file_below(folder, file).filter(|_| trust.check_file(&folder.join(file)).is_ok())?;
        texts.borrow_mut().push((file.to_owned(), text.clone()));
        Some(text)
    });
    match error(&parsed, folder, &texts.into_inner(), around) {
        None => Ok(parsed.workflow),
        Some(error) => {
            let source = read_text(&folder.join(&error.file)).unwrap_or_default();
            let (line, column) = error.position(&source);
            let hint = error.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            let (path, message) = (folder.join(&error.file), format!("{}{hint}", error.message));
            Err(unusable(Defect::Wrong { path, line, column, message }))
        }
    }
}

/// Parses the workflow in a folder, errors included.
pub fn read(name: &str, folder: &Path) -> Result<Parsed, ReadError> {
    let source = read_text(&folder.join(FILE))?;
    Ok(parse(name, &source, &|file| file_below(folder, file)))
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

fn file_below(folder: &Path, file: &str) -> Option<String> {
    let path = holdpoint_core::path::tidy(file);
    let file = folder.join(&path);
    let is_own = holdpoint_core::path::stays_below(&path) && is_plain(folder, &file);
    is_own.then(|| read_text(&file).ok())?
}

/// Returns whether a file is a plain one in plain folders, `folder` included. What a link leads to is not the workflow's.
fn is_plain(folder: &Path, file: &Path) -> bool {
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    let mut above = file.ancestors().skip(1).take_while(|up| up.starts_with(folder));
    file.symlink_metadata().is_ok_and(|found| found.is_file()) && !above.any(is_link)
}

/// Reads a text file of a workflow.
pub fn read_text(path: &Path) -> Result<String, ReadError> {
    let failed = |source| ReadError::Io { path: path.to_path_buf(), source };
    let metadata = path.symlink_metadata().map_err(failed)?;
    if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
        return Err(ReadError::NotAFile { path: path.to_path_buf() });
    }
    Ok(String::from_utf8_lossy(&std::fs::read(path).map_err(failed)?).into_owned())
}
