//! State that only the engine writes: a copy is kept, and what others change in the file is put back.

mod error;

use std::io::Read;
use std::path::{Path, PathBuf};

use holdpoint_core::workflow::parse::FILE;

use thiserror::Error;

pub use self::error::SealError;
use super::books::Books;
use super::error::StoreError;
use super::folder::{Access, FileError, Folder, Kind};
use super::lock;
use super::records::{self, Head as Newest};
use super::registered::{self, Registered};
use super::witness::Witness;
use super::{aside, evidence, layout, state};
use crate::catalog::Origin;
use crate::env::Env;
use crate::layers::Own;
use crate::project::Run;

/// The largest state that is sealed, with its head.
const BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The most evidence that is taken over with a run.
const EVIDENCE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The longest head of a copy: two digests and a counter.
const HEAD_BYTES_MAX: u64 = 256;

/// How closely the books are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The state and its copy.
    Quick,
    /// The records and the witness, too.
    Close,
}

/// What was done about a state that others had changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upheld {
    /// Nothing: it is what was sealed.
    AsItWas,
    /// It was gone, and was written again.
    Restored,
    /// It was put back.
    PutBack,
    /// The project was put back from an earlier copy, and the state was written again.
    Replayed {
        /// The newest record that the project knew of.
        from: u64,
        /// The newest record.
        to: u64,
    },
}

impl Upheld {
    /// Says what was done about the state at this path; none if nothing was.
    pub fn said(self, path: &str) -> Option<String> {
        match self {
            Upheld::AsItWas => None,
            Upheld::Restored => {
                Some(format!("`{path}` was gone: it was written again from the books, and nothing is lost"))
            }
            Upheld::PutBack => {
                Some(format!("`{path}` is written by the engine alone: a change to it was put back"))
            }
            Upheld::Replayed { from, to } => Some(format!(
                "the project was put back to an earlier copy (record {from} of {to}): the books count, and `{path}` was \
                 written again from them"
            )),
        }
    }
}

/// The seal of a run's state.
#[derive(Clone, Debug)]
pub struct Seal {
    books: Books,
    workflow: String,
    origin: Origin,
    /// What the state's lock is for.
    place: PathBuf,
}

impl Seal {
    /// The seal of a run, if its workflow has one.
    pub fn of(run: &Run) -> Option<Seal> {
        let (books, workflow, origin) =
            (run.books.clone(), run.workflow.name.to_string(), run.origin.clone());
        run.workflow.run.is_sealed.then(|| Seal { books, workflow, origin, place: run.place() })
    }

    /// Keeps a copy of the state as it is about to be written. Which workflow the run was begun with stays the same.
    pub fn close(&self, state: &[u8]) -> Result<(), SealError> {
        let copy = self.books.seal(&self.workflow);
        let workflow = begun_with(&self.books, &copy)?.unwrap_or_else(|| digest_of(&self.origin));
        let digest = layout::content_digest(state);
        let seen = self.seen().map_or(0, |witness| witness.counter);
        let newest = records::add(&self.books, &self.workflow, Some(&digest), seen, |folder, counter| {
            let head = Head { state: digest.clone(), workflow, counter };
            folder.make_folder_of(&copy, Access::Ours)?;
            folder.replace(&copy, &[head.line().as_bytes(), state].concat(), Access::Ours)
        })?;
        self.tell_of(&newest);
        Ok(())
    }

    /// Leaves the witness, and registers the home. Where that cannot be done now, a closer look does it later.
    fn tell_of(&self, newest: &Newest) {
        let _ = Witness::leave(&self.books, newest);
        let _ = registered::register(&self.books);
    }

    /// The witness, if it is about these books.
    fn seen(&self) -> Option<Witness> {
        let project = self.books.project()?;
        Witness::of(self.books.home()).filter(|witness| witness.project == project)
    }

    /// Puts the state back if it is not what was sealed, or the copy if it is no longer what it was. An error if both were
    /// changed, or the books are not what they were: then nobody can say what was true.
    pub fn uphold(&self, state: &Path, look: Look) -> Result<Upheld, SealError> {
        if self.damage(state, look)? == Damage::None {
            return Ok(Upheld::AsItWas);
        }
        // Whoever writes it writes the copy first: with the lock, nobody is in between.
        let _lock = state::lock(&self.books, true, &self.place, lock::PATIENCE)?;
        // And before anything is put back, it must be certain what is true.
        match self.damage(state, Look::Close)? {
            Damage::None => Ok(Upheld::AsItWas),
            Damage::OfWitness(newest) => {
                self.tell_of(&newest);
                Ok(Upheld::AsItWas)
            }
            Damage::OfRecords(sealed) => {
                self.close(&sealed)?;
                Ok(Upheld::AsItWas)
            }
            Damage::OfCopy(state) => {
                self.close(&state)?;
                Ok(Upheld::PutBack)
            }
            Damage::OfState(sealed) => self.put_back(state, &sealed),
        }
    }

