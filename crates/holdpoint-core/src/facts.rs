//! Facts: what conditions and texts can name. Each is worked out when it is first asked for, and remembered.

mod approval;
pub(crate) mod attributes;
mod delegation;
mod error;
mod evidence;
mod file;
mod item;
pub mod marks;
mod nouns;
mod one_run;
mod owner;
mod phase;
mod place;
mod questions;
mod report;
mod spec;
mod state;
pub mod time;
mod tool;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use minijinja::value::{Enumerator, Object, Serde, Value};
use serde_json::Value as Json;

use crate::budget::Budget;
use crate::effects::Set;
use crate::evaluation;
use crate::event::Event;
use crate::filters::Environments;
use crate::workflow::{Field, Named, Text, Workflow};
use crate::world::{Answer, World};

pub use error::FactError;
pub(crate) use phase::phase_fact;
pub(crate) use tool::Supposed;

/// The engine's own names. A workflow's names stand beside them and cannot replace them.
pub const NOUNS: [&str; 42] = [
    "absent",
    "allowed_files",
    "approvals",
    "approved",
    "args",
    "because",
    "began",
    "breaches",
    "changed",
    "cwd",
    "delegation",
    "env",
    "event",
    "evidence",
    "file",
    "findings",
    "first_json",
    "flags",
    "git",
    "highest",
    "kept",
    "landed",
    "layout",
    "markdown",
    "nonce",
    "now",
    "phase",
    "planned",
    "program",
    "proved",
    "range",
    "reviewers",
    "rounds",
    "run",
    "runs",
    "since",
    "state",
    "table",
    "there",
    "tool",
    "tree",
    "writable",
];

/// How deep names may need each other: each level takes its share of the stack.
const NESTED_MAX: usize = 50;

/// The state file's bytes, if it is there and can be read.
type StateBytes = Answer<Arc<Vec<u8>>>;

/// The facts of one workflow about one event.
pub struct Facts {
    pub(crate) workflow: Arc<Workflow>,
    pub(crate) event: Arc<Event>,
    pub(crate) home: String,
    pub(crate) world: Arc<dyn World>,
    env: Arc<Environments>,
    pub(crate) budget: Arc<Budget>,
    /// The state file as it was when it was first asked for: all that follow from these facts see the same.
    state_file: Arc<Mutex<Option<StateBytes>>>,
    /// What was worked out so far: few enough to be looked through.
    known: Mutex<Vec<(String, Value)>>,
    asking: Mutex<Vec<String>>,
    touched: Mutex<Vec<String>>,
    /// What was wrong and is left out: all that follow from these facts note it in one place.
    strange: Arc<Mutex<Vec<String>>>,
    /// Fields that are about to be set: the state is seen with them.
    overlay: Vec<Set>,
    /// Names given for this once: a command's `args`, or `because` something did not work.
    given: Vec<(&'static str, Value)>,
}

impl std::fmt::Debug for Facts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Facts").field("workflow", &self.workflow.name).finish_non_exhaustive()
    }
}

impl Facts {
    /// The facts for a workflow whose run is at `home`.
    pub fn new(
        workflow: impl Into<Arc<Workflow>>,
        event: Arc<Event>,
        home: String,
        world: Arc<dyn World>,
    ) -> Arc<Facts> {
        Facts::sharing(&Arc::default(), workflow, event, home, world)
    }

    /// The same for one of several runs that an event concerns: what evaluating takes is counted for all of them.
    pub fn sharing(
        env: &Arc<Environments>,
        workflow: impl Into<Arc<Workflow>>,
        event: Arc<Event>,
        home: String,
        world: Arc<dyn World>,
    ) -> Arc<Facts> {
        let budget = Arc::clone(&env.budget);
        let world = Arc::new(questions::Questions { world, budget: Arc::clone(&budget) });
        Arc::new(Facts {
            workflow: workflow.into(),
            event,
            home,
            world,
            env: Arc::clone(env),
            budget,
            state_file: Arc::default(),
            known: Mutex::default(),
            asking: Mutex::default(),
            touched: Mutex::default(),
            strange: Arc::default(),
            overlay: Vec::new(),
            given: Vec::new(),
        })
    }

    /// The same facts with fields that are about to be set.
    pub fn overlaid(self: &Arc<Self>, sets: &[Set]) -> Arc<Facts> {
        let overlay = self.overlay.iter().chain(sets).cloned().collect();
        Arc::new(Facts { overlay, ..self.anew() })
    }

    /// The same facts with a command's arguments and flags, as `args` and `flags`.
    pub fn with_words(
        self: &Arc<Self>,
        args: &BTreeMap<String, String>,
        flags: &BTreeMap<String, Json>,
    ) -> Arc<Facts> {
        self.with("args", Value::from(args)).with("flags", Value::from(Serde(flags)))
    }

    /// The same facts with the facts of each run of the workflow, as `runs`.
    pub fn with_runs(self: &Arc<Self>, runs: Vec<Arc<Facts>>) -> Arc<Facts> {
        self.with("runs", runs.into_iter().map(|facts| Value::from_object(one_run::OneRun(facts))).collect())
    }

