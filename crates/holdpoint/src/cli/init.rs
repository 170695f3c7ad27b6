//! `holdpoint init`: writes hooks and commands into the agents' settings.

mod brought;
mod choice;
mod said;

use std::path::PathBuf;

use clap::Args;

use self::brought::Brought;
use super::installed::Where;
use super::{Context, subject};
use crate::allow::identity::Identity;
use crate::error::{CommandError, Kind};
use crate::install::apply;
use crate::install::host::Host;
use crate::install::place::{Place, Scope};
use crate::install::plan::{Order, Plan};
use crate::install::record::{Choices, Record};
use crate::install::wanted::Wanted;
use crate::store::layout;
use crate::store::state_folder::StateFolder;
use crate::user;

/// Add Holdpoint to the settings of your agents
///
/// Adds Holdpoint's hooks and the workflows' slash commands. Everything else in those files stays unchanged: comments, order, other hooks. A backup of each file is kept, and
/// `holdpoint uninstall` removes exactly what `init` added. Running `init` again, without options, renews what the last one chose.
///
/// A project's settings call `holdpoint` by its name, if PATH finds this program by it, so that a team can share them; your own call it by its path.
///
/// If you type it at a terminal, it also allows what the project brings along: see `holdpoint allow`.
///
/// All workflows are enabled. `--workflow` limits a project to the workflows it names and the project's own.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint init                         the agents it finds, all workflows
  holdpoint init --dry-run               show the changes without writing them
  holdpoint init --agent claude,codex    these agents, even if not installed
  holdpoint init --workflow myflow       only this workflow's hooks and commands
  holdpoint init --local                 for you alone, in this project
  holdpoint init --pre-push              also git's hook before pushes
  holdpoint init --user                  your own settings, for all projects")]
pub(super) struct Arguments {
    /// An agent: claude, codex, gemini, cursor, copilot [default: those it finds]
    #[arg(long = "agent", value_name = "AGENT", value_delimiter = ',')]
    agents: Vec<String>,
    /// A workflow, built in or the project's own [default: all]
    #[arg(long = "workflow", value_name = "WORKFLOW", value_delimiter = ',')]
    workflows: Vec<String>,
    #[command(flatten)]
    place: Where,
    /// For you alone in this project, where the agent has settings for that (Claude Code)
    #[arg(long, conflicts_with_all = ["user", "project"])]
    local: bool,
    #[command(flatten)]
    more: More,
    /// Show the changes without writing them
    #[arg(long)]
    dry_run: bool,
}

/// The options that only the user may give.
const ALLOW_COMMANDS: &str = "--allow-commands";
const PRE_PUSH: &str = "--pre-push";

/// What is installed only if the user asks for it.
#[derive(Clone, Copy, Debug, Args)]
struct More {
    /// Also let the agent call the workflows' commands without asking you (Claude Code; in a terminal only)
    #[arg(long)]
    allow_commands: bool,
    /// Also add git's own hook before pushes, which holds an agent's (in a terminal only)
    #[arg(long)]
    pre_push: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    refuse_without_user(context, arguments)?;
    let chosen = Chosen::of(context, arguments)?;
    let (place, brought) = (&chosen.place, &chosen.brought);
    let plan = chosen.plan(Record::read(place)?.as_ref())?;
    let is_done = !plan.draft.has_changes() && Record::read(place)?.as_ref() == Some(&plan.record);
    brought.announce(context, arguments.dry_run);
    if arguments.dry_run {
        said::files(context, &chosen, &plan, true);
        brought.say_waiting(context);
        return Ok(());
    }
    if is_done || nothing_to_record(&plan) {
        said::files(context, &chosen, &plan, false);
        brought.allow(context, place, &plan.draft);
        return Ok(());
    }
    // The files may have changed since, so the plan is made again under the lock.
    let _lock = apply::lock(place)?;
    let old = Record::read(place)?;
    let plan = chosen.plan(old.as_ref())?;
    apply::back_up(place, &plan.draft, old.as_ref(), &plan.record)?;
    apply::carry_out(place, &plan.draft, old.as_ref(), &plan.record)?;
    remember(context, place, arguments.more);
    said::files(context, &chosen, &plan, false);
    brought.allow(context, place, &plan.draft);
    said::reviewers(context, &chosen);
    said::next(context, &chosen, &plan);
    Ok(())
}

