//! `holdpoint init`: writes hooks and commands into the agents' settings.

mod brought;

use clap::Args;

use self::brought::Brought;
use super::installed::{self, Where};
use super::{Context, subject};
use crate::error::{CommandError, Kind};
use crate::install::apply;
use crate::install::host::{self, Host};
use crate::install::place::{Place, Scope};
use crate::install::plan::{Order, Plan};
use crate::install::record::Record;
use crate::install::wanted::Wanted;
use crate::project;
use crate::store::layout;
use crate::ui::Style;
use crate::user;

/// Add Holdpoint to the settings of your agents
///
/// Adds Holdpoint's hooks and the workflows' slash commands. Everything else in those files stays unchanged: comments, order, other hooks. A backup of each file is kept, and
/// `holdpoint uninstall` removes exactly what `init` added. Running `init` again updates what has changed since: the
/// program's path, the agents, the workflows.
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
    /// Also add git's own hook before pushes, which holds an agent's (in a terminal only)
    #[arg(long)]
    pre_push: bool,
    /// Show the changes without writing them
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    if arguments.pre_push && !arguments.dry_run && !user::is_there(context.env.as_ref()) {
        return Err(CommandError::new(
            Kind::Failed,
            "git's hook is added at a terminal only; nothing was written",
        )
        .hinted("type it in a terminal of your own, or leave out --pre-push"));
    }
    let place = arguments.place.place(context)?;
    let hosts = hosts(context, &place, &arguments.agents)?;
    let brought = Brought::along(context, &place);
    let found = match place.scope {
        Scope::Project => {
            brought.left_in(subject::find(context, &arguments.workflows)?, !arguments.workflows.is_empty())?
        }
        // What a project brings along is for that project: a clone must not reach all others.
        Scope::User => subject::find_above(context, &arguments.workflows)?,
    };
    let mut workflows = Vec::new();
    let mut parsed = Vec::new();
    for found in &found {
        let one = found.parsed()?;
        if one.error().is_some() {
            refuse_broken(context, &found.name, !arguments.workflows.is_empty())?;
            continue;
        }
        parsed.push(one.workflow);
        workflows.push((found.name.clone(), found.files()?));
    }
    let wanted = Wanted::of(parsed.iter());
    let program = std::env::current_exe()?;
    let own = own_workflows(&place);
    let had_ignore = layout::ignore(&place.root).exists();
    let order = |record: Option<&Record>| {
        Order {
            place: &place,
            hosts: &hosts,
            wanted: &wanted,
            workflows: &workflows,
            chosen: &arguments.workflows,
            own: &own,
            program: &program,
            pre_push: arguments.pre_push,
            had_ignore,
            record,
        }
        .plan()
    };
    let plan = order(Record::read(&place)?.as_ref())?;
    let is_done = !plan.draft.has_changes() && Record::read(&place)?.as_ref() == Some(&plan.record);
    brought.announce(context, arguments.dry_run);
    if arguments.dry_run {
        show(context, &place, &hosts, &plan, true);
        brought.say_waiting(context);
        return Ok(());
    }
    if is_done || nothing_to_record(&plan) {
        show(context, &place, &hosts, &plan, false);
        brought.allow(context, &place, &plan.draft);
        return Ok(());
    }
    // The files may have changed since, so the plan is made again under the lock.
    let _lock = apply::lock(&place)?;
    let old = Record::read(&place)?;
    let plan = order(old.as_ref())?;
    apply::back_up(&place, &plan.draft, old.as_ref(), &plan.record)?;
    apply::carry_out(&place, &plan.draft, old.as_ref(), &plan.record)?;
    show(context, &place, &hosts, &plan, false);
    brought.allow(context, &place, &plan.draft);
    next(context, &place, &hosts, &plan);
    Ok(())
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

