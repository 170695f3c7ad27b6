//! Comparing a spec and the changed files with a project's blueprint.

use holdpoint_checks::blueprint::{Blueprint, Compliance, Words};

use super::{Failure, Performed, lint, read_text, sources};
use crate::project::Run;
use crate::store::tree;

/// The most documents that a blueprint can have.
const DOCUMENTS_MAX: usize = 200;

/// Judges `files` and the document `spec` by the documents below `folder`.
pub(super) fn perform(
    folder: &str,
    files: &[String],
    spec: &str,
    words: &Words,
    run: &Run,
) -> Result<Performed, Failure> {
    let lacks = |why: String| Failure::Lacks(format!("the blueprint `{folder}` cannot be read: {why}"));
    let names = tree::names(&run.home.join(folder)).map_err(|error| lacks(error.to_string()))?;
    let paths: Vec<String> = names
        .iter()
        .filter(|name| name.ends_with(".md"))
        .take(DOCUMENTS_MAX)
        .map(|name| format!("{folder}/{name}"))
        .collect();
    let documents = sources(&run.home, &paths)?;
    let text = read_text(run, spec)?.unwrap_or_default();
    let blueprint = Blueprint::read(&documents, words);
    lint(&Compliance { blueprint, spec: text, path: spec.to_owned() }, files, &run.home)
}
