//! Marks: what the engine notes of the files in a sealed run's state, to compare them with later. `phase.tree`,
//! `phase.changed` and `phase.breaches` go by the tree when the due phase was entered; `began`, `changed` and `landed` by
//! the tree and the commit at which the current item, or the run, began; `breaches` by all of them.

use std::sync::Arc;

use minijinja::value::Value;
use serde_json::{Value as Json, json};

use super::{FactError, Facts, With};
use crate::document::outline;
use crate::effects::Set;
use crate::protection;
use crate::workflow::step::Step;
use crate::workflow::{Bound, Text};
use crate::world::Answer;

/// The state's field that has them, and the item's.
pub const FIELD: &str = "marks";

/// The attributes of `phase` that go by them.
pub(crate) const OF_PHASE: [&str; 3] = ["phase.tree", "phase.changed", "phase.breaches"];
/// The nouns that do.
pub(crate) const NOUNS: [&str; 5] = ["began", "breaches", "changed", "landed", "nonce"];

impl Facts {
    /// A mark of the run; null if there is none.
    pub(crate) fn mark(self: &Arc<Self>, name: &str) -> Result<Json, FactError> {
        let marks = self.field(FIELD)?;
        json_of(&marks).map(|marks| marks.get(name).cloned().unwrap_or_default())
    }

    /// Where the current item began, or the run where there is none: `tree`, `head`, and `landed` after a commit.
    fn beginning(self: &Arc<Self>) -> Result<Json, FactError> {
        match self.item_field(FIELD)? {
            Some(field) => json_of(&self.field(&field)?),
            None if self.workflow.run.item.is_some() => Ok(Json::Null),
            None => self.mark("began"),
        }
    }

    /// Whether there is something that began: a current item, or a run that has no items.
    fn is_at_hand(self: &Arc<Self>) -> Result<bool, FactError> {
        Ok(self.workflow.run.item.is_none() || self.item_field(FIELD)?.is_some())
    }

    /// What entering a phase notes.
    pub(crate) fn entering(self: &Arc<Self>) -> Result<Vec<Set>, FactError> {
        let notes = self.workflow.run.notes;
        let mut sets = Vec::new();
        if notes.phases {
            sets.push(marked("phase", json!(self.tree()?)));
        }
        if notes.beginnings && self.is_at_hand()? && self.beginning()?.is_null() {
            sets.push(self.begun(json!({ "tree": self.tree()?, "head": self.head_id()? }))?);
        }
        if notes.settings && self.mark("settings")?.is_null() {
            sets.push(marked("settings", json!(self.settings()?)));
        }
        Ok(sets)
    }

    /// What a commit that the engine made, or found as it must be, notes: the item goes on from there.
    pub(crate) fn committed(self: &Arc<Self>) -> Result<Option<Set>, FactError> {
        if !self.workflow.run.notes.beginnings {
            return Ok(None);
        }
        let mut began = self.beginning()?;
        if !began.is_object() {
            return Ok(None);
        }
        (began["head"], began["landed"]) = (json!(self.head_id()?), json!(self.tree()?));
        self.begun(began).map(Some)
    }

    fn begun(self: &Arc<Self>, began: Json) -> Result<Set, FactError> {
        match self.item_field(FIELD)? {
            Some(field) => self.set(&field, began),
            None => Ok(marked("began", began)),
        }
    }

    /// How many tests a check has seen so far.
    pub(crate) fn tests_before(self: &Arc<Self>, check: &str) -> Result<u64, FactError> {
        Ok(self.mark("tests")?[check].as_u64().unwrap_or(0))
    }

    /// That a check ran so many tests; the most that it ever ran is noted.
    pub(crate) fn tests_ran(self: &Arc<Self>, check: &str, count: u64) -> Result<Set, FactError> {
        let most = self.tests_before(check)?.max(count);
        let path = [FIELD, "tests", check].map(str::to_owned).to_vec();
        Ok(Set { path, value: json!(most) })
    }

