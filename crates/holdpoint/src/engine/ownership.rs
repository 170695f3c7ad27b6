//! Whose business a run is: a session is held by the runs it works on, not by another's.

use holdpoint_core::event::Event;
use holdpoint_core::facts::{FactError, reason};
use holdpoint_core::phase;

use super::run::{Ask, facts};
use super::stop::Course;
use crate::project::{Run, candidates};
use crate::store::{owner, told};

/// Whether the run that the agent stops in is none of its business. Says so in the course.
///
/// A run in which nothing is due is nobody's: its rules hold whoever stops there.
pub(super) fn is_aside(run: &Run, ask: &Ask<'_>, course: &mut Course) -> bool {
    match why_aside(run, ask) {
        Ok(None) => false,
        Ok(Some(why)) => {
            course.is_aside = true;
            course.note = Some(why);
            true
        }
        Err(error) => {
            course.fault(reason(&error));
            false
        }
    }
}

fn why_aside(run: &Run, ask: &Ask<'_>) -> Result<Option<String>, FactError> {
    let rules = &run.workflow.run;
    if rules.owner.is_none() && rules.root.is_none() && rules.stale.is_none() {
        return kept_owner(run, ask);
    }
    let facts = facts(run, ask);
    if let Some(root) = facts.began_elsewhere()? {
        return Ok(Some(format!("not looked at: this run began in {root}")));
    }
    let session = ask.event.session.as_deref();
    if candidates::counts_for(&facts, session)? || !phase::is_live(&facts)? {
        return Ok(None);
    }
    Ok(Some(match facts.owner()? {
        Some(owner) => format!("not looked at: this run is session {owner}'s"),
        None => "not looked at: nobody has touched this run for long".to_owned(),
    }))
}

/// Where the state names no owner, the engine keeps its own books.
fn kept_owner(run: &Run, ask: &Ask<'_>) -> Result<Option<String>, FactError> {
    let Some(session) = ask.event.session.as_deref() else { return Ok(None) };
    if !phase::is_live(&facts(run, ask))? {
        return Ok(None);
    }
    // Books that cannot be kept say nothing: the run is looked at.
    let is_anothers = owner::is_anothers(&run.home, &run.place(), session, ask.env.now()).unwrap_or(false);
    Ok(is_anothers.then(|| "not looked at: another session works on this run".to_owned()))
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
    told::first_time(&run.home, session, &what).then(|| {
        format!(
            "holdpoint: {workflow} in {} is {why}. {advice}: see `holdpoint {workflow}`.",
            run.place().display()
        )
    })
}
