//! All that a project brings along, as `allow` and `init` find it: its content, and the runs that did not begin here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use holdpoint_core::settings::Layer;
use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::parse::{FILE, Parsed, parse};

use super::content::{Content, ContentError};
use super::identity::Identity;
use super::part::{Part, Pending};
use super::waiting::Waiting;
use super::{Allowance, only_guards};
use crate::catalog::{self, Origin};
use crate::env::Env;
use crate::layers::Layers;
use crate::project::{self, Run};
use crate::store::books::Books;
use crate::store::layout::{self, content_digest};
use crate::store::registered::Registered;
use crate::world::read_file;

/// The largest state that goes into a digest.
const STATE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What a project brings along.
#[derive(Debug)]
pub struct Survey {
    /// The project's folder.
    pub root: PathBuf,
    /// Its own workflows and settings.
    pub content: Content,
    /// The parts of them that the user has not allowed.
    pub pending: Vec<Pending>,
    /// What would count if it did not belong to another user.
    pub anothers: Option<PathBuf>,
    /// Its runs that did not begin here.
    pub runs: Vec<Run>,
}

impl Survey {
    /// Looks at the project that a folder belongs to: the nearest with content, its repository, or the folder itself.
    pub fn of(start: &Path, allowance: &Allowance<'_>) -> Result<Survey, ContentError> {
        let git = || Identity::of(start).filter(|project| project.is_repository).map(|project| project.root);
        let root = project::base(start).or_else(git).unwrap_or_else(|| start.to_path_buf());
        // Another user's folder does not count, whatever is in it.
        let counts = project::nearest(&root, layout::FOLDER).is_some_and(|nearest| nearest == root);
        let content = if counts { Content::read(&root)? } else { Content::default() };
        let anothers = project::anothers(start).filter(|path| path.starts_with(&root));
        let own: Vec<Workflow> = content.workflows().into_iter().map(|(_, parsed)| parsed.workflow).collect();
        let built_in = catalog::built_in().iter().map(|built_in| &built_in.workflow);
        let built_in = built_in.filter(|workflow| !own.iter().any(|own| own.name == workflow.name));
        let folder = |name: &str| layout::workflows(&root).join(name);
        let brought = |own: &Workflow| Origin::Own { layer: Layer::Project, folder: folder(&own.name) };
        let above = above(allowance.env(), &own);
        let built_in = built_in.filter(|workflow| !above.iter().any(|(own, _)| own.name == workflow.name));
        let all = own.iter().map(|own| (own, brought(own)));
        let all = all.chain(above.iter().map(|(own, origin)| (own, origin.clone())));
        let all = all.chain(built_in.map(|built_in| (built_in, Origin::BuiltIn)));
        let runs = all.flat_map(|(workflow, origin)| runs(start, workflow, origin, allowance.env()));
        let runs = runs.filter(|run| !super::files(run).is_empty() && !allowance.began(run)).collect();
        let pending = allowance.pending(&root, &content.digests());
        Ok(Survey { root, content, pending, anothers, runs })
    }

    /// Lists what waits for the user.
    pub fn waiting(&self) -> Vec<Waiting> {
        let parts = self.pending.clone();
        let is_some_allowed = parts.len() < self.content.digests().parts.len();
        let content = Waiting::Content { base: self.root.clone(), defect: None, parts, is_some_allowed };
        let content = (!self.pending.is_empty()).then_some(content);
        content.into_iter().chain(self.runs.iter().cloned().map(Waiting::run)).collect()
    }

    /// Returns the digest of all that would be allowed now: that of the content, or one that covers the runs, too.
    pub fn digest(&self) -> String {
        if self.runs.is_empty() {
            return self.content.digest();
        }
        let state = |run: &Run| {
            let state = run.workflow.run.state.as_deref().unwrap_or_default();
            let file = if run.id.is_some() { run.place() } else { run.folder.join(state) };
            let bytes = read_file(&file, STATE_BYTES_MAX).ok().flatten().unwrap_or_default();
            format!(
                "{} {} {}\n",
                run.workflow.name,
                layout::name(&self.root, &run.place()),
                content_digest(&bytes)
            )
        };
        let runs: String = self.runs.iter().map(state).collect();
        content_digest(format!("{}\n{runs}", self.content.digest()).as_bytes())
    }
}

/// Loads the workflows of the layers above the project that it has none of its own for: it can bring runs of them along.
fn above(env: &dyn Env, own: &[Workflow]) -> Vec<(Workflow, Origin)> {
    let mut above = Layers::of(env).configuration(None).own;
    above.retain(|one| !own.iter().any(|own| own.name == one.name));
    above.iter().filter_map(|one| Some((one.load(env).ok()?, one.origin()))).collect()
}

/// Lists the runs of a workflow that apply to a folder and could do something.
fn runs(start: &Path, workflow: &Workflow, origin: Origin, env: &dyn Env) -> Vec<Run> {
    let sealed = || {
        let here = workflow.run.is_sealed.then(|| Registered::above(start, env))?;
        here.with(&workflow.name).cloned()
    };
    let marked = project::nearest(start, &workflow.run.home).map(|home| Books::of(&home, env));
    let books = marked.or_else(sealed).filter(|_| !only_guards(workflow));
    let Some(books) = books else { return Vec::new() };
    project::every(&Run::new(Arc::new(workflow.clone()), origin, books))
}

impl Content {
    /// Parses the project's own workflows, by name, errors included.
    pub fn workflows(&self) -> Vec<(String, Parsed)> {
        let names = self.files.keys().filter_map(|path| Part::workflow_of(path));
        names.map(|name| (name.clone(), self.parsed(&name))).collect()
    }

    fn parsed(&self, name: &str) -> Parsed {
        let text = |file: &str| {
            let bytes = self.files.get(&format!("workflows/{name}/{file}"))?;
            Some(String::from_utf8_lossy(bytes).into_owned())
        };
        parse(name, &text(FILE).unwrap_or_default(), &text)
    }
}
