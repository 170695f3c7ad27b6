//! What a project brings along has no effect until its user has allowed it: its own workflows, its settings, and runs
//! that did not begin here. This is the one place that decides it. `docs/design/009-allow.md` says why so.
//!
//! Nothing is read outside the project unless the project brings something along.

pub mod allowed_content;
pub mod content;
pub(crate) mod fingerprint;
pub mod identity;
pub mod part;
pub mod survey;
pub mod waiting;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::step::Step;
use holdpoint_core::world::Answer;

use self::allowed_content::{AllowedContent, Source};
use self::content::{Content, ContentError};
use self::fingerprint::Fingerprint;
use self::identity::Identity;
use self::part::{Digests, Part, Pending};
use self::survey::Survey;
use self::waiting::Waiting;
use crate::env::Env;
use crate::env_vars::ALLOW;
use crate::error::in_full;
use crate::git;
use crate::project::Run;
use crate::store::registry::{Begun, Registry};
use crate::store::seal::Seal;
use crate::user;

/// How a project's content stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// There is none, so there is nothing to allow.
    Empty,
    /// The user has allowed all of it.
    Allowed,
    /// The user has not allowed it as it is now, or not all of it.
    Waiting,
    /// It cannot be allowed as it is.
    Unusable(String),
}

/// What of a project's content counts, and what does not.
#[derive(Debug, Default)]
pub struct Judged {
    /// What counts. None if nothing does; then nothing is written in the project on its account.
    pub allowed: Option<AllowedContent>,
    /// The parts that wait for the user.
    pub pending: Vec<Pending>,
    /// Why it cannot be allowed as it is, if it cannot.
    pub defect: Option<String>,
    is_empty: bool,
}

impl Judged {
    /// Returns how the content stands as a whole.
    pub fn standing(&self) -> Standing {
        match &self.defect {
            Some(why) => Standing::Unusable(why.clone()),
            None if self.is_empty => Standing::Empty,
            None if self.pending.is_empty() => Standing::Allowed,
            None => Standing::Waiting,
        }
    }

    /// Returns what waits, if anything does.
    pub fn waiting(&self, base: &Path) -> Option<Waiting> {
        let (base, defect) = (base.to_path_buf(), self.defect.clone());
        let is_some_allowed = self.allowed.is_some();
        let waiting = Waiting::Content { base, defect, parts: self.pending.clone(), is_some_allowed };
        (self.defect.is_some() || !self.pending.is_empty()).then_some(waiting)
    }
}

/// What this user has allowed.
pub struct Allowance<'a> {
    env: &'a dyn Env,
    registry: Registry,
    /// What was found out about folders already: an event asks about one or two, several times.
    known: RefCell<Vec<(PathBuf, bool)>>,
    projects: RefCell<Vec<(PathBuf, Option<Identity>)>>,
}

impl<'a> Allowance<'a> {
    /// What the user of this process has allowed.
    pub fn of(env: &'a dyn Env) -> Allowance<'a> {
        Allowance {
            env,
            registry: Registry::of(env),
            known: RefCell::default(),
            projects: RefCell::default(),
        }
    }

    /// The surroundings it was made for.
    pub(crate) fn env(&self) -> &'a dyn Env {
        self.env
    }

