//! Limits that let nothing happen.

use super::super::limit::Most;
use super::super::parse::{FILE, Parsed};
use super::super::phase::Phase;
use crate::diagnostic::Diagnostic;

/// Limits of no rounds at all that a step uses up: such a step is never taken.
pub(super) fn check(parsed: &Parsed) -> Vec<Diagnostic> {
    let workflow = &parsed.workflow;
    let used = |name: &str| {
        let mut steps = workflow.phases.iter().flat_map(Phase::steps);
        steps.any(|step| step.round.as_deref() == Some(name))
    };
    let none = workflow.limits.iter().filter(|limit| {
        limit.most.starts_with('-') || limit.most_in(&workflow.fields) == Most::Number(0) && used(&limit.name)
    });
    none.map(|limit| {
        let span =
            parsed.limits.iter().find(|(name, _)| *name == *limit.name).map_or(0..0, |(_, at)| at.clone());
        let message = format!("limit `{}` is {}: a step with it is never taken", limit.name, limit.most);
        Diagnostic::error(FILE, span, message).hinted("let it be at least 1")
    })
    .collect()
}
