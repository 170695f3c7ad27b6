//! The workflows that a command applies to: those named, or all.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use holdpoint_core::diagnostic::nearest;
use holdpoint_core::settings::Layer;
use holdpoint_core::workflow::Rule;
use holdpoint_core::workflow::parse::{FILE, Parsed, parse};
use holdpoint_core::workflow::performer::CheckKind;

use super::Context;
use crate::allow::Allowance;
use crate::allow::waiting::{self, Waiting};
use crate::catalog;
use crate::error::{CommandError, Kind};
use crate::layers::{Layers, Own};
use crate::project;
use crate::store::layout;

/// A workflow that a command applies to.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Its name.
    pub(super) name: String,
    /// Its folder, if it is not built in.
    pub(super) folder: Option<PathBuf>,
    /// Whether it is a project's, which the user must have allowed.
    pub(super) is_projects: bool,
    /// Its files, if they were read already: path and text.
    pub(super) texts: Option<Vec<(String, String)>>,
}

/// Finds the workflows of these names or folders. Without names, returns all.
pub(super) fn find(context: &Context, names: &[String]) -> Result<Vec<Found>, CommandError> {
    let all = all(context, project::base(&context.cwd).as_deref());
    if names.is_empty() {
        return Ok(all);
    }
    names.iter().map(|name| one(context, name, &all)).collect()
}

/// Finds the workflows of these names that are no project's: the built-in ones, the user's and the organisation's.
/// Without names, returns all.
pub(super) fn find_above(context: &Context, names: &[String]) -> Result<Vec<Found>, CommandError> {
    let all = all(context, None);
    if names.is_empty() {
        return Ok(all);
    }
    let hint = "`--user` installs built-in workflows and your own in ~/.config/holdpoint; for one of a project's own, run \
                `holdpoint init` there";
    let one = |name: &String| named(name, &all).map_err(|error| error.hinted(hint));
    names.iter().map(one).collect()
}

fn all(context: &Context, base: Option<&Path>) -> Vec<Found> {
    let own = Layers::of(context.env.as_ref()).unjudged(base).own;
    let found = |own: Own| Found::new(own.name, Some(own.folder), own.layer == Layer::Project);
    let mut all: Vec<Found> = own.into_iter().map(found).collect();
    for built_in in catalog::built_in() {
        if !all.iter().any(|own| own.name == built_in.workflow.name) {
            all.push(Found::new(built_in.workflow.name.to_string(), None, false));
        }
    }
    all
}

fn one(context: &Context, name: &str, all: &[Found]) -> Result<Found, CommandError> {
    let folder = context.cwd.join(name);
    let is_path = name.contains(['/', '\\', '.']);
    if is_path && !folder.join(FILE).is_file() {
        let what = format!("no workflow in {}: there is no {FILE}", folder.display());
        return Err(CommandError::new(Kind::Usage, what)
            .hinted("give the path of a workflow's folder, or its name without a path"));
    }
    if is_path {
        let base = folder.canonicalize().unwrap_or(folder);
        let name = base.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        return Ok(Found::new(name, Some(base), true));
    }
    named(name, all)
}

fn named(name: &str, all: &[Found]) -> Result<Found, CommandError> {
    if let Some(found) = all.iter().find(|found| found.name == name) {
        return Ok(found.clone());
    }
    let names: Vec<&str> = all.iter().map(|found| found.name.as_str()).collect();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("available: {}", names.join(", ")),
    };
    Err(CommandError::new(Kind::Usage, format!("unknown workflow `{name}`")).hinted(hint))
}

/// Refuses to run workflows of a project that the user has not allowed. In one that the user has, they are run as they
/// are now: whoever asks for it has just edited them, as a rule.
pub(super) fn refuse_unknown(context: &Context, all: &[Found]) -> Result<(), CommandError> {
    let Some(base) = project::base(&context.cwd) else { return Ok(()) };
    let place = layout::workflows(&base);
    let is_own = |found: &Found| found.folder.as_ref().is_some_and(|folder| folder.starts_with(&place));
    if !all.iter().any(is_own) || Allowance::of(context.env.as_ref()).knows(&base) {
        return Ok(());
    }
    Err(waiting::refusal(&[Waiting::content(base)]))
}

impl Found {
    fn new(name: String, folder: Option<PathBuf>, is_projects: bool) -> Found {
        Found { name, folder, is_projects, texts: None }
    }

    /// Returns the files of its folder: path and text.
    pub(super) fn files(&self) -> Result<Vec<(String, String)>, CommandError> {
        if let Some(texts) = &self.texts {
            return Ok(texts.clone());
        }
        if let Some(folder) = &self.folder {
            return Ok(crate::store::tree::texts(folder)?);
        }
        let files = catalog::named(&self.name);
        let files = files.map(|built_in| built_in.files).unwrap_or_default();
        Ok(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
    }

    /// Parses the workflow from its files.
    pub(super) fn parsed(&self) -> Result<Parsed, CommandError> {
        let files = self.files()?;
        let read = |name: &str| files.iter().find(|(path, _)| path == name).map(|(_, text)| text.clone());
        let source = read(FILE).unwrap_or_default();
        Ok(parse(&self.name, &source, &read))
    }

    /// Returns its rules.
    pub(super) fn rules(&self) -> Result<Vec<Rule>, CommandError> {
        Ok(self.parsed()?.workflow.rules.into_owned())
    }

    /// Returns the format of its state file.
    pub(super) fn format(&self) -> Result<holdpoint_core::workflow::Format, CommandError> {
        Ok(self.parsed()?.workflow.run.format)
    }

    /// Returns the programs of its reviewers.
    pub(super) fn reviewers(&self) -> Result<Vec<String>, CommandError> {
        let workflow = self.parsed()?.workflow;
        let reviewers = workflow.reviewers.iter().filter_map(|reviewer| reviewer.command.first());
        // A test suite is meant to run for real.
        let checks = workflow.checks.iter().filter_map(|check| match &check.kind {
            CheckKind::Run { command } => command.first(),
            _ => None,
        });
        let programs: BTreeSet<String> = reviewers.chain(checks).map(ToString::to_string).collect();
        Ok(programs.into_iter().collect())
    }

    /// Returns the files that are not part of the tree that its evidence applies to.
    pub(super) fn aside(&self) -> Result<Vec<String>, CommandError> {
        Ok(self.parsed()?.workflow.run.aside())
    }

    /// Returns a file's name for people.
    pub(super) fn shown(&self, file: &str) -> String {
        match &self.folder {
            Some(folder) => folder.join(file).display().to_string(),
            None => format!("{}/{file} (built in)", self.name),
        }
    }
}
