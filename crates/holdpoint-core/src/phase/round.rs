//! Which round a run is in, for people.

use std::sync::Arc;

use super::{Due, due};
use crate::facts::Facts;

/// The round that the run is in: in the field that the due phase counts in, or that other phases do if it counts none.
/// None before the first round, and where nothing is due.
pub fn round_now(facts: &Arc<Facts>) -> Option<i64> {
    let Ok(Due::Phase(due)) = due(facts) else { return None };
    let mut all = std::iter::once(due.as_ref()).chain(facts.workflow.phases.iter());
    let field = all.find_map(|phase| phase.count(&facts.workflow))?.to_owned();
    facts.field(&field).ok()?.as_i64().filter(|round| *round > 0)
}