    /// What a new run's state starts with: each field's first value.
    pub fn first_values(self: &Arc<Self>) -> Result<Vec<Set>, FactError> {
        let first = |field: &Field| {
            let value = self.render_value(&field.first, self.context())?;
            Ok(Set { path: vec![field.name.to_string()], value })
        };
        self.workflow.fields.iter().map(first).collect()
    }

    /// The same facts with a name that is given for this once.
    pub(crate) fn with(self: &Arc<Self>, name: &'static str, value: Value) -> Arc<Facts> {
        let mut anew = self.anew();
        anew.given.push((name, value));
        Arc::new(anew)
    }

    fn anew(&self) -> Facts {
        Facts {
            workflow: Arc::clone(&self.workflow),
            event: Arc::clone(&self.event),
            home: self.home.clone(),
            world: Arc::clone(&self.world),
            env: Arc::clone(&self.env),
            budget: Arc::clone(&self.budget),
            state_file: Arc::clone(&self.state_file),
            known: Mutex::default(),
            asking: Mutex::default(),
            touched: Mutex::default(),
            strange: Arc::clone(&self.strange),
            overlay: self.overlay.clone(),
            given: self.given.clone(),
        }
    }

    /// A field of the state, or of its current item; undefined if there is none.
    pub(crate) fn field(self: &Arc<Self>, path: &str) -> Result<Value, FactError> {
        let source = if self.is_items(path) { path.to_owned() } else { format!("state.{path}") };
        self.evaluate(&Text::Owned(source), self.context())
    }

    /// A field of the state as text; none if it is no text.
    pub fn state_field(self: &Arc<Self>, path: &str) -> Result<Option<String>, FactError> {
        Ok(self.field(path)?.as_str().map(str::to_owned))
    }

    /// Whether a condition is true.
    pub fn is_true(self: &Arc<Self>, condition: &Text) -> Result<bool, FactError> {
        Ok(self.evaluate(condition, self.context())?.is_true())
    }

    /// The value of an expression as people see it; none if it is empty.
    pub fn shown(self: &Arc<Self>, source: &Text) -> Result<Option<String>, FactError> {
        let value = self.evaluate(source, self.context())?;
        if value.is_undefined() || value.is_none() {
            return Ok(None);
        }
        Ok(Some(self.budget.text(&value)?).filter(|text| !text.is_empty()))
    }

    /// The text of a template.
    pub fn text(self: &Arc<Self>, template: &str) -> Result<String, FactError> {
        self.render(template, self.context())
    }

    /// The value of an expression.
    pub(crate) fn evaluate(self: &Arc<Self>, source: &Text, context: Value) -> Result<Value, FactError> {
        evaluation::value(&self.env, &self.budget, source, context)
    }

    /// A template's text, without white space at its end.
    pub(crate) fn render(self: &Arc<Self>, template: &str, context: Value) -> Result<String, FactError> {
        let mut text = evaluation::text(&self.env, &self.budget, template, context)?;
        text.truncate(text.trim_end().len());
        Ok(text)
    }

    /// A template's value: one that is exactly one `{{ … }}` keeps its type, any other is text.
    pub(crate) fn render_value(self: &Arc<Self>, template: &str, context: Value) -> Result<Json, FactError> {
        let inner = template.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        match inner.filter(|inner| !inner.contains("{{") && !inner.contains("}}")) {
            Some(expression) => {
                let value = self.evaluate(&Text::Owned(expression.trim().to_owned()), context)?;
                self.json(&value)
            }
            None => Ok(Json::String(evaluation::text(&self.env, &self.budget, template, context)?)),
        }
    }

    /// An expression's value as JSON; null if it is undefined.
    pub fn value(self: &Arc<Self>, source: &Text) -> Result<Json, FactError> {
        let value = self.evaluate(source, self.context())?;
        self.json(&value)
    }

    /// A value as JSON.
    pub(crate) fn json(&self, value: &Value) -> Result<Json, FactError> {
        self.budget.read(value)?;
        serde_json::to_value(value).map_err(|error| FactError::malformed("a value has no JSON form", error))
    }

    /// Itself as the context of an expression or a template.
    pub(crate) fn context(self: &Arc<Self>) -> Value {
        Value::from_dyn_object(Arc::clone(self))
    }

    /// The state file's path below the home, if the workflow has one.
    pub fn state_path(self: &Arc<Self>) -> Result<Option<String>, FactError> {
        if let Some(path) = self.world.state_file() {
            return Ok(Some(path));
        }
        let Some(template) = &self.workflow.run.state else { return Ok(None) };
        if !template.contains('{') {
            return Ok(Some(template.clone().into_owned()));
        }
        let path = crate::path::tidy(&self.render(template, self.context())?);
        if crate::path::stays_below(&path) {
            return Ok(Some(path));
        }
        Err(FactError::Outside(format!("the state file's path `{path}` leaves the project folder")))
    }

    /// Forgets which names were asked for so far.
    pub(crate) fn forget_touched(&self) {
        lock(&self.touched).clear();
    }

