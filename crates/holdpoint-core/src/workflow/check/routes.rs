//! Where phases lead: targets that do not exist, phases that nothing leads to, and loops that nothing ends.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::Workflow;
use super::super::phase::{Actor, END, Phase, Step};
use crate::diagnostic::{Diagnostic, nearest};

/// What is wrong with a workflow's phases; `spans` says where each is named.
pub(super) fn check(workflow: &Workflow, spans: &[(String, Range<usize>)]) -> Vec<Diagnostic> {
    let span =
        |name: &str| spans.iter().find(|(phase, _)| phase == name).map_or(0..0, |(_, span)| span.clone());
    let wrong = |phase: &Phase, message: String| {
        Diagnostic::error(super::super::parse::FILE, span(&phase.name), message)
    };
    let mut problems = Vec::new();
    for phase in workflow.phases.iter() {
        for target in unknown_targets(workflow, phase) {
            let names = workflow.phases.iter().map(|phase| phase.name.as_ref());
            let near = nearest(target, names).map_or(END, |near| near);
            problems.push(
                wrong(phase, format!("phase `{}` goes to `{target}`, which does not exist", phase.name))
                    .hinted(format!("did you mean `{near}`?")),
            );
        }
        problems.extend(incomplete(workflow, phase).map(|message| wrong(phase, message)));
    }
    for phase in unreached(workflow) {
        problems.push(
            wrong(phase, format!("no step leads to phase `{}`", phase.name))
                .hinted("let a step `go` there, make it the user's (by = \"user\"), or delete it"),
        );
    }
    for phase in endless(workflow) {
        problems.push(
            wrong(
                phase,
                format!("phase `{}` is in a loop that passes neither a limit nor the user", phase.name),
            )
            .hinted("give a phase of the loop `rounds` with a `count` and a `limit`"),
        );
    }
    problems
}

/// Every step of a phase, the one at its limit included.
fn steps(phase: &Phase) -> impl Iterator<Item = &Step> {
    let exhausted = phase.rounds.iter().map(|rounds| &rounds.exhausted);
    phase.routes.iter().flat_map(|route| route.steps.iter()).chain(exhausted)
}

fn unknown_targets<'a>(workflow: &'a Workflow, phase: &'a Phase) -> impl Iterator<Item = &'a str> {
    let known = |target: &&str| *target == END || workflow.phases.iter().any(|phase| phase.name == *target);
    steps(phase).filter_map(|step| step.go.as_deref()).filter(move |target| !known(target))
}

