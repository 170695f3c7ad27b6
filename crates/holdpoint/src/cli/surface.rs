//! The whole command line for completions and documentation: clap's commands, the options that `hook` parses by hand,
//! and the commands of the built-in workflows.

use clap::{Arg, ArgAction, Command, CommandFactory};
use holdpoint_core::workflow::command::Command as Own;

use super::Arguments;
use crate::agent::Agent;
use crate::catalog::{self, BuiltIn};

/// Returns all commands, including those of the built-in workflows.
pub(super) fn all() -> Command {
    catalog::built_in().iter().fold(own(), |all, built_in| all.subcommand(workflow(built_in)))
}

/// Returns Holdpoint's own commands.
pub(super) fn own() -> Command {
    Arguments::command().mut_subcommand("hook", hook)
}

/// Adds the options that the hook parses without clap.
fn hook(command: Command) -> Command {
    let option = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(name.to_uppercase()).help(help)
    };
    let agents: Vec<&str> = Agent::ALL.iter().map(|(name, _)| *name).collect();
    command
        .arg(option("agent", "The agent that calls [default: recognized by its input]").value_parser(agents))
        .arg(option("workflow", "Apply only this workflow"))
        .arg(option("only", "Apply only the rules of this name").value_name("RULE"))
        .arg(option("protocol", "The form of the answer [default: own]").value_parser(["own", "legacy"]))
}

fn workflow(built_in: &'static BuiltIn) -> Command {
    let workflow = &built_in.workflow;
    let command = Command::new(workflow.name.as_ref()).about(workflow.about.as_ref());
    workflow.commands.iter().fold(command, |all, own| all.subcommand(of_workflow(own)))
}

fn of_workflow(own: &'static Own) -> Command {
    let mut command = Command::new(own.name.as_ref()).about(own.about.as_ref());
    for argument in own.args.iter() {
        let arg = Arg::new(argument.name.as_ref()).help(argument.help.as_ref());
        let arg = arg.value_name(argument.name.to_uppercase()).required(!argument.is_optional);
        command = command.arg(if argument.is_rest { arg.num_args(1..) } else { arg });
    }
    for flag in own.flags.iter() {
        let arg = Arg::new(format!("--{}", flag.name)).long(flag.name.as_ref()).help(flag.help.as_ref());
        command = command.arg(match &flag.value {
            Some(value) => arg.value_name(value.as_ref()),
            None => arg.action(ArgAction::SetTrue),
        });
    }
    command
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_whole_command_line_is_sound() {
        super::all().debug_assert();
    }
}