    /// What a step's `freeze` and `accept` note.
    pub(crate) fn frozen_by(self: &Arc<Self>, step: &Step, context: &Value) -> Result<Vec<Set>, FactError> {
        let mut sets = Vec::new();
        for path in step.freeze.iter() {
            let path = self.render(path, context.clone())?;
            sets.push(self.frozen(&path)?);
        }
        if step.accept {
            for path in self.mark("frozen")?.as_object().into_iter().flat_map(serde_json::Map::keys) {
                sets.push(self.frozen(path)?);
            }
            sets.extend([marked("settings", json!(self.settings()?)), marked("tests", json!({}))]);
            let has_moved = self.moved_head()?.is_some();
            sets.extend(self.based_anew()?);
            for path in self.overlaid(&sets).taken_over(has_moved)? {
                sets.push(self.frozen(&path)?);
            }
        }
        Ok(sets)
    }

    /// Takes the last commit for the one that the item began at, where it is another: what is in it is nobody's change.
    pub(crate) fn based_anew(self: &Arc<Self>) -> Result<Option<Set>, FactError> {
        if !self.workflow.run.notes.beginnings || self.moved_head()?.is_none() {
            return Ok(None);
        }
        let Some(head) = self.last_commit()? else { return Ok(None) };
        let Some(tree) = self.tree_of(&head)? else { return Ok(None) };
        let mut began = self.beginning()?;
        if !began["landed"].is_null() {
            began["landed"] = json!(tree);
        }
        (began["tree"], began["head"]) = (json!(tree), json!(head.id));
        self.begun(began).map(Some)
    }

    /// The files out of bounds that are the user's: those that were changed in the user's own turn; in another's, all of them,
    /// unless it is a commit that the user speaks of. They belong where they are from then on, and are nobody's to change.
    fn taken_over(self: &Arc<Self>, is_about_commit: bool) -> Result<Vec<String>, FactError> {
        let notes = self.workflow.run.notes;
        if !notes.beginnings || !notes.phases || !self.is_at_hand()? {
            return Ok(Vec::new());
        }
        let is_users =
            matches!(crate::phase::due(self)?, crate::phase::Due::Phase(phase) if phase.actor().rests());
        let is_unknown = is_users && self.entered()?.is_none();
        if is_unknown || (is_about_commit && !is_users) {
            return Ok(Vec::new());
        }
        let mut files = self.out_of_bounds(&self.frozen_but_changed()?)?;
        if is_users {
            let changed = self.changed_in_phase()?;
            files.retain(|path| changed.contains(path));
        }
        Ok(files)
    }

    fn frozen(self: &Arc<Self>, path: &str) -> Result<Set, FactError> {
        let path_in_state = [FIELD, "frozen", path].map(str::to_owned).to_vec();
        Ok(Set { path: path_in_state, value: json!(self.content(path)?) })
    }

    /// `began`: `.tree`, `.head`.
    pub(super) fn began(self: &Arc<Self>) -> Result<Value, FactError> {
        Ok(Value::from(minijinja::value::Serde(self.beginning()?)))
    }

    /// `phase.tree`: the tree when the due phase was entered; none where it is not known.
    pub(super) fn entered(self: &Arc<Self>) -> Result<Option<String>, FactError> {
        Ok(self.mark("phase")?.as_str().map(str::to_owned))
    }

    /// `phase.changed`: the files that differ since the due phase was entered.
    pub(super) fn changed_in_phase(self: &Arc<Self>) -> Result<Vec<String>, FactError> {
        let missing =
            || FactError::Missing("what the files were when the phase began is not recorded".into());
        self.since_mark(&self.entered()?.ok_or_else(missing)?)
    }

    /// The files that differ from a tree that was noted: where there is no repository any more, nobody can tell.
    fn since_mark(self: &Arc<Self>, tree: &str) -> Result<Vec<String>, FactError> {
        let missing = || FactError::Missing("there is no repository to compare the files with".into());
        self.differing(tree)?.ok_or_else(missing)
    }