    /// Writes the state anew. A folder or a link in its place was put there to keep us out, and is not ours to delete.
    fn put_back(&self, state: &Path, sealed: &[u8]) -> Result<Upheld, SealError> {
        let home = self.books.home();
        let project = Folder::project(home)?;
        let place = project.place(state)?;
        let found = project.find(&place)?.map(|found| found.kind);
        if found.is_some_and(|kind| kind != Kind::File) {
            aside::set_aside(home, &place)?;
        }
        project.make_folder_of(&place, Access::Users)?;
        project.replace(&place, sealed, Access::Users)?;
        let Some(newest) = records::head(&self.books)? else { return Ok(Upheld::PutBack) };
        let from = self.seen().map_or(newest.counter, |witness| witness.counter);
        self.tell_of(&newest);
        // One behind is where a crash leaves it.
        Ok(match found {
            _ if from + 1 < newest.counter => Upheld::Replayed { from, to: newest.counter },
            None => Upheld::Restored,
            Some(_) => Upheld::PutBack,
        })
    }

    /// The last run is over, and another begins: its state is kept beside the seals, and no longer counts. The lock must
    /// be held.
    pub fn retire(&self, state: &Path) -> Result<(), SealError> {
        let copy = self.books.seal(&self.workflow);
        if registered::has_run(&self.books, &self.workflow) {
            // First the record: a copy that is gone before it would be missed.
            let newest = records::add(&self.books, &self.workflow, None, 0, |_, _| Ok(()))?;
            self.books.rename(&copy, &copy.with_extension("last.json"))?;
            let _ = Witness::leave(&self.books, &newest);
        }
        let project = Folder::project(self.books.home())?;
        Ok(project.remove(&project.place(state)?)?)
    }

    /// Does what the user has said about a run that the engine could not go on with by itself. Where the books can be told,
    /// the run goes on; otherwise it is over, and its state is set aside.
    pub fn settle(&self, state: &Path, why: &SealError, env: &dyn Env) -> Result<Settled, SealError> {
        let books = Books::of(self.books.home(), env);
        let here = Seal { books, ..self.clone() };
        let _lock = state::lock(&here.books, true, &self.place, lock::PATIENCE)?;
        let from = match why {
            SealError::Exchanged { .. } => Some(self.books.clone()),
            SealError::Copy { .. } => Witness::of(self.books.home())
                .and_then(|witness| here.books.named(&witness.project, &witness.books)),
            SealError::SetBack { .. } => Some(here.books.clone()),
            _ => None,
        };
        match from.map(|from| here.take_over(&from)).transpose()? {
            Some(true) => Ok(Settled::GoesOn),
            _ => here.end(state),
        }
    }

    /// Seals a state that came along, as its user has allowed it. One that the books or the witness know of is not taken.
    pub fn accept(&self, state: &Path) -> Result<(), SealError> {
        match self.damage(state, Look::Close) {
            Err(SealError::NoCopy { .. }) => {}
            _ => return Ok(()),
        }
        let _lock = state::lock(&self.books, true, &self.place, lock::PATIENCE)?;
        let project = Folder::project(self.books.home())?;
        let brought = project.read(&project.place(state)?, BYTES_MAX)?;
        brought.map_or(Ok(()), |brought| self.close(&brought))
    }

    /// Goes on with what other books say of the run; false if they say nothing.
    fn take_over(&self, from: &Books) -> Result<bool, SealError> {
        let (copy, evidence) = (self.books.seal(&self.workflow), self.books.evidence(&self.workflow));
        let Some(sealed) = from.read(&from.seal(&self.workflow), BYTES_MAX)? else { return Ok(false) };
        let (head, body) = Head::read(&sealed);
        if layout::content_digest(body) != head.state {
            return Ok(false);
        }
        self.books.prepare(&copy)?.replace(&copy, &sealed, Access::Ours)?;
        if let Some(pieces) = from.read(&from.evidence(&self.workflow), EVIDENCE_BYTES_MAX)? {
            self.books.prepare(&evidence)?.replace(&evidence, &pieces, Access::Ours)?;
        }
        self.close(body)?;
        Ok(true)
    }

    /// Ends a run whose books cannot be told.
    fn end(&self, state: &Path) -> Result<Settled, SealError> {
        let home = self.books.home();
        let project = Folder::project(home)?;
        let place = project.place(state)?;
        let aside = project.find(&place)?.map(|_| aside::set_aside(home, &place)).transpose()?;
        Witness::remove(home)?;
        self.retire(state)?;
        Ok(Settled::Ended { aside })
    }