/// What a phase lacks to be performed.
fn incomplete(workflow: &Workflow, phase: &Phase) -> Option<String> {
    let name = &phase.name;
    let proof = phase.report.is_some() || phase.until.is_some();
    match phase.by {
        Actor::Reviewer if phase.report.is_none() => Some(format!("the review `{name}` leaves no `report`")),
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
    let of_commands =
        workflow.commands.iter().flat_map(|command| command.steps.iter()).map(|step| &step.step);
    let targets: BTreeSet<&str> = workflow
        .phases
        .iter()
        .flat_map(steps)
        .chain(of_commands)
        .filter_map(|step| step.go.as_deref())
        .collect();
    workflow
        .phases
        .iter()
        .filter(move |phase| phase.by != Actor::User && !targets.contains(phase.name.as_ref()))
}

/// Phases from which one comes back to them without passing a limit or the user.
///
/// A limit that is reset on the way (`afresh`) is none.
fn endless(workflow: &Workflow) -> Vec<&Phase> {
    let edges: BTreeMap<&str, Vec<&str>> = workflow
        .phases
        .iter()
        .filter(|phase| phase.by != Actor::User)
        .map(|phase| (phase.name.as_ref(), targets(phase)))
        .collect();
    let limited: BTreeSet<&str> = workflow
        .phases
        .iter()
        .filter(|phase| phase.rounds.as_ref().is_some_and(|rounds| rounds.count.is_some()))
        .map(|phase| phase.name.as_ref())
        .filter(|name| !is_reset_on_the_way(workflow, &edges, name))
        .collect();
    let free: BTreeMap<&str, Vec<&str>> = edges
        .iter()
        .filter(|(name, _)| !limited.contains(*name))
        .map(|(name, to)| (*name, to.iter().copied().filter(|to| !limited.contains(to)).collect()))
        .collect();
    workflow.phases.iter().filter(|phase| leads_to(&free, &phase.name, &phase.name)).collect()
}

fn targets(phase: &Phase) -> Vec<&str> {
    let unlimited = phase.routes.iter().flat_map(|route| route.steps.iter());
    unlimited.filter_map(|step| step.go.as_deref()).collect()
}

fn is_reset_on_the_way(workflow: &Workflow, edges: &BTreeMap<&str, Vec<&str>>, name: &str) -> bool {
    let resets = |phase: &Phase| steps(phase).any(|step| step.afresh && step.go.as_deref() == Some(name));
    let on_the_way = |phase: &&Phase| phase.name == name || leads_to(edges, name, &phase.name);
    workflow.phases.iter().filter(|phase| phase.by != Actor::User).filter(on_the_way).any(resets)
}

/// Whether one can get from `start` to `goal` in at least one step.
fn leads_to(edges: &BTreeMap<&str, Vec<&str>>, start: &str, goal: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = edges.get(start).cloned().unwrap_or_default();
    while let Some(here) = open.pop() {
        if here == goal {
            return true;
        }
        if seen.insert(here) {
            open.extend(edges.get(here).into_iter().flatten());
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::workflow::parse::parse;

    const HEAD: &str = "about = \"\"\n[run]\nhome = \".x\"\nstate = \"s.json\"\ndue = \"next\"\n[reviewers.r]\ncommand = [\"x\"]\n";

    fn complaints(phases: &str) -> Vec<String> {
        let source = format!("{HEAD}{phases}");
        let parsed = parse("x", &source, &|_| None);
        super::super::check(&parsed, &[]).into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn a_bounded_loop_is_in_order() {
        let found = complaints(
            "[phases.a]\nby=\"reviewer\"\nreport=\"r\"\nrounds={count=\"n\",limit=3}\nissues={go=\"b\"}\n[phases.b]\nby=\"agent\"\nreport=\"p\"\nthen={go=\"a\"}\n",
        );
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn a_loop_without_a_limit_is_refused() {
        let found = complaints(
            "[phases.a]\nby=\"reviewer\"\nreport=\"r\"\nissues={go=\"b\"}\n[phases.b]\nby=\"agent\"\nreport=\"p\"\nthen={go=\"a\"}\n",
        );
        assert!(found.iter().any(|m| m.contains("phase `a` is in a loop that passes neither")), "{found:?}");
    }

    #[test]
    fn a_limit_that_is_reset_on_the_way_is_none() {
        let found = complaints(
            "[phases.a]\nby=\"reviewer\"\nreport=\"r\"\nrounds={count=\"n\",limit=3}\nissues={go=\"b\"}\n[phases.b]\nby=\"agent\"\nreport=\"p\"\nthen={go=\"a\",afresh=true}\n",
        );
        assert!(found.iter().any(|m| m.contains("in a loop")), "{found:?}");
    }

    #[test]
    fn a_loop_through_the_user_is_in_order() {
        let found = complaints(
            "[phases.a]\nby=\"agent\"\nreport=\"r\"\nthen={go=\"u\"}\n[phases.u]\nby=\"user\"\nthen={go=\"a\"}\n",
        );
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn what_leads_nowhere_or_lacks_something_is_told() {
        let found = complaints(
            "[phases.a]\nby=\"reviewer\"\nreviewer=\"nobody\"\nreport=\"r\"\nissues={go=\"bb\"}\n[phases.b]\nby=\"agent\"\n[phases.c]\nby=\"reviewer\"\nissues={go=\"end\"}\n",
        );
        for part in [
            "phase `a` goes to `bb`, which does not exist",
            "phase `a` has no reviewer",
            "nothing proves phase `b` finished",
            "the review `c` leaves no `report`",
            "no step leads to phase `a`",
        ] {
            assert!(found.iter().any(|message| message.contains(part)), "{part}: {found:?}");
        }
    }
}
