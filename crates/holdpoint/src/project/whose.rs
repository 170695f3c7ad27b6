//! Whose a run is: this session's, another's that is still there, or nobody's.

use std::sync::Arc;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::phase;

use super::Run;
use crate::caller::presence::{Claimant, Handover, handover};
use crate::env::Env;
use crate::store::error::StoreError;
use crate::store::owner::{self, Owner};

/// Whose a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The session's that asks, or one's whose place it has taken.
    Own,
    /// Nobody's: whoever works on it next has it.
    Free,
    /// Another session's, by its id, which is there, or may be.
    Anothers(String),
}

/// Tells whose a run is whose own state names this session, or none.
pub fn of(run: &Run, named: Option<&str>, asking: &Claimant<'_>, env: &dyn Env) -> Whose {
    judge(&owner::read(&run.books, &run.place(), named.unwrap_or_default()), asking, env)
}

fn judge(owner: &Owner, asking: &Claimant<'_>, env: &dyn Env) -> Whose {
    if owner.session.is_empty() {
        return Whose::Free;
    }
    if owner.session == asking.session {
        return Whose::Own;
    }
    match handover(env, &owner.session, asking) {
        Handover::ToThis => Whose::Own,
        Handover::ToAnybody => Whose::Free,
        // One whose client is there may only be slow.
        Handover::Unknown if owner.is_silent(env.now()) => Whose::Free,
        Handover::No | Handover::Unknown => Whose::Anothers(owner.session.clone()),
    }
}

/// Makes a run this session's, unless it is another's that is there. Returns that one's id then.
pub fn take(
    run: &Run,
    named: Option<&str>,
    asking: &Claimant<'_>,
    env: &dyn Env,
) -> Result<Option<String>, StoreError> {
    let lets_go = |owner: &Owner| !matches!(judge(owner, asking, env), Whose::Anothers(_));
    let named = named.unwrap_or_default();
    let kept = owner::take(&run.books, &run.place(), named, asking.session, env.now(), lets_go)?;
    Ok(kept.map(|owner| owner.session))
}

/// Puts the runs of one home in the order in which they count for a session: its own that is at work, then those that are
/// nobody's, then others'. Within that, as they came: the one changed last first.
pub(super) fn in_order(mut runs: Vec<Run>, env: &Arc<dyn Env>, session: Option<&str>) -> Vec<Run> {
    let Some(session) = session.filter(|_| runs.len() > 1) else { return runs };
    let asking = Claimant { session, transcript: None };
    runs.sort_by_cached_key(|run| match of(run, None, &asking, env.as_ref()) {
        Whose::Own if is_live(run, env) => 0,
        Whose::Own | Whose::Free => 1,
        Whose::Anothers(_) => 2,
    });
    runs
}

/// Returns whether something is due in a run. One that cannot be read is judged, so that its fault is told.
fn is_live(run: &Run, env: &Arc<dyn Env>) -> bool {
    let event = Event::from_shell(Moment::Prompt, &run.home.to_string_lossy());
    phase::is_live(&run.facts(Arc::new(event), Arc::clone(env))).unwrap_or(true)
}