/// Skips a workflow that cannot be used, or fails if the user named it.
fn refuse_broken(context: &Context, name: &str, is_named: bool) -> Result<(), CommandError> {
    let what = format!("workflow `{name}` cannot be used");
    if is_named {
        return Err(CommandError::new(Kind::Failed, what).hinted(format!("see `holdpoint check {name}`")));
    }
    context.ui.note(format!("{what} and is skipped: see `holdpoint check {name}`"));
    Ok(())
}

/// Returns the named agents or, without names, those found.
fn hosts(context: &Context, place: &Place, names: &[String]) -> Result<Vec<&'static Host>, CommandError> {
    if names.is_empty() {
        let found: Vec<&Host> = host::ALL.into_iter().filter(|host| is_found(context, place, host)).collect();
        if found.is_empty() {
            return Err(CommandError::new(
                Kind::Usage,
                "no agent found: no program on PATH and no settings folder",
            )
            .hinted(format!("name one: holdpoint init --agent {}", host::ALL[0].name)));
        }
        return Ok(found);
    }
    let all: Vec<&str> = host::ALL.iter().map(|host| host.name).collect();
    let one = |name: &String| {
        host::named(name).ok_or_else(|| {
            let hint = match holdpoint_core::diagnostic::nearest(name, all.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("available: {}", all.join(", ")),
            };
            CommandError::new(Kind::Usage, format!("unknown agent `{name}`")).hinted(hint)
        })
    };
    let mut hosts: Vec<&Host> = Vec::new();
    for name in names {
        let host = one(name)?;
        if !hosts.iter().any(|there| there.name == host.name) {
            hosts.push(host);
        }
    }
    Ok(hosts)
}

fn is_found(context: &Context, place: &Place, host: &Host) -> bool {
    let user = Place::find(Scope::User, &context.cwd, &context.env);
    host.program(context.env.as_ref()).is_some()
        || (place.scope == Scope::Project && host.marks.iter().any(|mark| place.root.join(mark).exists()))
        || user.is_ok_and(|user| user.folder(host).is_dir())
}

fn show(context: &Context, place: &Place, hosts: &[&Host], plan: &Plan, is_dry: bool) {
    let ui = context.ui;
    let titles: Vec<&str> = hosts.iter().map(|host| host.title).collect();
    let whose = match place.scope {
        Scope::Project => format!("Project {}", place.root.display()),
        Scope::User => "Your own settings".to_owned(),
    };
    ui.line(format!("{}: {}", ui.paint(Style::Bold, whose), titles.join(", ")));
    if is_dry {
        ui.line("Dry run: nothing was written.");
    }
    installed::show(&ui, place, plan.draft.files.iter().filter(|planned| planned.is_change()));
    for path in &plan.left_alone {
        ui.line(format!("kept     {}  you have edited it", place.shown(path)));
    }
    if !plan.draft.has_changes() {
        ui.line("Nothing to change: everything is up to date.");
    }
}

/// Prints the next steps after `init`.
fn next(context: &Context, place: &Place, hosts: &[&Host], plan: &Plan) {
    let ui = context.ui;
    if !plan.draft.has_changes() {
        return;
    }
    if plan.draft.files.iter().any(|planned| planned.is_change() && planned.before.is_some()) {
        ui.line(format!(
            "\nBackups of the changed files are in {}.",
            place.shown(&place.ours().join("backups"))
        ));
    }
    ui.line("\nNext:");
    for next in hosts.iter().filter_map(|host| host.next) {
        ui.line(format!("  {next}"));
    }
    ui.line("  holdpoint doctor       check that the hooks work");
    if project::nearest(&place.root, ".git").is_none() && place.scope == Scope::Project {
        ui.line("  git init               some workflows need branches and commits");
    }
    let user = if place.scope == Scope::User { " --user" } else { "" };
    ui.line(format!(
        "  holdpoint uninstall{user}{:<width$}remove all of this again",
        "",
        width = 4_usize.saturating_sub(user.len()).max(2)
    ));
}
