//! Which command of which workflow somebody means.

use std::path::Path;
use std::sync::Arc;

use holdpoint_core::workflow::Workflow;

use crate::allow::Allowance;
use crate::allow::waiting::{self, Waiting};
use crate::catalog::{self, Origin, Unusable};
use crate::env::Env;
use crate::error::{CommandError, Kind};
use crate::layers;
use crate::project::{self, linked};
use crate::store::layout;
use crate::store::registered::Registered;
use crate::store::seal::{self, Begun};

/// A workflow that was chosen by its name.
pub struct Choice {
    /// The workflow, with the reviewers that were chosen for it.
    pub workflow: Arc<Workflow>,
    /// Where it comes from.
    pub origin: Origin,
}

/// Returns the workflow of that name as a command in this folder means it: a layer's own, or a built-in one. None if
/// there is no such workflow.
pub fn workflow(cwd: &Path, env: &dyn Env, name: &str) -> Result<Option<Choice>, CommandError> {
    let mut found = find(cwd, env, name)?;
    // A linked working tree need not have what the main one has.
    if found.is_none()
        && let Some(main) = linked::in_main(cwd)
    {
        found = find(&main, env, name)?;
    }
    Ok(found.map(|(workflow, origin)| {
        let workflow = project::reviewers::chosen(cwd, env, Arc::new(workflow));
        Choice { workflow, origin }
    }))
}

fn find(cwd: &Path, env: &dyn Env, name: &str) -> Result<Option<(Workflow, Origin)>, CommandError> {
    let configuration = layers::around(cwd, env);
    let own = configuration.own(name);
    let is_known = catalog::named(name).is_some() || own.is_some();
    if is_known && !configuration.effective.enables(name) {
        let what = format!("workflow `{name}` is not enabled in this project");
        let file = configuration.effective.listed_in().map_or(layout::CONFIG, |(_, file)| file);
        let hint = format!("add \"{name}\" to `workflows` in {file}");
        return Err(CommandError::new(Kind::Failed, what).hinted(hint));
    }
    let here = Registered::above(cwd, env);
    if let Some(own) = own.filter(|own| seal::changed_since(&here, own) != Some(Begun::BuiltIn)) {
        let loaded = project::load(cwd, own, env).map_err(unusable)?;
        return Ok(Some((loaded, own.origin())));
    }
    let Some(built_in) = catalog::named(name) else {
        let barred =
            |why: &str| CommandError::new(Kind::Failed, why.to_owned()).hinted("see `holdpoint doctor`");
        let refused = configuration.barred(name).map(barred).or_else(|| not_allowed(cwd, env, name));
        return refused.map_or(Ok(None), Err);
    };
    if built_in.workflow.run.is_sealed && seal::is_of_own(&here, name) {
        let gone = || unusable(project::changed(&here, name));
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
