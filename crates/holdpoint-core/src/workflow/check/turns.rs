//! How often a phase is reached within its circle, where steps use up limits: one time, and one more for each round of
//! each limit around it. A limit that starts again at each round of another counts for each of them.

use super::super::Workflow;
use super::super::limit::Limit;
use super::super::phase::Phase;
use super::circle::{self, Edge, Taken};
use super::worst_case::Amount;

/// The most turns of a phase for each time its circle is entered; none if nothing limits them.
pub(super) fn most(workflow: &Workflow, phase: &Phase) -> Option<Amount> {
    let edges = circle::edges(workflow);
    within(workflow, &edges.iter().collect::<Vec<_>>(), phase)
}

fn within(workflow: &Workflow, edges: &[&Edge<'_>], phase: &Phase) -> Option<Amount> {
    let around = circle::around(edges, phase);
    if around.is_empty() {
        return Some(Amount { number: 1, ..Amount::default() });
    }
    let own = phase.count(workflow).filter(|_| phase.actor().is_performed());
    if let Some(own) = own.filter(|own| !starts_anew(workflow, &around, own)) {
        return rounds(workflow, own);
    }
    let counted = |edge: &Edge<'_>| match edge.taken {
        Taken::Counted(count) => {
            Some(count.to_owned()).filter(|count| !starts_anew(workflow, &around, count))
        }
        _ => None,
    };
    let mut counts: Vec<String> = around.iter().filter_map(|edge| counted(edge)).collect();
    counts.sort();
    counts.dedup();
    if counts.is_empty() {
        return None;
    }
    let mut turns = Amount { number: 1, ..Amount::default() };
    for count in &counts {
        turns.add(&rounds(workflow, count)?);
    }
    let rest: Vec<&Edge<'_>> = around.iter().filter(|edge| counted(edge).is_none()).copied().collect();
    turns.times(&within(workflow, &rest, phase)?)
}

/// Whether a step of these starts a count again. The counts of an item do when the next one is current.
fn starts_anew(workflow: &Workflow, around: &[&Edge<'_>], count: &str) -> bool {
    if circle::reset(around, count).is_some() {
        return true;
    }
    let item = workflow.run.item.as_ref();
    item.filter(|item| count.starts_with(&format!("{}.", item.name))).is_some_and(|item| {
        let is_next = |edge: &&&Edge<'_>| edge.taken == Taken::Counted(&item.at);
        circle::reset(around, &item.at).is_some() || around.iter().any(|edge| is_next(&edge))
    })
}

/// How often a count can rise: as far as the highest of the limits that are used with it.
fn rounds(workflow: &Workflow, count: &str) -> Option<Amount> {
    let is_used = |limit: &&Limit| {
        let is_it = |name: &str| limit.name == name;
        workflow.phases.iter().any(|phase| {
            phase.limit(workflow).is_some_and(|own| is_it(&own.name))
                || phase.steps().any(|step| step.round.as_deref().is_some_and(is_it))
        })
    };
    let limits = workflow.limits.iter().filter(|limit| limit.field() == count).filter(is_used);
    let mut amounts = limits.map(|limit| Amount::of(limit.most_in(&workflow.fields)));
    let first = amounts.next()?;
    amounts.try_fold(first, |one, other| {
        let is_plain = one.fields.is_empty() && other.fields.is_empty();
        (one == other || is_plain).then_some(if one.number > other.number { one } else { other })
    })
}