    /// What others have changed.
    fn damage(&self, state: &Path, look: Look) -> Result<Damage, SealError> {
        if self.books.place().is_some_and(|place| place.is_exchanged) {
            return Err(SealError::Exchanged { home: self.books.home().to_path_buf() });
        }
        let project = Folder::project(self.books.home())?;
        let place = project.place(state)?;
        let Some(sealed) = self.books.read(&self.books.seal(&self.workflow), BYTES_MAX)? else {
            return self.missing(&project, &place);
        };
        let (head, body) = Head::read(&sealed);
        if self.origin == Origin::BuiltIn && head.workflow != NO_FILE {
            let (workflow, home) = (self.workflow.clone(), self.books.home().to_path_buf());
            return Err(SealError::NotBuiltIn { workflow, home });
        }
        let closely = if look == Look::Close { Some(self.look_closely(&head)?) } else { None };
        let is_true = |bytes: &[u8]| layout::content_digest(bytes) == head.state;
        // A state that cannot be read is not the one that was sealed, whatever keeps us from it.
        match project.read(&place, BYTES_MAX).ok().flatten() {
            Some(found) if is_true(&found) && is_true(body) => Ok(closely.unwrap_or(Damage::None)),
            Some(found) if is_true(&found) => Ok(Damage::OfCopy(found)),
            _ if is_true(body) => Ok(Damage::OfState(body.to_vec())),
            _ => Err(self.both_changed(&place)),
        }
        .map(|damage| match damage {
            Damage::OfRecords(_) => Damage::OfRecords(body.to_vec()),
            other => other,
        })
    }

    /// What the records and the witness say of a copy. One that is ahead of its record was sealed by somebody who was killed.
    fn look_closely(&self, head: &Head) -> Result<Damage, SealError> {
        let home = || self.books.home().to_path_buf();
        let newest = records::head(&self.books)?.unwrap_or_default();
        let recorded = newest.runs.get(&self.workflow).cloned().unwrap_or_default();
        let witness = self.seen();
        let seen = witness.as_ref().map_or(0, |witness| witness.counter);
        let is_behind = head.counter < recorded.counter;
        let is_other = head.counter == recorded.counter && head.state != recorded.state;
        if seen > newest.counter.max(head.counter) || is_behind || is_other {
            let seen = seen.max(recorded.counter);
            return Err(SealError::SetBack { counter: head.counter, seen, home: home() });
        }
        if head.counter > recorded.counter {
            return Ok(Damage::OfRecords(Vec::new()));
        }
        let is_witnessed = witness.is_some_and(|witness| witness.head == newest.chain);
        let can_be = self.books.place().is_some_and(|place| place.git.is_some());
        Ok(if is_witnessed || !can_be { Damage::None } else { Damage::OfWitness(newest) })
    }

    /// What it means that there is no copy.
    fn missing(&self, project: &Folder, place: &Path) -> Result<Damage, SealError> {
        let home = || self.books.home().to_path_buf();
        let gone =
            |counter| SealError::Gone { books: self.books.base().to_path_buf(), counter, home: home() };
        let found = project.read(place, BYTES_MAX).ok().flatten();
        if let Some(newest) = records::head(&self.books)?
            && let Some(recorded) = newest.runs.get(&self.workflow)
        {
            let is_true = |found: &Vec<u8>| layout::content_digest(found) == recorded.state;
            return found.filter(is_true).map(Damage::OfCopy).ok_or_else(|| gone(newest.counter));
        }
        let ours = self.books.project();
        let witness = if ours.is_some() { Witness::of(self.books.home()) } else { None };
        match witness.filter(|witness| witness.runs.contains_key(&self.workflow)) {
            Some(witness) if ours == Some(&witness.project) => Err(gone(witness.counter)),
            Some(witness) => Err(SealError::Copy { of: witness.path, home: home() }),
            None if project.find(place)?.is_some() => Err(SealError::NoCopy { state: shown(place) }),
            None => Ok(Damage::None),
        }
    }

    fn both_changed(&self, place: &Path) -> SealError {
        SealError::BothChanged { state: shown(place), home: self.books.home().to_path_buf() }
    }
}

fn shown(place: &Path) -> String {
    place.display().to_string()
}

/// What came of a run that the engine could not go on with by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It goes on, with what the books say.
    GoesOn,
    /// It is over.
    Ended {
        /// Where its state is now, if there was one.
        aside: Option<PathBuf>,
    },
}

