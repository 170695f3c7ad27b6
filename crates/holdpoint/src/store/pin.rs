//! The pin of a project, kept in the state folder: the variables by which its programs are found, and what each program
//! was when it was first started. Each program is a file of its own, so that hooks side by side lose nothing.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::layout;
use super::state_folder::StateFolder;

/// Who pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The user, at a terminal.
    User,
    /// Whoever first performed something.
    Performer,
}

/// The variables by which programs are found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    /// When they were pinned, in seconds since 1970.
    pub at: i64,
    /// Who pinned them.
    pub by: By,
    /// Those that were set.
    pub variables: BTreeMap<String, String>,
}

/// A program as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// How it is called: a name on PATH, or a path.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// The file's SHA-256.
    pub digest: String,
    /// What the file looks like from outside; none if a change might not show there yet.
    pub look: Option<String>,
    /// When it was pinned, in seconds since 1970.
    pub at: i64,
}

/// Where the pin of a project is kept.
#[derive(Clone, Debug)]
pub struct Pin {
    folder: StateFolder,
    place: String,
}

impl Pin {
    /// The pin of the project with this id. It need not be there.
    pub fn of(folder: StateFolder, id: &str) -> Pin {
        Pin { folder, place: place(id) }
    }

    /// Reads the variables. None if nothing is pinned, or what is there cannot be read.
    pub fn surroundings(&self) -> Option<Surroundings> {
        serde_json::from_slice(&self.folder.read(&self.surroundings_file())?).ok()
    }

    /// Keeps the variables.
    pub fn keep_surroundings(&self, surroundings: &Surroundings) -> io::Result<()> {
        self.folder.write(&self.surroundings_file(), &serde_json::to_vec(surroundings)?)
    }

    /// Reads a program.
    pub fn program(&self, name: &str) -> Option<Program> {
        let kept = self.folder.read(&self.program_file(name))?;
        // The file's name is only a short digest, which two programs may share.
        serde_json::from_slice(&kept).ok().filter(|program: &Program| program.name == name)
    }

    /// Keeps a program.
    pub fn keep_program(&self, program: &Program) -> io::Result<()> {
        self.folder.write(&self.program_file(&program.name), &serde_json::to_vec(program)?)
    }

    /// Forgets a program.
    pub fn forget_program(&self, name: &str) -> io::Result<()> {
        self.folder.remove(&self.program_file(name))
    }

    /// Lists the programs by their names.
    pub fn programs(&self) -> Vec<Program> {
        let folder = format!("{}/programs", self.place);
        let read = |name: String| self.folder.read(&format!("{folder}/{name}"));
        let all = self.folder.names(&folder).into_iter().filter_map(read);
        let mut all: Vec<Program> = all.filter_map(|kept| serde_json::from_slice(&kept).ok()).collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        all
    }

    /// Forgets the project's pin. What is not there is no fault.
    pub fn forget(folder: &StateFolder, id: &str) -> io::Result<()> {
        let place = place(id);
        if !folder.has_folder(&place) {
            return Ok(());
        }
        let programs = format!("{place}/programs");
        for name in folder.names(&programs) {
            folder.remove(&format!("{programs}/{name}"))?;
        }
        for path in [programs, format!("{place}/surroundings"), place] {
            folder.remove(&path)?;
        }
        Ok(())
    }

    fn surroundings_file(&self) -> String {
        format!("{}/surroundings", self.place)
    }

    fn program_file(&self, name: &str) -> String {
        format!("{}/programs/{}", self.place, layout::digest(&[name]))
    }
}

fn place(id: &str) -> String {
    format!("projects/{id}/pin")
}
