//! `holdpoint <workflow> <command> …`: the workflows' own commands.

use std::path::PathBuf;

use std::sync::Arc;

use holdpoint_core::diagnostic::nearest;
use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::command::Command;

use super::Context;
use crate::allow::Allowance;
use crate::allow::allowed_content::AllowedContent;
use crate::allow::waiting::{self, Waiting};
use crate::catalog::{self, Origin, Unusable};
use crate::engine::command::Typed;
use crate::engine::command::words;
use crate::error::{CommandError, Kind};
use crate::project;
use crate::store::layout;
use crate::store::seal::{self, Begun};
use crate::ui::Style;

/// Runs a workflow's command, given as the words after `holdpoint`.
pub(super) fn run(context: &Context, words: &[String]) -> Result<(), CommandError> {
    let (name, rest) = words.split_first().ok_or_else(|| CommandError::new(Kind::Usage, "no command"))?;
    let (workflow, origin) = workflow(context, name)?;
    let workflow = project::reviewers::chosen(&context.cwd, context.env.as_ref(), workflow);
    let Some(wanted) = rest.first().filter(|word| !word.starts_with('-')) else {
        help(context, &workflow);
        return Ok(());
    };
    let command = workflow.commands.iter().find(|command| command.name == *wanted);
    let command = command.ok_or_else(|| unknown_command(&workflow, wanted))?.clone();
    // Only in the position of an argument: later it may be part of a free text.
    let places = rest[1..].iter().take(command.args.len().max(1)).take_while(|word| *word != "--");
    if places.into_iter().any(|word| word == "--help" || word == "-h") {
        command_help(context, name, &command);
        return Ok(());
    }
    let words = words::read(name, &command, &rest[1..])?;
    let (cwd, env) = (&context.cwd, &context.env);
    let typed = Typed { workflow: &workflow, origin, command: &command, words, cwd, env };
    context.ui.line(typed.perform()?);
    Ok(())
}

/// Returns the workflow of that name: the project's own, or a built-in one.
fn workflow(context: &Context, name: &str) -> Result<(Arc<Workflow>, Origin), CommandError> {
    let allowed = project::allowed_content(&context.cwd, context.env.as_ref());
    let own = allowed.as_ref().map(AllowedContent::workflows).unwrap_or_default();
    let is_known = catalog::named(name).is_some() || own.iter().any(|(own, _)| own == name);
    if let Some(allowed) = allowed.as_ref().filter(|allowed| is_known && project::leaves_out(allowed, name)) {
        let what = format!("workflow `{name}` is not enabled in this project");
        let hint = format!("add \"{name}\" to `workflows` in {}", layout::config(allowed.base()).display());
        return Err(CommandError::new(Kind::Failed, what).hinted(hint));
    }
    let is_later = || seal::changed_since(&context.cwd, name) == Some(Begun::BuiltIn);
    let is_it = |(own, _): &&(String, PathBuf)| own == name && !is_later();
    if let Some((allowed, (_, folder))) = allowed.as_ref().zip(own.iter().find(is_it)) {
        let loaded = project::load(&context.cwd, name, folder, allowed).map_err(unusable)?;
        return Ok((Arc::new(loaded), Origin::Project(folder.clone())));
    }
    let Some(built_in) = catalog::named(name) else {
        return Err(not_allowed(context, name).unwrap_or_else(|| unknown_name(name, &own)));
    };
    if built_in.workflow.run.is_sealed && seal::is_of_own(&context.cwd, name) {
        let gone = || unusable(project::changed(&context.cwd, name));
        return Err(not_allowed(context, name).unwrap_or_else(gone));
    }
    Ok((Arc::new(built_in.workflow.clone()), Origin::BuiltIn))
}

fn unusable(unusable: Unusable) -> CommandError {
    let hint = format!("see `holdpoint check {}`", unusable.name);
    CommandError::new(Kind::Failed, unusable.why).hinted(hint)
}

/// Refuses a workflow of the project's own that the user has not allowed.
fn not_allowed(context: &Context, name: &str) -> Option<CommandError> {
    let base = project::base(&context.cwd)?;
    let is_there = catalog::own_folders(&base).iter().any(|(own, _)| own == name);
    let waiting = || Allowance::of(context.env.as_ref()).judge(&base).waiting(&base);
    is_there.then(|| waiting::refusal(&[waiting().unwrap_or_else(|| Waiting::content(base.clone()))]))
}

fn unknown_name(name: &str, own: &[(String, PathBuf)]) -> CommandError {
    let mut names = super::names();
    names.extend(own.iter().map(|(name, _)| name.clone()));
    names.extend(catalog::built_in().iter().map(|built_in| built_in.workflow.name.to_string()));
    let hint = match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `holdpoint {near}`?"),
        None => "see `holdpoint --help`".to_owned(),
    };
    CommandError::new(Kind::Usage, format!("unknown command or workflow `{name}`")).hinted(hint)
}

/// The width of the usage column. A longer usage gets a separate line.
const USAGE_WIDTH: usize = 24;

fn help(context: &Context, workflow: &Workflow) {
    let ui = context.ui;
    ui.line(&workflow.about);
    if workflow.commands.is_empty() {
        ui.line(format!("\n{} has no commands.", workflow.name));
        return;
    }
    ui.line("\nCommands:");
    for command in workflow.commands.iter() {
        let usage = command.usage();
        let gap = match USAGE_WIDTH.checked_sub(usage.chars().count()) {
            Some(rest) => " ".repeat(rest),
            None => format!("\n  {}", " ".repeat(USAGE_WIDTH)),
        };
        ui.line(format!("  {}{gap}  {}", ui.paint(Style::Cyan, usage), command.about));
    }
}

fn command_help(context: &Context, workflow: &str, command: &Command) {
    let ui = context.ui;
    ui.line(format!("{}\n\nUsage: holdpoint {workflow} {}", command.about, command.usage()));
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