    /// Does something without noting the names it asks for.
    pub(crate) fn untouched<T>(self: &Arc<Self>, ask: impl FnOnce(&Arc<Self>) -> T) -> T {
        let before = lock(&self.touched).clone();
        let answer = ask(self);
        *lock(&self.touched) = before;
        answer
    }

    /// The names asked for since they were last forgotten, with short values, for the journal.
    pub(crate) fn take_touched(&self) -> Vec<(String, String)> {
        let names = std::mem::take(&mut *lock(&self.touched));
        names.into_iter().filter_map(|name| self.known(&name).map(|value| (name, brief(&value)))).collect()
    }

    /// What an expression looks at of the engine's own nouns, with short values, for the journal.
    pub(crate) fn looked_at(self: &Arc<Self>, source: &str, context: &Value) -> Vec<(String, String)> {
        const ROOTS: [&str; 7] = ["state", "tool", "git", "event", "run", "key", "value"];
        let value = |path: &String| self.evaluate(&Text::Owned(path.clone()), context.clone()).ok();
        let paths = crate::expression::paths_in_expression(source, &ROOTS).into_iter();
        paths.filter_map(|path| value(&path).map(|value| (path, brief(&value)))).collect()
    }

    /// What was left out since this was last asked, because it is not what it should be.
    pub(crate) fn take_strange(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.strange))
    }

    /// Notes that something was left out.
    fn note_strange(&self, what: String) {
        let mut strange = lock(&self.strange);
        if !strange.contains(&what) {
            strange.push(what);
        }
    }

    fn known(&self, name: &str) -> Option<Value> {
        lock(&self.known).iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    fn lookup(self: &Arc<Self>, name: &str) -> Option<Value> {
        self.find(name).map(|value| self.handed_over(value))
    }

    /// A value that an expression is about to use. A long text uses up work each time.
    fn handed_over(&self, value: Value) -> Value {
        const LONG: usize = 64 * 1024;
        let length = value.as_str().map_or(0, str::len);
        match if length > LONG { self.budget.spend(length) } else { Ok(()) } {
            Ok(()) => value,
            Err(error) => error.into(),
        }
    }

    fn find(self: &Arc<Self>, name: &str) -> Option<Value> {
        if let Some(value) = self.known(name) {
            self.touch(name);
            return Some(value);
        }
        if let Some((_, value)) = self.given.iter().rev().find(|(given, _)| *given == name) {
            return Some(value.clone());
        }
        if self.workflow.run.item.as_ref().is_some_and(|item| item.name == name) {
            let value = self.item().unwrap_or_else(Value::from);
            return Some(self.remember(name, value));
        }
        if NOUNS.contains(&name) {
            let value = self.noun(name);
            return Some(self.remember(name, value));
        }
        let value = match self.workflow.expression(name) {
            Some(source) => self.defined(name, source),
            None => literal(self.workflow.data.iter().find(|data| data.name == name)?),
        };
        Some(self.remember(name, value))
    }

    fn defined(self: &Arc<Self>, name: &str, source: &Text) -> Value {
        if lock(&self.asking).iter().any(|asked| asked == name) {
            return FactError::Circular(name.to_owned()).into();
        }
        if lock(&self.asking).len() >= NESTED_MAX {
            return FactError::TooDeep(name.to_owned()).into();
        }
        lock(&self.asking).push(name.to_owned());
        let value = self.evaluate(source, self.context());
        lock(&self.asking).pop();
        value.unwrap_or_else(Value::from)
    }

    fn remember(&self, name: &str, value: Value) -> Value {
        lock(&self.known).push((name.to_owned(), value.clone()));
        self.touch(name);
        value
    }

    /// Notes that a name was asked for, if a person would want to see it.
    fn touch(&self, name: &str) {
        let shown = name == "delegation" || self.workflow.expression(name).is_some();
        let mut touched = lock(&self.touched);
        if shown && !touched.iter().any(|seen| seen == name) {
            touched.push(name.to_owned());
        }
    }
}

impl Object for Facts {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.lookup(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        self.lookup(key)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

/// The facts with further names, such as an element's `key` and `value`.
#[derive(Debug)]
pub(crate) struct With {
    pub(crate) facts: Arc<Facts>,
    pub(crate) names: Vec<(&'static str, Value)>,
}

impl Object for With {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        let own = self.names.iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone());
        own.map(|value| self.facts.handed_over(value)).or_else(|| self.facts.lookup(name))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

fn literal(data: &Named) -> Value {
    serde_json::from_str(&data.source).unwrap_or_else(|error| {
        FactError::malformed(format!("`{}` is not valid JSON", data.name), error).into()
    })
}

/// A value as short JSON for the journal.
fn brief(value: &Value) -> String {
    const LENGTH_MAX: usize = 200;
    let text = if value.is_undefined() {
        "undefined".to_owned()
    } else if crate::budget::size(value).is_err() {
        "…".to_owned()
    } else {
        serde_json::to_string(value).unwrap_or_else(|_| value.to_string())
    };
    match text.char_indices().nth(LENGTH_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Nothing here panics with the lock held, so a poisoned one is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "facts_tests.rs"]
mod facts_tests;
