//! The runs that an event concerns. A run's home is the nearest folder that has the workflow's marker, from the agent's
//! working directory upwards.

pub mod candidates;
pub mod programs;
pub mod reviewers;

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use holdpoint_core::diagnostic::nearest as nearest_word;
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::Facts;
use holdpoint_core::path::tidy;
use holdpoint_core::settings::Layer;
use holdpoint_core::tool::Tool;
use holdpoint_core::workflow::{Text, Workflow};

use crate::allow::waiting::Waiting;
use crate::allow::{self, Allowance, Standing};
use crate::catalog::{self, Defect, Origin, Unusable};
use crate::env::Env;
use crate::env_vars::PROJECT_DIRS;
use crate::layers::{Configuration, Layers, Own};
use crate::store::seal::{self, Begun};
use crate::store::{layout, state_folder};
use crate::world::ProjectWorld;

/// A run: a workflow that is active in a folder.
#[derive(Clone, Debug)]
pub struct Run {
    /// The workflow.
    pub workflow: Arc<Workflow>,
    /// The workflow's origin.
    pub origin: Origin,
    /// The folder that has the workflow's marker.
    pub home: PathBuf,
    /// The run's own folder: the home itself, or a folder below it where each folder is a run.
    pub folder: PathBuf,
    /// The run's id, where each run is a file named by its id.
    pub id: Option<String>,
    /// Whether anything may be written in its project. If not, its workflow only holds.
    pub is_recorded: bool,
}

impl Run {
    /// Builds the facts about this run at an event.
    pub fn facts(&self, event: Arc<Event>, env: Arc<dyn Env>) -> Arc<Facts> {
        self.facts_in(ProjectWorld::of(self, env), event)
    }

    /// Builds them in a world of which something is known already.
    pub fn facts_in(&self, world: ProjectWorld, event: Arc<Event>) -> Arc<Facts> {
        let home = tidy(&self.home.to_string_lossy());
        Facts::new(Arc::clone(&self.workflow), event, home, Arc::new(world))
    }

    /// Returns the path that identifies this run: its file if it is one, otherwise its folder.
    pub fn place(&self) -> PathBuf {
        match self.id.as_deref().and_then(|id| self.workflow.run.file_of(id)) {
            Some(file) => self.home.join(self.workflow.run.home.as_ref()).join(file),
            None => self.folder.clone(),
        }
    }
}

/// The result of a search from a folder upwards.
#[derive(Debug, Default)]
pub struct Found {
    /// The runs.
    pub runs: Vec<Run>,
    /// Workflows of the project that cannot be used.
    pub unusable: Vec<Unusable>,
    /// Problems with the settings.
    pub problems: Vec<String>,
    /// What has no effect because the user has not allowed it.
    pub waiting: Vec<Waiting>,
    /// Files that only look like a run, of workflows that clear such files away. Each with its home.
    pub strays: Vec<(PathBuf, PathBuf)>,
    /// The nearest folder with a `.holdpoint`, whatever that contains.
    pub journal: Option<PathBuf>,
    /// The folder whose `.holdpoint` has a `holdpoint.toml` or workflows, if there is one and the user has allowed it.
    pub base: Option<PathBuf>,
    /// What the organisation, the user and the project say.
    pub configuration: Configuration,
}

/// Finds the runs that an event concerns, of every workflow or of one.
///
/// The agent's working directory decides. If it leads to no run, the files of its tool call decide, and then the
/// folder its session started in: an agent that leaves the project is still held by it.
pub fn runs_for(event: &Event, env: &Arc<dyn Env>, only: Option<&str>) -> Found {
    let session = event.session.as_deref();
    let layers = Layers::of(env.as_ref());
    let find_from = |start: &Path| find_at(start, &layers, env, session, only, Some(event.moment));
    let mut found = find_from(Path::new(&event.cwd));
    let touched = event.tool.iter().flat_map(Tool::paths).filter_map(|path| {
        let path = holdpoint_core::path::join(&event.cwd, &path);
        Path::new(&path).parent().map(Path::to_path_buf)
    });
    let begun = PROJECT_DIRS.iter().filter_map(|name| env.var(name)).map(PathBuf::from);
    for place in touched.chain(begun) {
        if found.is_concerned() {
            break;
        }
        let waiting = found.waiting;
        found = find_from(&place);
        if found.waiting.is_empty() {
            found.waiting = waiting;
        }
    }
    found
}

/// Finds the runs from `start` upwards. If a workflow has several, the one that matters most to the session.
pub fn find(start: &Path, env: &Arc<dyn Env>, session: Option<&str>, only: Option<&str>) -> Found {
    find_at(start, &Layers::of(env.as_ref()), env, session, only, None)
}