/// Refuses what only the user may ask for, where the user is not there.
fn refuse_without_user(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let options = [
        (PRE_PUSH, arguments.more.pre_push, "git's hook is added"),
        (ALLOW_COMMANDS, arguments.more.allow_commands, "commands are allowed"),
    ];
    let asked = options.into_iter().find(|(_, is_asked, _)| *is_asked);
    let Some((option, _, does)) = asked.filter(|_| !arguments.dry_run) else { return Ok(()) };
    if user::is_there(context.env.as_ref()) {
        return Ok(());
    }
    let what = format!("{does} at a terminal only; nothing was written");
    let hint = format!("type it in a terminal of your own, or leave out {option}");
    Err(CommandError::new(Kind::Failed, what).hinted(hint))
}

/// The file in the user's state folder that says that the user chose this for a project: its own record comes with it, from
/// anyone.
fn chosen_file(place: &Place, option: &str) -> Option<String> {
    let id = Identity::of(&place.root)?.id;
    Some(format!("chosen/{}", layout::digest(&[&id, option])))
}

/// Remembers what only the user may choose. What cannot be remembered is asked for again.
fn remember(context: &Context, place: &Place, more: More) {
    let Ok(folder) = StateFolder::of(context.env.as_ref()) else { return };
    for (option, is_chosen) in [(PRE_PUSH, more.pre_push), (ALLOW_COMMANDS, more.allow_commands)] {
        if let Some(file) = chosen_file(place, option).filter(|_| is_chosen) {
            let _ = folder.mark(&file);
        }
    }
}

fn is_remembered(context: &Context, place: &Place, option: &str) -> bool {
    let folder = StateFolder::of(context.env.as_ref()).ok();
    let is_marked = || folder.zip(chosen_file(place, option)).is_some_and(|(folder, file)| folder.has(&file));
    place.scope == Scope::User || is_marked()
}

/// What is installed, and where.
struct Chosen {
    place: Place,
    choices: Choices,
    hosts: Vec<&'static Host>,
    brought: Brought,
    found: Vec<subject::Found>,
    workflows: Vec<(String, Vec<(String, String)>)>,
    wanted: Wanted,
    program: PathBuf,
    /// How the hooks of each agent call the program.
    called: Vec<String>,
    had_ignore: bool,
    own: Vec<String>,
}

impl Chosen {
    fn of(context: &Context, arguments: &Arguments) -> Result<Chosen, CommandError> {
        let place = arguments.place.place(context)?;
        let record = Record::read(&place)?;
        let is_users = |option: &str| is_remembered(context, &place, option);
        let choices = choice::choices(arguments, record.as_ref(), is_users);
        let hosts = choice::hosts(context, &place, &arguments.agents, &choices, record.as_ref())?;
        let brought = Brought::along(context, &place);
        let found = choice::workflows(context, &place, &choices.workflows, &brought)?;
        let mut workflows = Vec::new();
        let mut parsed = Vec::new();
        for one in &found {
            parsed.push(one.parsed()?.workflow);
            workflows.push((one.name.clone(), one.files()?));
        }
        let program = std::env::current_exe()?;
        Ok(Chosen {
            called: choice::called(context, &place, &hosts, choices.is_local, &program),
            wanted: Wanted::of(parsed.iter()),
            had_ignore: layout::ignore(&place.root).exists(),
            own: own_workflows(&place),
            place,
            choices,
            hosts,
            brought,
            found,
            workflows,
            program,
        })
    }

    fn plan(&self, record: Option<&Record>) -> Result<Plan, CommandError> {
        let order = Order {
            place: &self.place,
            hosts: &self.hosts,
            wanted: &self.wanted,
            workflows: &self.workflows,
            choices: &self.choices,
            own: &self.own,
            program: &self.program,
            called: &self.called,
            had_ignore: self.had_ignore,
            record,
        };
        order.plan()
    }
}

/// Returns whether there is nothing to record: entries that already existed do not belong to `init`.
fn nothing_to_record(plan: &Plan) -> bool {
    !plan.draft.has_changes() && plan.record.files.is_empty()
}

fn own_workflows(place: &Place) -> Vec<String> {
    let own =
        if place.scope == Scope::Project { crate::catalog::own_folders(&place.root) } else { Vec::new() };
    own.into_iter().map(|(name, _)| name).collect()
}
