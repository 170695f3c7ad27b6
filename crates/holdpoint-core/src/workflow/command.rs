//! `[commands]` as data: what a person or an agent types in a shell to tell the engine something.

use super::step::Step;
use super::{List, Text};

/// `[commands.X]`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::command))]
pub struct Command {
    /// Its name.
    pub name: Text,
    /// What it does, in a line.
    pub about: Text,
    /// The run it is about, by its id, a template; without it, the one that counts now.
    pub run: Option<Text>,
    /// Its arguments, in order.
    pub args: List<Argument>,
    /// Its flags.
    pub flags: List<Flag>,
    /// Whether only the user may call it: in an agent's shell it is refused.
    pub is_users: bool,
    /// The phases it may go through after its step: what is due is looked at and performed, as when the agent stops. In
    /// any other phase it is refused. `all`: any. One that is exactly one `{{ … }}` can be a list.
    pub through: List<Text>,
    /// What is true once it has done what it is there for; otherwise it ends with 1.
    pub until: Option<Text>,
    /// Its steps: the first whose condition is true is taken.
    pub steps: List<Step>,
}

/// An argument: `name`, `name?` if it can be left out, `name...` if it takes all that follows.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::command))]
pub struct Argument {
    /// Its name.
    pub name: Text,
    /// Whether it can be left out.
    pub is_optional: bool,
    /// Whether it takes all words that follow, flags included.
    pub is_rest: bool,
    /// What it must look like: a regular expression for the whole of it.
    pub pattern: Option<Text>,
    /// What it is, for people.
    pub help: Text,
}

/// A flag: `--name`, or `--name VALUE`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::command))]
pub struct Flag {
    /// Its name, without the dashes.
    pub name: Text,
    /// What its value is called; none if it has no value.
    pub value: Option<Text>,
    /// What the value must look like: a regular expression for the whole of it.
    pub pattern: Option<Text>,
    /// What it is, for people.
    pub help: Text,
}

impl Flag {
    /// Its name as conditions and texts spell it.
    pub fn fact(&self) -> String {
        self.name.replace('-', "_")
    }
}

impl Command {
    /// How it is typed: `start [--rounds <N>] <MODE> <TOPIC>...`.
    pub fn usage(&self) -> String {
        let flags = self.flags.iter().map(|flag| match &flag.value {
            Some(value) => format!(" [--{} <{value}>]", flag.name),
            None => format!(" [--{}]", flag.name),
        });
        let args = self.args.iter().map(|argument| {
            let name = argument.name.to_uppercase();
            let dots = if argument.is_rest { "..." } else { "" };
            if argument.is_optional { format!(" [{name}]{dots}") } else { format!(" <{name}>{dots}") }
        });
        std::iter::once(self.name.to_string()).chain(flags).chain(args).collect()
    }

    /// Whether the argument of this name is a phase that a step finishes.
    pub(crate) fn finishes(&self, argument: &str) -> bool {
        let inner =
            |finish: &str| Some(finish.trim().strip_prefix("{{")?.strip_suffix("}}")?.trim().to_owned());
        let named = |finish: &str| inner(finish).is_some_and(|inner| inner == format!("args.{argument}"));
        self.steps.iter().any(|step| step.command.finish.as_deref().is_some_and(named))
    }
}
