//! What the rules of a workflow say to something that is taken for done: they are written about the words of a command,
//! and asked here about what commands did.

use std::sync::Arc;

use crate::facts::{FactError, Facts, Supposed};
use crate::phase::{Due, due};
use crate::workflow::Rule;
use crate::workflow::phase::Actor;

/// A rule that holds something, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The branch or the file; none where the rule holds them all.
    pub about: Option<String>,
    /// The rule's name.
    pub rule: String,
    /// The rule's code.
    pub code: Option<String>,
    /// The rule's line in the workflow file.
    pub line: u32,
}

impl Objection {
    fn of(rule: &Rule, about: Option<&String>) -> Objection {
        Objection {
            about: about.cloned(),
            rule: rule.called().to_string(),
            code: rule.code.as_ref().map(ToString::to_string),
            line: rule.line,
        }
    }
}

/// Whether a run is at work: its phase is somebody's, or it has no phases.
pub fn is_at_work(facts: &Arc<Facts>) -> Result<bool, FactError> {
    if facts.workflow.phases.is_empty() {
        return Ok(true);
    }
    Ok(matches!(due(facts)?, Due::Phase(phase) if phase.actor() != Actor::Nobody))
}

/// Those of the branches on which a commit is held now. One without a branch: a commit is held wherever it is made.
pub fn held_branches(facts: &Arc<Facts>, branches: &[String]) -> Result<Vec<Objection>, FactError> {
    let mut held = Vec::new();
    for rule in facts.workflow.run.watch.commits.iter().filter_map(|at| facts.workflow.rules.get(*at)) {
        if says_no(facts, rule, Supposed::Commits(Vec::new()))? {
            return Ok(vec![Objection::of(rule, None)]);
        }
        divide(facts, rule, branches, Supposed::Commits, &mut held)?;
    }
    Ok(held)
}

/// Those of the files whose change is held now.
pub fn held_files(facts: &Arc<Facts>, files: &[String]) -> Result<Vec<Objection>, FactError> {
    let mut held: Vec<Objection> = Vec::new();
    for rule in facts.workflow.run.watch.files.iter().filter_map(|at| facts.workflow.rules.get(*at)) {
        let is_known = |file: &&String| held.iter().any(|known| known.about.as_ref() == Some(*file));
        let open: Vec<String> = files.iter().filter(|file| !is_known(file)).cloned().collect();
        divide(facts, rule, &open, Supposed::Files, &mut held)?;
    }
    Ok(held)
}

/// Finds what a rule holds, by halves: most rules hold one or two of many.
fn divide(
    facts: &Arc<Facts>,
    rule: &Rule,
    all: &[String],
    supposed: fn(Vec<String>) -> Supposed,
    held: &mut Vec<Objection>,
) -> Result<(), FactError> {
    if all.is_empty() || !says_no(facts, rule, supposed(all.to_vec()))? {
        return Ok(());
    }
    if let [one] = all {
        held.push(Objection::of(rule, Some(one)));
        return Ok(());
    }
    let (one, other) = all.split_at(all.len() / 2);
    divide(facts, rule, one, supposed, held)?;
    divide(facts, rule, other, supposed, held)
}

/// What the rules that look at a shell call say to a push to these branches, in their own words.
pub fn held_pushes(facts: &Arc<Facts>, branches: &[String]) -> crate::effects::Effects {
    crate::decide::decide(&facts.supposing(Supposed::Pushes(branches.to_vec())), None)
}

fn says_no(facts: &Arc<Facts>, rule: &Rule, supposed: Supposed) -> Result<bool, FactError> {
    let Some(when) = &rule.step.when else { return Ok(true) };
    facts.supposing(supposed).is_true(when)
}

#[cfg(test)]
#[path = "supposition_tests.rs"]
mod supposition_tests;
