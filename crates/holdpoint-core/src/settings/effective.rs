//! What counts when several layers say something.
//!
//! Invariant: what a layer locks, requires or switches off stays so, whatever the layers below it say.

use super::lock::{BENCH, Lock, PASS, WORKFLOWS, WRITES};
use super::{BenchChoice, Instead, Layer, Placed, Settings};
use crate::diagnostic::Diagnostic;
use crate::workflow::bench::{Bench, Make};
use crate::workflow::grants::Grants;
use crate::workflow::{List, Text};

/// The settings of one layer.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// The layer.
    pub layer: Layer,
    /// What messages call its file.
    pub file: &'a str,
    /// What it says.
    pub settings: &'a Settings,
}

/// The settings that count.
#[derive(Clone, Debug, Default)]
pub struct Effective {
    workflows: Option<Ruled<Vec<String>>>,
    require: Vec<Ruled<String>>,
    locks: Vec<Ruled<Lock>>,
    /// Who says that no layer below has workflows of its own.
    closed: Option<Ruled<()>>,
    /// What programs of checks and reviewers get.
    pub programs: Grants,
    /// Where checks and reviews are performed.
    pub bench: BenchChoice,
    /// Other reviewers than a workflow names, each once.
    pub reviewers: Vec<Instead>,
}

/// Something that a layer says for all layers below it.
#[derive(Clone, Debug)]
struct Ruled<T> {
    layer: Layer,
    file: String,
    what: T,
}

/// Why a layer's own workflow is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// The layer that says so.
    pub by: Layer,
    /// Where it does.
    pub file: String,
    /// What it says there.
    pub key: String,
}

