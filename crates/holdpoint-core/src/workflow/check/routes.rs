//! Where phases and commands lead: targets that do not exist, phases that nothing leads to, loops that nothing ends.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::Workflow;
use super::super::command::Command;
use super::super::parse::Parsed;
use super::super::phase::{Actor, Phase};
use super::super::step::END;
use super::circle::{self, Edge, Taken};
use crate::diagnostic::{Diagnostic, nearest};

/// What is wrong with where a workflow's phases and commands lead.
pub(super) fn check(parsed: &Parsed) -> Vec<Diagnostic> {
    let workflow = &parsed.workflow;
    let wrong = |phase: &Phase, message: String| wrong(&parsed.phases, &phase.name, message);
    let mut problems = Vec::new();
    for phase in workflow.phases.iter() {
        let named = circle::steps(phase).filter_map(|step| step.round.as_deref());
        for round in named.filter(|round| !workflow.rounds.iter().any(|rounds| rounds.name == **round)) {
            let message = format!("phase `{}` uses a limit `{round}`, which [rounds] lacks", phase.name);
            problems.push(wrong(phase, message));
        }
        let targets = circle::steps(phase).filter_map(|step| step.go.as_deref());
        for target in targets.filter(|target| !is_target(workflow, target)) {
            let message = format!("phase `{}` goes to `{target}`, which does not exist", phase.name);
            problems.push(wrong(phase, message).hinted(meant(workflow, target)));
        }
        problems.extend(incomplete(workflow, phase).map(|message| wrong(phase, message)));
    }
    problems.extend(workflow.commands.iter().flat_map(|command| lost(parsed, command)));
    for phase in unreached(workflow) {
        problems.push(
            wrong(phase, format!("no step leads to phase `{}`", phase.name))
                .hinted("let a step `go` there, make it the user's (by = \"user\"), or delete it"),
        );
    }
    let edges = circle::edges(workflow);
    let endless = circle::endless(edges.iter().filter(|edge| !edge.lets_go));
    for phase in workflow.phases.iter().filter(|phase| endless.iter().any(|edge| edge.from == *phase)) {
        let message = format!("phase `{}` is in a loop that passes neither a limit nor the user", phase.name);
        problems.push(wrong(phase, message).hinted(remedy(&circle::around(&endless, phase))));
    }
    problems
}

/// An error at the place where a phase or a command is named.
fn wrong(places: &[(String, Range<usize>)], name: &str, message: String) -> Diagnostic {
    let span = places.iter().find(|(named, _)| named == name).map_or(0..0, |(_, span)| span.clone());
    Diagnostic::error(super::super::parse::FILE, span, message)
}

fn is_target(workflow: &Workflow, target: &str) -> bool {
    target == END || workflow.phases.iter().any(|phase| phase.name == target)
}

fn meant(workflow: &Workflow, target: &str) -> String {
    let names = workflow.phases.iter().map(|phase| phase.name.as_ref());
    format!("did you mean `{}`?", nearest(target, names).unwrap_or(END))
}

/// Where a command's steps lead that is no phase.
fn lost(parsed: &Parsed, command: &Command) -> Vec<Diagnostic> {
    let workflow = &parsed.workflow;
    let mut problems = Vec::new();
    for step in command.steps.iter() {
        let finish = step.command.finish.as_deref().filter(|name| !name.contains("{{"));
        for (does, target) in [("goes to", step.go.as_deref()), ("finishes", finish)] {
            let known = |target: &&str| match does {
                "finishes" => *target != END && is_target(workflow, target),
                _ => is_target(workflow, target),
            };
            let Some(target) = target.filter(|target| !known(target)) else { continue };
            let message = format!("command `{}` {does} `{target}`, which does not exist", command.name);
            problems.push(wrong(&parsed.commands, &command.name, message).hinted(meant(workflow, target)));
        }
    }
    problems
}

/// What would end a loop, given the steps of it that can be taken for ever.
fn remedy(around: &[&Edge<'_>]) -> String {
    let reset = around.iter().find_map(|edge| match edge.taken {
        Taken::Counted(count) => circle::reset(around, count).map(|edge| (count, edge)),
        _ => None,
    });
    if let Some((count, edge)) = reset {
        return format!(
            "the step from `{}` to `{}` starts `{count}` anew, so its limit is never reached",
            edge.from.name, edge.to.name
        );
    }
    let taken = |taken: Taken<'_>| around.iter().find(|edge| edge.taken == taken);
    if let Some(edge) = taken(Taken::AtLimit) {
        return format!(
            "at its limit `{}` goes back into the loop: let `exhausted` go to `end` or to the user",
            edge.from.name
        );
    }
    if let Some(edge) = taken(Taken::Failed).or_else(|| taken(Taken::Skipped)) {
        return format!("a review `{}` that did not work or is skipped uses up no round", edge.from.name);
    }
    if let Some(edge) = around.iter().find(|edge| edge.from.count().is_some()) {
        return format!(
            "`count` limits how often the agent's phase `{}` is found unfinished: limit a review of the loop",
            edge.from.name
        );
    }
    "give a review of the loop `rounds` with a `count` and a `limit`".to_owned()
}

/// What a phase lacks to be performed.
fn incomplete(workflow: &Workflow, phase: &Phase) -> Option<String> {
    let name = &phase.name;
    let proof = phase.report.is_some() || phase.until.is_some();
    match phase.by {
        Actor::Reviewer if phase.report.is_none() && phase.answers().next().is_none() => {
            Some(format!("the review `{name}` leaves no `report`"))
        }
        Actor::Reviewer if phase.program(&workflow.reviewers).is_none() => {
            Some(format!("phase `{name}` has no reviewer: [reviewers] lacks it"))
        }
        Actor::Check if phase.program(&workflow.reviewers).is_none() => {
            Some(format!("phase `{name}` has no check: [checks] lacks it"))
        }
        Actor::Agent if !proof => {
            Some(format!("nothing proves phase `{name}` finished: it has neither `report` nor `until`"))
        }
        Actor::Agent | Actor::Reviewer | Actor::Check | Actor::User => None,
    }
}

/// Phases that no step leads to. The user's can be started by the user.
fn unreached(workflow: &Workflow) -> impl Iterator<Item = &Phase> {
    let limits = workflow.rounds.iter().map(|rounds| &rounds.exhausted);
    let steps = workflow.phases.iter().flat_map(circle::steps).chain(limits);
    let commands = workflow.commands.iter().flat_map(|command| command.steps.iter());
    let targets: BTreeSet<&str> = steps.chain(commands).filter_map(|step| step.go.as_deref()).collect();
    workflow
        .phases
        .iter()
        .filter(move |phase| phase.by != Actor::User && !targets.contains(phase.name.as_ref()))
}

#[cfg(test)]
#[path = "routes_tests.rs"]
mod routes_tests;
