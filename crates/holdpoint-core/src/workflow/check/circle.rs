//! Circles of phases: what leads back to where it came from without the user, and which limits end it.
//!
//! A limit ends a circle only through the steps that use up one of its rounds, and only while nothing in the circle
//! starts its count again. What is left without all those steps can go round for ever; a circle within a
//! limited one is looked at again without the steps of the outer one, so it may start again at each of them.

use std::collections::{BTreeMap, BTreeSet};

use super::super::phase::{Performance, Phase};
use super::super::step::{Delivery, Step};
use super::super::{Named, Workflow};

/// A step from one phase to another, neither of them the user's.
#[derive(Debug)]
pub(super) struct Edge<'a> {
    pub(super) from: &'a Phase,
    pub(super) to: &'a Phase,
    pub(super) taken: Taken<'a>,
    /// The state fields it sets, those that it starts again included.
    sets: Vec<&'a str>,
    /// Whether the agent is released with the phase still due, so that only the user brings it back.
    pub(super) lets_go: bool,
}

/// When a step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken<'a> {
    /// After a review that counts as a round in this field.
    Counted(&'a str),
    /// After a review that did not work: it is not counted.
    Failed,
    /// Instead of a review.
    Skipped,
    /// Each time the limit is found reached.
    AtLimit,
    /// Whenever the phase is finished.
    Freely,
}

/// Every step that leads from a phase, the one at its limit included.
pub(super) fn steps<'a>(workflow: &'a Workflow, phase: &'a Phase) -> impl Iterator<Item = &'a Step> {
    phase.steps().chain(phase.limit(workflow).map(|limit| &limit.then))
}

/// What happens at the limits that a phase's steps name.
fn at_named_limits<'a>(workflow: &'a Workflow, phase: &'a Phase) -> impl Iterator<Item = &'a Step> {
    let names = phase.steps().filter_map(|step| step.round.as_ref());
    names.filter_map(|name| workflow.limit(name).map(|limit| &limit.then))
}

/// The steps that phases of the agent and of reviewers take by themselves.
pub(super) fn edges(workflow: &Workflow) -> Vec<Edge<'_>> {
    let mut edges = Vec::new();
    for phase in workflow.phases.iter().filter(|phase| !phase.actor().rests()) {
        edges.extend(phase.then().iter().filter_map(|step| edge(workflow, phase, step, Taken::Freely, &[])));
        if let Some(what) = phase.performance() {
            let taken = taken(workflow, phase);
            let routed = what.routes().on.iter().flat_map(|route| route.steps.iter());
            edges.extend(routed.filter_map(|step| edge(workflow, phase, step, taken, &[])));
            let failed = what.routes().fault.iter();
            edges.extend(failed.filter_map(|step| edge(workflow, phase, step, Taken::Failed, &[])));
            if let Some(skip) = what.skip() {
                let skipped = |step| edge(workflow, phase, step, Taken::Skipped, &skip.set);
                edges.extend(what.skipping().iter().filter_map(skipped));
            }
        }
        let at_limit = phase.limit(workflow).map(|limit| &limit.then).into_iter();
        let at_limit = at_limit.chain(at_named_limits(workflow, phase));
        edges.extend(at_limit.filter_map(|step| edge(workflow, phase, step, Taken::AtLimit, &[])));
        edges.extend(stay(workflow, phase));
    }
    edges
}

/// When the steps for verdicts are taken. On an agent's phase a limit counts how often it is found unfinished: one that is
/// finished goes on uncounted.
fn taken<'a>(workflow: &'a Workflow, phase: &Phase) -> Taken<'a> {
    let count = phase.count(workflow).filter(|_| phase.actor().is_performed());
    count.map_or(Taken::Freely, Taken::Counted)
}

