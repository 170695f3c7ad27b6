//! `holdpoint allow`: shows what a project would run, and allows it.

mod changes;
mod given;
pub(super) mod programs;
pub(super) mod shown;
mod unsound;

use std::path::{Path, PathBuf};

use clap::Args;
use holdpoint_core::path::tidy;

use super::confirmation::Users;
use super::{Context, phrase};
use crate::allow::Allowance;
use crate::allow::identity::Identity;
use crate::allow::survey::Survey;
use crate::error::{CommandError, Kind, in_full};
use crate::install::host::quoted;
use crate::pinned::{self, Changes};
use crate::store::registry::Entry;
use crate::ui::Style;
use crate::user;

/// Look at what a project would run, and allow it
///
/// A project's own workflows, its holdpoint.toml, and runs that did not begin here have no effect until you allow them.
/// After a change you are asked again, and shown the difference; what has not changed stays allowed. Only you can allow:
/// it takes your terminal, and while an agent's client works in the project a word that you type.
///
/// The programs that checks and reviews start, such as git and the reviewer's, are those that you have now. If one becomes
/// another file, nothing is performed until you have seen that here.
///
/// A run that Holdpoint cannot go on with by itself waits for you here, too: its project is a copy, or its books are gone.
///
/// What is allowed is recorded outside the project, in `~/.local/state/holdpoint`. It applies to all worktrees of the
/// repository.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint allow                         look at this project, then answer y or n
  holdpoint allow --list                  the projects that you have allowed
  holdpoint allow --revoke                this project has no effect any more
  holdpoint allow --print                 print the digest of its workflows and settings
  holdpoint allow --digest DIGEST         allow exactly that, without a terminal")]
pub(super) struct Arguments {
    /// The project [default: the current folder]
    path: Option<PathBuf>,
    /// Do not ask (in a terminal only, and where no agent's client works)
    #[arg(long, conflicts_with_all = ["list", "revoke", "print", "digest"])]
    yes: bool,
    #[command(flatten)]
    instead: Instead,
    /// Allow it without a terminal, if it has this digest and no agent's client works there
    #[arg(long, value_name = "DIGEST")]
    digest: Option<String>,
}

/// What is done instead of allowing.
#[derive(Debug, Args)]
struct Instead {
    /// List the projects that you have allowed
    #[arg(long, conflicts_with_all = ["revoke", "print", "digest", "path"])]
    list: bool,
    /// Forget the project: nothing of it has an effect any more
    #[arg(long, conflicts_with_all = ["print", "digest"])]
    revoke: bool,
    /// Print the digest of its workflows and settings
    #[arg(long, conflicts_with = "digest")]
    print: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let allowance = Allowance::of(context.env.as_ref());
    // Without a place for it nothing is allowed, and it cannot be told what was.
    if let Some(defect) = allowance.registry().defect().filter(|_| !arguments.instead.print) {
        return Err(std::io::Error::from(defect.clone()).into());
    }
    if arguments.instead.list {
        list(context, &allowance);
        return Ok(());
    }
    let start = start(context, arguments, &allowance)?;
    if arguments.instead.print {
        context.ui.data(survey(&start, &allowance)?.content.digest());
        return Ok(());
    }
    let users = Users::command(context, &start, "holdpoint allow")?;
    if arguments.instead.revoke {
        return revoke(context, &start, &allowance, &users);
    }
    let survey = survey(&start, &allowance)?;
    refuse_anothers(context, &survey)?;
    if let Some(digest) = &arguments.digest {
        return allow_digest(context, &survey, &allowance, digest.trim(), &users);
    }
    let changes = pinned::changes(&survey.root, context.env.as_ref());
    let unsound = unsound::find(context, &start);
    if is_allowed(&survey, &allowance) {
        if unsound.is_empty() && (changes.is_empty() || !user::is_there(context.env.as_ref())) {
            return already_allowed(context, &survey, &changes, &users);
        }
        context.ui.whole_line(context.ui.paint(Style::Bold, survey.root.display()));
    } else {
        shown::show(&context.ui, &survey, &allowance);
    }
    programs::show(&context.ui, &changes);
    unsound::show(context, &unsound);
    need_terminal(context, &survey.digest())?;
    users.agree(context, (!arguments.yes).then_some("Allow this?"), "nothing was allowed")?;
    unsound::settle(context, &unsound)?;
    record(context, &survey, &allowance)
}

