//! The fields that a state can have: those of `[fields]`, and all that something sets or counts. A workflow without
//! `[fields]` leaves its state to others, so any field can be there.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::limit::Limit;
use super::super::parse::{FILE, Parsed};
use super::super::{FieldType, Named, Workflow};
use super::shape::{Known, Shape};
use crate::diagnostic::{Diagnostic, nearest};

/// The fields that are known, each list `None` where any field goes.
#[derive(Debug, Default)]
pub(super) struct Fields {
    /// Those of the state.
    pub(super) state: Option<Vec<String>>,
    /// Those of the current item.
    pub(super) item: Option<Vec<String>>,
}

impl Fields {
    /// The fields of the state; those of the item need the shapes of what is put into its list.
    pub(super) fn of(parsed: &Parsed) -> Fields {
        let workflow = &parsed.workflow;
        if workflow.fields.is_empty() {
            return Fields::default();
        }
        let run = &workflow.run;
        let keys = [&run.due, &run.last, &run.stamp, &run.owner, &run.root];
        let item = run.item.iter().flat_map(|item| [&item.list, &item.at]);
        let named = workflow.fields.iter().map(|field| field.name.as_ref());
        let named = named.chain(keys.into_iter().flatten().chain(item).map(AsRef::as_ref));
        let named = named.chain(written(parsed).map(first_part));
        let state: BTreeSet<String> = named.map(str::to_owned).collect();
        Fields { state: Some(state.into_iter().collect()), item: None }
    }
}

/// Every field that something sets or counts, by its whole path.
fn written(parsed: &Parsed) -> impl Iterator<Item = &str> {
    let counted = parsed.workflow.limits.iter().map(Limit::field);
    parsed.field_names.iter().map(|(name, _)| name.as_str()).chain(counted)
}

fn first_part(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

/// The fields of the current item, if all that is put into its list is known.
pub(super) fn of_item(parsed: &Parsed, known: &Known<'_>) -> Option<Vec<String>> {
    let workflow = &parsed.workflow;
    let item = workflow.run.item.as_ref().filter(|_| !workflow.fields.is_empty())?;
    let mut names: BTreeSet<String> = BTreeSet::from(["id".to_owned()]);
    for source in sources(workflow, &item.list) {
        match known.of_template(source) {
            Shape::Elements(keys) => names.extend(keys.iter().cloned()),
            Shape::Empty => {}
            _ => return None,
        }
    }
    let start = format!("{}.", item.name);
    let own = written(parsed).filter_map(|path| path.strip_prefix(&start)).map(first_part);
    names.extend(own.map(str::to_owned));
    Some(names.into_iter().collect())
}

/// The templates that a field gets its value from.
fn sources<'a>(workflow: &'a Workflow, field: &'a str) -> impl Iterator<Item = &'a str> {
    let first = workflow.fields.iter().filter(move |known| known.name == field);
    let first = first.map(|known| known.first.as_ref());
    let set = every_set(workflow).filter(move |set| set.name == field).map(|set| set.source.as_ref());
    first.chain(set)
}

/// Every field that a step or a rule sets.
fn every_set(workflow: &Workflow) -> impl Iterator<Item = &Named> {
    let phases = workflow.phases.iter().flat_map(|phase| phase.steps().chain([&phase.enter]));
    let limits = workflow.limits.iter().map(|limit| &limit.then);
    let commands = workflow.commands.iter().flat_map(|command| command.steps.iter());
    let steps = phases.chain(limits).chain(commands).flat_map(|step| step.set.iter());
    let skips = workflow.phases.iter().filter_map(|phase| phase.performance()?.skip());
    let skips = skips.flat_map(|skip| skip.set.iter());
    steps.chain(skips).chain(workflow.rules.iter().flat_map(|rule| rule.step.set.iter()))
}

/// What a field of the state is: what `[fields]` says, or what its first value is if everything else that is put into it
/// is the same.
pub(super) fn shape(workflow: &Workflow, name: &str, known: &Known<'_>) -> Shape {
    let Some(field) = workflow.fields.iter().find(|field| field.name == name) else { return Shape::Any };
    match &field.is {
        Some(FieldType::Text) => Shape::Text,
        Some(FieldType::Number) => Shape::Number,
        Some(FieldType::Truth) => Shape::Truth,
        Some(FieldType::List) => Shape::List,
        Some(FieldType::Table) => Shape::Any,
        Some(FieldType::OneOf(words)) => Shape::OneOf(words.iter().map(ToString::to_string).collect()),
        None => {
            let mut all = sources(workflow, name).map(|source| known.of_template(source));
            let first = all.next().unwrap_or(Shape::Any);
            all.fold(first, |one, other| one.or(&other))
        }
    }
}

/// Fields that are set or counted under a name that `[fields]` lacks, while a field of nearly that name is there and
/// nothing ever sets it.
pub(super) fn misspelt(parsed: &Parsed, read: &BTreeSet<String>) -> Vec<Diagnostic> {
    let fields = &parsed.workflow.fields;
    let is_field = |name: &str| fields.iter().any(|field| field.name == name);
    let set: BTreeSet<&str> = written(parsed).map(first_part).collect();
    let idle = || fields.iter().map(|field| field.name.as_ref()).filter(|name| !set.contains(name));
    let is_item = |name: &str| parsed.workflow.run.item.as_ref().is_some_and(|item| item.name == name);
    let wrong = |(path, span): &(String, Range<usize>)| {
        let name = first_part(path);
        if fields.is_empty() || is_field(name) || is_item(name) || read.contains(name) {
            return None;
        }
        let near = nearest(name, idle())?;
        let message = format!("[fields] has no `{name}`");
        Some(Diagnostic::error(FILE, span.clone(), message).hinted(format!("did you mean `{near}`?")))
    };
    let counts = parsed.limits.iter().filter_map(|(name, span)| {
        let count = parsed.workflow.limit(name)?.count.as_ref()?;
        Some((count.to_string(), span.clone()))
    });
    let counts: Vec<(String, Range<usize>)> = counts.collect();
    parsed.field_names.iter().chain(&counts).filter_map(wrong).collect()
}
