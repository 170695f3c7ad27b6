//! State that only the engine writes: a copy is kept, and what others change in the file is put back.

use std::io::Read;
use std::path::{Path, PathBuf};

use holdpoint_core::workflow::parse::FILE;

use thiserror::Error;

use super::error::StoreError;
use super::folder::{Access, FileError, Folder, Kind};
use super::lock::{self, LockError};
use super::{aside, evidence, layout, state};
use crate::catalog::Origin;
use crate::layers::Own;
use crate::project::Run;

/// The largest state that is sealed, with its head.
const BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The longest head of a copy: two digests.
const HEAD_BYTES_MAX: u64 = 256;

/// Why a sealed state cannot be told, or its seal not be kept.
#[derive(Debug, Error)]
pub enum SealError {
    /// A state is there that the engine has not written.
    #[error("the engine has no copy of it: to begin anew, delete it")]
    NoCopy,
    /// It was begun with a layer's own workflow, and a built-in one is to go on with it.
    #[error(
        "its run was begun with a workflow `{workflow}` that is not built in: put that back, or to begin anew, delete \
         it and {}",
        copy.display()
    )]
    NotBuiltIn {
        /// The workflow's name.
        workflow: String,
        /// The copy.
        copy: PathBuf,
    },
    /// Both were changed: nobody can say what was true.
    #[error("so was its copy: to begin anew, delete it and {}", copy.display())]
    BothChanged {
        /// The copy.
        copy: PathBuf,
    },
    /// Its lock cannot be had.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// One of the two cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The seal of a run's state.
#[derive(Clone, Debug)]
pub struct Seal {
    home: PathBuf,
    workflow: String,
    origin: Origin,
    /// What the state's lock is for.
    place: PathBuf,
}

impl Seal {
    /// The seal of a run, if its workflow has one.
    pub fn of(run: &Run) -> Option<Seal> {
        let (home, workflow, origin) = (run.home.clone(), run.workflow.name.to_string(), run.origin.clone());
        run.workflow.run.is_sealed.then(|| Seal { home, workflow, origin, place: run.place() })
    }

    /// Keeps a copy of the state as it is about to be written. Which workflow the run was begun with stays the same.
    pub fn close(&self, state: &[u8]) -> Result<(), SealError> {
        let copy = layout::seal(&self.home, &self.workflow);
        let project = layout::prepare(&self.home, &copy)?;
        let workflow = begun_with(&project, &copy)?.unwrap_or_else(|| digest_of(&self.origin));
        let head = Head { state: layout::content_digest(state), workflow };
        let sealed = [head.line().as_bytes(), state].concat();
        Ok(project.replace(&copy, &sealed, Access::Ours)?)
    }

    /// Puts the state back if it is not what was sealed, or the copy if it is no longer what it was; true if so. An
    /// error if both were changed: then nobody can say what was true.
    pub fn uphold(&self, state: &Path) -> Result<bool, SealError> {
        if self.damage(state)? == Damage::None {
            return Ok(false);
        }
        // Whoever writes it writes the copy first: with the lock, nobody is in between.
        let _lock = state::lock(&self.home, &self.place, lock::PATIENCE)?;
        match self.damage(state)? {
            Damage::None => return Ok(false),
            Damage::OfCopy(state) => self.close(&state)?,
            Damage::OfState(sealed) => self.put_back(state, &sealed)?,
        }
        Ok(true)
    }

    /// Writes the state anew. A folder or a link in its place was put there to keep us out, and is not ours to delete.
    fn put_back(&self, state: &Path, sealed: &[u8]) -> Result<(), FileError> {
        let project = Folder::project(&self.home)?;
        let place = project.place(state)?;
        if project.find(&place)?.is_some_and(|found| found.kind != Kind::File) {
            aside::set_aside(&self.home, &place)?;
        }
        project.replace(&place, sealed, Access::Users)
    }

