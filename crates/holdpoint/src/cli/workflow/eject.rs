//! `holdpoint workflow eject`: copies a built-in workflow into the project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use holdpoint_core::diagnostic::nearest;
use holdpoint_core::settings::Layer;
use holdpoint_core::workflow::parse::FILE;
use serde_json::json;

use crate::allow::{Allowance, waiting};
use crate::catalog::{self, BuiltIn};
use crate::cli::{Context, phrase};
use crate::error::{CommandError, Kind};
use crate::layers;
use crate::project;
use crate::store::folder::Access;
use crate::store::{atomic, layout};
use crate::ui::Style;

/// Copy a built-in workflow into this project, to edit it
///
/// The copy goes to the project's `.holdpoint/workflows/` and replaces the built-in workflow there. To return to the
/// built-in workflow, remove the copy.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint workflow eject myflow                to .holdpoint/workflows/myflow
  holdpoint workflow eject myflow --to drafts    to drafts/myflow, not enabled")]
pub(super) struct Arguments {
    /// The built-in workflow
    workflow: String,
    /// Create the workflow's folder in this folder instead of `.holdpoint/workflows`
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
    /// Print the written files as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let built_in = built_in(&arguments.workflow)?;
    let home = project::nearest(&context.cwd, layout::FOLDER).unwrap_or_else(|| context.cwd.clone());
    let parent = match &arguments.to {
        Some(folder) => context.cwd.join(folder),
        None => layout::workflows(&home),
    };
    let folder = parent.join(&arguments.workflow);
    if folder.symlink_metadata().is_ok() {
        return Err(CommandError::new(Kind::Failed, format!("{} already exists", folder.display()))
            .hinted("edit it, remove it first, or choose another folder with `--to FOLDER`"));
    }
    if arguments.to.is_none() {
        refuse_barred(context, &arguments.workflow)?;
    }
    let effect = if arguments.to.is_some() {
        write(built_in, &folder, None)?;
        Effect::Nowhere
    } else {
        let allowance = Allowance::of(context.env.as_ref());
        let is_allowed =
            allowance.carry(&home, content(built_in), || write(built_in, &folder, Some(&home)))?;
        if is_allowed { Effect::Here } else { Effect::OnceAllowed(home) }
    };
    if arguments.json {
        let files: Vec<&str> = built_in.files.iter().map(|(path, _)| *path).collect();
        context.ui.json(json!({"workflow": arguments.workflow, "folder": folder, "files": files}));
    } else {
        show(context, arguments, built_in, &folder, &effect);
    }
    Ok(())
}

/// Refuses a copy that a layer above the project would not let take the built-in workflow's place.
fn refuse_barred(context: &Context, name: &str) -> Result<(), CommandError> {
    let effective = layers::around(&context.cwd, context.env.as_ref()).effective;
    let Some(bar) = effective.bar(Layer::Project, name, |_| true) else { return Ok(()) };
    let what = format!("a copy of `{name}` would not be used here: {} has {}", bar.file, bar.key);
    Err(CommandError::new(Kind::Failed, what).hinted("to look at it, copy it elsewhere with `--to FOLDER`"))
}

/// Where a copy has an effect.
enum Effect {
    /// Nowhere: it is a draft.
    Nowhere,
    /// In this project.
    Here,
    /// In this project, once the user has allowed it.
    OnceAllowed(PathBuf),
}

/// Returns the files of the copy as content of the project.
fn content(built_in: &BuiltIn) -> BTreeMap<String, Vec<u8>> {
    let name = |path: &str| format!("workflows/{}/{path}", built_in.workflow.name);
    built_in.files.iter().map(|(path, text)| (name(path), text.as_bytes().to_vec())).collect()
}

