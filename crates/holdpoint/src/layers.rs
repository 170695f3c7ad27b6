//! The layers: the settings and workflows of the organisation, of the user and of the project, and which of them count.
//! Core `settings.rs` decides; this finds the files. `docs/reference/settings.md` has the rules.
//!
//! Only the organisation's folder has a fixed path: whoever can set a variable must not be able to leave it out.

mod source;
pub mod trust;

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use holdpoint_core::diagnostic::{Diagnostic, Severity};
use holdpoint_core::settings::{Bar, Effective, Layer, Said};
use holdpoint_core::workflow::Workflow;

pub use self::source::{Source, SourceError};
use self::trust::Trust;
use crate::allow::allowed_content::AllowedContent;
use crate::catalog::{self, Around, Defect, Origin, ReadError, Unusable};
use crate::env::Env;
use crate::env_vars::{HOME, XDG_CONFIG_HOME};
use crate::project;
use crate::store::state_folder::StateFolder;

/// The organisation's folder.
const ORGANISATION: &str = "/etc/holdpoint";

/// The layers above all projects. They are found once for an event.
#[derive(Debug, Default)]
pub struct Layers {
    upper: Vec<Source>,
    /// Their workflows that were loaded already: an event may be looked at from several folders.
    loaded: RefCell<Vec<(PathBuf, Arc<Workflow>)>>,
}

/// What counts in a project.
#[derive(Debug, Default)]
pub struct Configuration {
    /// The settings.
    pub effective: Effective,
    /// The workflows that are not built in, each name once.
    pub own: Vec<Own>,
    /// What the user has allowed of the project's.
    pub content: Option<Rc<AllowedContent>>,
    /// What is wrong with the layers' files, in a sentence each.
    pub problems: Vec<String>,
    /// The workflows that a layer above bars, and why, in a sentence each.
    barred: Vec<(String, String)>,
}

/// A workflow of a layer's own.
#[derive(Clone, Debug)]
pub struct Own {
    /// Its name.
    pub name: String,
    /// The layer.
    pub layer: Layer,
    /// Its folder.
    pub folder: PathBuf,
    /// The names of the workflows of the layers above all projects: its texts can name their commands.
    above: Arc<[String]>,
    /// What the user has allowed, if it is a project's: it is loaded from there, or not at all.
    content: Option<Rc<AllowedContent>>,
}

impl Layers {
    /// Finds the organisation's and the user's. Cases have neither: they make their own projects.
    pub fn of(env: &dyn Env) -> Layers {
        if env.began_everything() {
            return Layers::default();
        }
        let organisation = Some(organisation(env)).filter(|folder| may_be_there(folder));
        let organisation = organisation.and_then(|folder| Source::find(Layer::Organisation, folder.into()));
        let user = user(env).filter(|folder| may_be_there(folder));
        let user = user.and_then(|folder| Source::find(Layer::User, folder));
        Layers { upper: organisation.into_iter().chain(user).collect(), ..Layers::default() }
    }

    /// Puts them together with what the user has allowed of a project's.
    pub fn configuration(&self, content: Option<AllowedContent>) -> Configuration {
        if self.upper.is_empty() && content.is_none() {
            return Configuration::default();
        }
        self.with(content.map(|content| Source::allowed(Rc::new(content))))
    }

    /// Puts them together with a project's as it is, allowed or not. None of its workflows can be loaded.
    pub fn unjudged(&self, base: Option<&Path>) -> Configuration {
        self.with(base.map(Source::project))
    }

    fn with(&self, project: Option<Source>) -> Configuration {
        let sources: Vec<&Source> = self.upper.iter().chain(&project).collect();
        let (effective, refused) = effective(&sources);
        let mut problems: Vec<String> =
            sources.iter().filter_map(|source| source.defect.as_ref()).map(ToString::to_string).collect();
        for source in &sources {
            let errors = source.problems().chain(&refused).filter(|problem| is_error(problem, source));
            problems.extend(errors.map(|problem| source.in_words(problem)));
        }
        let (own, barred) = own(&sources, &effective);
        problems.extend(barred.iter().map(|(_, why)| why.clone()));
        let content = project.and_then(|project| project.content);
        Configuration { effective, own, content, problems, barred }
    }

    /// Loads a workflow, and one above all projects only once.
    pub fn load(&self, own: &Own, env: &dyn Env) -> Result<Arc<Workflow>, Unusable> {
        let known = self.loaded.borrow().iter().find(|(folder, _)| *folder == own.folder).cloned();
        if let Some((_, workflow)) = known {
            return Ok(workflow);
        }
        let workflow = Arc::new(own.load(env)?);
        if own.layer != Layer::Project {
            self.loaded.borrow_mut().push((own.folder.clone(), Arc::clone(&workflow)));
        }
        Ok(workflow)
    }

    /// Returns all sources, with a project's, and what is wrong between them.
    pub fn sources(self, project: Option<Source>) -> (Vec<Source>, Vec<Diagnostic>) {
        let sources: Vec<Source> = self.upper.into_iter().chain(project).collect();
        let (_, refused) = effective(&sources.iter().collect::<Vec<_>>());
        (sources, refused)
    }
}

