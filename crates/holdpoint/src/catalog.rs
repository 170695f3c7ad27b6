//! All workflows: the built-in ones, and a project's own in `.holdpoint/workflows/`, which come first.

use std::path::{Path, PathBuf};

use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::parse::{FILE, Parsed, parse};

use crate::store::layout;

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
    /// Built into the program.
    BuiltIn,
    /// The project's own, in this folder.
    Project(PathBuf),
}

/// A project's own workflow that cannot be used.
#[derive(Debug)]
pub struct Unusable {
    /// Its name.
    pub name: String,
    /// The problem, for people.
    pub why: String,
}

impl Unusable {
    /// Returns the problem in a sentence.
    pub fn told(&self) -> String {
        format!("workflow `{}` cannot be used, so it holds nothing: {}", self.name, self.why)
    }
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

/// Returns the folders of a project's own workflows, by name.
pub fn own_folders(home: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(layout::workflows(home)) else { return Vec::new() };
    let mut folders: Vec<(String, PathBuf)> = entries
        .flatten()
        .filter(|entry| entry.path().join(FILE).is_file())
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
        .collect();
    folders.sort();
    folders
}

/// Loads the workflow in a folder, or returns why it cannot be used.
pub fn load(name: &str, folder: &Path) -> Result<Workflow, Unusable> {
    let unusable = |why| Unusable { name: name.to_owned(), why };
    let parsed = read(name, folder).map_err(unusable)?;
    match parsed.error() {
        None => Ok(parsed.workflow),
        Some(error) => {
            let source = read_text(&folder.join(&error.file)).unwrap_or_default();
            let (line, column) = error.position(&source);
            Err(unusable(format!(
                "{}:{line}:{column}: {}",
                folder.join(&error.file).display(),
                error.message
            )))
        }
    }
}

/// Parses the workflow in a folder, with its errors.
pub fn read(name: &str, folder: &Path) -> Result<Parsed, String> {
    let source = read_text(&folder.join(FILE))?;
    Ok(parse(name, &source, &|file| file_below(folder, file)))
}

fn file_below(folder: &Path, file: &str) -> Option<String> {
    let path = holdpoint_core::path::tidy(file);
    holdpoint_core::path::stays_below(&path).then(|| read_text(&folder.join(path)).ok())?
}

/// Reads a text file of a workflow.
pub fn read_text(path: &Path) -> Result<String, String> {
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    let metadata = std::fs::metadata(path).map_err(told)?;
    if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
        return Err(format!("{}: not a file of at most {FILE_BYTES_MAX} bytes", path.display()));
    }
    Ok(String::from_utf8_lossy(&std::fs::read(path).map_err(told)?).into_owned())
}
