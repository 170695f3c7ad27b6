//! Writing what a step comes to: files, the state, its seal, the run's record and its mirrors, under the state's lock.

use holdpoint_core::decision::{FileChange, Set};
use holdpoint_core::facts::reason;
use holdpoint_core::phase::Taken;
use serde_json::Value as Json;

use super::run::{Ask, facts};
use crate::project::Run;
use crate::store::state::{StateFile, WriteError};
use crate::store::{files, report, section};

/// What is to be written.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) sets: Vec<Set>,
    pub(super) files: Vec<FileChange>,
    /// The report that is asked for now: what is there already does not count.
    pub(super) expects: Option<String>,
    /// Lines for the run's record.
    pub(super) log: Vec<String>,
}

impl Changes {
    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.sets.is_empty() && self.files.is_empty() && self.log.is_empty()
    }
}

impl From<&Taken> for Changes {
    fn from(taken: &Taken) -> Changes {
        Changes {
            sets: taken.sets.clone(),
            files: taken.files.clone(),
            expects: taken.expects.clone(),
            log: taken.log.clone(),
        }
    }
}

/// Fields that must be as they were, or somebody else has moved the run on.
pub(super) struct Seen<'a> {
    pub(super) fields: Vec<&'a str>,
    pub(super) values: Option<Vec<Json>>,
}

/// Writes files first, so that a state never speaks of a file that is not there. Other fields that were edited meanwhile
/// are kept. The state's lock must be held. Documents that could not be told come last, when all else is done: what is
/// wrong with them is returned, and stops nobody.
pub(super) fn write(
    run: &Run,
    ask: &Ask<'_>,
    file: &StateFile,
    seen: Option<&Seen<'_>>,
    changes: &Changes,
) -> Result<Option<String>, WriteError> {
    let before = file.read().map_err(WriteError::Failed)?;
    if let Some(seen) = seen
        && file.fields(before.as_deref().unwrap_or_default(), &seen.fields) != seen.values
    {
        return Err(WriteError::Changed);
    }
    files::change(&run.home, &changes.files).map_err(WriteError::Failed)?;
    if let Some(report) = &changes.expects {
        report::note(&run.home, &run.folder.join(report)).map_err(WriteError::Failed)?;
    }
    if !changes.sets.is_empty() {
        file.path
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .map_err(|e| WriteError::Failed(e.to_string()))?;
        file.write(before.as_deref(), &changes.sets, ask.env.now())?;
    }
    let told = tell_documents(run, ask, &changes.log);
    Ok(told.err().map(|why| format!("the run's documents are behind its state: {why}")))
}

/// Appends lines to the run's record and brings its mirrors up to date.
fn tell_documents(run: &Run, ask: &Ask<'_>, lines: &[String]) -> Result<(), String> {
    let rules = &run.workflow.run;
    if rules.mirrors.is_empty() && (lines.is_empty() || rules.record.is_none()) {
        return Ok(());
    }
    let facts = facts(run, ask);
    let render = |template: &str| facts.render(template, facts.context()).map_err(|error| reason(&error));
    if let Some(record) = rules.record.as_ref().filter(|_| !lines.is_empty()) {
        section::append(&run.home, &render(&record.file)?, &record.under, lines)?;
    }
    for mirror in rules.mirrors.iter() {
        let Some(word) = facts.state_field(&mirror.field).map_err(|error| reason(&error))? else { continue };
        section::mirror(&run.home, &render(&mirror.file)?, &render(&mirror.find)?, &word)?;
    }
    Ok(())
}

/// The state file of a run, if its workflow has one.
pub(super) fn state_file(run: &Run, path: Option<String>) -> Option<StateFile> {
    path.map(|path| StateFile::of(run, &path))
}