/// Finds the runs for an event of this moment. Skips workflows that have nothing to say about it.
fn find_at(
    start: &Path,
    layers: &Layers,
    env: &Arc<dyn Env>,
    session: Option<&str>,
    only: Option<&str>,
    moment: Option<Moment>,
) -> Found {
    let journal = nearest(start, layout::FOLDER);
    let ours = journal.clone();
    let allowance = OnceCell::new();
    let query = RunQuery { start, ours: ours.as_deref(), env, allowance: &allowance, session, moment };
    let mut found = Found { base: journal.as_deref().and_then(base), journal, ..Found::default() };
    found.leave_out_content(&query);
    let mut configuration = layers.configuration(found.base.as_deref());
    configuration.own.retain(|own| seal::changed_since(start, own) != Some(Begun::BuiltIn));
    found.problems.append(&mut configuration.problems);
    let Configuration { effective, own, .. } = &configuration;
    let wanted = |name: &str| only.is_none_or(|only| only == name) && effective.enables(name);
    for own in own.iter().filter(|own| wanted(&own.name)) {
        match unchanged(start, own).and_then(|()| layers.load(own, env.as_ref())) {
            Ok(workflow) => found.add(&workflow, own.origin(), &query),
            Err(unusable) => found.unusable.push(unusable),
        }
    }
    for (name, file) in effective.named() {
        found.problems.extend(unknown_name(name, file, own));
    }
    for built_in in catalog::built_in() {
        let name = built_in.workflow.name.as_ref();
        if wanted(name) && !own.iter().any(|own| own.name == name) {
            found.add(&built_in.workflow, Origin::BuiltIn, &query);
        }
    }
    reviewers::apply_to(&mut found, &effective.reviewers);
    found.configuration = configuration;
    found
}

/// Loads a workflow that is not built in, unless a sealed run was started with another version of it.
pub fn load(start: &Path, own: &Own, env: &dyn Env) -> Result<Workflow, Unusable> {
    unchanged(start, own)?;
    own.load(env)
}

fn unchanged(start: &Path, own: &Own) -> Result<(), Unusable> {
    if seal::changed_since(start, own).is_none() {
        return Ok(());
    }
    let why = Defect::Changed { seal: layout::seal(start, &own.name) };
    Err(Unusable { name: own.name.clone(), why })
}

impl Found {
    /// Returns whether the folder is concerned: a workflow has a run there, or the project's own might have. One above
    /// all projects that cannot be used says nothing about this one.
    fn is_concerned(&self) -> bool {
        let is_projects = |unusable: &Unusable| {
            self.configuration.own(&unusable.name).is_some_and(|own| own.layer == Layer::Project)
        };
        !self.runs.is_empty() || self.unusable.iter().any(is_projects)
    }

    /// Leaves out the project's own workflows and settings if the user has not allowed them.
    fn leave_out_content(&mut self, query: &RunQuery<'_>) {
        let Some(base) = self.base.take() else { return };
        let defect = match query.allowance().standing(&base) {
            Standing::Allowed => {
                self.base = Some(base);
                return;
            }
            // Nothing waits, but only where the user has allowed the project may a journal be written.
            Standing::Empty => {
                self.base = query.allowance().knows(&base).then_some(base);
                return;
            }
            Standing::Waiting => None,
            Standing::Unusable(why) => Some(why),
        };
        self.waiting.push(Waiting::Content { base, defect });
    }

    /// Adds the workflow's run, if there is one. Only then is the workflow copied.
    fn add(&mut self, workflow: &Workflow, origin: Origin, query: &RunQuery<'_>) {
        let is_stop = query.moment.is_none_or(|moment| moment == Moment::Stop);
        // Choosing among runs with ids reads them all, and finished ones pile up: too slow for every tool call.
        let has_tool = query.moment.is_some_and(Moment::has_tool);
        if workflow.run.id.is_some() && workflow.rules.is_empty() && has_tool {
            return;
        }
        if workflow.run.clears_strays
            && is_stop
            && let Some(home) = nearest(query.start, &workflow.run.home)
            && query.allowance().knows(&home)
        {
            let strays = candidates::strays(workflow, &home);
            self.strays.extend(strays.into_iter().map(|stray| (home.clone(), stray)));
        }
        let Some(home) = home(workflow, query) else { return };
        let workflow = Arc::new(workflow.clone());
        let run = Run { workflow, origin, folder: home.clone(), home, id: None, is_recorded: true };
        if allow::only_guards(&run.workflow) {
            let is_recorded = query.allowance().knows(&run.home);
            self.runs.push(Run { is_recorded, ..run });
            return;
        }
        let mut begun = Vec::new();
        for run in every(&run) {
            if query.allowance().began(&run) {
                let is_last = run.id.is_none();
                begun.push(run);
                // Only runs with ids are chosen by what they say.
                if is_last {
                    break;
                }
            } else {
                self.waiting.push(Waiting::Run(run));
            }
        }
        self.runs.extend(candidates::best(begun, query.env, query.session));
    }
}

/// Where and for whom to look for runs.
struct RunQuery<'a> {
    start: &'a Path,
    /// The nearest folder with a `.holdpoint`.
    ours: Option<&'a Path>,
    env: &'a Arc<dyn Env>,
    /// Made when something is found: an event without runs does not read the registry.
    allowance: &'a OnceCell<Allowance<'a>>,
    session: Option<&'a str>,
    moment: Option<Moment>,
}

impl<'a> RunQuery<'a> {
    fn allowance(&self) -> &'a Allowance<'a> {
        self.allowance.get_or_init(|| Allowance::of(self.env.as_ref()))
    }
}

