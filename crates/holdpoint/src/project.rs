//! The runs that an event concerns. A run's home is the nearest folder that has the workflow's marker, from the agent's
//! working directory upwards.

mod ancestry;
pub mod bench;
pub mod candidates;
pub mod linked;
pub mod programs;
pub mod reviewers;
mod sealed;
mod unreadable;
pub mod whose;

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use holdpoint_core::diagnostic::nearest as nearest_word;
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::Facts;
use holdpoint_core::filters::Environments;
use holdpoint_core::path::tidy;
use holdpoint_core::settings::Layer;
use holdpoint_core::tool::Tool;
use holdpoint_core::workflow::{Text, Workflow};

use self::ancestry::Ancestry;
use self::sealed::Whereabouts;
pub use self::unreadable::Unreadable;
use crate::allow::allowed_content::AllowedContent;
use crate::allow::waiting::Waiting;
use crate::allow::{self, Allowance};
use crate::catalog::{self, Defect, Origin, Unusable};
use crate::env::Env;
use crate::env_vars::PROJECT_DIRS;
use crate::layers::{Configuration, Layers, Own};
use crate::store::books::Books;
use crate::store::layout;
use crate::store::registered::Registered;
use crate::store::seal::{self, Begun};
use crate::ui;
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
    /// What the engine knows of the runs in its home.
    pub books: Books,
}

impl Run {
    /// A run in the home of these books.
    pub fn new(workflow: Arc<Workflow>, origin: Origin, books: Books) -> Run {
        let home = books.home().to_path_buf();
        Run { workflow, origin, folder: home.clone(), home, id: None, is_recorded: true, books }
    }

    /// Builds the facts about this run at an event.
    pub fn facts(&self, event: Arc<Event>, env: Arc<dyn Env>) -> Arc<Facts> {
        self.facts_in(ProjectWorld::of(self, env), event, &Arc::default())
    }

    /// Builds them in a world of which something is known already, within the budget of other facts.
    pub fn facts_in(
        &self,
        world: ProjectWorld,
        event: Arc<Event>,
        environments: &Arc<Environments>,
    ) -> Arc<Facts> {
        let home = tidy(&self.home.to_string_lossy());
        Facts::sharing(environments, Arc::clone(&self.workflow), event, home, Arc::new(world))
    }

    /// Returns the run's place below the home, for the journal: `.` if it is the home itself.
    pub fn place_name(&self) -> String {
        let place = self.place();
        match place.strip_prefix(&self.home) {
            Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
            Ok(below) => below.display().to_string(),
            Err(_) => place.display().to_string(),
        }
    }

    /// Returns whether this is another's run, too.
    pub fn is_same(&self, other: &Run) -> bool {
        self.workflow.name == other.workflow.name && self.place() == other.place()
    }

