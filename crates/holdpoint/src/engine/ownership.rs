//! Whose business a run is: a session is held by the runs it works on, not by another's.

use std::path::Path;

use holdpoint_core::event::Event;
use holdpoint_core::facts::FactError;
use holdpoint_core::phase;

use super::report::Report;
use super::session::Session;
use crate::caller::presence;
use crate::project::whose::{self, Whose};
use crate::project::{Run, candidates, linked};
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
    let (run, env) = (session.run, session.env.as_ref());
    let (asking, owner) = (session.claimant(), facts.owner()?);
    let counts = candidates::counts_for(run, &facts, asking.as_ref(), env)?;
    if !counts && !phase::is_live(&facts)? {
        return Ok(None);
    }
    match (counts, asking, owner) {
        // Books that cannot be kept say nothing: the run is looked at.
        (true, Some(asking), Some(owner)) => {
            let kept = whose::take(run, Some(&owner), &asking, env).unwrap_or_default();
            Ok(kept.map(|owner| format!("ignored: this run belongs to session {owner}")))
        }
        (true, _, _) => Ok(None),
        (false, _, Some(owner)) => {
            let owner = owner::read(&run.books, &run.place(), &owner).session;
            Ok(Some(format!("ignored: this run belongs to session {owner}")))
        }
        (false, _, None) => Ok(Some("ignored: nobody has touched this run for a long time".to_owned())),
    }
}

/// Where the state names no owner, the engine keeps its own books.
fn kept_owner(session: &Session<'_>) -> Result<Option<String>, FactError> {
    let Some(asking) = session.claimant() else { return Ok(None) };
    if !phase::is_live(&session.facts())? {
        return Ok(None);
    }
    let (run, env) = (session.run, session.env.as_ref());
    // What nobody works on in the main working tree is not taken up by a session in another, unless that came from there.
    let is_in_main = |place: &str| {
        Path::new(place).starts_with(&run.home) && !linked::is_of_main(&run.home, Path::new(place))
    };
    let came_from_main = || presence::places(env, asking.session).iter().any(|place| is_in_main(place));
    let is_far = linked::is_of_main(&run.home, Path::new(&session.event.cwd));
    if is_far && whose::of(run, None, &asking, env) == Whose::Free && !came_from_main() {
        return Ok(Some(format!(
            "ignored: this run belongs to the main working tree, {}",
            run.home.display()
        )));
    }
    // Books that cannot be kept say nothing: the run is looked at.
    let kept = whose::take(run, None, &asking, env).unwrap_or_default();
    Ok(kept.map(|_| "ignored: another session works on this run".to_owned()))
}

/// What the user of a session is told, once, about a run that is another's.
pub(super) fn message(run: &Run, event: &Event, why: &str) -> Option<String> {
    let workflow = &run.workflow.name;
    let what = format!("{} {why}", run.place().display());
    let session = event.session.as_deref().unwrap_or_default();
    // A command claims a run in the engine's books, but not one whose state says whose it is.
    let advice = match run.workflow.run.owner {
        Some(_) => "Its commands work here all the same".to_owned(),
        None => format!("To work on it here, name it: `--run {}` after one of its commands", run.name()),
    };
    told::first_time(&run.books, session, &what).then(|| {
        format!(
            "holdpoint: {workflow} in {} is {why}. {advice}: see `holdpoint {workflow}`.",
            run.place().display()
        )
    })
}