/// Finds the home of a workflow's runs, from the query's folder upwards.
fn home(workflow: &Workflow, query: &RunQuery<'_>) -> Option<PathBuf> {
    nearest(query.start, &workflow.run.home).or_else(|| sealed_home(workflow, query))
}

/// Lists every run in a home, the one that matters most by its files first.
pub fn every(in_home: &Run) -> Vec<Run> {
    let rules = &in_home.workflow.run;
    if rules.id.is_some() {
        let ids = candidates::ids(&in_home.workflow, &in_home.home);
        return ids.into_iter().map(|id| Run { id: Some(id), ..in_home.clone() }).collect();
    }
    let Some(each) = &rules.each else { return vec![in_home.clone()] };
    let folders = newest(&in_home.home.join(rules.home.as_ref()), each, &rules.newest);
    folders.into_iter().map(|folder| Run { folder, ..in_home.clone() }).collect()
}

/// Finds the home of a sealed run, whose state only the engine writes: deleting the file does not end the run.
fn sealed_home(workflow: &Workflow, query: &RunQuery<'_>) -> Option<PathBuf> {
    let ours = query.ours.filter(|_| workflow.run.is_sealed)?;
    layout::seal(ours, &workflow.name).is_file().then(|| ours.to_path_buf())
}

/// Lists the folders in `marker` whose name matches, the one with the most recent file that counts first.
fn newest(marker: &Path, each: &str, counting: &[Text]) -> Vec<PathBuf> {
    let folders =
        std::fs::read_dir(marker).into_iter().flatten().flatten().filter(|entry| {
            fits(each, &entry.file_name()) && entry.file_type().is_ok_and(|kind| kind.is_dir())
        });
    let latest = |folder: &Path| {
        let files = std::fs::read_dir(folder).ok()?.flatten();
        let counts = files.filter(|entry| counting.iter().any(|glob| fits(glob, &entry.file_name())));
        counts
            .filter_map(|entry| entry.metadata().ok().filter(std::fs::Metadata::is_file)?.modified().ok())
            .max()
    };
    let mut dated: Vec<_> =
        folders.filter_map(|entry| Some((latest(&entry.path())?, entry.path()))).collect();
    dated.sort_by(|one, other| other.cmp(one));
    dated.into_iter().map(|(_, folder)| folder).collect()
}

fn fits(glob: &str, name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| holdpoint_core::path::fits(glob, name))
}

/// Finds the nearest folder from `start` upwards that contains `marker`.
pub fn nearest(start: &Path, marker: &str) -> Option<PathBuf> {
    if !start.is_absolute() || marker.is_empty() {
        return None;
    }
    start.ancestors().find(|folder| is_users(folder, marker, start)).map(Path::to_path_buf)
}

/// Returns whether a folder has `marker`, and the marker belongs to the user. So must a folder above: others may have
/// put the marker there.
fn is_users(folder: &Path, marker: &str, start: &Path) -> bool {
    let Ok(found) = folder.join(marker).symlink_metadata() else { return false };
    state_folder::is_users(&found)
        && (folder == start || folder.metadata().is_ok_and(|folder| state_folder::is_users(&folder)))
}

/// Finds the nearest thing from `start` upwards that would count if it were the user's: our folder, or a marker of a
/// built-in workflow.
pub fn anothers(start: &Path) -> Option<PathBuf> {
    let markers = catalog::built_in().iter().map(|built_in| built_in.workflow.run.home.as_ref());
    let markers: Vec<&str> = markers.chain([layout::FOLDER]).collect();
    let in_folder = |folder: &Path| {
        let is_anothers = |marker: &&&str| {
            folder.join(marker).symlink_metadata().is_ok() && !is_users(folder, marker, start)
        };
        markers.iter().find(is_anothers).map(|marker| folder.join(marker))
    };
    start.ancestors().find_map(in_folder)
}

/// Finds the nearest folder whose `.holdpoint` has choices or workflows. One with only a journal does not count: it is
/// next to a run's marker, and must not hide the project's choices further up.
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

/// Finds the same folder, if the user has allowed what is in it.
pub fn allowed_base(start: &Path, env: &dyn Env) -> Option<PathBuf> {
    let base = base(start)?;
    let allowance = Allowance::of(env);
    let is_allowed = match allowance.standing(&base) {
        Standing::Allowed => true,
        Standing::Empty => allowance.knows(&base),
        Standing::Waiting | Standing::Unusable(_) => false,
    };
    is_allowed.then_some(base)
}

/// Reports a name in `holdpoint.toml` that no workflow has.
fn unknown_name(name: &str, file: &str, own: &[Own]) -> Option<String> {
    let built_in = catalog::built_in().iter().map(|built_in| built_in.workflow.name.as_ref());
    let names: Vec<&str> = own.iter().map(|own| own.name.as_str()).chain(built_in).collect();
    let hint = match nearest_word(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", names.join(", ")),
    };
    (!names.contains(&name)).then(|| format!("{file} names a workflow `{name}` that does not exist; {hint}"))
}
