//! `holdpoint <workflow> <command> …`: the commands that workflows bring along.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use holdpoint_core::command::{self, Ran};
use holdpoint_core::decision::Set;
use holdpoint_core::diagnostic::nearest;
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::{FactError, Facts, reason};
use holdpoint_core::path::tidy;
use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::command::Command;

use super::Context;
use crate::catalog;
use crate::error::{CommandError, Kind};
use crate::project;
use crate::store::journal::{self, Entry};
use crate::store::lock::{self, Lock};
use crate::store::{layout, state};
use crate::ui::Style;
use crate::world::ProjectWorld;

/// Runs a workflow's command, given as the words after `holdpoint`.
pub(super) fn run(context: &Context, words: &[String]) -> Result<(), CommandError> {
    let (name, rest) = words.split_first().ok_or_else(|| CommandError::new(Kind::Usage, "no command"))?;
    let workflow = workflow(context, name)?;
    let Some(wanted) = rest.first().filter(|word| !word.starts_with('-')) else {
        help(context, &workflow);
        return Ok(());
    };
    let command = workflow.commands.iter().find(|command| command.name == *wanted);
    let command = command.ok_or_else(|| unknown_command(&workflow, wanted))?.clone();
    if rest[1..].iter().any(|word| word == "--help" || word == "-h") {
        context.ui.line(format!("{}\n\nUsage: holdpoint {name} {}", command.about, command.usage()));
        return Ok(());
    }
    let args = arguments(name, &command, &rest[1..])?;
    act(context, workflow, &command, args)
}

/// The workflow of that name: the project's own, or one built in.
fn workflow(context: &Context, name: &str) -> Result<Workflow, CommandError> {
    let base = project::nearest(&context.cwd, layout::FOLDER);
    let own = base.as_deref().map(catalog::own_folders).unwrap_or_default();
    if let Some((_, folder)) = own.iter().find(|(own, _)| own == name) {
        return catalog::load(name, folder).map_err(|unusable| {
            CommandError::new(Kind::Failed, unusable.why).hinted(format!("see `holdpoint check {name}`"))
        });
    }
    let built_in = catalog::built_in().iter().find(|built_in| built_in.workflow.name == name);
    built_in.map(|built_in| built_in.workflow.clone()).ok_or_else(|| {
        CommandError::new(Kind::Usage, format!("there is no command or workflow `{name}`"))
            .hinted("see `holdpoint --help`")
    })
}