    /// `changed`: the files that differ from where the item began, or from its last commit.
    pub(super) fn changed(self: &Arc<Self>) -> Result<Vec<String>, FactError> {
        let began = self.beginning()?;
        if began["tree"].is_null() && self.is_at_hand()? {
            return Err(FactError::Missing("where the work began is not recorded".into()));
        }
        let mut changed = Vec::new();
        for tree in ["tree", "landed"].iter().filter_map(|name| began[*name].as_str()) {
            changed.extend(self.since_mark(tree)?);
        }
        changed.sort();
        changed.dedup();
        Ok(changed)
    }

    /// `landed`: what changed is in one new commit, and nothing else is.
    pub(super) fn has_landed(self: &Arc<Self>) -> Result<bool, FactError> {
        let Some(head) = self.last_commit()? else { return Ok(false) };
        let began = self.beginning()?;
        if head.parents != 1 || head.parent.as_deref() != began["head"].as_str() {
            return Ok(false);
        }
        let aside = self.workflow.run.aside();
        let is_aside = |path: &str| aside.iter().any(|glob| fast_glob::glob_match(glob, path));
        let changed = self.changed()?;
        if head.paths.iter().any(|path| !changed.contains(path) && !is_aside(path)) {
            return Ok(false);
        }
        let Some(tree) = self.tree_of(&head)? else { return Ok(false) };
        Ok(!self.since(&tree)?.iter().any(|path| changed.contains(path)))
    }

    /// `breaches`: what is not as the permits, frozen files, commits and settings must be; undefined if all is.
    pub(super) fn breaches(self: &Arc<Self>) -> Result<Value, FactError> {
        let frozen = self.frozen_but_changed()?;
        let kinds = [
            ("files", list(self.out_of_bounds(&frozen)?)),
            ("frozen", list(frozen)),
            ("head", self.moved_head()?.map(Value::from)),
            ("settings", self.has_other_settings()?.then(|| Value::from(true))),
        ];
        let found: Vec<(&str, Value)> =
            kinds.into_iter().filter_map(|(name, what)| what.map(|what| (name, what))).collect();
        Ok(if found.is_empty() { Value::UNDEFINED } else { Value::from_pairs(found) })
    }

    /// The files of the item, or the run, that were changed although the default permit does not allow it. A frozen file
    /// that is still what it was is where it belongs.
    fn out_of_bounds(self: &Arc<Self>, spoilt: &[String]) -> Result<Vec<String>, FactError> {
        let frozen = self.mark("frozen")?;
        let belongs = |path: &String| frozen.get(path).is_some() && !spoilt.contains(path);
        let bounds = self.workflow.bounds.iter().filter(|bound| bound.is_default);
        let mut out = self.offending(bounds, &self.changed()?)?;
        out.retain(|path| !belongs(path));
        Ok(out)
    }

    /// `phase.breaches`: the files that were changed since the due phase was entered although it does not permit that.
    pub(super) fn breaches_in_phase(self: &Arc<Self>, phase: &str) -> Result<Vec<String>, FactError> {
        let bounds = self.workflow.bounds.iter();
        let bounds = bounds.filter(|bound| bound.phases.iter().any(|of| of == phase));
        self.offending(bounds, &self.changed_in_phase()?)
    }

    /// All files that were changed although the due phase, or the default permit, does not let them be.
    pub fn breached(self: &Arc<Self>) -> Result<Vec<String>, FactError> {
        let notes = self.workflow.run.notes;
        let mut files = Vec::new();
        if notes.phases
            && let crate::phase::Due::Phase(phase) = crate::phase::due(self)?
        {
            files.extend(self.breaches_in_phase(&phase.name)?);
        }
        if notes.beginnings && self.is_at_hand()? {
            let frozen = self.frozen_but_changed()?;
            files.extend(self.out_of_bounds(&frozen)?);
            files.extend(frozen);
        }
        Ok(files)
    }

