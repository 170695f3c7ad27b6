//! What an expression can be, as far as it is known without a run, and what the names in it stand for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::super::Workflow;
use super::super::command::Flag;
use super::super::parse::Parsed;
use super::super::phase::{Actor, PhaseKind};
use super::fields::{self, Fields};
use super::meaning;
use crate::event::Moment;
use crate::facts::attributes::{self, Attributes, Is, Names};
use crate::tool::ToolKind;
use crate::verdict::Verdict;

/// What an expression can be.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Any,
    Text,
    Number,
    Truth,
    List,
    /// A list of nothing.
    Empty,
    /// A list of tables that have these keys.
    Elements(Rc<[String]>),
    Table(Attributes),
    Function(&'static Is),
    By(Names, &'static Is),
    /// A text that is one of these.
    OneOf(Rc<[String]>),
}

impl Shape {
    pub(super) fn is(is: &Is, known: &Known<'_>) -> Shape {
        match is {
            Is::Any => Shape::Any,
            Is::Text => Shape::Text,
            Is::Number => Shape::Number,
            Is::Truth => Shape::Truth,
            Is::List => Shape::List,
            Is::Tasks => Shape::Elements(attributes::TASK.map(str::to_owned).into()),
            Is::Approvals => Shape::Elements(attributes::APPROVAL.map(str::to_owned).into()),
            Is::Table(list) => Shape::Table(list),
            Is::Function(gives) => Shape::Function(gives),
            Is::By(names, is) => Shape::By(*names, is),
            Is::One(names) => known.names(*names).map_or(Shape::Text, |names| Shape::OneOf(names.into())),
        }
    }

    /// What it is if it can be either.
    pub(super) fn or(&self, other: &Shape) -> Shape {
        match (self, other) {
            (Shape::Text | Shape::OneOf(_), Shape::Text | Shape::OneOf(_)) => Shape::Text,
            (Shape::Number, Shape::Number) => Shape::Number,
            (Shape::Truth, Shape::Truth) => Shape::Truth,
            (Shape::Empty, list @ (Shape::List | Shape::Elements(_) | Shape::Empty))
            | (list @ (Shape::List | Shape::Elements(_)), Shape::Empty) => list.clone(),
            (Shape::List | Shape::Elements(_), Shape::List | Shape::Elements(_)) => Shape::List,
            (Shape::Table(one), Shape::Table(two)) if std::ptr::eq(*one, *two) => Shape::Table(one),
            _ => Shape::Any,
        }
    }

    /// What a value of it is called, if it has no attributes.
    pub(super) fn plain(&self) -> Option<&'static str> {
        match self {
            Shape::Text | Shape::OneOf(_) => Some("a text"),
            Shape::Number => Some("a number"),
            Shape::Truth => Some("true or false"),
            Shape::List | Shape::Empty | Shape::Elements(_) => Some("a list"),
            Shape::Any | Shape::Table(_) | Shape::Function(_) | Shape::By(..) => None,
        }
    }
}

/// What the names of a workflow stand for.
pub(super) struct Known<'a> {
    pub(super) workflow: &'a Workflow,
    variables: Option<&'a [&'a str]>,
    fields: Fields,
    /// What was worked out so far; while a name is, it is anything.
    shapes: RefCell<HashMap<String, Shape>>,
}