fn help(context: &Context, workflow: &Workflow) {
    let ui = context.ui;
    ui.line(&workflow.about);
    if workflow.commands.is_empty() {
        ui.line(format!("\n{} has no commands of its own.", workflow.name));
        return;
    }
    ui.line("\nCommands:");
    let usages: Vec<String> = workflow.commands.iter().map(Command::usage).collect();
    let width = usages.iter().map(|usage| usage.chars().count()).max().unwrap_or_default();
    for (command, usage) in workflow.commands.iter().zip(&usages) {
        let gap = " ".repeat(width - usage.chars().count());
        ui.line(format!("  {}{gap}  {}", ui.paint(Style::Cyan, usage), command.about));
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

fn arguments(
    workflow: &str,
    command: &Command,
    words: &[String],
) -> Result<BTreeMap<String, String>, CommandError> {
    let needed = command.args.iter().filter(|arg| !arg.is_optional).count();
    if words.len() < needed || words.len() > command.args.len() {
        let what = format!("`{}` takes {needed} arguments, {} were given", command.name, words.len());
        return Err(
            CommandError::new(Kind::Usage, what).hinted(format!("holdpoint {workflow} {}", command.usage()))
        );
    }
    Ok(command.args.iter().map(|arg| arg.name.to_string()).zip(words.iter().cloned()).collect())
}

fn act(
    context: &Context,
    workflow: Workflow,
    command: &Command,
    args: BTreeMap<String, String>,
) -> Result<(), CommandError> {
    let told = |error: FactError| CommandError::new(Kind::Failed, reason(&error));
    let found = project::find(&context.cwd, Some(&workflow.name)).runs.into_iter().next();
    let place = found.map(|run| (run.home, run.folder));
    let (home, folder) = place.clone().unwrap_or_else(|| (project_root(&context.cwd), PathBuf::new()));
    let here = if place.is_some() { folder } else { home.clone() };
    // Read, decided and written under one lock: a hook may be at work on the same run.
    let mut lock = if place.is_some() { Some(locked(&home, &here)?) } else { None };
    let facts = facts(context, &workflow, &home, &here, &args);
    let step = command::step(&facts, command).map_err(told)?;
    let step =
        step.ok_or_else(|| CommandError::new(Kind::Failed, "none of the command's steps applies now"))?;
    let target = match command::created(&facts, step).map_err(told)? {
        Some(name) => Target::New(new_folder(&workflow, &home, &name)?),
        None if place.is_some() => Target::There(here),
        None => {
            return Err(CommandError::new(
                Kind::Failed,
                format!("there is no run of {} here", workflow.name),
            )
            .hinted(format!("see `holdpoint {}`", workflow.name)));
        }
    };
    if let Target::New(folder) = &target {
        lock = Some(locked(&home, folder)?);
    }
    let facts = self::facts(context, &workflow, &home, target.folder(), &args);
    let first = match &target {
        Target::New(_) => facts.first_values().map_err(told)?,
        Target::There(_) => Vec::new(),
    };
    match command::take(&facts, step, first).map_err(told)? {
        Ran::Refused(why) => Err(CommandError::new(Kind::Failed, why)),
        Ran::Done { sets, text } => {
            write(&facts, &target, &sets)?;
            drop(lock);
            record(&home, &workflow, command, &args, &sets);
            context.ui.line(text);
            Ok(())
        }
    }
}

/// Where a command's state is.
enum Target {
    There(PathBuf),
    New(PathBuf),
}

impl Target {
    fn folder(&self) -> &Path {
        match self {
            Target::There(folder) | Target::New(folder) => folder,
        }
    }
}

fn facts(
    context: &Context,
    workflow: &Workflow,
    home: &Path,
    folder: &Path,
    args: &BTreeMap<String, String>,
) -> Arc<Facts> {
    let event = Event::from_shell(Moment::Prompt, &context.cwd.to_string_lossy());
    let world = Arc::new(ProjectWorld::new(home, folder, Arc::clone(&context.env)));
    Facts::new(workflow.clone(), Arc::new(event), tidy(&home.to_string_lossy()), world).with_args(args)
}

/// The folder that a first run is made in: the repository's, or the current one.
fn project_root(cwd: &Path) -> PathBuf {
    [layout::FOLDER, ".git"]
        .iter()
        .find_map(|marker| project::nearest(cwd, marker))
        .unwrap_or_else(|| cwd.to_path_buf())
}

/// The folder of a new run. Its name comes from an agent: it must be one plain name.
fn new_folder(workflow: &Workflow, home: &Path, name: &str) -> Result<PathBuf, CommandError> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        return Err(CommandError::new(Kind::Usage, format!("`{name}` cannot be a run's name"))
            .hinted("use letters, digits, `-`, `_` and `.`"));
    }
    let folder = home.join(workflow.run.home.as_ref()).join(name);
    if folder.join(workflow.run.state.as_deref().unwrap_or_default()).is_file() {
        return Err(CommandError::new(Kind::Failed, format!("there is a run `{name}` already"))
            .hinted(format!("look at {}", folder.display())));
    }
    Ok(folder)
}

/// The lock of a run, by its folder.
fn locked(home: &Path, folder: &Path) -> Result<Lock, CommandError> {
    state::lock(home, folder, lock::PATIENCE)
        .map_err(|why| CommandError::new(Kind::Files, format!("{}: {why}", folder.display())))
}

fn write(facts: &Arc<Facts>, target: &Target, sets: &[Set]) -> Result<(), CommandError> {
    if sets.is_empty() {
        return Ok(());
    }
    let failed = |why: String| CommandError::new(Kind::Files, why);
    std::fs::create_dir_all(target.folder())?;
    let path = facts.state_path().map_err(|error| failed(reason(&error)))?;
    let file = target.folder().join(path.ok_or_else(|| failed("[run] names no state file".into()))?);
    let before = state::read(&file).map_err(failed)?;
    state::write(&file, before.as_deref(), sets)
        .map_err(|error| failed(format!("{}: {error}", file.display())))
}

fn record(
    home: &Path,
    workflow: &Workflow,
    command: &Command,
    args: &BTreeMap<String, String>,
    sets: &[Set],
) {
    let words: Vec<&str> =
        command.args.iter().filter_map(|arg| args.get(arg.name.as_ref())).map(String::as_str).collect();
    let entry = Entry {
        at: journal::now(),
        event: "command".to_owned(),
        about: Some(format!("{} {} {}", workflow.name, command.name, words.join(" ")).trim_end().to_owned()),
        agent: "shell".to_owned(),
        workflow: Some(workflow.name.to_string()),
        decision: "none".to_owned(),
        set: sets.iter().map(|set| (set.path.join("."), set.value.clone())).collect(),
        ..Entry::default()
    };
    let _ = journal::append(home, &entry);
}
