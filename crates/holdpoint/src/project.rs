//! Which runs an event concerns: a run's home is the nearest folder, upwards from where the agent works, that has
//! the workflow's marker.

pub mod candidates;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use holdpoint_core::diagnostic::nearest as nearest_word;
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::Facts;
use holdpoint_core::path::tidy;
use holdpoint_core::tool::Tool;
use holdpoint_core::workflow::{Text, Workflow};
use serde::Deserialize;

use crate::catalog::{self, Origin, Unusable};
use crate::env_vars::{Env, PROJECT_DIRS};
use crate::store::layout;
use crate::store::seal::{self, Begun};
use crate::world::ProjectWorld;

/// A run: a workflow at work in a folder.
#[derive(Clone, Debug)]
pub struct Run {
    /// The workflow.
    pub workflow: Arc<Workflow>,
    /// Where it comes from.
    pub origin: Origin,
    /// The folder that has the workflow's marker.
    pub home: PathBuf,
    /// The run's own folder: the home itself, or one of those that each are a run.
    pub folder: PathBuf,
    /// The run's id, where each run is a file that is named by its id.
    pub id: Option<String>,
}

impl Run {
    /// What can be known of it at an event.
    pub fn facts(&self, event: Arc<Event>, env: Arc<dyn Env>) -> Arc<Facts> {
        self.facts_in(ProjectWorld::of(self, env), event)
    }

    /// The same in a world of which something is known already.
    pub fn facts_in(&self, world: ProjectWorld, event: Arc<Event>) -> Arc<Facts> {
        let home = tidy(&self.home.to_string_lossy());
        Facts::new(Arc::clone(&self.workflow), event, home, Arc::new(world))
    }

    /// What tells this run from others: its file where it is one, its folder otherwise.
    pub fn place(&self) -> PathBuf {
        match self.id.as_deref().and_then(|id| self.workflow.run.file_of(id)) {
            Some(file) => self.home.join(self.workflow.run.home.as_ref()).join(file),
            None => self.folder.clone(),
        }
    }
}

/// What was found from a folder upwards.
#[derive(Debug, Default)]
pub struct Found {
    /// The runs.
    pub runs: Vec<Run>,
    /// Workflows of the project that cannot be used.
    pub unusable: Vec<Unusable>,
    /// What is wrong with the project's choices.
    pub problems: Vec<String>,
    /// Files that only look like a run, of workflows that have such cleared away; each with its home.
    pub strays: Vec<(PathBuf, PathBuf)>,
    /// The nearest folder with a `.holdpoint`, whatever is in it.
    pub journal: Option<PathBuf>,
    /// The folder whose `.holdpoint` has the project's choices or workflows, if there is one.
    pub base: Option<PathBuf>,
}

/// `holdpoint.toml`: a project's choices.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The workflows in force here; without it, every one that has a run here.
    pub workflows: Option<Vec<String>>,
}

/// The runs an event concerns, for every workflow or for one of them.
///
/// The agent's folder decides. Where it leads to no run, the files its tool touches do, and then the folder its
/// session began in: an agent that steps out of the project is still held by it.
pub fn runs_for(event: &Event, env: &Arc<dyn Env>, only: Option<&str>) -> Found {
    let session = event.session.as_deref();
    let seeker = |start: &Path| find_at(start, env, session, only, Some(event.moment));
    let mut found = seeker(Path::new(&event.cwd));
    let touched = event.tool.iter().flat_map(Tool::paths).filter_map(|path| {
        let path = holdpoint_core::path::join(&event.cwd, &path);
        Path::new(&path).parent().map(Path::to_path_buf)
    });
    let begun = PROJECT_DIRS.iter().filter_map(|name| env.var(name)).map(PathBuf::from);
    for place in touched.chain(begun) {
        if !found.runs.is_empty() || !found.unusable.is_empty() {
            break;
        }
        found = seeker(&place);
    }
    found
}

/// The runs from `start` upwards. Of a workflow's several, the one that counts most for the session.
pub fn find(start: &Path, env: &Arc<dyn Env>, session: Option<&str>, only: Option<&str>) -> Found {
    find_at(start, env, session, only, None)
}