fn edge<'a>(
    workflow: &'a Workflow,
    from: &'a Phase,
    step: &'a Step,
    taken: Taken<'a>,
    before: &'a [Named],
) -> Option<Edge<'a>> {
    // A step that names a limit uses up one of its rounds, whatever the phase's own.
    let named = step.round.as_ref().and_then(|name| workflow.limit(name));
    let taken = named.map_or(taken, |limit| Taken::Counted(limit.field()));
    let reviewed = from.actor().is_performed() && matches!(taken, Taken::Counted(_) | Taken::Freely);
    let to = match &step.go {
        Some(go) => workflow.phases.iter().find(|phase| phase.name == *go)?,
        None if reviewed => from,
        None => return None,
    };
    let sets = before.iter().chain(step.set.iter()).map(|field| field.name.as_ref()).collect();
    let lets_go = step.go.is_none() && step.delivery != Delivery::Hold;
    (!to.actor().rests()).then_some(Edge { from, to, taken, sets, lets_go })
}

/// A phase with a verdict that no step is sure to be taken for stays due.
fn stay<'a>(workflow: &'a Workflow, phase: &'a Phase) -> Option<Edge<'a>> {
    let stays = phase.actor().is_performed() && phase.performance().is_some_and(may_stay);
    let taken = taken(workflow, phase);
    stays.then_some(Edge { from: phase, to: phase, taken, sets: Vec::new(), lets_go: true })
}

/// Whether there is a verdict for which no step is sure to be taken.
pub(super) fn may_stay(what: Performance<'_>) -> bool {
    !what.routes().on.iter().all(|route| route.steps.iter().any(|step| step.when.is_none()))
}

/// The steps that can be taken for ever.
pub(super) fn endless<'e, 'a>(edges: impl IntoIterator<Item = &'e Edge<'a>>) -> Vec<&'e Edge<'a>>
where
    'a: 'e,
{
    let mut left: Vec<&Edge<'_>> = edges.into_iter().collect();
    loop {
        let reach = reach(&left);
        left.retain(|edge| leads(&reach, edge.to, edge.from));
        let is_ended = |edge: &&&Edge<'_>| match edge.taken {
            Taken::Counted(count) => !is_reset(&reach, &left, edge, count),
            Taken::Failed | Taken::Skipped | Taken::AtLimit | Taken::Freely => false,
        };
        let kept: Vec<&Edge<'_>> = left.iter().filter(|edge| !is_ended(edge)).copied().collect();
        if kept.len() == left.len() {
            return left;
        }
        left = kept;
    }
}

/// Those of `edges` that are in the same circle as `phase`.
pub(super) fn around<'e, 'a>(edges: &[&'e Edge<'a>], phase: &Phase) -> Vec<&'e Edge<'a>> {
    let reach = reach(edges);
    let is_around = |edge: &&Edge<'_>| leads(&reach, phase, edge.from) && leads(&reach, edge.to, phase);
    edges.iter().copied().filter(is_around).collect()
}

/// The step among `edges` that starts a count again.
pub(super) fn reset<'e, 'a>(edges: &[&'e Edge<'a>], count: &str) -> Option<&'e Edge<'a>> {
    edges.iter().copied().find(|edge| edge.sets.contains(&count))
}

fn is_reset(reach: &Reach<'_>, edges: &[&Edge<'_>], edge: &Edge<'_>, count: &str) -> bool {
    edges.iter().any(|other| {
        other.sets.contains(&count)
            && leads(reach, edge.from, other.from)
            && leads(reach, other.from, edge.from)
    })
}

/// For each phase, those that can be reached from it, itself among them.
type Reach<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

fn reach<'a>(edges: &[&Edge<'a>]) -> Reach<'a> {
    let mut next: Reach<'a> = BTreeMap::new();
    for edge in edges {
        next.entry(&edge.from.name).or_default().insert(&edge.to.name);
    }
    next.keys()
        .map(|start| {
            let mut seen = beyond(&next, start);
            seen.insert(start);
            (*start, seen)
        })
        .collect()
}

fn leads(reach: &Reach<'_>, from: &Phase, to: &Phase) -> bool {
    reach.get(from.name.as_ref()).is_some_and(|there| there.contains(to.name.as_ref()))
}

/// All phases that can be reached from a phase, in at least one step.
pub(super) fn beyond<'a>(edges: &BTreeMap<&'a str, BTreeSet<&'a str>>, start: &str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = edges.get(start).into_iter().flatten().copied().collect();
    while let Some(here) = open.pop() {
        if seen.insert(here) {
            open.extend(edges.get(here).into_iter().flatten());
        }
    }
    seen
}
