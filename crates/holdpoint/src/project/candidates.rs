//! Runs that are files named by their ids: listing them, and choosing the one that counts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::{FactError, Facts};
use holdpoint_core::phase;
use holdpoint_core::workflow::Workflow;

use super::Run;
use super::whose::{self, Whose};
use crate::caller::presence::Claimant;
use crate::catalog::Origin;
use crate::env::Env;
use crate::store::books::Books;
use crate::store::folder::{FileError, Folder, Found, Kind};

/// How many runs are read, the most recent first. Finished ones are kept, so there may be many.
const RUNS_MAX: usize = 100;

/// How many names in the runs' folder are looked at.
const NAMES_MAX: usize = 100_000;

/// Lists the files in the runs' folder that are named like a run but have an invalid id. A folder that is a link, or that
/// one leads to, has none: what is there is not the project's.
pub fn strays(workflow: &Workflow, home: &Path) -> Vec<PathBuf> {
    let folder = home.join(workflow.run.home.as_ref());
    let entries = Folder::project(home).and_then(|project| project.entries(&folder, NAMES_MAX));
    let files = entries.unwrap_or_default().into_iter().filter(|(_, found)| found.kind == Kind::File);
    let is_stray =
        |name: &Path| matches!(name.to_str().and_then(|name| workflow.run.id_of(name)), Some(Err(_)));
    files.filter(|(name, _)| is_stray(name)).map(|(name, _)| folder.join(name)).collect()
}

/// Lists the ids of all runs, the most recently written first.
pub fn ids(workflow: &Workflow, home: &Path) -> Vec<String> {
    let mut dated = dated(workflow, home).unwrap_or_default();
    dated.sort_by(|one, other| other.cmp(one));
    dated.into_iter().map(|(_, id)| id).take(RUNS_MAX).collect()
}

/// Lists the ids of all runs with the time that each was written at. The runs' folder, or a run, may be a link to another
/// place in the project.
fn dated(workflow: &Workflow, home: &Path) -> Result<Vec<(SystemTime, String)>, FileError> {
    let project = Folder::project(home)?;
    let folder = project.follow(Path::new(workflow.run.home.as_ref()))?;
    let mut dated = Vec::new();
    for (name, found) in project.entries(&folder, NAMES_MAX)? {
        let Some(Ok(id)) = name.to_str().and_then(|name| workflow.run.id_of(name)) else { continue };
        let followed = match found.kind {
            Kind::Link => project.follow(&folder.join(&name)).and_then(|place| project.find(&place)),
            Kind::File | Kind::Folder | Kind::Other => Ok(Some(found)),
        };
        if let Ok(Some(Found { kind: Kind::File, modified, .. })) = followed {
            dated.push((modified, id.to_owned()));
        }
    }
    Ok(dated)
}

/// Chooses the run that counts: one that this session works on, then one that still has something to say to it, then
/// any other unfinished run, then one that cannot be read, then the most recently written. A finished run hides no other.
pub fn best(runs: Vec<Run>, env: &Arc<dyn Env>, session: Option<&str>) -> Option<Run> {
    if runs.len() < 2 {
        return runs.into_iter().next();
    }
    let rank = |run: &Run| {
        let id = run.id.as_deref().unwrap_or_default();
        let facts = facts(&run.workflow, &run.books, id, env, session);
        // Nobody can say that a run is finished that cannot be read: it is judged, so that its fault is told.
        let Ok(is_live) = phase::is_live(&facts) else { return 3 };
        let asking = session.map(|session| Claimant { session, transcript: None });
        match (is_live, counts_for(run, &facts, asking.as_ref(), env.as_ref()).unwrap_or(true)) {
            (true, true) if phase::is_at_work(&facts).unwrap_or(true) => 0,
            (true, true) => 1,
            (true, false) => 2,
            (false, _) => 4,
        }
    };
    runs.into_iter().min_by_key(rank)
}

/// Returns whether a run concerns this session: it started here, no other session owns it, and if no session owns it,
/// it is not stale.
pub fn counts_for(
    run: &Run,
    facts: &Arc<Facts>,
    asking: Option<&Claimant<'_>>,
    env: &dyn Env,
) -> Result<bool, FactError> {
    if facts.began_elsewhere()?.is_some() {
        return Ok(false);
    }
    let whose = match (facts.owner()?, asking) {
        (Some(owner), Some(asking)) => whose::of(run, Some(&owner), asking, env),
        (_, _) => Whose::Free,
    };
    Ok(match whose {
        Whose::Own => true,
        Whose::Anothers(_) => false,
        Whose::Free => !facts.is_stale()?,
    })
}

/// Builds the facts about one run, as for a command in a shell.
pub fn facts(
    workflow: &Workflow,
    books: &Books,
    id: &str,
    env: &Arc<dyn Env>,
    session: Option<&str>,
) -> Arc<Facts> {
    let event = Event {
        session: session.map(str::to_owned),
        ..Event::from_shell(Moment::Prompt, &books.home().to_string_lossy())
    };
    let run = Run::new(Arc::new(workflow.clone()), Origin::BuiltIn, books.clone());
    let run = Run { id: Some(id.to_owned()), ..run };
    run.facts(Arc::new(event), Arc::clone(env))
}

/// Builds the facts about every run, for conditions and texts that are about all of them.
pub fn all(workflow: &Workflow, books: &Books, env: &Arc<dyn Env>, session: Option<&str>) -> Vec<Arc<Facts>> {
    let ids = ids(workflow, books.home());
    ids.iter().map(|id| facts(workflow, books, id, env, session)).collect()
}
