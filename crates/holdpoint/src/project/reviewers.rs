//! `[reviewers.WORKFLOW]` of the settings: which of a workflow's reviewers is asked instead of another one.

use std::path::Path;
use std::sync::Arc;

use holdpoint_core::diagnostic::nearest;
use holdpoint_core::settings::Instead;
use holdpoint_core::workflow::Workflow;

use super::Found;
use crate::env::Env;
use crate::layers;
use crate::store::layout;

/// Has the reviews of the runs done as was chosen. A name that no reviewer has is reported as a problem.
pub(super) fn apply_to(found: &mut Found, choices: &[Instead]) {
    for run in &mut found.runs {
        found.problems.extend(apply(choices, &mut run.workflow));
    }
}

fn apply(choices: &[Instead], workflow: &mut Arc<Workflow>) -> Vec<String> {
    let mut problems = Vec::new();
    let name = workflow.name.clone();
    for Instead { reviewer, instead, .. } in choices.iter().filter(|one| name == one.workflow) {
        let unknown = [reviewer, instead].into_iter().find_map(|name| unknown(workflow, name));
        match unknown {
            Some(problem) => problems.push(problem),
            None => Arc::make_mut(workflow)
                .phases
                .to_mut()
                .iter_mut()
                .for_each(|phase| phase.review_with(reviewer, instead)),
        }
    }
    problems
}

fn unknown(workflow: &Workflow, name: &str) -> Option<String> {
    let names: Vec<&str> = workflow.reviewers.iter().map(|reviewer| reviewer.name.as_ref()).collect();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", names.join(", ")),
    };
    (!names.contains(&name)).then(|| {
        format!("{} names a reviewer `{name}` that `{}` does not have; {hint}", layout::CONFIG, workflow.name)
    })
}

/// Returns a workflow with the reviewers that were chosen for it around a folder, as far as the user has allowed it.
pub fn chosen(start: &Path, env: &dyn Env, mut workflow: Arc<Workflow>) -> Arc<Workflow> {
    // What is wrong with a choice is said where runs are looked for.
    let _ = apply(&layers::around(start, env).effective.reviewers, &mut workflow);
    workflow
}