    fn offending<'b>(
        self: &Arc<Self>,
        bounds: impl Iterator<Item = &'b Bound>,
        files: &[String],
    ) -> Result<Vec<String>, FactError> {
        let mut offending = Vec::new();
        for bound in bounds.filter(|_| !files.is_empty()) {
            let names = vec![("files", Value::from(files.to_vec()))];
            let context = Value::from_object(With { facts: Arc::clone(self), names });
            let found = self.evaluate(&bound.offends, context)?;
            offending.extend(super::nouns::texts_in(&found));
        }
        offending.sort();
        offending.dedup();
        Ok(offending)
    }

    /// The frozen files that are not what they were.
    fn frozen_but_changed(self: &Arc<Self>) -> Result<Vec<String>, FactError> {
        let mut changed = Vec::new();
        for (path, digest) in self.mark("frozen")?.as_object().into_iter().flatten() {
            if digest.as_str() != Some(&self.content(path)?) {
                changed.push(path.clone());
            }
        }
        Ok(changed)
    }

    /// The last commit, if it is not the one that the engine knows of.
    fn moved_head(self: &Arc<Self>) -> Result<Option<String>, FactError> {
        let began = self.beginning()?;
        let Some(known) = began["head"].as_str() else { return Ok(None) };
        Ok(Some(self.head_id()?.unwrap_or_else(|| "no commit".to_owned())).filter(|head| head != known))
    }

    fn has_other_settings(self: &Arc<Self>) -> Result<bool, FactError> {
        let known = self.mark("settings")?;
        match known.as_str() {
            Some(known) => Ok(known != self.settings()?),
            None => Ok(false),
        }
    }

    /// A digest of the settings that call the hooks, and of what says which workflow is enabled.
    fn settings(&self) -> Result<String, FactError> {
        match self.world.digest(&protection::settings(&self.workflow.name)) {
            Answer::Is(digest) => Ok(digest),
            Answer::None => Ok(String::new()),
            Answer::Fault(why) => Err(FactError::world("the agents' settings cannot be read", why)),
        }
    }

    fn head_id(self: &Arc<Self>) -> Result<Option<String>, FactError> {
        Ok(self.last_commit()?.map(|head| head.id))
    }

    /// A digest of a file without what the engine itself writes into it: the run's record and its mirrors.
    fn content(self: &Arc<Self>, path: &str) -> Result<String, FactError> {
        let bytes = match self.world.read(path) {
            Answer::Is(bytes) => bytes,
            Answer::None => return Ok(String::new()),
            Answer::Fault(why) => return Err(FactError::world(format!("`{path}` cannot be read"), why)),
        };
        Ok(match self.without_ours(path, &bytes)? {
            Some(text) => crate::digest::sha256(text.as_bytes()),
            None => crate::digest::sha256(&bytes),
        })
    }

    /// A document without what the engine writes into it; none if it writes nothing there.
    fn without_ours(self: &Arc<Self>, path: &str, bytes: &[u8]) -> Result<Option<String>, FactError> {
        let run = &self.workflow.run;
        let is_it = |file: &Text| Ok::<bool, FactError>(self.render(file, self.context())? == path);
        let mut left = None;
        let text = || String::from_utf8_lossy(bytes).into_owned();
        if let Some(record) = &run.record
            && is_it(&record.file)?
        {
            left = Some(outline::without_first(&text(), &record.under));
        }
        for mirror in run.mirrors.iter() {
            if is_it(&mirror.file)? {
                let find = crate::filters::pattern(&self.render(&mirror.find, self.context())?)?;
                let document = left.get_or_insert_with(text);
                let word = find.captures(document).and_then(|found| found.get(1)).map(|word| word.range());
                if let Some(word) = word {
                    document.replace_range(word, "");
                }
            }
        }
        Ok(left)
    }
}

/// A mark of the run to set.
pub(crate) fn marked(name: &str, value: Json) -> Set {
    Set { path: vec![FIELD.to_owned(), name.to_owned()], value }
}

fn list(paths: Vec<String>) -> Option<Value> {
    (!paths.is_empty()).then(|| Value::from(paths))
}

fn json_of(value: &Value) -> Result<Json, FactError> {
    serde_json::to_value(value).map_err(|error| FactError::malformed("the marks have no JSON form", error))
}

#[cfg(test)]
#[path = "marks_tests.rs"]
mod marks_tests;
