//! The fields that a state can have. They are declared: by `[fields]`, by the keys of `[run]` that name them, by limits that
//! count in fields of their own names; those of the current item by what its list is made of, and by `[run.item]`. A workflow
//! without `[fields]` leaves its state to others, so it can read any field; it still sets none that it neither declares nor
//! reads.

use std::collections::{BTreeSet, HashSet};

use super::super::limit::Limit;
use super::super::parse::{FILE, FieldName, Parsed};
use super::super::step::key_name;
use super::super::{FieldType, Named, Workflow};
use super::shape::{Known, Shape};
use crate::diagnostic::{Diagnostic, nearest};

/// The fields that are declared, each list `None` where any field goes.
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
        if workflow.fields.is_empty() && !workflow.run.is_sealed {
            return Fields::default();
        }
        Fields { state: Some(declared(parsed)), item: None }
    }
}

/// The fields of the state that something declares.
fn declared(parsed: &Parsed) -> Vec<String> {
    let workflow = &parsed.workflow;
    let run = &workflow.run;
    let keys = [&run.due, &run.last, &run.stamp, &run.owner, &run.root];
    let counted = workflow.limits.iter().filter(|limit| limit.count.is_none()).map(Limit::field);
    let named = workflow.fields.iter().map(|field| field.name.as_ref());
    let named = named.chain(keys.into_iter().flatten().map(AsRef::as_ref)).chain(counted);
    // Without `[fields]` whatever is counted in, and wherever the items are, is declared by that.
    let is_bare = workflow.fields.is_empty();
    let others = parsed.field_names.iter().filter(|field| is_bare && !field.is_set);
    let named = named.chain(others.map(|field| first_part(&field.path)));
    let sorted: BTreeSet<String> = named.map(str::to_owned).collect();
    sorted.into_iter().collect()
}

fn first_part(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

/// The fields of the current item, if all that is put into its list is known or `[run.item]` lists them.
pub(super) fn of_item(parsed: &Parsed, known: &Known<'_>) -> Option<Vec<String>> {
    let workflow = &parsed.workflow;
    let item = workflow.run.item.as_ref()?;
    let mut names: BTreeSet<String> = BTreeSet::from(["id".to_owned()]);
    names.extend(parsed.item_fields.iter().cloned());
    let mut is_known = false;
    for source in sources(workflow, &item.list) {
        match known.of_template(source) {
            Shape::Elements(keys) => {
                names.extend(keys.iter().cloned());
                is_known = true;
            }
            Shape::Empty => {}
            _ if parsed.item_fields.is_empty() => return None,
            _ => {}
        }
    }
    let start = format!("{}.", item.name);
    let counted = parsed.field_names.iter().filter(|field| !field.is_set);
    let counted = counted.filter_map(|field| field.path.strip_prefix(&start)).map(first_part);
    names.extend(counted.map(str::to_owned));
    (is_known || !parsed.item_fields.is_empty()).then(|| names.into_iter().collect())
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

/// What is wrong with the fields that keys name: those that nothing declares, each at the first place that names it.
pub(super) fn undeclared(parsed: &Parsed, known: &Known<'_>) -> Vec<Diagnostic> {
    let is_bare = parsed.workflow.fields.is_empty();
    let own = if is_bare { declared(parsed) } else { Vec::new() };
    let wrong = |field: &FieldName| {
        if field.path.contains("{{") {
            return None; // That is no name, and said already.
        }
        let (item, name) = part(parsed, &field.path);
        if key_name(name).is_some() {
            return None; // It may be any.
        }
        let (message, hint) = if item.is_none() && is_bare {
            let is_known = own.iter().any(|declared| declared == name) || is_read(parsed, name);
            let is_wrong = field.is_set && !is_known;
            is_wrong.then(|| complaint(None, name, field.first, &own))?
        } else {
            (!known.has_field(item.is_some(), name))
                .then(|| known.undeclared(item.is_some(), name, field.first))?
        };
        Some(Diagnostic::error(FILE, field.span.clone(), message).hinted(hint))
    };
    once_each(parsed.field_names.iter().filter_map(wrong).collect())
}

/// Whether a condition or a text names this field of the state.
fn is_read(parsed: &Parsed, name: &str) -> bool {
    let path = format!("state.{name}");
    let is_end = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    let names = |source: &str| source.match_indices(&path).any(|(at, _)| is_end(&source[at + path.len()..]));
    parsed.pieces.iter().any(|piece| names(&piece.source))
}

/// The item that a path leads into, and the name of the field.
fn part<'a>(parsed: &'a Parsed, path: &'a str) -> (Option<&'a str>, &'a str) {
    let item = parsed.workflow.run.item.as_ref().map(|item| item.name.as_ref());
    match path.split_once('.') {
        Some((start, rest)) if Some(start) == item => (item, first_part(rest)),
        _ => (None, first_part(path)),
    }
}

const UNDECLARED: &str = "nothing declares the field `";

/// What is said of a field that nothing declares, and the nearest one or the form that declares it.
pub(super) fn complaint(item: Option<&str>, name: &str, first: &str, there: &[String]) -> (String, String) {
    let path = item.map_or_else(|| name.to_owned(), |item| format!("{item}.{name}"));
    let hint = match (nearest(name, there.iter().map(String::as_str)), item) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, None) => format!("give it a first value under [fields]: {name} = {first}"),
        (None, Some(_)) => format!("list it under [run.item]: fields = [\"{name}\"]"),
    };
    (format!("{UNDECLARED}{path}`"), hint)
}

/// Each field that nothing declares once, where it is named first: it is one mistake, however often it is used.
pub(super) fn once_each(problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = HashSet::new();
    let mut is_first = |problem: &Diagnostic| {
        !problem.message.starts_with(UNDECLARED) || seen.insert(problem.message.clone())
    };
    problems.into_iter().filter(|problem| is_first(problem)).collect()
}
