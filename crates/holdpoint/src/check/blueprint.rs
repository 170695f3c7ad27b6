//! Comparing a spec and the changed files with a project's blueprint.

use holdpoint_checks::blueprint::{Blueprint, Compliance, Reference, Words};
use holdpoint_core::phase::Review;
use serde_json::{Value as Json, json};

use super::{Failure, Performed, lint, read_text, sources, texts};
use crate::project::Run;
use crate::store::tree;

/// The most documents that a blueprint can have.
const DOCUMENTS_MAX: usize = 200;

/// Judges `files` and the document `spec` by the documents below the folder `blueprint`: those that the globs `domains`
/// and `money` fit, and all of them for rules. The spec's section `reference` must have the `fields`.
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
    let fields = texts(review.told.get("fields")).map(str::to_owned).collect();
    let words = Words {
        domains: text("domains").to_owned(),
        money: text("money").to_owned(),
        reference: Reference { section: text("reference").to_owned(), fields },
    };
    lint(&Compliance { blueprint: Blueprint::read(&documents, &words), spec }, review, run)
}
