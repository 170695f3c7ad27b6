//! Finds errors in the settings of each layer.

use holdpoint_core::diagnostic::{Diagnostic, nearest};
use holdpoint_core::settings::{Layer, Placed};

use crate::cli::Context;
use crate::error::{CommandError, Kind};
use crate::layers::{Layers, Source};
use crate::project;
use crate::store::layout;

/// A file of settings that was checked.
pub(super) struct Checked {
    /// Its path.
    pub(super) place: String,
    /// What it is called if nothing is wrong.
    pub(super) shown: String,
    /// Its text.
    pub(super) source: String,
    /// What is wrong, in the order of the text.
    pub(super) problems: Vec<Diagnostic>,
}

/// Checks the settings of all layers, the project's even if the user has not allowed them. `workflows` are the names of
/// the existing workflows.
pub(super) fn check(context: &Context, workflows: &[&str]) -> Result<Vec<Checked>, CommandError> {
    let base = project::base(&context.cwd);
    let (sources, refused) = Layers::of(context.env.as_ref()).sources(base.as_deref().map(Source::project));
    let mut all = Vec::new();
    for source in sources {
        if let Some(defect) = source.defect {
            return Err(CommandError::new(Kind::Files, defect));
        }
        let mut problems: Vec<Diagnostic> = source.problems().cloned().collect();
        problems.extend(refused.iter().filter(|problem| problem.file == source.name).cloned());
        problems.extend(unknown(&source, workflows));
        problems.sort_by_key(|problem| problem.span.start);
        // The project's is at hand; those of the other layers are not.
        let shown = if source.layer == Layer::Project { layout::CONFIG } else { &source.name }.to_owned();
        if let Some(text) = source.text {
            all.push(Checked { place: source.name, shown, source: text, problems });
        }
    }
    Ok(all)
}

/// Reports names that no workflow has.
fn unknown(source: &Source, workflows: &[&str]) -> Vec<Diagnostic> {
    let unknown = source.named().iter().filter(|name| !workflows.contains(&name.value.as_str()));
    let problem = |name: &Placed<String>| {
        let what = format!("unknown workflow `{}`", name.value);
        Diagnostic::error(&source.name, name.span.clone(), what).hinted(suggestion(&name.value, workflows))
    };
    unknown.map(problem).collect()
}

fn suggestion(name: &str, names: &[&str]) -> String {
    match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("available: {}", names.join(", ")),
    }
}
