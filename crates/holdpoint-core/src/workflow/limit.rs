//! Limits as data: how often a step may be taken, a phase performed or found unfinished, and what happens then.

use super::step::Step;
use super::{Field, Text};

/// `[limits] X = …`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::limit))]
pub struct Limit {
    /// Its name.
    pub name: Text,
    /// The state field that counts, if the file names one.
    pub count: Option<Text>,
    /// How many rounds there may be, as an expression.
    pub most: Text,
    /// What happens when they are used up.
    pub then: Step,
}

/// How often, as far as the workflow's file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Most {
    /// A number.
    Number(u64),
    /// What this state field or expression says, and what it says at first, if the file tells.
    Field(String, Option<u64>),
}

impl Limit {
    /// The state field that counts: the one it names, or that of its own name.
    pub(crate) fn field(&self) -> &str {
        self.count.as_deref().unwrap_or(&self.name)
    }

    /// How often, with the first value of its field where it is one.
    pub(crate) fn most_in(&self, fields: &[Field]) -> Most {
        let number = |text: &str| text.trim().replace('_', "").parse::<u64>().ok();
        let Some(field) = self.most.strip_prefix("state.") else {
            let expression = || Most::Field(self.most.to_string(), None);
            return number(&self.most).map_or_else(expression, Most::Number);
        };
        let first = fields.iter().find(|known| known.name == field).and_then(|known| {
            let inner = known.first.trim().strip_prefix("{{")?.strip_suffix("}}")?;
            number(inner)
        });
        Most::Field(field.to_owned(), first)
    }
}
