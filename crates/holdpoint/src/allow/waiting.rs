//! What waits for the user, and how the user hears of it.

use std::path::{Path, PathBuf};

use crate::error::{CommandError, Kind};
use crate::install::host::quoted;
use crate::project::Run;
use crate::store::layout;

/// Something that has no effect, because the user has not allowed it.
#[derive(Clone, Debug)]
pub enum Waiting {
    /// The workflows and settings of a project.
    Content {
        /// The project.
        base: PathBuf,
        /// Why they cannot be allowed as they are, if they cannot.
        defect: Option<String>,
    },
    /// A run that did not begin here.
    Run(Run),
}

impl Waiting {
    /// Returns the folder that is to be allowed.
    pub fn folder(&self) -> &Path {
        match self {
            Waiting::Content { base, .. } => base,
            Waiting::Run(run) => &run.home,
        }
    }

    /// Returns whether it is a run.
    pub fn is_run(&self) -> bool {
        matches!(self, Waiting::Run(_))
    }

    fn what(&self) -> String {
        match self {
            Waiting::Content { base, .. } => {
                let are_there = (layout::workflows(base).exists(), layout::config(base).exists());
                match are_there {
                    (true, true) => "its own workflows and settings".to_owned(),
                    (false, true) => format!("its own settings, {}", layout::CONFIG),
                    (_, false) => "its own workflows".to_owned(),
                }
            }
            Waiting::Run(run) => format!("a run of {} that did not begin here", run.workflow.name),
        }
    }
}

/// Says what waits, and how to allow it. None if nothing waits.
pub fn message(waiting: &[Waiting]) -> Option<String> {
    let folder = waiting.first()?.folder();
    let what = what(waiting);
    if let Some(defect) = waiting.iter().find_map(defect) {
        return Some(format!("holdpoint: {} brings along {what}, without effect: {defect}.", shown(folder)));
    }
    let (subject, has, object) = if is_one(waiting) { ("It", "has", "it") } else { ("They", "have", "them") };
    Some(format!(
        "holdpoint: {} brings along {what}.\n{subject} {has} no effect until you allow {object}. To look at \
         {object}, type in a terminal:\n  {}",
        shown(folder),
        command(folder)
    ))
}

/// Says what to do about what waits in a folder. What cannot be allowed as it is has to be changed first.
pub fn remedy(waiting: &[Waiting], folder: &Path) -> String {
    let command = command(folder);
    match waiting.iter().find_map(defect) {
        Some(_) => {
            let place = layout::workflows(folder);
            format!("remove what is not part of a workflow from {}, then: {command}", place.display())
        }
        None => command,
    }
}

/// Says what waits, in a sentence.
pub fn summary(waiting: &[Waiting]) -> String {
    let why = waiting.iter().find_map(defect);
    let object = if is_one(waiting) { "it" } else { "them" };
    let why = why.map_or_else(|| format!("you have not allowed {object}"), String::clone);
    format!("the project brings along {}, without effect: {why}", what(waiting))
}

/// Refuses a command about something that waits.
pub fn refusal(waiting: &[Waiting]) -> CommandError {
    let folder = waiting.first().map_or(Path::new("."), Waiting::folder);
    let (are, object) = if is_one(waiting) { ("is", "it") } else { ("are", "them") };
    let what = format!("{} brings along {}, which {are} not allowed yet", shown(folder), what(waiting));
    CommandError::new(Kind::Failed, what).hinted(format!(
        "the user can look at {object} and allow {object}, in a terminal: {}",
        command(folder)
    ))
}

/// Returns the command that allows a folder's project, as it can be typed.
pub fn command(folder: &Path) -> String {
    if is_plain(folder) {
        format!("holdpoint allow {}", quoted(&folder.to_string_lossy()))
    } else {
        "holdpoint allow".to_owned()
    }
}

fn shown(folder: &Path) -> String {
    if is_plain(folder) { folder.display().to_string() } else { "this project".to_owned() }
}

/// Returns whether a path can be shown and typed.
fn is_plain(folder: &Path) -> bool {
    !folder.to_string_lossy().chars().any(char::is_control)
}

fn what(waiting: &[Waiting]) -> String {
    let mut all: Vec<String> = Vec::new();
    for what in waiting.iter().map(Waiting::what) {
        if !all.contains(&what) {
            all.push(what);
        }
    }
    all.join(", and ")
}

/// Returns whether it is a single run: workflows and settings are several things.
fn is_one(waiting: &[Waiting]) -> bool {
    matches!(waiting, [Waiting::Run(_)])
}

fn defect(waiting: &Waiting) -> Option<&String> {
    match waiting {
        Waiting::Content { defect, .. } => defect.as_ref(),
        Waiting::Run(_) => None,
    }
}