    /// The registry behind it.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    fn project(&self, folder: &Path) -> Option<Identity> {
        if let Some(project) = noted(&self.projects.borrow(), folder) {
            return project;
        }
        let project = Identity::of(folder);
        self.projects.borrow_mut().push((folder.to_path_buf(), project.clone()));
        project
    }

    /// Returns how the content of the project at `base` stands.
    pub fn standing(&self, base: &Path) -> Standing {
        self.judge_content(base).standing()
    }

    /// Decides what of the content at `base` counts. Where there is none, the project itself does if it is allowed.
    pub fn judge(&self, base: &Path) -> Judged {
        let mut judged = self.judge_content(base);
        judged.allowed = judged.allowed.filter(|_| !judged.is_empty || self.knows(base));
        judged
    }

    fn judge_content(&self, base: &Path) -> Judged {
        let unusable = |error: ContentError| Judged { defect: Some(in_full(&error)), ..Judged::default() };
        self.try_judge(base).unwrap_or_else(unusable)
    }

    fn try_judge(&self, base: &Path) -> Result<Judged, ContentError> {
        let fingerprint = Fingerprint::of(base)?;
        let is_empty = fingerprint.names.is_empty();
        if is_empty || self.env.began_everything() {
            let parts = fingerprint.names.iter().filter_map(|name| Part::of(name)).collect();
            let allowed = Some(AllowedContent::new(base, parts, Source::Seen(fingerprint)));
            return Ok(Judged { allowed, is_empty, ..Judged::default() });
        }
        if let Some(digests) = self.seen(base, &fingerprint) {
            return Ok(self.by_digests(base, digests, Source::Seen(fingerprint)));
        }
        // Only the files that are read themselves say what these bytes look like: others may take their place meanwhile.
        let mut read = Fingerprint::default();
        let content = Content::read_and_look(base, &mut |name, found| read.add(name.to_owned(), found))?;
        let digests = content.digests();
        let judged = self.by_digests(base, digests.clone(), Source::Read(content));
        if judged.allowed.is_some() {
            self.remember(base, &read, &digests);
        }
        Ok(judged)
    }

    fn by_digests(&self, base: &Path, digests: Digests, source: Source) -> Judged {
        let (pending, is_empty) = (self.pending(base, &digests), digests.parts.is_empty());
        let waits = |part: &Part| pending.iter().any(|pending| pending.part == *part);
        let parts: BTreeSet<Part> = digests.parts.into_keys().filter(|part| !waits(part)).collect();
        let allowed = (!parts.is_empty()).then(|| AllowedContent::new(base, parts, source));
        Judged { allowed, pending, is_empty, ..Judged::default() }
    }

    /// Lists the parts of a content that the user has not allowed as they are.
    fn pending(&self, base: &Path, digests: &Digests) -> Vec<Pending> {
        if self.allows(base, &digests.whole) {
            return Vec::new();
        }
        let ids: Vec<String> = self.project(base).iter().flat_map(Identity::ids).collect();
        let of_part = |(part, digest): (&Part, &String)| {
            let path = part.path();
            let is_allowed = ids.iter().any(|id| self.registry.is_part_allowed(id, &path, digest));
            let was_allowed = || ids.iter().any(|id| self.registry.knows_part(id, &path));
            let (part, digest) = (part.clone(), digest.clone());
            (!is_allowed).then(|| Pending { part, digest, is_changed: was_allowed() })
        };
        digests.parts.iter().filter_map(of_part).collect()
    }

    /// Returns the digests of the content, if it looks as it did when it was last read.
    fn seen(&self, base: &Path, fingerprint: &Fingerprint) -> Option<Digests> {
        let project = self.project(base)?;
        Digests::read(&self.registry.seen(&project.id, base, &fingerprint.lines)?)
    }

    /// Remembers what the content looks like. What cannot be remembered is read again.
    fn remember(&self, base: &Path, fingerprint: &Fingerprint, digests: &Digests) {
        let project = self.project(base).filter(|_| fingerprint.is_settled(self.env.now()));
        if let Some(project) = project {
            let _ = self.registry.note_seen(&project.id, base, &fingerprint.lines, &digests.line());
        }
    }

    fn allows(&self, base: &Path, digest: &str) -> bool {
        let named = || self.env.var(ALLOW).is_some_and(|all| all.split(',').any(|one| one.trim() == digest));
        let kept = || {
            let project = self.project(base);
            project.is_some_and(|project| project.ids().any(|id| self.registry.is_allowed(&id, digest)))
        };
        named() || kept()
    }

    /// Returns whether the user has allowed the project that a folder belongs to: then Holdpoint may write there, and a
    /// run that comes into being there began here.
    pub fn knows(&self, folder: &Path) -> bool {
        if let Some(known) = noted(&self.known.borrow(), folder) {
            return known;
        }
        let known = self.env.began_everything() || self.finds(folder) || self.is_named(folder);
        self.known.borrow_mut().push((folder.to_path_buf(), known));
        known
    }

    fn finds(&self, folder: &Path) -> bool {
        let Some(project) = self.project(folder) else { return false };
        let is_known = |project: &Identity| project.ids().any(|id| self.registry.is_known(&id));
        let above = || folder.ancestors().skip(1).filter_map(Identity::of_folder);
        is_known(&project) || (!project.is_repository && above().any(|project| is_known(&project)))
    }

    /// Returns whether the environment names the digest of the project's content.
    fn is_named(&self, folder: &Path) -> bool {
        self.env.var(ALLOW).is_some_and(|all| !all.is_empty())
            && crate::project::base(folder).is_some_and(|base| self.standing(&base) == Standing::Allowed)
    }

    /// Returns whether a run began here. One that nobody has seen yet in a project that the user has allowed began
    /// here, unless git has it: then it came with a commit of somebody's.
    pub fn began(&self, run: &Run) -> bool {
        if self.env.began_everything() {
            return true;
        }
        let Some(project) = self.project(&run.home) else { return false };
        let name = name(&project, run);
        let noted = project.ids().find_map(|id| self.registry.run(&id, &name));
        match noted {
            Some(begun) => begun == Begun::Here,
            None if !self.knows(&run.home) => false,
            None => {
                let files = files(run);
                // Nothing has come along yet, and what comes later is looked at then.
                if files.is_empty() {
                    return true;
                }
                // While git cannot tell, the run waits, and nothing is said about it for good.
                let Some(are_tracked) = are_tracked(&project, run, &files) else { return false };
                let begun = if are_tracked { Begun::Elsewhere } else { Begun::Here };
                // What cannot be remembered is found out again.
                let _ = self.registry.note_run(&project.id, &name, begun);
                begun == Begun::Here
            }
        }
    }

    /// Remembers that a run began here: a command made it, or the user has allowed it.
    pub fn begin(&self, run: &Run) -> std::io::Result<()> {
        if self.env.began_everything() {
            return Ok(());
        }
        let project = self.project(&run.home).ok_or(std::io::ErrorKind::NotFound)?;
        let noted = self.registry.note_run(&project.id, &name(&project, run), Begun::Here);
        // Where the environment allows the project, it need not be noted.
        noted.or_else(|error| if self.is_named(&run.home) { Ok(()) } else { Err(error) })
    }

    /// Remembers that the user has allowed the project at `root` with this content, and these runs.
    pub fn allow(&self, root: &Path, content: &Content, runs: &[Run]) -> std::io::Result<()> {
        self.allow_content(root, content)?;
        self.know(root)?;
        for run in runs {
            self.begin(run)?;
            let state = run.workflow.run.state.as_deref().filter(|state| !state.contains("{{"));
            if let Some((seal, state)) = Seal::of(run).zip(state) {
                seal.accept(&run.folder.join(state)).map_err(std::io::Error::other)?;
            }
        }
        Ok(())
    }

    /// Remembers that the user has allowed the project that a folder belongs to.
    pub fn know(&self, root: &Path) -> std::io::Result<()> {
        let project = self.project(root).ok_or(std::io::ErrorKind::NotFound)?;
        self.known.borrow_mut().clear();
        self.registry.know(&project.id, root, self.env.now())
    }

    fn allow_content(&self, root: &Path, content: &Content) -> std::io::Result<()> {
        if content.is_empty() {
            return Ok(());
        }
        let project = self.project(root).ok_or(std::io::ErrorKind::NotFound)?;
        let digests = content.digests();
        for (part, digest) in &digests.parts {
            self.registry.allow_part(&project.id, &part.path(), digest)?;
        }
        self.registry.allow(&project.id, &digests.whole, &content.texts())
    }

    /// Allows all that a project brings along, for projects that Holdpoint itself has made.
    pub fn allow_all(&self, root: &Path) -> std::io::Result<()> {
        // Whoever makes a project chooses its programs, too.
        if let Some(project) = self.project(root) {
            self.registry.forget_pin(&project.id)?;
        }
        let survey = Survey::of(root, self).map_err(std::io::Error::other)?;
        self.allow(&survey.root, &survey.content, &survey.runs)
    }

    /// Keeps a project's content allowed while a command of the user's adds these files to it. Returns whether it is
    /// allowed now: only if it is exactly what was allowed before, or nothing, and what was added.
    pub fn carry<E>(
        &self,
        root: &Path,
        added: BTreeMap<String, Vec<u8>>,
        act: impl FnOnce() -> Result<(), E>,
    ) -> Result<bool, E> {
        let before = self.allowed_content(root).filter(|_| !user::is_agents(self.env));
        act()?;
        if self.env.began_everything() {
            return Ok(true);
        }
        let Some(mut wanted) = before else { return Ok(false) };
        wanted.files.extend(added);
        // What somebody else has changed meanwhile is for the user to look at.
        let is_there = Content::read(root).is_ok_and(|content| content.files == wanted.files);
        Ok(is_there && self.allow_content(root, &wanted).is_ok())
    }

    /// Reads a project's content, if all of it is allowed.
    fn allowed_content(&self, root: &Path) -> Option<Content> {
        let content = Content::read(root).ok()?;
        (content.is_empty() || self.pending(root, &content.digests()).is_empty()).then_some(content)
    }
}

