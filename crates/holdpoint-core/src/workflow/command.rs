//! `[commands]` as data: what a person or an agent types in a shell to tell the engine something.

use super::phase::Step;
use super::{List, Text};

/// `[commands.X]`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::command))]
pub struct Command {
    /// Its name.
    pub name: Text,
    /// What it does, in a line.
    pub about: Text,
    /// Its arguments, in order.
    pub args: List<Argument>,
    /// Its steps: the first whose condition is true is taken.
    pub steps: List<CommandStep>,
}

/// An argument: `name`, or `name?` if it can be left out.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::command))]
pub struct Argument {
    /// Its name.
    pub name: Text,
    /// Whether it can be left out.
    pub is_optional: bool,
}

/// A step that a command can take.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::command))]
pub struct CommandStep {
    /// The name of a run to make, a template.
    pub create: Option<Text>,
    /// The phase to finish, a template: its `then` is taken, if it is proved.
    pub finish: Option<Text>,
    /// What it sets, where it goes, and what it prints.
    pub step: Step,
}

impl Command {
    /// How it is typed: `done <PHASE> [TASK]`.
    pub fn usage(&self) -> String {
        let args = self.args.iter().map(|arg| {
            let name = arg.name.to_uppercase();
            if arg.is_optional { format!(" [{name}]") } else { format!(" <{name}>") }
        });
        std::iter::once(self.name.to_string()).chain(args).collect()
    }

    /// Whether the argument of this name is a phase that a step finishes.
    pub fn finishes(&self, argument: &str) -> bool {
        let inner =
            |finish: &str| Some(finish.trim().strip_prefix("{{")?.strip_suffix("}}")?.trim().to_owned());
        let named = |finish: &str| inner(finish).is_some_and(|inner| inner == format!("args.{argument}"));
        self.steps.iter().any(|step| step.finish.as_deref().is_some_and(named))
    }
}