/// What others have changed, and what it should be.
#[derive(Debug, PartialEq, Eq)]
enum Damage {
    None,
    OfState(Vec<u8>),
    OfCopy(Vec<u8>),
    /// The record of what is sealed is missing.
    OfRecords(Vec<u8>),
    /// The witness is missing, or behind.
    OfWitness(Newest),
}

/// The first line of a copy: digests of the state, and of the workflow's file if it is not built in, and its record's
/// counter.
struct Head {
    state: String,
    workflow: String,
    counter: u64,
}

impl Head {
    fn line(&self) -> String {
        format!("{} {} {}\n", self.state, self.workflow, self.counter)
    }

    fn read(sealed: &[u8]) -> (Head, &[u8]) {
        let end = sealed.iter().position(|byte| *byte == b'\n').unwrap_or(sealed.len());
        let line = String::from_utf8_lossy(&sealed[..end]);
        let mut words = line.split(' ');
        let mut word = || words.next().unwrap_or_default().to_owned();
        let head = Head { state: word(), workflow: word(), counter: word().parse().unwrap_or_default() };
        (head, sealed.get(end + 1..).unwrap_or_default())
    }
}

/// Where the workflow is built in.
const NO_FILE: &str = "none";

/// A digest of the workflow's file; `none` of a built-in one.
pub fn digest_of(origin: &Origin) -> String {
    let Origin::Own { folder, .. } = origin else { return NO_FILE.to_owned() };
    let bytes = Folder::project(folder).and_then(|folder| folder.read(Path::new(FILE), BYTES_MAX));
    bytes.ok().flatten().map_or_else(|| NO_FILE.to_owned(), |bytes| layout::content_digest(&bytes))
}

/// Vouches for a state that was given and not made, as a case's is, and for the evidence beside it.
pub fn vouch(books: &Books, workflow: &str, origin: Origin, state: &Path) -> Result<(), VouchError> {
    let home = books.home();
    if let Some(bytes) = Folder::project(home)?.read(state, BYTES_MAX)? {
        let (books, workflow, place) = (books.clone(), workflow.to_owned(), home.to_path_buf());
        Seal { books, workflow, origin, place }.close(&bytes)?;
    }
    Ok(evidence::vouch(books, workflow)?)
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
pub fn changed_since(here: &Registered, own: &Own) -> Option<Begun> {
    let begun = begun_here(here, &own.name)?;
    if begun == digest_of(&own.origin()) {
        return None;
    }
    Some(if begun == NO_FILE { Begun::BuiltIn } else { Begun::Otherwise })
}

/// Whether the sealed run here was begun with a workflow of a layer's own, whatever became of that.
pub fn is_of_own(here: &Registered, workflow: &str) -> bool {
    begun_here(here, workflow).is_some_and(|begun| begun != NO_FILE)
}

/// The workflow that the sealed run here was begun with.
fn begun_here(here: &Registered, workflow: &str) -> Option<String> {
    let books = here.with(workflow)?;
    begun_with(books, &books.seal(workflow)).ok()?
}

/// The workflow that a sealed run was begun with, by the first line of its copy.
fn begun_with(books: &Books, copy: &Path) -> Result<Option<String>, FileError> {
    let Some(folder) = books.opened()? else { return Ok(None) };
    let Some(file) = folder.open(copy)? else { return Ok(None) };
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
        let (place, books) = (home.path().to_path_buf(), Books::in_project(home.path()));
        let seal = Seal { books: books.clone(), workflow: "flow".into(), origin: Origin::BuiltIn, place };
        let uphold = || seal.uphold(&state, Look::Close).map(|upheld| upheld != Upheld::AsItWas);
        assert!(!uphold().unwrap(), "nothing is sealed yet");
        std::fs::write(&state, "{\"n\": 1}").unwrap();
        seal.close(b"{\"n\": 1}").unwrap();
        assert!(!uphold().unwrap());
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
            assert!(uphold().unwrap());
            assert_eq!(std::fs::read_to_string(&state).unwrap(), "{\"n\": 1}");
        }
        let copy = books.seal("flow");
        let forge = |path: &Path| {
            let text = std::fs::read_to_string(path).unwrap();
            std::fs::write(path, text.replace("\"n\": 1", "\"n\": 2")).unwrap();
        };
        forge(&copy);
        assert!(uphold().unwrap(), "the copy was forged: the state is true");
        assert!(!uphold().unwrap());
        forge(&copy);
        forge(&state);
        assert!(uphold().is_err(), "both were forged");
        std::fs::remove_file(&copy).unwrap();
        assert!(uphold().is_err(), "a state that the engine has not written");
        vouch(&books, "flow", Origin::BuiltIn, &state).unwrap();
        assert!(!uphold().unwrap());
    }
}