    /// The last run is over, and another begins: its state is kept beside the seals, and no longer counts. The lock must
    /// be held.
    pub fn retire(&self, state: &Path) -> Result<(), FileError> {
        let copy = layout::seal(&self.home, &self.workflow);
        let project = Folder::project(&self.home)?;
        match project.rename(&copy, &copy.with_extension("last.json")) {
            Err(error) if !error.is_missing() => Err(error),
            _ => project.remove(&project.place(state)?),
        }
    }

    /// What others have changed.
    fn damage(&self, state: &Path) -> Result<Damage, SealError> {
        let copy = layout::seal(&self.home, &self.workflow);
        let project = Folder::project(&self.home)?;
        let place = project.place(state)?;
        let Some(sealed) = project.read(&copy, BYTES_MAX)? else {
            let is_there = project.find(&place)?.is_some();
            return if is_there { Err(SealError::NoCopy) } else { Ok(Damage::None) };
        };
        let (head, body) = Head::read(&sealed);
        if self.origin == Origin::BuiltIn && head.workflow != NO_FILE {
            return Err(SealError::NotBuiltIn { workflow: self.workflow.clone(), copy });
        }
        let is_true = |bytes: &[u8]| layout::content_digest(bytes) == head.state;
        // A state that cannot be read is not the one that was sealed, whatever keeps us from it.
        match project.read(&place, BYTES_MAX).ok().flatten() {
            Some(found) if is_true(&found) && is_true(body) => Ok(Damage::None),
            Some(found) if is_true(&found) => Ok(Damage::OfCopy(found)),
            _ if is_true(body) => Ok(Damage::OfState(body.to_vec())),
            _ => Err(SealError::BothChanged { copy }),
        }
    }
}

/// What others have changed, and what it should be.
#[derive(Debug, PartialEq, Eq)]
enum Damage {
    None,
    OfState(Vec<u8>),
    OfCopy(Vec<u8>),
}

/// The first line of a copy: digests of the state, and of the workflow's file if it is not built in.
struct Head {
    state: String,
    workflow: String,
}

impl Head {
    fn line(&self) -> String {
        format!("{} {}\n", self.state, self.workflow)
    }

    fn read(sealed: &[u8]) -> (Head, &[u8]) {
        let end = sealed.iter().position(|byte| *byte == b'\n').unwrap_or(sealed.len());
        let line = String::from_utf8_lossy(&sealed[..end]);
        let (state, workflow) = line.split_once(' ').unwrap_or_default();
        let head = Head { state: state.to_owned(), workflow: workflow.to_owned() };
        (head, sealed.get(end + 1..).unwrap_or_default())
    }
}

/// Where the workflow is built in.
const NO_FILE: &str = "none";

/// A digest of the workflow's file.
fn digest_of(origin: &Origin) -> String {
    let Origin::Own { folder, .. } = origin else { return NO_FILE.to_owned() };
    let bytes = Folder::project(folder).and_then(|folder| folder.read(Path::new(FILE), BYTES_MAX));
    bytes.ok().flatten().map_or_else(|| NO_FILE.to_owned(), |bytes| layout::content_digest(&bytes))
}

/// Vouches for a state that was given and not made, as a case's is, and for the evidence beside it.
pub fn vouch(home: &Path, workflow: &str, origin: Origin, state: &Path) -> Result<(), VouchError> {
    if let Some(bytes) = Folder::project(home)?.read(state, BYTES_MAX)? {
        let (home, workflow) = (home.to_path_buf(), workflow.to_owned());
        Seal { place: home.clone(), home, workflow, origin }.close(&bytes)?;
    }
    Ok(evidence::vouch(home, workflow)?)
}

/// Why a given state or its evidence cannot be vouched for.
#[derive(Debug, Error)]
pub enum VouchError {
    /// The state cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The state cannot be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The evidence cannot be read or written.
    #[error(transparent)]
    Evidence(#[from] StoreError),
}

/// Which of a name's workflows a run was begun with, if one is sealed here and it is no longer that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// With the built-in one: the other came later.
    BuiltIn,
    /// With another one, or it has changed.
    Otherwise,
}

