//! Which command of which workflow somebody means.

use std::path::Path;
use std::sync::Arc;

use holdpoint_core::workflow::Workflow;

use crate::allow::waiting::{self, Waiting};
use crate::catalog;
use crate::env::Env;
use crate::error::{CommandError, Kind};
use crate::project;
use crate::store::layout;
use crate::store::seal::{self, Begun};

/// Returns the workflow of that name as a command in this folder means it: the project's own, or a built-in one. None if
/// there is no such workflow.
pub fn workflow(cwd: &Path, env: &dyn Env, name: &str) -> Result<Option<Arc<Workflow>>, CommandError> {
    let found = find(cwd, env, name)?;
    Ok(found.map(|workflow| project::reviewers::chosen(cwd, env, workflow)))
}

fn find(cwd: &Path, env: &dyn Env, name: &str) -> Result<Option<Arc<Workflow>>, CommandError> {
    let base = project::allowed_base(cwd, env);
    let own = base.as_deref().map(catalog::own_folders).unwrap_or_default();
    let is_known = catalog::named(name).is_some() || own.iter().any(|(own, _)| own == name);
    if let Some(base) = base.as_deref().filter(|base| is_known && project::leaves_out(base, name)) {
        let what = format!("workflow `{name}` is not enabled in this project");
        let hint = format!("add \"{name}\" to `workflows` in {}", layout::config(base).display());
        return Err(CommandError::new(Kind::Failed, what).hinted(hint));
    }
    let is_later = || seal::changed_since(cwd, name) == Some(Begun::BuiltIn);
    if let Some((_, folder)) = own.iter().find(|(own, _)| own == name && !is_later()) {
        return project::load(cwd, name, folder).map(|workflow| Some(Arc::new(workflow))).map_err(
            |unusable| {
                CommandError::new(Kind::Failed, unusable.why).hinted(format!("see `holdpoint check {name}`"))
            },
        );
    }
    match catalog::named(name) {
        Some(built_in) => Ok(Some(Arc::new(built_in.workflow.clone()))),
        None => not_allowed(cwd, name).map_or(Ok(None), Err),
    }
}

/// Refuses a workflow of the project's own that the user has not allowed.
fn not_allowed(cwd: &Path, name: &str) -> Option<CommandError> {
    let base = project::base(cwd)?;
    let is_there = catalog::own_folders(&base).iter().any(|(own, _)| own == name);
    is_there.then(|| waiting::refusal(&[Waiting::Content { base, defect: None }]))
}
