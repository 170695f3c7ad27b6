//! Runs that are there and cannot be read. "It is not there" is no run; "it cannot be read" is a fault of that run.

use std::io;
use std::path::{Path, PathBuf};

use holdpoint_core::workflow::Workflow;

use super::{Run, fits};

/// A run, or the place of runs, that cannot be read.
#[derive(Debug)]
pub struct Unreadable {
    /// The workflow.
    pub workflow: String,
    /// The folder that has its marker.
    pub home: PathBuf,
    /// What it is, below the home.
    pub path: PathBuf,
    /// Why not.
    pub why: io::Error,
}

/// A marker that cannot be looked at.
pub(super) struct Refused {
    pub(super) home: PathBuf,
    pub(super) why: io::Error,
}

impl Refused {
    pub(super) fn of(self, workflow: &Workflow) -> Unreadable {
        let Refused { home, why } = self;
        Unreadable {
            workflow: workflow.name.to_string(),
            home,
            path: PathBuf::from(workflow.run.home.as_ref()),
            why,
        }
    }
}

impl Unreadable {
    /// What happened, in words.
    pub fn in_words(&self) -> String {
        format!("`{}` cannot be read: {}", self.path.display(), self.why)
    }
}

/// Lists what cannot be read in a home in which no run was found.
pub(super) fn among(in_home: &Run) -> Vec<Unreadable> {
    let rules = &in_home.workflow.run;
    let Some(each) = &rules.each else { return Vec::new() };
    let unreadable = |path: &Path, why: io::Error| Unreadable {
        workflow: in_home.workflow.name.to_string(),
        home: in_home.home.clone(),
        path: path.strip_prefix(&in_home.home).unwrap_or(path).to_path_buf(),
        why,
    };
    let marker = in_home.home.join(rules.home.as_ref());
    let entries = match std::fs::read_dir(&marker) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Vec::new(),
        Err(error) => return vec![unreadable(&marker, error)],
    };
    let mut all = Vec::new();
    for entry in entries {
        match entry {
            Err(error) => all.push(unreadable(&marker, error)),
            Ok(entry)
                if fits(each, &entry.file_name()) && entry.file_type().is_ok_and(|kind| kind.is_dir()) =>
            {
                let path = entry.path();
                let refused = std::fs::read_dir(&path).err().filter(|error| !is_absent(error));
                all.extend(refused.map(|error| unreadable(&path, error)));
            }
            Ok(_) => {}
        }
    }
    all
}

/// Whether there is nothing, or something else than a folder.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