    /// Returns the run's name: its id, or its folder's name.
    pub fn name(&self) -> String {
        let folder = || self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.id.clone().unwrap_or_else(folder)
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
    /// Runs that are there and cannot be read, so that nothing of theirs holds.
    pub unreadable: Vec<Unreadable>,
    /// What was found to be otherwise than the books say, and was put right: each with the run that it is about.
    pub noticed: Vec<(Run, String)>,
    /// What the organisation and the user say, and the project as far as it is allowed.
    pub configuration: Configuration,
}

/// Finds the runs that an event concerns, of every workflow or of one.
///
/// The agent's working directory decides. If it leads to no run, the files of its tool call decide, then the main working
/// tree, if the agent is in a linked one, and then the folder its session started in: an agent that leaves the project is
/// still held by it.
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
    let main = std::iter::once_with(|| linked::in_main(Path::new(&event.cwd))).flatten();
    for place in touched.chain(main).chain(begun) {
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
    let above = Ancestry::of(start);
    let (ours, base) = above.ours();
    let (allowance, whereabouts) = (OnceCell::new(), Whereabouts::of(start, &above, env.as_ref()));
    let query = RunQuery { above: &above, whereabouts, env, allowance: &allowance, session, moment };
    let mut found = Found { journal: ours.map(Path::to_path_buf), ..Found::default() };
    let content = base.and_then(|base| found.take_content(base, query.allowance()));
    let mut configuration = layers.configuration(content);
    let here = |_: &Own| query.whereabouts.registered();
    configuration.own.retain(|own| seal::changed_since(here(own), own) != Some(Begun::BuiltIn));
    found.problems.append(&mut configuration.problems);
    let Configuration { effective, own, .. } = &configuration;
    let wanted = |name: &str| only.is_none_or(|only| only == name) && effective.enables(name);
    for own in own.iter().filter(|own| wanted(&own.name)) {
        match unchanged(here(own), own).and_then(|()| layers.load(own, env.as_ref())) {
            Ok(workflow) => found.add(&workflow, own.origin(), &query),
            // The project's own of that name is what the run was begun with: that it waits is told.
            Err(Unusable { why: Defect::Changed { .. }, .. }) if found.waits(&own.name) => {}
            Err(unusable) => found.unusable.push(unusable),
        }
    }
    for (name, file) in effective.named() {
        found.problems.extend(unknown_name(name, file, own));
    }
    for built_in in catalog::built_in() {
        let name = built_in.workflow.name.as_ref();
        if wanted(name) && !own.iter().any(|own| own.name == name) {
            found.add_built_in(&built_in.workflow, &query);
        }
    }
    reviewers::apply_to(&mut found, &effective.reviewers);
    found.configuration = configuration;
    found
}

/// Loads a workflow that is not built in, unless a sealed run was started with another version of it.
pub fn load(start: &Path, own: &Own, env: &dyn Env) -> Result<Workflow, Unusable> {
    unchanged(&Registered::above(start, env), own)?;
    own.load(env)
}

fn unchanged(here: &Registered, own: &Own) -> Result<(), Unusable> {
    if seal::changed_since(here, own).is_none() { Ok(()) } else { Err(changed(here, &own.name)) }
}

/// Says that a sealed run was started with another workflow of this name.
pub fn changed(here: &Registered, name: &str) -> Unusable {
    let home = here.with(name).map(|books| books.home().to_path_buf()).unwrap_or_default();
    Unusable { name: name.to_owned(), why: Defect::Changed { home } }
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

    /// Takes in the project's own workflows and settings as far as the user has allowed them. The rest waits.
    fn take_content(&mut self, base: &Path, allowance: &Allowance<'_>) -> Option<AllowedContent> {
        let judged = allowance.judge(base);
        self.waiting.extend(judged.waiting(base));
        self.base = judged.allowed.as_ref().map(|allowed| allowed.base().to_path_buf());
        self.problems
            .extend(judged.allowed.iter().flat_map(AllowedContent::ignored).map(|path| ignored(path)));
        judged.allowed
    }

    /// Returns whether the project's own workflow of this name waits for the user.
    fn waits(&self, name: &str) -> bool {
        self.waiting.iter().any(|waiting| waiting.is_workflow(name))
    }

    /// Adds a built-in workflow's run. One that was begun with a layer's own workflow of its name waits for that:
    /// commands are told so here, hooks when they uphold its state, without reading the seal twice.
    fn add_built_in(&mut self, workflow: &Workflow, query: &RunQuery<'_>) {
        let name = workflow.name.as_ref();
        let own_waits = self.waits(name);
        let is_looked_at = workflow.run.is_sealed && (own_waits || query.moment.is_none());
        if !is_looked_at || !seal::is_of_own(query.whereabouts.registered(), name) {
            self.add(workflow, Origin::BuiltIn, query);
        } else if !own_waits {
            self.unusable.push(changed(query.whereabouts.registered(), name));
        }
    }

    /// Adds the workflow's run, if there is one. Only then is the workflow copied.
    fn add(&mut self, workflow: &Workflow, origin: Origin, query: &RunQuery<'_>) {
        let is_stop = query.moment.is_none_or(|moment| moment == Moment::Stop);
        // Choosing among runs with ids reads them all, and finished ones pile up: too slow for every tool call.
        let has_tool = query.moment.is_some_and(Moment::has_tool);
        let is_only_watched = workflow.run.id.is_some() && workflow.rules.is_empty() && has_tool;
        if is_only_watched && !workflow.run.watch.is_any() {
            return;
        }
        let home = query.above.nearest(&workflow.run.home);
        if home.is_none() {
            self.unreadable.extend(query.above.refused(&workflow.run.home).map(|why| why.of(workflow)));
        }
        if workflow.run.clears_strays
            && is_stop
            && let Some(home) = home
            && query.allowance().knows(home)
        {
            let strays = candidates::strays(workflow, home);
            self.strays.extend(strays.into_iter().map(|stray| (home.to_path_buf(), stray)));
        }
        let Some(found) = query.whereabouts.find(workflow, home) else { return };
        let run = Run::new(Arc::new(workflow.clone()), origin, found.books.clone());
        if allow::only_guards(&run.workflow) {
            let is_recorded = query.allowance().knows(&run.home);
            self.runs.push(Run { is_recorded, ..run });
            return;
        }
        let mut begun = Vec::new();
        let n_waiting = self.waiting.len();
        // Where only the settings are looked at, the run that was written last stands for all.
        let most = if is_only_watched { 1 } else { usize::MAX };
        let runs =
            whose::in_order(every(&run), query.env, query.session.filter(|_| workflow.run.id.is_none()));
        for run in runs.into_iter().take(most) {
            if query.allowance().began(&run) || found.is_kept(query.allowance(), &run) {
                let is_last = run.id.is_none();
                self.noticed.extend(found.notice(&run, query.env).map(|what| (run.clone(), what)));
                begun.push(run);
                // Only runs with ids are chosen by what they say.
                if is_last {
                    break;
                }
            } else {
                self.waiting.push(Waiting::run(run));
            }
        }
        if begun.is_empty() && self.waiting.len() == n_waiting {
            self.unreadable.extend(unreadable::among(&run));
        }
        self.runs.extend(candidates::best(begun, query.env, query.session));
    }
}

/// Where and for whom to look for runs.
struct RunQuery<'a> {
    above: &'a Ancestry<'a>,
    whereabouts: Whereabouts<'a>,
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

/// Lists the folders in `marker` whose name matches, the one with the most recent file that counts first. A name that could
/// steer a terminal or break a line is no run's: it goes into messages.
fn newest(marker: &Path, each: &str, counting: &[Text]) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(marker).into_iter().flatten().flatten().filter(|entry| {
        let name = entry.file_name();
        let is_plain = name.to_str().is_some_and(|name| name.chars().all(|c| ui::visible(c) == c));
        is_plain && fits(each, &name) && entry.file_type().is_ok_and(|kind| kind.is_dir())
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
    Ancestry::of(start).nearest(marker).map(Path::to_path_buf)
}

/// Finds the nearest thing from `start` upwards that would count if it were the user's: our folder, or a marker of a
/// built-in workflow.
pub fn anothers(start: &Path) -> Option<PathBuf> {
    let markers = catalog::built_in().iter().map(|built_in| built_in.workflow.run.home.as_ref());
    let markers: Vec<&str> = markers.chain([layout::FOLDER]).collect();
    Ancestry::of(start).anothers(&markers)
}

/// Finds the nearest folder whose `.holdpoint` has choices or workflows.
pub fn base(start: &Path) -> Option<PathBuf> {
    Ancestry::of(start).ours().1.map(Path::to_path_buf)
}

/// Finds what the user has allowed of it.
pub fn allowed_content(start: &Path, env: &dyn Env) -> Option<AllowedContent> {
    Allowance::of(env).judge(&base(start)?).allowed
}

/// Says that something in the place of settings or a workflow has no effect.
pub fn ignored(path: &Path) -> String {
    let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    let what = if is_link { "a link, and links are not followed here" } else { "not a regular file" };
    format!("{} has no effect: it is {what}", path.display())
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