/// Returns what counts in the project around a folder, as far as the user has allowed it.
pub fn around(start: &Path, env: &dyn Env) -> Configuration {
    Layers::of(env).configuration(project::allowed_content(start, env))
}

/// Finds the organisation's folder. A debug build takes another one for its tests; a released program has no such
/// variable.
pub(crate) fn organisation(env: &dyn Env) -> Cow<'static, Path> {
    #[cfg(debug_assertions)]
    if let Some(folder) = env.var(crate::env_vars::ORGANISATION) {
        return Cow::Owned(folder.into());
    }
    let _ = env;
    Cow::Borrowed(Path::new(ORGANISATION))
}

/// Finds the user's folder. None without a home.
pub(crate) fn user(env: &dyn Env) -> Option<PathBuf> {
    let absolute = |name| env.var(name).filter(|path| Path::new(path).is_absolute());
    let (mut folder, below) = match absolute(XDG_CONFIG_HOME) {
        Some(config) => (config, "/holdpoint"),
        None => (absolute(HOME)?, "/.config/holdpoint"),
    };
    folder.push_str(below);
    Some(folder.into())
}

/// Returns whether a folder may be there. Every event asks, and on most machines there is none: this is the cheapest way.
#[cfg(unix)]
fn may_be_there(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    use rustix::io::Errno;
    !matches!(access(folder, Access::EXISTS), Err(Errno::NOENT | Errno::NOTDIR))
}

#[cfg(not(unix))]
fn may_be_there(folder: &Path) -> bool {
    folder.exists()
}

fn effective(sources: &[&Source]) -> (Effective, Vec<Diagnostic>) {
    let said: Vec<Said<'_>> = sources.iter().filter_map(|source| source.said()).collect();
    Effective::of(&said)
}

fn is_error(problem: &Diagnostic, source: &Source) -> bool {
    problem.severity == Severity::Error && problem.file == source.name
}

/// Lists the workflows of all layers, the nearest layer's first.
fn every(sources: &[&Source]) -> Vec<Own> {
    let above = sources.iter().rev().filter(|source| source.layer != Layer::Project);
    let above: Arc<[String]> =
        above.flat_map(|source| source.workflows.iter().map(|(name, _)| name.clone())).collect();
    let own = |source: &Source, (name, folder): &(String, PathBuf)| Own {
        name: name.clone(),
        layer: source.layer,
        folder: folder.clone(),
        above: Arc::clone(&above),
        content: source.content.clone(),
    };
    let own = |source: &&Source| source.workflows.iter().map(|found| own(source, found)).collect::<Vec<_>>();
    sources.iter().rev().flat_map(own).collect()
}

/// Lists the workflows that count, the nearest layer's first, and those that a layer above bars.
fn own(sources: &[&Source], effective: &Effective) -> (Vec<Own>, Vec<(String, String)>) {
    let all = every(sources);
    let (mut counting, mut barred) = (Vec::<Own>::new(), Vec::new());
    for one in &all {
        let is_above = |by: Layer| {
            let is_layers = |other: &Own| other.layer <= by && other.name == one.name;
            catalog::named(&one.name).is_some() || all.iter().any(is_layers)
        };
        if let Some(bar) = effective.bar(one.layer, &one.name, is_above) {
            barred.push((one.name.clone(), one.barred(&bar)));
        } else if !counting.iter().any(|known| known.name == one.name) {
            counting.push(one.clone());
        }
    }
    (counting, barred)
}

impl Configuration {
    /// Returns the workflow of a name, if it is not built in.
    pub fn own(&self, name: &str) -> Option<&Own> {
        self.own.iter().find(|own| own.name == name)
    }

    /// Says why a workflow of this name is not used, if a layer above bars it.
    pub fn barred(&self, name: &str) -> Option<&str> {
        self.barred.iter().find(|(barred, _)| barred == name).map(|(_, why)| why.as_str())
    }
}

impl Own {
    /// Loads it: a project's as it was allowed, another if its layer alone could have written it. What `check` calls an
    /// error is not run.
    pub fn load(&self, env: &dyn Env) -> Result<Workflow, Unusable> {
        let unusable = |why| Unusable { name: self.name.clone(), why };
        if self.layer == Layer::Project {
            let content = self.content.as_ref().ok_or_else(|| unusable(Defect::NotAllowed))?;
            return content.load(&self.name, &self.folder, &self.above);
        }
        let trust = Trust::of(self.layer);
        let folders = [self.folder.parent(), Some(self.folder.as_path())];
        for folder in folders.into_iter().flatten() {
            trust.check(folder).map_err(|error| unusable(ReadError::from(error).into()))?;
        }
        let read = |file: &str| {
            trust.check_file(&self.folder.join(file))?;
            catalog::file_below(&self.folder, file)
        };
        let around = Around { state: StateFolder::of(env).ok(), others: &self.above };
        catalog::load_with(&self.name, &self.folder, &read, &around)
    }

    /// Returns it as the origin of a run.
    pub fn origin(&self) -> Origin {
        Origin::Own { layer: self.layer, folder: self.folder.clone() }
    }

    fn barred(&self, bar: &Bar) -> String {
        format!(
            "{}'s own workflow `{}` is not used: {} has {}",
            self.layer.name(),
            self.name,
            bar.file,
            bar.key
        )
    }
}
