//! `holdpoint <workflow> <command> …`: the workflows' own commands.

use std::sync::Arc;

use holdpoint_core::diagnostic::nearest;
use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::command::Command;

use super::Context;
use super::confirmation::Users;
use crate::caller;
use crate::catalog;
use crate::engine::command::Typed;
use crate::engine::command::{choice, words};
use crate::error::{CommandError, Kind};
use crate::install::host::quoted;
use crate::layers;
use crate::store::receipt::{Call, Receipt};
use crate::ui::{Style, Ui};

/// Runs a workflow's command, given as the words after `holdpoint`.
pub(super) fn run(context: &Context, words: &[String]) -> Result<(), CommandError> {
    let (name, rest) = words.split_first().ok_or_else(|| CommandError::new(Kind::Usage, "no command"))?;
    let choice::Choice { workflow, origin } = chosen(context, name)?;
    let Some(wanted) = rest.first().filter(|word| !is_help(word)) else {
        list(context, &workflow);
        return Ok(());
    };
    let command = named(&workflow, wanted)?.clone();
    // Only in the position of an argument: later it may be part of a free text.
    let places = rest[1..].iter().take(command.args.len().max(1)).take_while(|word| *word != "--");
    if places.into_iter().any(|word| is_help(word)) {
        show_usage(context, name, &command);
        return Ok(());
    }
    let given = words::read(name, &command, &rest[1..])?;
    if context.env.is_agents() && !command.is_users && workflow.is_for_hooks(&command) {
        return show(context, words);
    }
    let (cwd, session) = (&context.cwd, caller::session(context.env.as_ref()));
    let is_confirmed = command.is_users && confirm(context, words)?;
    let env = &if is_confirmed { Arc::clone(&context.env) } else { context.performing() };
    let command = &command;
    let typed = Typed { workflow: &workflow, origin, command, words: given, cwd, env, session, is_confirmed };
    context.ui.record(typed.perform()?);
    Ok(())
}

/// Asks for the user's own word where an agent's client works here. Returns whether it is known that the user is there.
fn confirm(context: &Context, words: &[String]) -> Result<bool, CommandError> {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let what = format!("holdpoint {}", words.join(" "));
    let users = Users::command(context, &context.cwd, &what)?;
    users.confirm(context)?;
    Ok(!users.is_plain())
}

/// Shows the help of a workflow, or of one of its commands.
pub(super) fn help(context: &Context, words: &[String]) -> Result<(), CommandError> {
    let Some((name, rest)) = words.split_first() else { return Ok(()) };
    let choice::Choice { workflow, .. } = chosen(context, name)?;
    match rest.first() {
        Some(wanted) => show_usage(context, name, named(&workflow, wanted)?),
        None => list(context, &workflow),
    }
    Ok(())
}

fn is_help(word: &str) -> bool {
    word == "--help" || word == "-h"
}

fn named<'w>(workflow: &'w Workflow, wanted: &str) -> Result<&'w Command, CommandError> {
    let command = workflow.commands.iter().find(|command| command.name == wanted);
    command.ok_or_else(|| unknown_command(workflow, wanted))
}

fn chosen(context: &Context, name: &str) -> Result<choice::Choice, CommandError> {
    let chosen = choice::workflow(&context.cwd, context.env.as_ref(), name)?;
    chosen.ok_or_else(|| unknown_name(context, name))
}

/// Shows what a hook did about this call of an agent's. In the agent's own shell nothing is performed.
fn show(context: &Context, words: &[String]) -> Result<(), CommandError> {
    let env = context.env.as_ref();
    let (session, cwd) = (env.session().unwrap_or_default(), context.cwd.to_string_lossy());
    if let Some(receipt) = Receipt::find_for(env, &Call { session: &session, cwd: &cwd, words }) {
        context.ui.record(receipt.shown()?);
        return Ok(());
    }
    let what = "nothing was performed: Holdpoint's hooks did not see this call";
    let hint = format!("call it alone, with plain words: holdpoint {}", words[..2].join(" "));
    Err(CommandError::new(Kind::Refused(3), what).hinted(hint).hinted("if it was alone: holdpoint doctor"))
}

fn unknown_name(context: &Context, name: &str) -> CommandError {
    let configuration = layers::around(&context.cwd, context.env.as_ref());
    let mut names = super::names();
    names.extend(configuration.own.iter().map(|own| own.name.clone()));
    names.extend(catalog::built_in().iter().map(|built_in| built_in.workflow.name.to_string()));
    let hint = match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `holdpoint {near}`?"),
        None => "see `holdpoint --help`".to_owned(),
    };
    CommandError::new(Kind::Usage, format!("unknown command or workflow `{name}`")).hinted(hint)
}

/// The width of the usage column. A longer usage gets a separate line.
const USAGE_WIDTH: usize = 24;
/// Stands between the lines of a usage that is wider than there is room for.
const USAGE_BREAK: &str = "\n       ";

/// Lists the commands of a workflow.
fn list(context: &Context, workflow: &Workflow) {
    let ui = context.ui;
    ui.line(&workflow.about);
    if workflow.commands.is_empty() {
        ui.line(format!("\n{} has no commands.", workflow.name));
        return;
    }
    ui.line(format!("\nUsage: holdpoint {} COMMAND\n\nCommands:", workflow.name));
    for command in workflow.commands.iter() {
        let usage = command.usage();
        let gap = match USAGE_WIDTH.checked_sub(usage.chars().count()) {
            Some(rest) => " ".repeat(rest),
            None => format!("\n  {}", " ".repeat(USAGE_WIDTH)),
        };
        ui.line(format!("  {}{gap}  {}", ui.paint(Style::Cyan, folded(ui, &usage)), command.about));
    }
    ui.line(format!("\nSee `holdpoint help {} COMMAND` for the words that a command takes.", workflow.name));
}

/// Folds a usage between its words.
fn folded(ui: Ui, usage: &str) -> String {
    ui.folded(usage, ui.width().saturating_sub(USAGE_BREAK.len())).join(USAGE_BREAK)
}

/// Shows how a workflow's command is called.
fn show_usage(context: &Context, workflow: &str, command: &Command) {
    let ui = context.ui;
    let usage = folded(ui, &format!("holdpoint {workflow} {}", command.usage()));
    ui.line(format!("{}\n\nUsage: {usage}", command.about));
    let args = command.args.iter().map(|arg| (format!("<{}>", arg.name.to_uppercase()), &arg.help));
    let flags = command.flags.iter().map(|flag| match &flag.value {
        Some(value) => (format!("--{} <{value}>", flag.name), &flag.help),
        None => (format!("--{}", flag.name), &flag.help),
    });
    let rows: Vec<_> = args.chain(flags).filter(|(_, help)| !help.is_empty()).collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    if !rows.is_empty() {
        ui.line("");
    }
    for (name, help) in rows {
        ui.line(format!("  {name:<width$}  {help}"));
    }
}

fn unknown_command(workflow: &Workflow, wanted: &str) -> CommandError {
    let names = workflow.commands.iter().map(|command| command.name.as_ref());
    let hint = match nearest(wanted, names) {
        Some(near) => format!("did you mean `holdpoint {} {near}`?", workflow.name),
        None => format!("see `holdpoint {}`", workflow.name),
    };
    CommandError::new(Kind::Usage, format!("{} has no command `{wanted}`", workflow.name)).hinted(hint)
}
