//! Whose business a run is: a session is held by the runs it works on, not by another's.

use holdpoint_core::event::Event;
use holdpoint_core::facts::FactError;
use holdpoint_core::phase;

use super::report::Report;
use super::session::Session;
use crate::project::{Run, candidates};
use crate::store::{owner, told};

/// Whether the run that the agent stops in is none of its business. Says so in the report.
///
/// A run in which nothing is due is nobody's: its rules hold whoever stops there.
pub(super) fn is_aside(session: &Session<'_>, report: &mut Report) -> bool {
    match why_aside(session) {
        Ok(None) => false,
        Ok(Some(why)) => {
            report.is_aside = true;
            report.note = Some(why);
            true
        }
        Err(error) => {
            report.effects.fault(error.to_string());
            false
        }
    }
}

fn why_aside(session: &Session<'_>) -> Result<Option<String>, FactError> {
    let rules = &session.run.workflow.run;
    if rules.owner.is_none() && rules.root.is_none() && rules.stale.is_none() {
        return kept_owner(session);
    }
    let facts = session.facts();
    if let Some(root) = facts.began_elsewhere()? {
        return Ok(Some(format!("ignored: this run began in {root}")));
    }
    if candidates::counts_for(&facts, session.event.session.as_deref())? || !phase::is_live(&facts)? {
        return Ok(None);
    }
    Ok(Some(match facts.owner()? {
        Some(owner) => format!("ignored: this run belongs to session {owner}"),
        None => "ignored: nobody has touched this run for a long time".to_owned(),
    }))
}

/// Where the state names no owner, the engine keeps its own books.
fn kept_owner(session: &Session<'_>) -> Result<Option<String>, FactError> {
    let Some(id) = session.event.session.as_deref() else { return Ok(None) };
    if !phase::is_live(&session.facts())? {
        return Ok(None);
    }
    // Books that cannot be kept say nothing: the run is looked at.
    let run = session.run;
    let is_anothers = owner::is_anothers(&run.books, &run.place(), id, session.env.now()).unwrap_or(false);
    Ok(is_anothers.then(|| "ignored: another session works on this run".to_owned()))
}

/// What the user of a session is told, once, about a run that is another's.
pub(super) fn message(run: &Run, event: &Event, why: &str) -> Option<String> {
    let workflow = &run.workflow.name;
    let what = format!("{} {why}", run.place().display());
    let session = event.session.as_deref().unwrap_or_default();
    // A command claims a run in the engine's books, but not one whose state says whose it is.
    let advice = match run.workflow.run.owner {
        Some(_) => "Its commands work here all the same",
        None => "To work on it here, run one of its commands",
    };
    told::first_time(&run.books, session, &what).then(|| {
        format!(
            "holdpoint: {workflow} in {} is {why}. {advice}: see `holdpoint {workflow}`.",
            run.place().display()
        )
    })
}