/// The same for an event of this moment: a run that has nothing to say to it is not looked for.
fn find_at(
    start: &Path,
    env: &Arc<dyn Env>,
    session: Option<&str>,
    only: Option<&str>,
    moment: Option<Moment>,
) -> Found {
    let journal = nearest(start, layout::FOLDER);
    let ours = journal.clone();
    let seeker = Seeker { start, ours: ours.as_deref(), env, session, moment };
    let mut found = Found { base: journal.as_deref().and_then(base), journal, ..Found::default() };
    let config = found.base.as_deref().and_then(|base| config(base, &mut found.problems));
    let wanted = |name: &str| {
        only.is_none_or(|only| only == name)
            && config
                .as_ref()
                .and_then(|config| config.workflows.as_ref())
                .is_none_or(|list| list.iter().any(|n| n == name))
    };
    let mut own = found.base.as_deref().map(catalog::own_folders).unwrap_or_default();
    own.retain(|(name, _)| seal::changed_since(start, name) != Some(Begun::BuiltIn));
    for (name, folder) in own.iter().filter(|(name, _)| wanted(name)) {
        match load(start, name, folder) {
            Ok(workflow) => found.add(&workflow, Origin::Project(folder.clone()), &seeker),
            Err(unusable) => found.unusable.push(unusable),
        }
    }
    for name in config.iter().filter_map(|config| config.workflows.as_ref()).flatten() {
        found.problems.extend(unknown_name(name, &own));
    }
    for built_in in catalog::built_in() {
        let name = built_in.workflow.name.as_ref();
        if wanted(name) && !own.iter().any(|(own, _)| own == name) {
            found.add(&built_in.workflow, Origin::BuiltIn, &seeker);
        }
    }
    found
}

/// A workflow of the project's own, unless a sealed run was begun with another text of it.
pub fn load(start: &Path, name: &str, folder: &Path) -> Result<Workflow, Unusable> {
    if seal::changed_since(start, name).is_some() {
        let file = layout::seal(start, name);
        let why = format!(
            "it was changed after the run here was begun: put it back, or delete the run's state and {}",
            file.display()
        );
        return Err(Unusable { name: name.to_owned(), why });
    }
    catalog::load(name, folder)
}

impl Found {
    /// Adds the workflow's run, if it has one from `start` upwards: only then is the workflow copied.
    fn add(&mut self, workflow: &Workflow, origin: Origin, seeker: &Seeker<'_>) {
        let is_stop = seeker.moment.is_none_or(|moment| moment == Moment::Stop);
        // Choosing among runs with ids reads them all, and kept ones grow many: not for every tool call.
        let has_tool = seeker.moment.is_some_and(Moment::has_tool);
        if workflow.run.id.is_some() && workflow.rules.is_empty() && has_tool {
            return;
        }
        if workflow.run.clears_strays
            && is_stop
            && let Some(home) = nearest(seeker.start, &workflow.run.home)
        {
            let strays = candidates::strays(workflow, &home);
            self.strays.extend(strays.into_iter().map(|stray| (home.clone(), stray)));
        }
        if let Some(Place { home, folder, id }) = place(workflow, seeker) {
            self.runs.push(Run { workflow: Arc::new(workflow.clone()), origin, home, folder, id });
        }
    }
}

/// Who looks for runs.
pub struct Seeker<'a> {
    start: &'a Path,
    /// The nearest folder that has one of ours.
    ours: Option<&'a Path>,
    env: &'a Arc<dyn Env>,
    session: Option<&'a str>,
    moment: Option<Moment>,
}

/// Where a run is: its home, its own folder, and its id if it has one.
struct Place {
    home: PathBuf,
    folder: PathBuf,
    id: Option<String>,
}