/// Says that there is nothing to allow. Programs that have changed are the user's to judge, at a terminal.
fn already_allowed(
    context: &Context,
    survey: &Survey,
    changes: &Changes,
    users: &Users<'_>,
) -> Result<(), CommandError> {
    context.ui.line(format!("{} is already allowed as it is.", survey.root.display()));
    for changed in &changes.programs {
        context.ui.note(format!(
            "`{}` is another file than on {}. If you upgraded it, type in a terminal:\n  holdpoint allow",
            changed.name,
            pinned::day(changed.at)
        ));
    }
    let is_asked = users.is_plain() && user::is_there(context.env.as_ref());
    if changes.is_empty() && is_asked { programs::renew(context, survey) } else { Ok(()) }
}

/// Returns the folder that is meant.
fn start(
    context: &Context,
    arguments: &Arguments,
    allowance: &Allowance<'_>,
) -> Result<PathBuf, CommandError> {
    let Some(path) = &arguments.path else { return Ok(context.cwd.clone()) };
    let folder = context.cwd.join(path);
    if let Some(found) = folder.canonicalize().ok().filter(|folder| folder.is_dir()) {
        return Ok(found);
    }
    // A project that is gone can be revoked by the path that it had.
    let gone = PathBuf::from(tidy(&folder.to_string_lossy()));
    let is_its = |entry: &Entry| Path::new(&entry.path) == gone;
    if arguments.instead.revoke && allowance.registry().list().iter().any(is_its) {
        return Ok(gone);
    }
    let mut error = CommandError::new(Kind::Usage, format!("there is no folder {}", folder.display()));
    if arguments.instead.revoke {
        error = error.hinted("see `holdpoint allow --list`");
    }
    Err(error)
}

fn survey(start: &Path, allowance: &Allowance<'_>) -> Result<Survey, CommandError> {
    Survey::of(start, allowance).map_err(|error| CommandError::new(Kind::Failed, in_full(&error)))
}

/// Says what would not count though it were allowed. Refuses if there is nothing else.
fn refuse_anothers(context: &Context, survey: &Survey) -> Result<(), CommandError> {
    let Some(path) = &survey.anothers else { return Ok(()) };
    let what = format!("{} belongs to another user, so it does not count", path.display());
    if survey.content.is_empty() && survey.runs.is_empty() {
        return Err(CommandError::new(Kind::Failed, format!("nothing was allowed: {what}"))
            .hinted("run the agent as the user who owns it, or make it yours"));
    }
    context.ui.note(what);
    Ok(())
}

fn is_allowed(survey: &Survey, allowance: &Allowance<'_>) -> bool {
    survey.runs.is_empty() && survey.pending.is_empty() && allowance.knows(&survey.root)
}

fn allow_digest(
    context: &Context,
    survey: &Survey,
    allowance: &Allowance<'_>,
    digest: &str,
    users: &Users<'_>,
) -> Result<(), CommandError> {
    let (all, own) = (survey.digest(), survey.content.digest());
    if digest == all {
        users.confirm(context)?;
        return record(context, survey, allowance);
    }
    if digest != own {
        return Err(CommandError::new(Kind::Failed, format!("what is here has another digest: {own}"))
            .hinted("look at it with `holdpoint allow` in a terminal"));
    }
    users.confirm(context)?;
    allowance.allow(&survey.root, &survey.content, &[])?;
    context.ui.line(format!("Allowed {}.", survey.root.display()));
    context.ui.note(format!(
        "Runs that did not begin here still wait. To allow them as they are:\n  holdpoint allow --digest {all}"
    ));
    Ok(())
}

