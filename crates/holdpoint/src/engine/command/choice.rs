//! Which command of which workflow somebody means.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use holdpoint_core::workflow::Workflow;

use crate::allow::Allowance;
use crate::allow::allowed_content::AllowedContent;
use crate::allow::waiting::{self, Waiting};
use crate::catalog::{self, Origin, Unusable};
use crate::env::Env;
use crate::error::{CommandError, Kind};
use crate::project;
use crate::store::layout;
use crate::store::seal::{self, Begun};

/// A workflow that was chosen by its name.
pub struct Choice {
    /// The workflow, with the reviewers that the project has chosen.
    pub workflow: Arc<Workflow>,
    /// Where it comes from.
    pub origin: Origin,
}

/// Returns the workflow of that name as a command in this folder means it: the project's own, or a built-in one. None if
/// there is no such workflow.
pub fn workflow(cwd: &Path, env: &dyn Env, name: &str) -> Result<Option<Choice>, CommandError> {
    let found = find(cwd, env, name)?;
    Ok(found.map(|(workflow, origin)| {
        let workflow = project::reviewers::chosen(cwd, env, Arc::new(workflow));
        Choice { workflow, origin }
    }))
}

fn find(cwd: &Path, env: &dyn Env, name: &str) -> Result<Option<(Workflow, Origin)>, CommandError> {
    let allowed = project::allowed_content(cwd, env);
    let own = allowed.as_ref().map(AllowedContent::workflows).unwrap_or_default();
    let is_known = catalog::named(name).is_some() || own.iter().any(|(own, _)| own == name);
    if let Some(allowed) = allowed.as_ref().filter(|allowed| is_known && project::leaves_out(allowed, name)) {
        let what = format!("workflow `{name}` is not enabled in this project");
        let hint = format!("add \"{name}\" to `workflows` in {}", layout::config(allowed.base()).display());
        return Err(CommandError::new(Kind::Failed, what).hinted(hint));
    }
    let is_later = || seal::changed_since(cwd, name) == Some(Begun::BuiltIn);
    let is_it = |(own, _): &&(String, PathBuf)| own == name && !is_later();
    if let Some((allowed, (_, folder))) = allowed.as_ref().zip(own.iter().find(is_it)) {
        let loaded = project::load(cwd, name, folder, allowed).map_err(unusable)?;
        return Ok(Some((loaded, Origin::Project(folder.clone()))));
    }
    let Some(built_in) = catalog::named(name) else {
        return not_allowed(cwd, env, name).map_or(Ok(None), Err);
    };
    if built_in.workflow.run.is_sealed && seal::is_of_own(cwd, name) {
        let gone = || unusable(project::changed(cwd, name));
        return Err(not_allowed(cwd, env, name).unwrap_or_else(gone));
    }
    Ok(Some((built_in.workflow.clone(), Origin::BuiltIn)))
}

fn unusable(unusable: Unusable) -> CommandError {
    let hint = format!("see `holdpoint check {}`", unusable.name);
    CommandError::new(Kind::Failed, unusable.why).hinted(hint)
}

/// Refuses a workflow of the project's own that the user has not allowed.
fn not_allowed(cwd: &Path, env: &dyn Env, name: &str) -> Option<CommandError> {
    let base = project::base(cwd)?;
    let is_there = catalog::own_folders(&base).iter().any(|(own, _)| own == name);
    let waiting = || Allowance::of(env).judge(&base).waiting(&base);
    is_there.then(|| waiting::refusal(&[waiting().unwrap_or_else(|| Waiting::content(base.clone()))]))
}
