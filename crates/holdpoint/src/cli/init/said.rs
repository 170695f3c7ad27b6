//! What `init` says: the files, the reviewers that the workflows need, and the next steps.

use std::path::Path;

use super::Chosen;
use crate::cli::doctor::reviewing_programs;
use crate::cli::{Context, installed};
use crate::install::host::{Host, get, quoted};
use crate::install::place::Scope;
use crate::install::plan::Plan;
use crate::install::record::{Kept, Part};
use crate::program;
use crate::project;
use crate::store::layout;
use crate::ui::Style;

/// Prints the changes.
pub(super) fn files(context: &Context, chosen: &Chosen, plan: &Plan, is_dry: bool) {
    let (ui, place) = (context.ui, &chosen.place);
    let titles: Vec<&str> = chosen.hosts.iter().map(|host| host.title).collect();
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

/// Prints which programs the workflows have their reviews done by, and which of them are missing.
pub(super) fn reviewers(context: &Context, chosen: &Chosen) {
    let ui = context.ui;
    let mut rows: Vec<(String, Vec<&str>)> = Vec::new();
    for found in &chosen.found {
        for name in reviewing_programs(context, found) {
            match rows.iter_mut().find(|(there, _)| *there == name) {
                Some((_, workflows)) => workflows.push(&found.name),
                None => rows.push((name, vec![&found.name])),
            }
        }
    }
    if rows.is_empty() {
        return;
    }
    ui.line("\nReviews are done by:");
    for (name, workflows) in rows {
        let whose = workflows.join(", ");
        if program::on_path(&name, context.env.as_ref()).is_some() {
            ui.line(format!("  {name:<8}  for {whose}"));
        } else {
            let missing = ui.paint(Style::Yellow, "not installed, so no review is done");
            ui.line(format!("  {name:<8}  for {whose}: {missing}"));
            ui.line(format!("            {}", get(&name)));
        }
    }
}

/// Prints the next steps after `init`.
pub(super) fn next(context: &Context, chosen: &Chosen, plan: &Plan) {
    let (ui, place) = (context.ui, &chosen.place);
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
    for next in chosen.hosts.iter().filter_map(|host| host.next) {
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
    commit(context, chosen, plan);
}

/// Says what a team shares, and what it must not.
fn commit(context: &Context, chosen: &Chosen, plan: &Plan) {
    let (ui, place) = (context.ui, &chosen.place);
    if place.scope == Scope::User || project::nearest(&place.root, ".git").is_none() {
        return;
    }
    if chosen.choices.is_local {
        ui.line("\nThese settings are for you alone: do not commit them. Other worktrees need their own.");
        return;
    }
    let (mine, shared_hosts): (Vec<_>, Vec<_>) =
        chosen.hosts.iter().zip(&chosen.called).partition(|(_, called)| Path::new(called).is_absolute());
    if let Some((_, called)) = mine.first() {
        let titles: Vec<&str> = mine.iter().map(|(host, _)| host.title).collect();
        ui.line(format!(
            "\nThe hooks of {} call {called}, a path of this machine, because the name `holdpoint` does not lead there \
             to this program: do not share them. Put its folder on PATH (of login shells, for Codex) and run \
             `holdpoint init` again, or use `--local` or `--user`.",
            titles.join(", ")
        ));
    }
    if shared_hosts.is_empty() {
        return;
    }
    ui.line("\nCommit them, so that they count for your team and in every worktree (or use `--user`):");
    for line in broken(&shared(chosen, plan), ui.width()) {
        ui.data(line);
    }
}

/// Lists what is to be committed: settings as files, commands by their folders.
fn shared(chosen: &Chosen, plan: &Plan) -> Vec<String> {
    let place = &chosen.place;
    let mut paths: Vec<String> = Vec::new();
    let is_mine = |agent: &str| {
        let mut all = chosen.hosts.iter().zip(&chosen.called);
        all.any(|(host, called)| host.name == agent && Path::new(called).is_absolute())
    };
    let is_shared =
        |kept: &&Kept| kept.part != Part::PrePush && !(kept.part == Part::Hooks && is_mine(&kept.agent));
    for kept in plan.record.files.iter().filter(is_shared) {
        let path = match kept.part {
            Part::Command => top(Path::new(&kept.path)),
            _ => kept.path.clone(),
        };
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let ours = [layout::ignore(&place.root), layout::config(&place.root), layout::workflows(&place.root)];
    for path in ours.iter().filter(|path| path.exists()).map(|path| place.shown(path)) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// Renders a command that adds files to git, in lines that a shell takes as one.
fn broken(paths: &[String], width: usize) -> Vec<String> {
    let mut lines = vec!["  git add".to_owned()];
    for path in paths.iter().map(|path| quoted(path)) {
        let last = lines.last_mut().map(|line| (line.chars().count() + path.chars().count() + 3, line));
        match last {
            Some((length, line)) if length <= width => line.extend([" ", &path]),
            Some((_, line)) => {
                line.push_str(" \\");
                lines.push(format!("    {path}"));
            }
            None => {}
        }
    }
    lines
}

/// Returns the folder that an agent has its commands in.
fn top(path: &Path) -> String {
    let parts: Vec<_> = path.components().take(2).map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

/// Says that some agents were left out, because only the others have settings of the user's for one project.
pub(super) fn left_out(context: &Context, left: &[&Host]) {
    if !left.is_empty() {
        let titles: Vec<&str> = left.iter().map(|host| host.title).collect();
        let what = titles.join(", ");
        context
            .ui
            .note(format!("{what} cannot be set up for you alone in one project: use `--user` for that."));
    }
}