fn need_terminal(context: &Context, digest: &str) -> Result<(), CommandError> {
    if user::is_there(context.env.as_ref()) {
        return Ok(());
    }
    Err(CommandError::new(Kind::Failed, "nothing was allowed: this is not a terminal")
        .hinted(format!("without one, name what you have looked at: holdpoint allow --digest {digest}")))
}

fn record(context: &Context, survey: &Survey, allowance: &Allowance<'_>) -> Result<(), CommandError> {
    allowance.allow(&survey.root, &survey.content, &survey.runs)?;
    // A digest may be named without a terminal: then it says nothing about programs.
    if user::is_there(context.env.as_ref()) {
        programs::renew(context, survey)?;
    }
    context.ui.line(format!("Allowed {}.", survey.root.display()));
    Ok(())
}

fn list(context: &Context, allowance: &Allowance<'_>) {
    let ui = context.ui;
    let all = allowance.registry().list();
    if all.is_empty() {
        ui.line("You have allowed no project.");
    }
    for entry in all {
        let at = jiff::Timestamp::from_second(entry.at).map(|at| at.to_string()).unwrap_or_default();
        let digest = entry.digest.unwrap_or_else(|| "nothing of its own".to_owned());
        ui.line(ui.paint(Style::Bold, phrase::printable(&entry.path)));
        if !Path::new(&entry.path).is_dir() {
            ui.line(format!("  gone; to forget it: holdpoint allow --revoke {}", quoted(&entry.path)));
        }
        ui.line(format!("  {}, {}", phrase::time_and_age(&at), phrase::counted(entry.runs, "run")));
        ui.line(format!("  {digest}"));
        programs::list(context, Path::new(&entry.path));
    }
}

fn revoke(
    context: &Context,
    start: &Path,
    allowance: &Allowance<'_>,
    users: &Users<'_>,
) -> Result<(), CommandError> {
    if !user::is_there(context.env.as_ref()) {
        return Err(CommandError::new(Kind::Failed, "nothing was revoked: this is not a terminal")
            .hinted("type it in a terminal"));
    }
    let registry = allowance.registry();
    // A folder that is gone says nothing; the repository around it is another project.
    let project = start.is_dir().then(|| Identity::of(start)).flatten();
    let ids = project.iter().flat_map(Identity::ids).filter(|id| registry.has(id));
    let mut revoked: Vec<String> = ids.collect();
    let mut root = project.as_ref().map_or(start, |project| &project.root);
    if revoked.is_empty() {
        // A folder that was made anew is another project; what is known of the former one goes by its path.
        let former = registry.list().into_iter().filter(|entry| Path::new(&entry.path) == start);
        revoked.extend(former.map(|entry| entry.id));
        root = start;
    }
    if revoked.is_empty() {
        return Err(not_allowed(start, allowance));
    }
    users.confirm(context)?;
    revoked.iter().try_for_each(|id| registry.forget(id))?;
    context.ui.line(format!("Revoked {}: its workflows, settings and runs have no effect.", root.display()));
    Ok(())
}

/// Says that there is nothing to revoke in a folder, and which project around it there is.
fn not_allowed(start: &Path, allowance: &Allowance<'_>) -> CommandError {
    let all = allowance.registry().list();
    let around = all.iter().map(|entry| Path::new(&entry.path)).filter(|path| start.starts_with(path));
    let nearest = around.max_by_key(|path| path.as_os_str().len());
    let hint = match nearest.and_then(Path::to_str) {
        Some(path) => format!("a project around it is: holdpoint allow --revoke {}", quoted(path)),
        None => "see `holdpoint allow --list`".to_owned(),
    };
    CommandError::new(Kind::Failed, format!("{} is not allowed", start.display())).hinted(hint)
}
