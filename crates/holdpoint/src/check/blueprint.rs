//! Comparing a spec and the changed files with a project's blueprint.

use holdpoint_checks::blueprint::{self, Blueprint};
use holdpoint_core::phase::Review;
use serde_json::{Value as Json, json};

use super::{Failure, Performed, findings, read_text, sources};
use crate::project::Run;
use crate::store::tree;

/// The most documents that a blueprint can have.
const DOCUMENTS_MAX: usize = 200;

/// Judges `files` and the document `spec` by the documents below the folder `blueprint`.
pub(super) fn perform(review: &Review, run: &Run) -> Result<Performed, Failure> {
    let text = |name: &str| review.told.get(name).and_then(Json::as_str).unwrap_or_default();
    let folder = text("blueprint");
    let lacks = |why: String| Failure::Lacks(format!("the blueprint `{folder}` cannot be read: {why}"));
    let names = tree::names(&run.home.join(folder)).map_err(|error| lacks(error.to_string()))?;
    let paths: Vec<Json> = names
        .iter()
        .filter(|name| name.ends_with(".md"))
        .take(DOCUMENTS_MAX)
        .map(|name| json!(format!("{folder}/{name}")))
        .collect();
    let documents = sources(run, Some(&Json::Array(paths)))?;
    let spec = read_text(run, text("spec"))?.unwrap_or_default();
    let files = sources(run, review.told.get("files"))?;
    Ok(findings(blueprint::judge(&Blueprint::read(&documents), &spec, &files)))
}
