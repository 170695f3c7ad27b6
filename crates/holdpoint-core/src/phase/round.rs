//! Which round a run is in, for people.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Due, due, number};
use crate::expression::{names_in_expression, paths_in_expression};
use crate::facts::Facts;
use crate::workflow::Workflow;
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

/// Whether `shows`, a workflow's own expression for the phase, reads a counter of rounds, directly or through `[let]`:
/// then it tells the round already.
pub fn is_shown(workflow: &Workflow) -> bool {
    let counted = workflow.phases.iter().filter_map(|phase| phase.count(workflow));
    let counters: Vec<String> = counted.map(|field| format!("state.{field}")).collect();
    let mut sources: Vec<&str> = workflow.run.shows.as_deref().into_iter().collect();
    let mut seen = BTreeSet::new();
    while let Some(source) = sources.pop() {
        if paths_in_expression(source, &["state"]).iter().any(|path| counters.contains(path)) {
            return true;
        }
        let names = names_in_expression(source).unwrap_or_default();
        let is_new = |name: &&str| seen.insert((*name).to_owned());
        let names = names.iter().map(|used| used.name.as_str()).filter(is_new);
        sources.extend(names.filter_map(|name| workflow.expression(name)).map(AsRef::as_ref));
    }
    false
}
