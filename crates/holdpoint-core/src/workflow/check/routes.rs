//! Where phases and commands lead: targets that do not exist, phases that nothing leads to, loops that nothing ends.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::Workflow;
use super::super::command::Command;
use super::super::parse::Parsed;
use super::super::phase::{Actor, Phase};
use super::super::step::Step;
use super::super::table::listed;
use super::circle::{self, Edge, Taken};
use crate::diagnostic::{Diagnostic, nearest};

/// What is wrong with where a workflow's phases and commands lead.
pub(super) fn check(parsed: &Parsed) -> Vec<Diagnostic> {
    let workflow = &parsed.workflow;
    let wrong = |phase: &Phase, message: String| wrong(&parsed.phases, &phase.name, message);
    let mut problems = Vec::new();
    problems.extend(workflow.commands.iter().flat_map(|command| lost(parsed, command)));
    let is_meant = |phase: &&Phase| parsed.misspelt.iter().any(|name| *name == *phase.name);
    for phase in unreached(workflow).filter(|phase| !is_meant(phase)) {
        problems.push(
            wrong(phase, format!("no step leads to phase `{}`", phase.name))
                .hinted("let a step `go` there, make it the user's (by = \"user\"), or delete it"),
        );
    }
    let edges = circle::edges(workflow);
    let endless = circle::endless(edges.iter().filter(|edge| !edge.lets_go));
    let mut told: Vec<&str> = Vec::new();
    for phase in workflow.phases.iter().filter(|phase| endless.iter().any(|edge| edge.from == *phase)) {
        if told.contains(&phase.name.as_ref()) {
            continue;
        }
        let around = circle::around(&endless, phase);
        let others = workflow.phases.iter().filter(|other| around.iter().any(|edge| edge.from == *other));
        let names: Vec<&str> = others.map(|other| other.name.as_ref()).collect();
        let mut message =
            format!("phase `{}` is in a loop that passes neither a limit nor the user", phase.name);
        if names.len() > 1 {
            message = format!("{message}: {}", listed(&names));
        }
        problems.push(wrong(phase, message).hinted(remedy(workflow, &around)));
        told.extend(names);
    }
    problems
}

/// An error at the place where a phase or a command is named.
fn wrong(places: &[(String, Range<usize>)], name: &str, message: String) -> Diagnostic {
    let span = places.iter().find(|(named, _)| named == name).map_or(0..0, |(_, span)| span.clone());
    Diagnostic::error(super::super::parse::FILE, span, message)
}

/// Phases that a command finishes and that are not there.
fn lost(parsed: &Parsed, command: &Command) -> Vec<Diagnostic> {
    let workflow = &parsed.workflow;
    let named = command.steps.iter().filter_map(|step| step.command.finish.as_deref());
    let lost = named.filter(|name| !name.contains("{{") && workflow.phase(name).is_none());
    lost.map(|name| {
        let phases = workflow.phases.iter().map(|phase| phase.name.as_ref());
        let message = format!("command `{}` finishes `{name}`, which does not exist", command.name);
        let hint = match nearest(name, phases.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the phases are {}", listed(&phases.collect::<Vec<_>>())),
        };
        wrong(&parsed.commands, &command.name, message).hinted(hint)
    })
    .collect()
}

/// What would end a loop, given the steps of it that can be taken for ever.
fn remedy(workflow: &Workflow, around: &[&Edge<'_>]) -> String {
    let reset = around.iter().find_map(|edge| match edge.taken {
        Taken::Counted(count) => circle::reset(around, count).map(|edge| (count, edge)),
        _ => None,
    });
    if let Some((count, edge)) = reset {
        return format!(
            "the step from `{}` to `{}` resets `{count}`, so its limit is never reached",
            edge.from.name, edge.to.name
        );
    }
    let taken = |taken: Taken<'_>| around.iter().find(|edge| edge.taken == taken);
    if let Some(edge) = taken(Taken::AtLimit) {
        return format!(
            "at its limit `{}` goes back into the loop: let the limit's `then` go to `end` or to the user",
            edge.from.name
        );
    }
    if let Some(edge) = taken(Taken::Failed).or_else(|| taken(Taken::Skipped)) {
        return format!("a review `{}` that did not work or is skipped uses up no round", edge.from.name);
    }
    if let Some(edge) = around.iter().find(|edge| edge.from.count(workflow).is_some()) {
        return format!(
            "the limit of `{}` counts how often the agent's work is found unfinished: limit a step of the loop",
            edge.from.name
        );
    }
    "give a step of the loop a `round`, or a review of it a `limit`".to_owned()
}

/// Returns the phases that no step leads to. The user's can be started by the user, and a step that sets the due field
/// itself may lead to any.
fn unreached(workflow: &Workflow) -> impl Iterator<Item = &Phase> {
    let limits = workflow.limits.iter().map(|limit| &limit.then);
    let steps = workflow.phases.iter().flat_map(Phase::steps).chain(limits);
    let commands = workflow.commands.iter().flat_map(|command| command.steps.iter());
    let steps: Vec<&Step> =
        steps.chain(commands).chain(workflow.rules.iter().map(|rule| &rule.step)).collect();
    let sets_due = |step: &&Step| step.set.iter().any(|field| Some(&field.name) == workflow.run.due.as_ref());
    let is_open = steps.iter().any(sets_due);
    let targets: BTreeSet<&str> = steps.iter().filter_map(|step| step.go.as_deref()).collect();
    let is_begun_by_user = |phase: &Phase| matches!(phase.actor(), Actor::User | Actor::Nobody);
    let is_reached =
        move |phase: &Phase| is_open || is_begun_by_user(phase) || targets.contains(phase.name.as_ref());
    workflow.phases.iter().filter(move |phase| !is_reached(phase))
}

#[cfg(test)]
#[path = "routes_tests.rs"]
mod routes_tests;
