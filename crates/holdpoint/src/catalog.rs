//! The workflows there are: those built in, and a project's own in `.holdpoint/workflows/`, which come first.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use holdpoint_core::diagnostic::{Diagnostic, Severity};
use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::check::{Surroundings, check};
use holdpoint_core::workflow::parse::{FILE, Parsed, parse};

use crate::store::checked::Checked;
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

/// Where a workflow comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is part of the program.
    BuiltIn,
    /// It is the project's own, in this folder.
    Project(PathBuf),
}

/// A project's own workflow that cannot be used.
#[derive(Debug)]
pub struct Unusable {
    /// Its name.
    pub name: String,
    /// What is wrong, for people.
    pub why: String,
}

impl Unusable {
    /// What is wrong, in a sentence.
    pub fn told(&self) -> String {
        format!("workflow `{}` cannot be used, so it holds nothing: {}", self.name, self.why)
    }
}

/// The largest workflow file or text that is read.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// All built-in workflows.
pub fn built_in() -> &'static [BuiltIn] {
    BUILT_IN
}

/// The built-in workflow of this name.
pub fn named(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|built_in| built_in.workflow.name == name)
}

/// The folders of a project's own workflows, by name.
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

/// The workflow in a folder, or why it cannot be used: what `check` calls an error is not run.
pub fn load(name: &str, folder: &Path) -> Result<Workflow, Unusable> {
    let unusable = |why| Unusable { name: name.to_owned(), why };
    let source = read_text(&folder.join(FILE)).map_err(unusable)?;
    let texts = RefCell::new(vec![(FILE.to_owned(), source.clone())]);
    let parsed = parse(name, &source, &|file| {
        let text = file_below(folder, file)?;
        texts.borrow_mut().push((file.to_owned(), text.clone()));
        Some(text)
    });
    match error(&parsed, folder, &texts.into_inner()) {
        None => Ok(parsed.workflow),
        Some(error) => {
            let source = read_text(&folder.join(&error.file)).unwrap_or_default();
            let (line, column) = error.position(&source);
            let hint = error.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            let place = folder.join(&error.file);
            Err(unusable(format!("{}:{line}:{column}: {}{hint}", place.display(), error.message)))
        }
    }
}

/// The first error of a workflow that was read from these texts. The whole check costs many times what reading it does,
/// so texts that were once found good are not judged again.
fn error(parsed: &Parsed, folder: &Path, texts: &[(String, String)]) -> Option<Diagnostic> {
    if let Some(error) = parsed.error() {
        return Some(error.clone());
    }
    let workflows = names_beside(folder);
    let found = Checked::of(&parsed.workflow.name, folder, texts, &workflows);
    if found.is_good() {
        return None;
    }
    let commands = crate::cli::names();
    let around = Surroundings { files: texts, commands: Some(&commands), workflows: &workflows };
    let errors = check(parsed, &around).into_iter().find(|problem| problem.severity == Severity::Error);
    if errors.is_none() {
        found.remember();
    }
    errors
}

/// The workflows there are beside one of the project's own, itself included.
fn names_beside(folder: &Path) -> Vec<String> {
    let entries = folder.parent().and_then(|beside| std::fs::read_dir(beside).ok());
    let beside = entries.into_iter().flatten().flatten();
    let mut names: Vec<String> = beside.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names.extend(BUILT_IN.iter().map(|built_in| built_in.workflow.name.to_string()));
    names
}

fn file_below(folder: &Path, file: &str) -> Option<String> {
    let path = holdpoint_core::path::tidy(file);
    holdpoint_core::path::stays_below(&path).then(|| read_text(&folder.join(path)).ok())?
}

/// A text file of a workflow.
pub fn read_text(path: &Path) -> Result<String, String> {
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    let metadata = std::fs::metadata(path).map_err(told)?;
    if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
        return Err(format!("{}: not a file of at most {FILE_BYTES_MAX} bytes", path.display()));
    }
    Ok(String::from_utf8_lossy(&std::fs::read(path).map_err(told)?).into_owned())
}