fn built_in(name: &str) -> Result<&'static BuiltIn, CommandError> {
    let all = catalog::built_in();
    if let Some(found) = all.iter().find(|built_in| built_in.workflow.name == name) {
        return Ok(found);
    }
    let names: Vec<&str> = all.iter().map(|built_in| built_in.workflow.name.as_ref()).collect();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("available: {}", names.join(", ")),
    };
    Err(CommandError::new(Kind::Usage, format!("unknown built-in workflow `{name}`")).hinted(hint))
}

/// Writes the files, the workflow file last. Until it exists, the folder is not a workflow, so an interrupted copy
/// changes nothing.
fn write(built_in: &BuiltIn, folder: &Path, our_home: Option<&Path>) -> Result<(), CommandError> {
    let (last, others): (Vec<_>, Vec<_>) = built_in.files.iter().partition(|(path, _)| *path == FILE);
    for (path, text) in others.into_iter().chain(last) {
        let file = folder.join(path);
        match our_home {
            Some(home) => create_in(home, &file, text),
            None => create(&file, text),
        }?;
    }
    Ok(())
}

/// Creates a file of a project's own workflow, in our folder.
fn create_in(home: &Path, file: &Path, text: &str) -> Result<(), CommandError> {
    let made =
        layout::prepare(home, file).and_then(|project| project.create(file, text.as_bytes(), Access::Users));
    made.map_err(|error| CommandError::new(Kind::Files, error))
}

fn create(file: &Path, text: &str) -> Result<(), CommandError> {
    let made = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| atomic::create(file, text.as_bytes()))
        .map_err(|error| CommandError::new(Kind::Files, format!("{}: {error}", file.display())))
}

fn show(context: &Context, arguments: &Arguments, built_in: &BuiltIn, folder: &Path, effect: &Effect) {
    let ui = context.ui;
    let name = &arguments.workflow;
    let shown = folder.strip_prefix(&context.cwd).unwrap_or(folder).display().to_string();
    let written = phrase::counted(built_in.files.len(), "file");
    ui.line(format!(
        "Copied {} to {}: {written}",
        ui.paint(Style::Bold, name),
        ui.paint(Style::Cyan, &shown)
    ));
    for (part, count) in parts(built_in) {
        ui.line(match part {
            Part::File(name) => format!("  {name}"),
            Part::Folder(name) => format!("  {name}/  {}", phrase::counted(count, "file")),
        });
    }
    ui.line(format!("\n{}", in_words(effect)));
    let subject = match effect {
        Effect::Nowhere if folder.starts_with(&context.cwd) => format!("./{shown}"),
        Effect::Nowhere => shown.clone(),
        Effect::Here | Effect::OnceAllowed(_) => name.clone(),
    };
    ui.line("Next:");
    ui.line(format!("  edit {shown}/{FILE}"));
    ui.line(format!("  holdpoint check {subject}"));
    if let Effect::OnceAllowed(home) = effect {
        ui.line(format!("  {}", waiting::command(home)));
    }
    ui.line(format!("  holdpoint test {subject}"));
}

fn in_words(effect: &Effect) -> String {
    match effect {
        Effect::Nowhere => "The copy is not enabled anywhere; the built-in workflow is unchanged.".to_owned(),
        Effect::Here => {
            "The copy now replaces the built-in workflow in this project. To return to that, remove the \
                         folder."
                .to_owned()
        }
        Effect::OnceAllowed(_) => {
            "The project's own workflows, and so the copy, have no effect until the user allows them, in a \
             terminal."
                .to_owned()
        }
    }
}

/// An entry of a workflow's folder.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    File(&'static str),
    Folder(&'static str),
}

/// Returns the entries of the workflow's folder, with the number of files in each.
fn parts(built_in: &BuiltIn) -> BTreeMap<Part, usize> {
    let mut parts = BTreeMap::new();
    for (path, _) in built_in.files {
        let part = path.split_once('/').map_or(Part::File(path), |(folder, _)| Part::Folder(folder));
        *parts.entry(part).or_default() += 1;
    }
    parts
}
