//! State that only the engine writes: a copy is kept, and what others change in the file is put back.

mod begun;
mod copy;
mod error;
mod vouch;

use std::path::{Path, PathBuf};

use holdpoint_core::world::{Answer, WorldError};

use self::begun::NO_FILE;
pub use self::begun::digest_of;
pub use self::begun::{Begun, changed_since, is_of_own, is_orphaned};
use self::copy::{Copy, Head, begun_with, next, write_next};
pub use self::error::SealError;
pub use self::vouch::{VouchError, vouch};
use super::books::Books;
use super::folder::{Access, Folder, Kind};
use super::lock;
use super::records::{self, Head as Newest, Sealed};
use super::registered;
use super::witness::Witness;
use super::{aside, layout, state};
use crate::catalog::Origin;
use crate::env::Env;
use crate::project::Run;

/// The largest state that is sealed, with its head.
const BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The most evidence that is taken over with a run.
const EVIDENCE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// How often what is looked at is put right before it is given up: a step that was cut off, and what follows from it.
const LOOKS_MAX: usize = 4;

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

    /// The seal of a run whose workflow is another one now, or gone.
    pub fn of_orphan(books: &Books, workflow: &str) -> Seal {
        let place = books.home().to_path_buf();
        Seal { books: books.clone(), workflow: workflow.to_owned(), origin: Origin::BuiltIn, place }
    }

    /// Keeps a copy of the state as it is about to be written. Which workflow the run was begun with stays the same. The
    /// state's lock must be held.
    ///
    /// The copy is written first and put in its place last: what has no record never counts.
    pub fn close(&self, state: &[u8]) -> Result<(), SealError> {
        let copy = self.copy();
        let digest = layout::content_digest(state);
        let seen = self.seen().map_or(0, |witness| witness.counter);
        let newest =
            records::add(&self.books, &self.workflow, Some(&digest), seen, |folder, counter, former| {
                let begun = match former.and_then(|former| former.begun.clone()) {
                    None => begun_with(&self.books, &copy)?,
                    begun => begun,
                };
                let workflow = begun.unwrap_or_else(|| digest_of(&self.origin));
                let head = Head { state: digest.clone(), workflow, counter };
                write_next(folder, &copy, &head, state)?;
                Ok(Some(head.workflow))
            })?;
        self.books.rename(&next(&copy), &copy)?;
        self.tell_of(&newest);
        Ok(())
    }

    fn copy(&self) -> PathBuf {
        self.books.seal(&self.workflow)
    }

    /// Returns the state that is sealed, exactly as the records say; none if no run is. The state's lock must be held.
    pub fn recorded(&self) -> Result<Option<Vec<u8>>, SealError> {
        let newest = records::head(&self.books)?.unwrap_or_default();
        let record = newest.runs.get(&self.workflow);
        if record.is_some_and(|record| self.is_cut_off(record)) {
            self.finish(&newest)?;
        }
        match (Copy::read(&self.books, &self.copy())?, record) {
            (None, None) => Ok(None),
            (Some(copy), Some(record)) if copy.head.is_of(record) && copy.is_whole() => Ok(Some(copy.state)),
            _ => Err(SealError::Forged { workflow: self.workflow.clone() }),
        }
    }

    /// Returns whether somebody was killed after the record of a copy was written, and before the copy was in its place.
    fn is_cut_off(&self, record: &Sealed) -> bool {
        let next = Copy::read(&self.books, &next(&self.copy())).ok().flatten();
        next.is_some_and(|next| next.head.is_of(record) && next.is_whole())
    }

    /// Puts the copy that was recorded last in its place.
    fn finish(&self, newest: &Newest) -> Result<(), SealError> {
        self.books.rename(&next(&self.copy()), &self.copy())?;
        self.tell_of(newest);
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
        match self.damage(state, look) {
            Ok(Damage::None) => return Ok(Upheld::AsItWas),
            Ok(_) | Err(SealError::SetBack { .. } | SealError::BothChanged { .. }) => {}
            Err(why) => return Err(why),
        }
        // Whoever seals it writes several files: with the lock, nobody is in between.
        let _lock = state::lock(&self.books, true, &self.place, lock::PATIENCE)?;
        let (mut upheld, mut former) = (Upheld::AsItWas, None);
        for _ in 0..LOOKS_MAX {
            // And before anything is put back, it must be certain what is true.
            match self.damage(state, Look::Close)? {
                Damage::None => return Ok(upheld),
                Damage::OfWitness(newest) => {
                    self.tell_of(&newest);
                    return Ok(upheld);
                }
                Damage::Unfinished(newest) => {
                    former = Copy::read(&self.books, &self.copy())?.map(|copy| copy.state);
                    self.finish(&newest)?;
                }
                Damage::Ended(newest) => {
                    self.books.rename(&self.copy(), &last(&self.copy()))?;
                    self.tell_of(&newest);
                }
                Damage::OfCopy(state) => {
                    self.close(&state)?;
                    upheld = Upheld::PutBack;
                }
                Damage::OfState { sealed, found } => {
                    let put_back = self.put_back(state, &sealed)?;
                    // Whoever was killed had not come to it: nobody has changed anything.
                    if found.is_none() || found != former {
                        upheld = put_back;
                    }
                }
            }
        }
        Ok(upheld)
    }

    /// Writes the state that is sealed anew, and says what was there instead.
    fn put_back(&self, state: &Path, sealed: &[u8]) -> Result<Upheld, SealError> {
        let found = self.show(state, sealed)?;
        let Some(newest) = records::head(&self.books)? else { return Ok(Upheld::PutBack) };
        let from = self.seen().map_or(newest.counter, |witness| witness.counter);
        self.tell_of(&newest);
        // One behind is where a crash leaves it.
        Ok(match found {
            _ if from.saturating_add(1) < newest.counter => Upheld::Replayed { from, to: newest.counter },
            None => Upheld::Restored,
            Some(_) => Upheld::PutBack,
        })
    }

    /// Writes the project's view of the state. A folder or a link in its place was put there to keep us out, and is not ours
    /// to delete. Returns what was there.
    pub fn show(&self, state: &Path, sealed: &[u8]) -> Result<Option<Kind>, SealError> {
        let home = self.books.home();
        let project = Folder::project(home)?;
        let place = project.place(state)?;
        let found = project.find(&place)?.map(|found| found.kind);
        if found.is_some_and(|kind| kind != Kind::File) {
            aside::set_aside(home, &place)?;
        }
        project.make_folder_of(&place, Access::Users)?;
        project.replace(&place, sealed, Access::Users)?;
        Ok(found)
    }

    /// The last run is over, and another begins: its state is kept beside the seals, and no longer counts. The lock must
    /// be held.
    pub fn retire(&self, state: &Path) -> Result<(), SealError> {
        // First the view, which is written again, and last the copy: what is cut off in between is completed.
        let project = Folder::project(self.books.home())?;
        project.remove(&project.place(state)?)?;
        self.close_books()
    }

    /// Records that the run is over.
    fn close_books(&self) -> Result<(), SealError> {
        if registered::has_run(&self.books, &self.workflow) {
            let newest = records::add(&self.books, &self.workflow, None, 0, |_, _, _| Ok(None))?;
            let _ = Witness::leave(&self.books, &newest);
            self.books.rename(&self.copy(), &last(&self.copy()))?;
        }
        Ok(())
    }

    /// Does what the user has said about a run that the engine could not go on with by itself. Where the books can be told,
    /// the run goes on; otherwise it is over, and its state is set aside, if it is known where that is.
    pub fn settle(&self, state: Option<&Path>, why: &SealError, env: &dyn Env) -> Result<Settled, SealError> {
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
        let (copy, evidence) = (self.copy(), self.books.evidence(&self.workflow));
        let Some(sealed) = Copy::read(from, &from.seal(&self.workflow))? else { return Ok(false) };
        let Head { state, counter, .. } = &sealed.head;
        // Whatever has happened to them, it must have been sealed once.
        if !sealed.is_whole() || !records::has(from, &self.workflow, *counter, state)? {
            return Ok(false);
        }
        let folder = self.books.prepare(&copy)?;
        write_next(folder, &copy, &sealed.head, &sealed.state)?;
        self.books.rename(&next(&copy), &copy)?;
        if let Some(pieces) = from.read(&from.evidence(&self.workflow), EVIDENCE_BYTES_MAX)? {
            self.books.prepare(&evidence)?.replace(&evidence, &pieces, Access::Ours)?;
        }
        self.close(&sealed.state)?;
        Ok(true)
    }

    /// Ends a run whose books cannot be told.
    fn end(&self, state: Option<&Path>) -> Result<Settled, SealError> {
        let home = self.books.home();
        let project = Folder::project(home)?;
        let place = state.map(|state| project.place(state)).transpose()?;
        let there = place.filter(|place| project.find(place).is_ok_and(|found| found.is_some()));
        let aside = there.map(|place| aside::set_aside(home, &place)).transpose()?;
        Witness::remove(home)?;
        self.close_books()?;
        Ok(Settled::Ended { aside })
    }

    /// What others have changed.
    fn damage(&self, state: &Path, look: Look) -> Result<Damage, SealError> {
        if self.books.place().is_some_and(|place| place.is_exchanged) {
            return Err(SealError::Exchanged { home: self.books.home().to_path_buf() });
        }
        let project = Folder::project(self.books.home())?;
        let place = project.place(state)?;
        let Some(copy) = Copy::read(&self.books, &self.copy())? else {
            return self.missing(&project, &place);
        };
        // A state that cannot be read is not the one that was sealed, whatever keeps us from it.
        let found = project.read(&place, BYTES_MAX).ok().flatten();
        let closely = match look {
            Look::Quick => Damage::None,
            Look::Close => self.look_closely(&copy, found.as_deref(), &place)?,
        };
        if !matches!(closely, Damage::None | Damage::OfWitness(_)) {
            return Ok(closely);
        }
        if self.origin == Origin::BuiltIn && copy.head.workflow != NO_FILE {
            let (workflow, home) = (self.workflow.clone(), self.books.home().to_path_buf());
            return Err(SealError::NotBuiltIn { workflow, home });
        }
        match found {
            Some(found) if found == copy.state && copy.is_whole() => Ok(closely),
            Some(found) if copy.is_of(&found) => Ok(Damage::OfCopy(found)),
            found if copy.is_whole() => Ok(Damage::OfState { sealed: copy.state, found }),
            _ => Err(self.both_changed(&place)),
        }
    }

    /// What the records and the witness say of a copy. The newest record says what is true: a copy that is another one
    /// counts for nothing, whatever its counter.
    fn look_closely(&self, copy: &Copy, found: Option<&[u8]>, place: &Path) -> Result<Damage, SealError> {
        let home = || self.books.home().to_path_buf();
        let newest = records::head(&self.books)?.unwrap_or_default();
        let witness = self.seen();
        let set_back = |counter, seen| SealError::SetBack { counter, seen, home: home() };
        if let Some(seen) = witness.as_ref().map(|seen| seen.counter).filter(|seen| *seen > newest.counter) {
            return Err(set_back(newest.counter, seen));
        }
        let Some(record) = newest.runs.get(&self.workflow) else {
            let over = records::over(&self.books, &self.workflow)?;
            return match over.filter(|over| *over > copy.head.counter) {
                Some(_) => Ok(Damage::Ended(newest)),
                None => Err(SealError::Unrecorded { state: shown(place), home: home() }),
            };
        };
        if copy.head.is_of(record) {
            let is_witnessed = witness.is_some_and(|witness| witness.head == newest.chain);
            let can_be = self.books.place().is_some_and(|place| place.git.is_some());
            return Ok(if is_witnessed || !can_be { Damage::None } else { Damage::OfWitness(newest) });
        }
        if self.is_cut_off(record) {
            return Ok(Damage::Unfinished(newest));
        }
        if copy.head.counter < record.counter {
            return Err(set_back(copy.head.counter, record.counter));
        }
        let is_true = |bytes: &&[u8]| layout::content_digest(bytes) == record.state;
        let kept = found.into_iter().chain([copy.state.as_slice()]).find(is_true);
        kept.map(|kept| Damage::OfCopy(kept.to_vec())).ok_or_else(|| self.both_changed(place))
    }

    /// What it means that there is no copy.
    fn missing(&self, project: &Folder, place: &Path) -> Result<Damage, SealError> {
        let home = || self.books.home().to_path_buf();
        let gone =
            |counter| SealError::Gone { books: self.books.base().to_path_buf(), counter, home: home() };
        let found = project.read(place, BYTES_MAX).ok().flatten();
        if let Some(newest) = records::head(&self.books)?
            && let Some(record) = newest.runs.get(&self.workflow)
        {
            if self.is_cut_off(record) {
                return Ok(Damage::Unfinished(newest));
            }
            let is_true = |found: &Vec<u8>| layout::content_digest(found) == record.state;
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

/// Where the copy of a run is that is over.
fn last(copy: &Path) -> PathBuf {
    copy.with_extension("last.json")
}

/// Returns the state of a sealed run, by its copy in the books; none if no run is sealed there. This is what counts: the
/// project's file is a view of it.
pub fn state(books: &Books, workflow: &str) -> Result<Option<Vec<u8>>, SealError> {
    match Copy::read(books, &books.seal(workflow))? {
        Some(copy) if !copy.is_whole() => Err(SealError::Forged { workflow: workflow.to_owned() }),
        copy => Ok(copy.map(|copy| copy.state)),
    }
}

/// The same as an answer of the world.
pub fn answer(books: &Books, workflow: &str) -> Answer<Vec<u8>> {
    match state(books, workflow) {
        Ok(state) => state.map_or(Answer::None, Answer::Is),
        Err(why) => Answer::Fault(WorldError::Unreadable(why.to_string())),
    }
}

/// What is not as it should be, and what it should be.
#[derive(Debug, PartialEq, Eq)]
enum Damage {
    None,
    /// Others have changed the state.
    OfState {
        sealed: Vec<u8>,
        found: Option<Vec<u8>>,
    },
    /// Others have changed the copy.
    OfCopy(Vec<u8>),
    /// What is recorded is not in its place yet.
    Unfinished(Newest),
    /// The run is over, and its copy still in its place.
    Ended(Newest),
    /// The witness is missing, or behind.
    OfWitness(Newest),
}

#[cfg(test)]
mod seal_tests;