/// Where a workflow's run is, from where the seeker is upwards.
fn place(workflow: &Workflow, seeker: &Seeker<'_>) -> Option<Place> {
    let home = nearest(seeker.start, &workflow.run.home).or_else(|| sealed_home(workflow, seeker))?;
    if workflow.run.id.is_some() {
        let id = candidates::best(workflow, &home, seeker.env, seeker.session)?;
        return Some(Place { folder: home.clone(), home, id: Some(id) });
    }
    let folder = match &workflow.run.each {
        None => home.clone(),
        Some(each) => newest(&home.join(workflow.run.home.as_ref()), each, &workflow.run.newest)?,
    };
    Some(Place { home, folder, id: None })
}

/// The home of a run whose state only the engine writes: deleting the file does not end it.
fn sealed_home(workflow: &Workflow, seeker: &Seeker<'_>) -> Option<PathBuf> {
    let ours = seeker.ours.filter(|_| workflow.run.is_sealed)?;
    layout::seal(ours, &workflow.name).is_file().then(|| ours.to_path_buf())
}

/// Of the folders in `marker` whose name fits, the one with the youngest file that counts.
fn newest(marker: &Path, each: &str, counting: &[Text]) -> Option<PathBuf> {
    let folders = std::fs::read_dir(marker)
        .ok()?
        .flatten()
        .filter(|entry| fits(each, &entry.file_name()) && entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let youngest = |folder: &Path| {
        let files = std::fs::read_dir(folder).ok()?.flatten();
        let counts = files.filter(|entry| counting.iter().any(|glob| fits(glob, &entry.file_name())));
        counts
            .filter_map(|entry| entry.metadata().ok().filter(std::fs::Metadata::is_file)?.modified().ok())
            .max()
    };
    let dated = folders.filter_map(|entry| Some((youngest(&entry.path())?, entry.path())));
    dated.max().map(|(_, folder)| folder)
}

fn fits(glob: &str, name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| holdpoint_core::path::fits(glob, name))
}

/// The nearest folder from `start` upwards that has `marker` in it.
pub fn nearest(start: &Path, marker: &str) -> Option<PathBuf> {
    if !start.is_absolute() || marker.is_empty() {
        return None;
    }
    start.ancestors().find(|folder| folder.join(marker).symlink_metadata().is_ok()).map(Path::to_path_buf)
}

/// The nearest folder whose `.holdpoint` holds choices or workflows. One that holds only a journal is none: it stands
/// beside a run's marker and must not hide what the project says further up.
pub fn base(start: &Path) -> Option<PathBuf> {
    let mut start = Some(start);
    while let Some(folder) = start.and_then(|start| nearest(start, layout::FOLDER)) {
        if layout::config(&folder).exists() || layout::workflows(&folder).exists() {
            return Some(folder);
        }
        start = start.and_then(|start| start.ancestors().find(|up| **up == *folder))?.parent();
    }
    None
}

/// Whether a project's choices name workflows, and not this one.
pub fn leaves_out(base: &Path, name: &str) -> bool {
    let names = config(base, &mut Vec::new()).and_then(|config| config.workflows);
    names.is_some_and(|names| !names.iter().any(|named| named == name))
}

/// What is wrong with a workflow's name in `holdpoint.toml`, if there is none of that name.
fn unknown_name(name: &str, own: &[(String, PathBuf)]) -> Option<String> {
    let built_in = catalog::built_in().iter().map(|built_in| built_in.workflow.name.as_ref());
    let names: Vec<&str> = own.iter().map(|(name, _)| name.as_str()).chain(built_in).collect();
    let hint = match nearest_word(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", names.join(", ")),
    };
    (!names.contains(&name))
        .then(|| format!("{} names a workflow `{name}` that does not exist; {hint}", layout::CONFIG))
}

/// A project's choices. A file that cannot be used is told and counts as none.
fn config(base: &Path, problems: &mut Vec<String>) -> Option<Config> {
    let path = layout::config(base);
    path.symlink_metadata().ok()?;
    let read = catalog::read_text(&path).and_then(|text| {
        toml::from_str(&text).map_err(|error| format!("{}: {}", path.display(), error.message()))
    });
    read.map_err(|why| problems.push(format!("{why}: all workflows are in force"))).ok()
}