fn noted<T: Clone>(all: &[(PathBuf, T)], folder: &Path) -> Option<T> {
    let is_it = |(noted, _): &&(PathBuf, T)| noted.as_os_str() == folder.as_os_str();
    all.iter().find(is_it).map(|(_, what)| what.clone())
}

/// Returns whether a run can be found without a registry: its workflow only holds. It starts nothing and makes no files. What its
/// rules set in the state is written only where the project is allowed.
pub fn only_guards(workflow: &Workflow) -> bool {
    let run = &workflow.run;
    let writes = run.is_sealed || run.clears_strays || run.log.is_some();
    let tells = run.record.is_some() || !run.mirrors.is_empty();
    let acts = !workflow.phases.is_empty() || !workflow.commands.is_empty();
    let makes_files = |step: &Step| {
        let files = !step.write.is_empty() || !step.remove.is_empty();
        files || !step.freeze.is_empty() || !step.log.is_empty()
    };
    !writes && !tells && !acts && !workflow.rules.iter().any(|rule| makes_files(&rule.step))
}

/// Names a run in its project.
fn name(project: &Identity, run: &Run) -> String {
    format!("{} {}", run.workflow.name, project.name(&run.place()))
}

/// Lists the files by which a run could have come along.
fn files(run: &Run) -> Vec<PathBuf> {
    let rules = &run.workflow.run;
    let mut files = match (&rules.each, &rules.id, rules.state.as_deref()) {
        (None, None, Some(state)) if !state.contains("{{") => vec![run.home.join(state)],
        (None, None, Some(_)) => vec![run.home.join(rules.home.as_ref())],
        (None, None, None) => Vec::new(),
        _ => vec![run.place()],
    };
    if rules.is_sealed && !run.books.are_outside() {
        files.push(run.books.seal(&run.workflow.name));
    }
    files.retain(|file| file.symlink_metadata().is_ok());
    files
}

/// Returns whether git has one of a run's files. None if git cannot tell.
fn are_tracked(project: &Identity, run: &Run, files: &[PathBuf]) -> Option<bool> {
    if !project.is_repository {
        return Some(false);
    }
    // Asked about another path, git would say that it has none.
    let paths: Option<Vec<&str>> = files.iter().map(|path| path.to_str()).collect();
    match git::tracks(run.home.to_str()?, &paths?) {
        Answer::Is(are_tracked) => Some(are_tracked),
        Answer::None | Answer::Fault(_) => None,
    }
}
