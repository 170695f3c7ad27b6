//! Which round a run is in, for people.

use std::sync::Arc;

use super::{Due, due, number};
use crate::facts::Facts;
use crate::workflow::phase::Phase;

/// How many rounds a phase may have, if it has a limit that can be told.
pub fn limit(facts: &Arc<Facts>, phase: &Phase) -> Option<i64> {
    let limit = phase.limit(&facts.workflow)?;
    let most = facts.evaluate(&limit.most, facts.context()).ok()?;
    Some(number(&most)).filter(|most| *most > 0)
}

/// The round that the run is in: in the field that the due phase counts in, or that other phases do if it counts none.
/// None before the first round, and where nothing is due.
pub fn round_now(facts: &Arc<Facts>) -> Option<i64> {
    let Ok(Due::Phase(due)) = due(facts) else { return None };
    let mut all = std::iter::once(due.as_ref()).chain(facts.workflow.phases.iter());
    let field = all.find_map(|phase| phase.count(&facts.workflow))?.to_owned();
    facts.field(&field).ok()?.as_i64().filter(|round| *round > 0)
}
