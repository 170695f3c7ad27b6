//! `holdpoint <workflow> <command> …`: the workflows' own commands.

use std::sync::Arc;

use holdpoint_core::diagnostic::nearest;
use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::command::Command;

use super::Context;
use crate::allow::waiting::{self, Waiting};
use crate::catalog::{self, Origin};
use crate::engine::command::Typed;
use crate::engine::command::words;
use crate::error::{CommandError, Kind};
use crate::layers::{self, Configuration};
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
    let typed = Typed { workflow: &workflow, origin: &origin, command: &command, words, cwd, env };
    context.ui.line(typed.perform()?);
    Ok(())
}

/// Returns the workflow of that name, a layer's own or a built-in one, and its origin.
fn workflow(context: &Context, name: &str) -> Result<(Arc<Workflow>, Origin), CommandError> {
    let configuration = layers::around(&context.cwd, context.env.as_ref());
    let own = configuration.own(name);
    let is_known = catalog::named(name).is_some() || own.is_some();
    if is_known && !configuration.effective.enables(name) {
        let what = format!("workflow `{name}` is not enabled in this project");
        let file = configuration.effective.listed_in().map_or(layout::CONFIG, |(_, file)| file);
        let hint = format!("add \"{name}\" to `workflows` in {file}");
        return Err(CommandError::new(Kind::Failed, what).hinted(hint));
    }
    if let Some(own) = own.filter(|own| seal::changed_since(&context.cwd, own) != Some(Begun::BuiltIn)) {
        let loaded = project::load(&context.cwd, own, context.env.as_ref());
        return loaded.map(|workflow| (Arc::new(workflow), own.origin())).map_err(|unusable| {
            CommandError::new(Kind::Failed, unusable.why).hinted(format!("see `holdpoint check {name}`"))
        });
    }
    let built_in = catalog::named(name);
    built_in.map(|built_in| (Arc::new(built_in.workflow.clone()), Origin::BuiltIn)).ok_or_else(|| {
        match configuration.barred(name) {
            Some(why) => CommandError::new(Kind::Failed, why.to_owned()).hinted("see `holdpoint doctor`"),
            None => not_allowed(context, name).unwrap_or_else(|| unknown_name(name, &configuration)),
        }
    })
}

/// Refuses a workflow of the project's own that the user has not allowed.
fn not_allowed(context: &Context, name: &str) -> Option<CommandError> {
    let base = project::base(&context.cwd)?;
    let is_there = catalog::own_folders(&base).iter().any(|(own, _)| own == name);
    is_there.then(|| waiting::refusal(&[Waiting::Content { base, defect: None }]))
}

fn unknown_name(name: &str, configuration: &Configuration) -> CommandError {
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