impl Effective {
    /// Puts the layers together, the organisation's first. What a layer says against one above it is not used, and is
    /// reported at its place in the layer's file.
    pub fn of(layers: &[Said<'_>]) -> (Effective, Vec<Diagnostic>) {
        let (mut effective, mut problems) = (Effective::default(), Vec::new());
        for said in layers {
            effective.add(*said, &mut problems);
        }
        (effective, problems)
    }

    fn add(&mut self, said: Said<'_>, problems: &mut Vec<Diagnostic>) {
        let Said { settings, .. } = said;
        let mut is_free = |key: &str, span: &std::ops::Range<usize>| {
            let refused = self.refused(said, key, span);
            let is_free = refused.is_none();
            problems.extend(refused);
            is_free
        };
        let workflows = settings.workflows.as_ref().filter(|list| is_free(WORKFLOWS, &list.span));
        // To require a workflow is to enable it.
        let require: Vec<_> = settings.require.iter().filter(|name| is_free(WORKFLOWS, &name.span)).collect();
        let pass = settings.pass.as_ref().filter(|list| is_free(PASS, &list.span));
        let writes = settings.writes.as_ref().filter(|list| is_free(WRITES, &list.span));
        let bench = settings.bench.as_ref().filter(|bench| is_free(BENCH, &bench.span));
        let reviewers: Vec<_> =
            settings.reviewers.iter().filter(|one| is_free(&key(&one.value), &one.span)).collect();
        problems.extend(self.reopened(said));
        if let Some(list) = workflows {
            problems.extend(self.left_out(said, list));
            self.workflows = Some(rule(said, list.value.iter().map(|name| name.value.clone()).collect()));
        }
        self.programs = self.programs.and(&Grants { pass: texts(pass), writes: texts(writes) });
        if let Some(bench) = bench {
            self.bench = self.bench.and(&bench.value);
        }
        for Placed { value: choice, .. } in reviewers {
            self.reviewers.retain(|known| key(known) != key(choice));
            self.reviewers.push(choice.clone());
        }
        let ruled = |what: &Placed<String>| rule(said, what.value.clone());
        self.require.extend(require.into_iter().map(ruled));
        self.locks.extend(settings.lock.iter().map(|lock| rule(said, lock.value.clone())));
        if settings.own_workflows.as_ref().is_some_and(|own| !own.value) && self.closed.is_none() {
            self.closed = Some(rule(said, ()));
        }
    }

    /// Reports a key that a layer above has locked.
    fn refused(&self, said: Said<'_>, key: &str, span: &std::ops::Range<usize>) -> Option<Diagnostic> {
        let lock = self.locks.iter().find(|lock| lock.what.covers(key))?;
        let what = format!("`{key}` is locked by {}, so this is not used", lock.layer.name());
        let hint = format!("leave it out: {} has lock = [\"{}\"]", lock.file, lock.what.key());
        Some(Diagnostic::error(said.file, span.clone(), what).hinted(hint))
    }

    /// Reports a layer that gives leave for what one above has switched off.
    fn reopened(&self, said: Said<'_>) -> Option<Diagnostic> {
        let own = said.settings.own_workflows.as_ref().filter(|own| own.value)?;
        let closed = self.closed.as_ref()?;
        let what = format!("own workflows are switched off by {}, so this is not used", closed.layer.name());
        let hint = format!("leave it out: {} has own_workflows = false", closed.file);
        Some(Diagnostic::error(said.file, own.span.clone(), what).hinted(hint))
    }

    /// Reports workflows that are required and that a list does not have. They stay enabled, and the list counts, so it
    /// is no error.
    fn left_out(&self, said: Said<'_>, list: &Placed<Vec<Placed<String>>>) -> Vec<Diagnostic> {
        let is_missing = |one: &&Ruled<String>| !list.value.iter().any(|name| name.value == one.what);
        let missing = self.require.iter().filter(is_missing);
        let warning = |one: &Ruled<String>| {
            let what = format!("`{}` stays enabled: {} requires it", one.what, one.layer.name());
            let hint = format!("{} has require = [\"{}\"]", one.file, one.what);
            Diagnostic::warning(said.file, list.span.clone(), what).hinted(hint)
        };
        missing.map(warning).collect()
    }

    /// Returns whether a workflow is enabled.
    pub fn enables(&self, name: &str) -> bool {
        let is_named = |list: &Ruled<Vec<String>>| list.what.iter().any(|named| named == name);
        self.workflows.as_ref().is_none_or(is_named) || self.require.iter().any(|one| one.what == name)
    }

    /// Returns the file whose list says which workflows are enabled, and its layer.
    pub fn listed_in(&self) -> Option<(Layer, &str)> {
        self.workflows.as_ref().map(|list| (list.layer, list.file.as_str()))
    }

    /// Returns the names that must be those of workflows, each with its file. A list above a project may name those of
    /// other projects.
    pub fn named(&self) -> impl Iterator<Item = (&str, &str)> {
        let listed = self.workflows.iter().filter(|list| list.layer == Layer::Project);
        let listed = listed.flat_map(|list| list.what.iter().map(|name| (name.as_str(), list.file.as_str())));
        listed.chain(self.require.iter().map(|one| (one.what.as_str(), one.file.as_str())))
    }

    /// Returns why a layer's own workflow of this name is not used, if it is not. `is_above` says whether a layer, or one
    /// above it, has a workflow of this name, too.
    pub fn bar(&self, layer: Layer, name: &str, is_above: impl Fn(Layer) -> bool) -> Option<Bar> {
        let closed = self.closed.as_ref().filter(|closed| closed.layer < layer);
        if let Some(closed) = closed {
            return Some(bar(closed, "own_workflows = false".to_owned()));
        }
        let required = self.require.iter().find(|one| one.layer < layer && one.what == name);
        if let Some(required) = required {
            return Some(bar(required, format!("require = [\"{name}\"]")));
        }
        let is_locked = |lock: &&Ruled<Lock>| lock.layer < layer && lock.what.covers(WORKFLOWS);
        let locked = self.locks.iter().find(is_locked).filter(|lock| is_above(lock.layer))?;
        Some(bar(locked, format!("lock = [\"{}\"]", locked.what.key())))
    }

    /// Lists what cannot be changed by the layers below: the layer, and what its file says.
    pub fn fixed(&self) -> Vec<(Layer, String)> {
        let closed = self.closed.iter().map(|one| (one.layer, "own_workflows = false".to_owned()));
        let require = self.require.iter().map(|one| (one.layer, format!("require `{}`", one.what)));
        let locks = self.locks.iter().map(|one| (one.layer, format!("lock `{}`", one.what.key())));
        closed.chain(require).chain(locks).collect()
    }
}

impl BenchChoice {
    /// Adds what a layer below says.
    fn and(&self, below: &BenchChoice) -> BenchChoice {
        let (ours, theirs) = (&self.folders, &below.folders);
        let all = |ours: &List<Text>, theirs: &List<Text>| {
            ours.iter().chain(theirs.iter()).cloned().collect::<Vec<_>>().into()
        };
        let make: Vec<Make> = theirs.make.iter().chain(ours.make.iter()).cloned().collect();
        let folders = Bench {
            own: all(&ours.own, &theirs.own),
            lend: all(&ours.lend, &theirs.lend),
            make: make.into(),
        };
        BenchChoice { prove: below.prove.or(self.prove), folders }
    }
}

/// Returns the key of a choice of reviewers.
fn key(choice: &Instead) -> String {
    format!("reviewers.{}.{}", choice.workflow, choice.reviewer)
}

fn rule<T>(said: Said<'_>, what: T) -> Ruled<T> {
    Ruled { layer: said.layer, file: said.file.to_owned(), what }
}

fn bar<T>(ruled: &Ruled<T>, key: String) -> Bar {
    Bar { by: ruled.layer, file: ruled.file.clone(), key }
}

fn texts(list: Option<&Placed<Vec<String>>>) -> crate::workflow::List<Text> {
    let texts = list.into_iter().flat_map(|list| list.value.iter().cloned().map(Text::Owned));
    texts.collect::<Vec<_>>().into()
}