impl<'a> Known<'a> {
    pub(super) fn of(parsed: &'a Parsed, variables: Option<&'a [&'a str]>) -> Known<'a> {
        let (workflow, fields) = (&parsed.workflow, Fields::of(parsed));
        let mut known = Known { workflow, variables, fields, shapes: RefCell::default() };
        known.fields.item = fields::of_item(parsed, &known);
        known.shapes.borrow_mut().clear();
        known
    }

    /// What a name stands for.
    pub(super) fn name(&self, name: &str) -> Shape {
        match name {
            "key" | "value" | "result" | "command" => return Shape::Any,
            "verdict" => return Shape::is(&Is::One(Names::Verdicts), self),
            "left" | "output" | "prompt" | "said" | "schema" | "target" => return Shape::Text,
            _ => {}
        }
        if self.workflow.run.item.as_ref().is_some_and(|item| item.name == name) {
            return Shape::By(Names::ItemFields, &Is::Any);
        }
        if let Some(is) = attributes::noun(name) {
            return Shape::is(&is, self);
        }
        match self.workflow.expression(name) {
            Some(source) => self.remembered(name, || meaning::shape_of(source, self)),
            None => self.data(name).map_or(Shape::Any, |data| literal(&data)),
        }
    }

    /// What a field of the state is.
    pub(super) fn field(&self, name: &str) -> Shape {
        self.remembered(&format!("state.{name}"), || fields::shape(self.workflow, name, self))
    }

    /// What is said of a field that nothing declares.
    pub(super) fn undeclared(&self, is_items: bool, name: &str, first: &str) -> (String, String) {
        let item = self.workflow.run.item.as_ref().filter(|_| is_items);
        let there = if is_items { &self.fields.item } else { &self.fields.state };
        let item = item.map(|item| item.name.as_ref());
        fields::complaint(item, name, first, there.as_deref().unwrap_or_default())
    }

    /// Whether a field is declared, or any goes.
    pub(super) fn has_field(&self, is_items: bool, name: &str) -> bool {
        let there = if is_items { &self.fields.item } else { &self.fields.state };
        there.as_ref().is_none_or(|there| there.iter().any(|known| known == name))
    }

    fn remembered(&self, name: &str, work_out: impl FnOnce() -> Shape) -> Shape {
        if let Some(shape) = self.shapes.borrow().get(name) {
            return shape.clone();
        }
        self.shapes.borrow_mut().insert(name.to_owned(), Shape::Any);
        let shape = work_out();
        self.shapes.borrow_mut().insert(name.to_owned(), shape.clone());
        shape
    }

    /// What a template comes to: one that is exactly one `{{ … }}` keeps its type.
    pub(super) fn of_template(&self, template: &str) -> Shape {
        let inner = template.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        match inner.filter(|inner| !inner.contains("{{")) {
            Some(expression) => meaning::shape_of(expression.trim(), self),
            None => Shape::Text,
        }
    }

    /// A literal of `[data]`, `[paths]` or `[patterns]`.
    pub(super) fn data(&self, name: &str) -> Option<serde_json::Value> {
        let data = self.workflow.data.iter().find(|data| data.name == name)?;
        serde_json::from_str(&data.source).ok()
    }

    /// The names that there are; `None` where any goes.
    pub(super) fn names(&self, names: Names) -> Option<Vec<String>> {
        let workflow = self.workflow;
        let owned = |names: &mut dyn Iterator<Item = &str>| Some(names.map(str::to_owned).collect());
        match names {
            Names::Phases => owned(&mut workflow.phases.iter().map(|phase| phase.name.as_ref())),
            Names::Limits => owned(&mut workflow.limits.iter().map(|limit| limit.name.as_ref())),
            Names::Approvals => owned(&mut workflow.approvals.iter().map(|approval| approval.name.as_ref())),
            Names::Reviewers => owned(&mut workflow.reviewers.iter().map(|reviewer| reviewer.name.as_ref())),
            Names::Arguments => {
                let args = workflow.commands.iter().flat_map(|command| command.args.iter());
                owned(&mut args.map(|arg| arg.name.as_ref()))
            }
            Names::Flags => {
                let flags = workflow.commands.iter().flat_map(|command| command.flags.iter());
                Some(flags.map(Flag::fact).collect())
            }
            Names::Fields => self.fields.state.clone(),
            Names::ItemFields => self.fields.item.clone(),
            Names::Actors => owned(&mut Actor::ALL.iter().map(|(name, _)| *name)),
            Names::Verdicts => {
                let own = workflow.phases.iter().filter_map(|phase| match &phase.kind {
                    PhaseKind::Reviewer(review) => Some(review.verdicts.iter().map(AsRef::as_ref)),
                    _ => None,
                });
                owned(&mut Verdict::NAMED.iter().map(|(name, _)| *name).chain(own.flatten()))
            }
            Names::Moments => owned(&mut Moment::ALL.iter().map(|(name, _)| *name)),
            Names::Variables => {
                self.variables.map(|names| names.iter().copied().map(str::to_owned).collect())
            }
            Names::ToolKinds => owned(&mut ToolKind::NAMED.iter().map(|(name, _)| *name)),
        }
    }
}

fn literal(value: &serde_json::Value) -> Shape {
    match value {
        serde_json::Value::String(_) => Shape::Text,
        serde_json::Value::Number(_) => Shape::Number,
        serde_json::Value::Bool(_) => Shape::Truth,
        serde_json::Value::Array(_) => Shape::List,
        serde_json::Value::Null | serde_json::Value::Object(_) => Shape::Any,
    }
}
