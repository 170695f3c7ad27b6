//! What `init` installs: what its options say, otherwise what an earlier `init` was told, otherwise what it finds.

use std::path::{Path, PathBuf};

use holdpoint_core::diagnostic::{Severity, nearest};
use holdpoint_core::workflow::check::{Surroundings, check};

use super::brought::Brought;
use super::{ALLOW_COMMANDS, Arguments, PRE_PUSH, said};
use crate::cli::doctor::login_path;
use crate::cli::{Context, subject};
use crate::error::{CommandError, Kind};
use crate::install::host::{self, Host, Runs};
use crate::install::place::{Place, Scope};
use crate::install::record::{Choices, Record};
use crate::{catalog, layers, program, world};

/// Returns what an `init` with these options chooses, where an earlier one left this record. What only the user may choose is
/// remembered where no project reaches.
pub(super) fn choices(
    arguments: &Arguments,
    record: Option<&Record>,
    is_users: impl Fn(&str) -> bool,
) -> Choices {
    let before = record.map(|record| record.choices.clone()).unwrap_or_default();
    let mut agents = before.agents;
    // One that chose those it finds goes on to do so.
    if record.is_none() || !agents.is_empty() {
        agents.extend(
            arguments.agents.iter().filter(|name| !agents.contains(name)).cloned().collect::<Vec<_>>(),
        );
    }
    let workflows =
        if arguments.workflows.is_empty() { before.workflows } else { arguments.workflows.clone() };
    let is_shared = arguments.place.is_project();
    Choices {
        agents,
        workflows,
        is_local: arguments.local || (before.is_local && !is_shared),
        allows_commands: arguments.more.allow_commands
            || (before.allows_commands && is_users(ALLOW_COMMANDS)),
        pre_push: arguments.more.pre_push || (before.pre_push && is_users(PRE_PUSH)),
    }
}

/// Returns the agents to install into: those named, those named before, or those found.
pub(super) fn hosts(
    context: &Context,
    place: &Place,
    named: &[String],
    choices: &Choices,
    record: Option<&Record>,
) -> Result<Vec<&'static Host>, CommandError> {
    let wanted = if named.is_empty() { &choices.agents } else { named };
    let mut hosts = if wanted.is_empty() { found(context, place, record) } else { all_named(wanted)? };
    if choices.is_local {
        let shared = hosts.iter().find(|host| host.local.is_none() && !named.is_empty());
        if let Some(shared) = shared {
            let what = format!("{} has no settings of your own for one project", shared.title);
            return Err(CommandError::new(Kind::Usage, what).hinted("`--user` is for all of your projects"));
        }
        let left: Vec<&Host> = hosts.extract_if(.., |host| host.local.is_none()).collect();
        said::left_out(context, &left);
    }
    if hosts.is_empty() {
        let what = "no agent found: no program on PATH and no settings folder";
        let hint = format!("name one: holdpoint init --agent {}", host::ALL[0].name);
        return Err(CommandError::new(Kind::Usage, what).hinted(hint));
    }
    Ok(hosts)
}

fn found(context: &Context, place: &Place, record: Option<&Record>) -> Vec<&'static Host> {
    let has_files =
        |host: &Host| record.is_some_and(|record| record.files.iter().any(|kept| kept.agent == host.name));
    let all = host::ALL.into_iter();
    all.filter(|host| is_found(context, place, host) || has_files(host)).collect()
}

fn all_named(names: &[String]) -> Result<Vec<&'static Host>, CommandError> {
    let all: Vec<&str> = host::ALL.iter().map(|host| host.name).collect();
    let one = |name: &String| {
        host::named(name).ok_or_else(|| {
            let hint = match nearest(name, all.iter().copied()) {
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

/// Returns the workflows to install: those chosen, or all that are enabled here and can be used.
pub(super) fn workflows(
    context: &Context,
    place: &Place,
    chosen: &[String],
    brought: &Brought,
) -> Result<Vec<subject::Found>, CommandError> {
    let mut found = match place.scope {
        Scope::Project => brought.left_in(subject::find(context, chosen)?, !chosen.is_empty())?,
        // What a project brings along is for that project: a clone must not reach all others.
        Scope::User => subject::find_above(context, chosen)?,
    };
    if chosen.is_empty() && place.scope == Scope::Project {
        let configuration = layers::around(&place.root, context.env.as_ref());
        let counts = |one: &subject::Found| one.is_projects || configuration.effective.enables(&one.name);
        // Where none is enabled, the one that will be finds its hooks.
        if found.iter().any(counts) {
            found.retain(counts);
        }
    }
    let mut usable = Vec::new();
    for one in found {
        if is_broken(&one)? {
            refuse_broken(context, &one.name, !chosen.is_empty())?;
        } else {
            usable.push(one);
        }
    }
    Ok(usable)
}

/// Returns whether a workflow has an error, so that the engine does not run it. The built-in ones have none.
fn is_broken(found: &subject::Found) -> Result<bool, CommandError> {
    let parsed = found.parsed()?;
    if parsed.error().is_some() || found.folder.is_none() {
        return Ok(parsed.error().is_some());
    }
    let around = Surroundings { variables: Some(catalog::VARIABLES), ..Surroundings::default() };
    Ok(check(&parsed, &around).iter().any(|problem| problem.severity == Severity::Error))
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

/// The name that others find the program by, if their PATH has it.
const NAME: &str = "holdpoint";

/// Returns how the hooks of each agent call this program: by its name in files that a team shares, if those who run it find
/// this very program by it, and by its path in the user's own.
pub(super) fn called(
    context: &Context,
    place: &Place,
    hosts: &[&Host],
    is_local: bool,
    own: &Path,
) -> Vec<String> {
    let is_this = |found: PathBuf| found.canonicalize().ok() == own.canonicalize().ok();
    let is_shared = place.scope == Scope::Project && !is_local;
    let is_named = is_shared && program::on_path(NAME, context.env.as_ref()).is_some_and(is_this);
    let in_login_shell = || {
        let path = login_path(context).unwrap_or_default();
        std::env::split_paths(&path).map(|folder| folder.join(NAME)).find(|file| world::is_program(file))
    };
    let one = |host: &&Host| {
        let is_found = is_named && (host.runs != Runs::LoginShell || in_login_shell().is_some_and(is_this));
        if is_found { NAME.to_owned() } else { own.to_string_lossy().into_owned() }
    };
    hosts.iter().map(one).collect()
}