/// Whether a layer's own workflow is another than the sealed run here was begun with: whoever may write a workflow, in
/// any layer, could end any run.
pub fn changed_since(start: &Path, own: &Own) -> Option<Begun> {
    let begun = begun_here(start, &own.name)?;
    if begun == digest_of(&own.origin()) {
        return None;
    }
    Some(if begun == NO_FILE { Begun::BuiltIn } else { Begun::Otherwise })
}

/// Whether the sealed run here was begun with a workflow of a layer's own, whatever became of that.
pub fn is_of_own(start: &Path, workflow: &str) -> bool {
    begun_here(start, workflow).is_some_and(|begun| begun != NO_FILE)
}

/// The nearest sealed copy of a run's state, from `start` upwards.
pub fn nearest(start: &Path, workflow: &str) -> Option<PathBuf> {
    start.ancestors().map(|folder| layout::seal(folder, workflow)).find(|seal| seal.is_file())
}

/// The workflow that the sealed run here was begun with.
fn begun_here(start: &Path, workflow: &str) -> Option<String> {
    let home = start.ancestors().find(|folder| layout::seal(folder, workflow).is_file())?;
    begun_with(&Folder::project(home).ok()?, &layout::seal(home, workflow)).ok()?
}

/// The workflow that a sealed run was begun with, by the first line of its copy.
fn begun_with(project: &Folder, copy: &Path) -> Result<Option<String>, FileError> {
    let Some(file) = project.open(copy)? else { return Ok(None) };
    let mut head = Vec::new();
    file.take(HEAD_BYTES_MAX).read_to_end(&mut head).map_err(FileError::io(copy))?;
    Ok(Some(Head::read(&head).0.workflow).filter(|begun| !begun.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a foreign writer")]
    fn what_others_change_is_put_back() {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join("state.json");
        let place = home.path().to_path_buf();
        let seal = Seal { home: place.clone(), workflow: "flow".into(), origin: Origin::BuiltIn, place };
        assert!(!seal.uphold(&state).unwrap(), "nothing is sealed yet");
        std::fs::write(&state, "{\"n\": 1}").unwrap();
        seal.close(b"{\"n\": 1}").unwrap();
        assert!(!seal.uphold(&state).unwrap());
        let changes: [&dyn Fn(); 4] = [
            &|| std::fs::write(&state, "{\"n\": 2}").unwrap(),
            &|| std::fs::remove_file(&state).unwrap(),
            &|| {
                std::fs::remove_file(&state).unwrap();
                std::fs::create_dir(&state).unwrap();
            },
            &|| std::fs::File::options().write(true).open(&state).unwrap().set_len(BYTES_MAX + 1).unwrap(),
        ];
        for change in changes {
            change();
            assert!(seal.uphold(&state).unwrap());
            assert_eq!(std::fs::read_to_string(&state).unwrap(), "{\"n\": 1}");
        }
        let copy = layout::seal(home.path(), "flow");
        let forge = |path: &Path| {
            let text = std::fs::read_to_string(path).unwrap();
            std::fs::write(path, text.replace("\"n\": 1", "\"n\": 2")).unwrap();
        };
        forge(&copy);
        assert!(seal.uphold(&state).unwrap(), "the copy was forged: the state is true");
        assert!(!seal.uphold(&state).unwrap());
        forge(&copy);
        forge(&state);
        assert!(seal.uphold(&state).is_err(), "both were forged");
        std::fs::remove_file(&copy).unwrap();
        assert!(seal.uphold(&state).is_err(), "a state that the engine has not written");
        vouch(home.path(), "flow", Origin::BuiltIn, &state).unwrap();
        assert!(!seal.uphold(&state).unwrap());
    }
}
