//! How a run stands, put together from its facts and the books.

use std::sync::Arc;

use holdpoint_core::facts::Facts;
use holdpoint_core::phase::next;
use holdpoint_core::phase::round::{is_shown, round_now};
use holdpoint_core::standing::{Performing, Standing};
use holdpoint_core::workflow::phase::Actor;

use super::record;
use crate::project::Run;
use crate::store::door::Door;
use crate::store::jobs::{self, UnderWay};
use crate::store::{holds, journal};

/// How a run stands, by what is known of it now. Reads two small files beside its state.
pub fn of(run: &Run, facts: &Arc<Facts>) -> Standing {
    let (name, place) = (&run.workflow.name, run.place());
    Standing {
        phase: record::due(facts),
        round: round_now(facts).filter(|_| !is_shown(&run.workflow)),
        next: next::of(facts),
        holds: holds::read(&run.books, name, &place).0,
        pause: Door::of(&run.books, name, &place).pause().filter(|pause| !pause.is_over(&journal::now())),
        performing: jobs::under_way(&run.books, name, &place).map(|under_way| performing(run, under_way)),
    }
}

fn performing(run: &Run, under_way: UnderWay) -> Performing {
    let UnderWay { at, job, .. } = under_way;
    let is_review = run.workflow.phase(&job.phase).is_some_and(|phase| phase.actor() == Actor::Reviewer);
    let by = job.model.unwrap_or(job.program);
    Performing { phase: job.phase, is_review, round: job.round, limit: job.limit, by, since: at }
}
