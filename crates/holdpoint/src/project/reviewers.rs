//! `[reviewers.WORKFLOW]` of `holdpoint.toml`: which of a workflow's reviewers is asked instead of another one.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use holdpoint_core::diagnostic::nearest;
use holdpoint_core::workflow::Workflow;
use serde::Deserialize;

use super::Found;
use crate::env::Env;
use crate::store::layout;

/// The table's contents: for each workflow, a reviewer and the one that is asked instead.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Choices(BTreeMap<String, BTreeMap<String, String>>);

impl Choices {
    /// Has the reviews of the runs done as was chosen. A name that no reviewer has is reported as a problem.
    pub(super) fn apply_to(&self, found: &mut Found) {
        for run in &mut found.runs {
            found.problems.extend(self.apply(&mut run.workflow));
        }
    }

    fn apply(&self, workflow: &mut Arc<Workflow>) -> Vec<String> {
        let mut problems = Vec::new();
        for (reviewer, instead) in self.0.get(workflow.name.as_ref()).into_iter().flatten() {
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

/// Returns a workflow with the reviewers that were chosen for it in the project around a folder, if the user has allowed
/// that choice.
pub fn chosen(start: &Path, env: &dyn Env, mut workflow: Arc<Workflow>) -> Arc<Workflow> {
    let config =
        super::allowed_content(start, env).and_then(|content| super::config(&content, &mut Vec::new()));
    // What is wrong with a choice is said where runs are looked for.
    let _ = config.map(|config| config.reviewers.apply(&mut workflow));
    workflow
}
