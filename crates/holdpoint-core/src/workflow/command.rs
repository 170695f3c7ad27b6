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
