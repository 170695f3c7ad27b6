//! What waits for the user, and how the user hears of it.

use std::path::{Path, PathBuf};

use super::part::{Part, Pending};
use crate::error::{CommandError, Kind};
use crate::install::host::quoted;
use crate::project::Run;
use crate::store::layout;
use crate::store::registry::Registry;
use crate::store::state_folder::StateFolderError;
use crate::store::witness::Witness;

/// Something that has no effect, because the user has not allowed it.
#[derive(Clone, Debug)]
pub enum Waiting {
    /// The workflows and settings of a project.
    Content {
        /// The project.
        base: PathBuf,
        /// Why they cannot be allowed as they are, if they cannot.
        defect: Option<String>,
        /// Those that wait, if it is known which.
        parts: Vec<Pending>,
        /// Whether others of the project's do not wait.
        is_some_allowed: bool,
    },
    /// A run that did not begin here.
    Run {
        /// The run.
        run: Run,
        /// Where it began, if this is a copy of that project.
        copy_of: Option<PathBuf>,
    },
}

impl Waiting {
    /// All content of a project.
    pub fn content(base: PathBuf) -> Waiting {
        Waiting::Content { base, defect: None, parts: Vec::new(), is_some_allowed: false }
    }

    /// A run that did not begin here.
    pub fn run(run: Run) -> Waiting {
        let witness = run.workflow.run.is_sealed.then(|| Witness::of(&run.home)).flatten();
        let is_its = |witness: &Witness| witness.runs.contains_key(run.workflow.name.as_ref());
        let copy_of = witness.filter(is_its).map(|witness| witness.path).filter(|path| *path != run.home);
        Waiting::Run { run, copy_of }
    }

    /// Returns the folder that is to be allowed.
    pub fn folder(&self) -> &Path {
        match self {
            Waiting::Content { base, .. } => base,
            Waiting::Run { run, .. } => &run.home,
        }
    }

    /// Returns whether it is a run.
    pub fn is_run(&self) -> bool {
        matches!(self, Waiting::Run { .. })
    }

    /// Returns whether it is this workflow of the project's own.
    pub fn is_workflow(&self, name: &str) -> bool {
        let is_it = |pending: &Pending| matches!(&pending.part, Part::Workflow(own) if own == name);
        matches!(self, Waiting::Content { parts, .. } if parts.iter().any(is_it))
    }

    fn parts(&self) -> &[Pending] {
        match self {
            Waiting::Content { parts, .. } => parts,
            Waiting::Run { .. } => &[],
        }
    }

    /// Says what it is, new things before changed ones.
    fn what(&self) -> Vec<String> {
        let Waiting::Content { parts, is_some_allowed, .. } = self else {
            let Waiting::Run { run, copy_of } = self else { return Vec::new() };
            let name = &run.workflow.name;
            return vec![match copy_of {
                Some(of) => format!("a run of {name} that began in {}, of which this is a copy", shown(of)),
                None => format!("a run of {name} that did not begin here"),
            }];
        };
        let (changed, new): (Vec<&Pending>, Vec<&Pending>) =
            parts.iter().partition(|pending| pending.is_changed);
        let mut all = Vec::new();
        if !new.is_empty() || changed.is_empty() {
            let is_named = *is_some_allowed || !changed.is_empty();
            all.push(if is_named { format!("its own {}", listed(&new)) } else { all_of(&new) });
        }
        if !changed.is_empty() {
            let object = if is_single(&changed) { "it" } else { "them" };
            all.push(format!("its own {}, changed since you allowed {object}", listed(&changed)));
        }
        all
    }
}

/// Says what a project's content is that is new as a whole.
fn all_of(new: &[&Pending]) -> String {
    let has_settings = new.iter().any(|pending| pending.part == Part::Settings);
    match (new.len(), has_settings) {
        (1, true) => format!("its own settings, {}", layout::CONFIG),
        (_, true) => "its own workflows and settings".to_owned(),
        (_, false) => "its own workflows".to_owned(),
    }
}

/// Lists parts by name: `workflows lint and ship, and settings`.
fn listed(parts: &[&Pending]) -> String {
    let names: Vec<&str> = parts.iter().filter_map(|pending| name(pending)).collect();
    let workflows = match names.as_slice() {
        [] => None,
        [one] => Some(format!("workflow {one}")),
        [all @ .., last] => Some(format!("workflows {} and {last}", all.join(", "))),
    };
    let settings = (names.len() < parts.len()).then(|| "settings".to_owned());
    workflows.into_iter().chain(settings).collect::<Vec<_>>().join(" and ")
}

fn name(pending: &Pending) -> Option<&str> {
    match &pending.part {
        Part::Workflow(name) => Some(name),
        Part::Settings => None,
    }
}

/// Returns whether these are one thing: settings are several.
fn is_single(parts: &[&Pending]) -> bool {
    matches!(parts, [one] if one.part != Part::Settings)
}

/// Says what waits, and how to allow it. None if nothing waits.
pub fn message(waiting: &[Waiting], registry: &Registry) -> Option<String> {
    let folder = waiting.first()?.folder();
    let what = what(waiting);
    if let Some(defect) = waiting.iter().find_map(defect) {
        return Some(format!("holdpoint: {} brings along {what}, without effect: {defect}.", shown(folder)));
    }
    if let Some(defect) = registry.defect() {
        return Some(format!(
            "holdpoint: {} brings along {what}, without effect: nothing that you have allowed can be looked \
             up.\n{}. To mend it, {}.",
            shown(folder),
            capitalised(&defect.to_string()),
            StateFolderError::HINT
        ));
    }
    let (subject, has, object) = if is_one(waiting) { ("It", "has", "it") } else { ("They", "have", "them") };
    Some(format!(
        "holdpoint: {} brings along {what}.\n{subject} {has} no effect until you allow {object}. To look at \
         {object}, type in a terminal:\n  {}",
        shown(folder),
        command(folder)
    ))
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Returns what tells this message from another one of the same words: content that differs is news.
pub fn key(waiting: &[Waiting], message: &str) -> String {
    let digests = waiting.iter().flat_map(Waiting::parts).map(|pending| format!("\n{}", pending.digest));
    format!("{message}{}", digests.collect::<String>())
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
    let is_changed = waiting.iter().flat_map(Waiting::parts).any(|pending| pending.is_changed);
    let so = if is_changed { "; that" } else { ", which" };
    let are = if is_changed { "is" } else { are };
    let what = format!("{} brings along {}{so} {are} not allowed yet", shown(folder), what(waiting));
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
    for what in waiting.iter().flat_map(Waiting::what) {
        if !all.contains(&what) {
            all.push(what);
        }
    }
    all.join(", and ")
}

/// Returns whether it is a single run or workflow. Workflows that are not named are several things.
fn is_one(waiting: &[Waiting]) -> bool {
    match waiting {
        [Waiting::Run { .. }] => true,
        [Waiting::Content { parts, is_some_allowed, .. }] => {
            let is_named = *is_some_allowed || parts.iter().any(|pending| pending.is_changed);
            is_named && is_single(&parts.iter().collect::<Vec<_>>())
        }
        _ => false,
    }
}

fn defect(waiting: &Waiting) -> Option<&String> {
    match waiting {
        Waiting::Content { defect, .. } => defect.as_ref(),
        Waiting::Run { .. } => None,
    }
}
