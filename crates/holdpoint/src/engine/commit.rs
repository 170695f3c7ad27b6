//! The one writer: files, the state and its seal, the run's record and its mirrors, in this order.

use std::sync::Arc;

use holdpoint_core::effects::Effects;
use holdpoint_core::facts::FactError;
use holdpoint_core::workflow::phase::Phase;
use serde_json::Value as Json;
use thiserror::Error;

use super::session::Session;
use super::watch;
use super::{owed, record};
use crate::store::section::{self, SectionError};
use crate::store::state::{StateFile, WriteError};
use crate::store::{files, report, review_token};

/// What must not have changed when effects are written, or they are dropped.
pub(super) enum Guard<'a> {
    /// The state as the session sees it: it was read under the lock that is still held.
    State,
    /// Where the run stands: the effects were worked out before the lock was taken, perhaps minutes before. Other fields
    /// that were edited meanwhile are kept, unless the run is sealed: then nobody else edits any.
    Place(&'a Place),
}

/// Where a run stands: whose turn it is, which round, and which item is at hand.
pub(super) struct Place {
    fields: Vec<String>,
    values: Option<Vec<Json>>,
}

impl Place {
    /// Where the session's run stands, with this phase due.
    pub(super) fn of(session: &Session<'_>, phase: &Phase) -> Result<Place, FactError> {
        let rules = &session.run.workflow.run;
        let at = rules.item.as_ref().map(|item| item.at.as_ref());
        let fields = rules.due.as_deref().into_iter().chain(phase.count(&session.run.workflow)).chain(at);
        let fields: Vec<String> = fields.map(str::to_owned).collect();
        let bytes = session.facts().state_bytes()?.unwrap_or_default();
        let values = session.state_file()?.and_then(|file| file.fields(&bytes, &fields));
        Ok(Place { fields, values })
    }

    fn is_same(&self, file: &StateFile, bytes: Option<&[u8]>) -> bool {
        file.fields(bytes.unwrap_or_default(), &self.fields) == self.values
    }
}

/// Writes effects. The state's lock must be held. Files come first, so that a state never speaks of a file that is not
/// there; documents last, when all else is done: what is wrong with them is returned, and stops nobody; and so is what
/// others had written into the view of a sealed state.
pub(super) fn commit(
    session: &Session<'_>,
    guard: &Guard<'_>,
    effects: &Effects,
) -> Result<Option<String>, WriteError> {
    if effects.writes_nothing() {
        return Ok(None);
    }
    let run = session.run;
    let file = session.state_file().map_err(WriteError::Unknown)?;
    let before = match (guard, &file) {
        (Guard::Place(place), Some(file)) => {
            let now = file.read()?.map(Arc::new);
            if !place.is_same(file, now.as_deref().map(Vec::as_slice)) {
                return Err(WriteError::Changed);
            }
            now
        }
        _ => session.facts().state_bytes().map_err(WriteError::Unknown)?,
    };
    files::change(&run.home, &effects.files)?;
    review_token::note_scripts(session.env.as_ref(), &run.home, &effects.files);
    if let Some(report) = &effects.expects {
        report::note(&run.books, &run.folder.join(report))?;
    }
    let mut upheld = None;
    if !effects.sets.is_empty() {
        let file = file.ok_or(WriteError::NoFile)?;
        upheld = file.write(before.as_deref().map(Vec::as_slice), &effects.sets, session.env.now())?;
    }
    if let Some(what) = &upheld {
        record::noticed(run, what);
    }
    if effects.accepts {
        // What cannot be forgotten is told again, and can be accepted by hand.
        let _ = watch::accept(session);
    }
    owed::note(session, effects);
    session.refresh();
    let told = tell_documents(session, &effects.log);
    let behind = told.err().map(|why| format!("the run's documents are behind its state: {why}"));
    let said: Vec<String> = upheld.into_iter().chain(behind).collect();
    Ok((!said.is_empty()).then(|| said.join("; ")))
}

/// Why the run's documents do not say what its state does.
#[derive(Debug, Error)]
enum Behind {
    /// Something about the run cannot be found out.
    #[error("{0}")]
    Unknown(FactError),
    /// A document cannot be read or written.
    #[error(transparent)]
    Document(#[from] SectionError),
}

/// Appends lines to the run's record and brings its mirrors up to date.
fn tell_documents(session: &Session<'_>, lines: &[String]) -> Result<(), Behind> {
    let (run, rules) = (session.run, &session.run.workflow.run);
    if rules.mirrors.is_empty() && (lines.is_empty() || rules.record.is_none()) {
        return Ok(());
    }
    let facts = session.facts();
    let render = |template: &str| facts.text(template).map_err(Behind::Unknown);
    if let Some(record) = rules.record.as_ref().filter(|_| !lines.is_empty()) {
        section::append(&run.home, &render(&record.file)?, &record.under, lines)?;
    }
    for mirror in rules.mirrors.iter() {
        let Some(word) = facts.state_field(&mirror.field).map_err(Behind::Unknown)? else { continue };
        section::mirror(&run.home, &render(&mirror.file)?, &render(&mirror.find)?, &word)?;
    }
    Ok(())
}
