//! What is seen before a call, and what is there now.

use holdpoint_core::supposition::{held_branches, is_at_work};

use super::{Session, Unwatched};
use crate::git::folders::GitFolders;
use crate::install::place::user_settings;
use crate::store::watch::{Held, Look, Note};
use crate::watch::refs::{Head, Refs};
use crate::watch::settings;
use crate::watch::touched::Instant;

/// The most branches that are noted when a rule holds only some.
const BRANCHES_MAX: usize = 1_000;

/// What is to be noted before a call; none if nothing is held.
pub(super) fn look(session: &Session<'_>) -> Result<Option<Look>, Unwatched> {
    let (facts, watch) = (session.facts(), &session.run.workflow.run.watch);
    let home = &session.run.home;
    let mut look = Look { at: Instant::now(), ..Look::default() };
    // Where that cannot be told, the run is looked after; what is wrong with it others tell.
    if !is_at_work(&facts).unwrap_or(true) {
        return Ok(None);
    }
    let git = if watch.commits.is_empty() && watch.files.is_empty() { None } else { GitFolders::of(home) };
    if let Some(git) = git {
        let refs = git.refs()?;
        look.head = commit(&refs);
        if !watch.commits.is_empty() {
            take_refs(session, refs, &mut look);
        }
    }
    if watch.settings || !watch.restore.is_empty() {
        look.files = standings(session);
    }
    Ok(Some(look))
}

fn take_refs(session: &Session<'_>, refs: Refs, look: &mut Look) {
    let mut names: Vec<String> = refs.branches.keys().cloned().collect();
    if let Head::On(branch) = &refs.head
        && !refs.branches.contains_key(branch)
    {
        names.push(branch.clone());
    }
    // A rule that cannot be judged was judged before this call, and its fault told.
    let held = held_branches(&session.facts(), &names).unwrap_or_default();
    if held.is_empty() {
        return;
    }
    look.held = held.into_iter().map(Held::from).collect();
    let mut branches = refs.branches;
    if branches.len() > BRANCHES_MAX && look.held.iter().all(|held| held.branch.is_some()) {
        branches.retain(|name, _| look.held.iter().any(|held| held.branch.as_ref() == Some(name)));
        look.is_partial = true;
    }
    look.branches = Some(branches);
    look.detached = match refs.head {
        Head::At(id) => Some(id),
        Head::On(_) | Head::Unknown => None,
    };
}

fn commit(refs: &Refs) -> Option<String> {
    match &refs.head {
        Head::On(branch) => refs.branches.get(branch).cloned(),
        Head::At(id) => Some(id.clone()),
        Head::Unknown => None,
    }
}

/// How the settings stand, and the files that are put back.
fn standings(session: &Session<'_>) -> settings::Standings {
    let workflow = &session.run.workflow;
    let watch = &workflow.run.watch;
    let mut own = Vec::new();
    if watch.settings || watch.restores_settings() {
        own = holdpoint_core::protection::settings(&workflow.name);
        // Hooks may be called from the user's settings, too, and can be switched off there.
        own.extend(
            user_settings(session.env, &session.event.agent)
                .iter()
                .map(|path| path.to_string_lossy().into_owned()),
        );
    }
    let files: Vec<String> = watch.restored_files().map(str::to_owned).collect();
    let is_file = |path: &str| files.iter().any(|file| file == path);
    let keeps = |path: &str| watch.restores_settings() || is_file(path);
    settings::look(&session.run.home, own.into_iter().chain(files.iter().cloned()), keeps)
}

/// What is there now.
pub(super) struct Sight {
    pub(super) git: Option<GitFolders>,
    pub(super) refs: Option<Refs>,
    pub(super) files: settings::Standings,
    at: Instant,
}

impl Sight {
    /// Looks at what the note is about.
    pub(super) fn now(session: &Session<'_>, note: &Note) -> Result<Sight, Unwatched> {
        let at = Instant::now();
        let git = GitFolders::of(&session.run.home);
        let is_about_refs = note.look.branches.is_some() || !note.breaches.is_empty();
        let refs = git.as_ref().filter(|_| is_about_refs).map(GitFolders::refs).transpose()?;
        let is_about_files = !note.look.files.is_empty() || !note.breaches.is_empty();
        let files = if is_about_files { standings(session) } else { settings::Standings::default() };
        Ok(Sight { git, refs, files, at })
    }

    /// The look from which the calls that stay open are judged.
    pub(super) fn look(&self, before: &Look) -> Look {
        let refs = self.refs.as_ref();
        Look {
            at: self.at,
            branches: before
                .branches
                .is_some()
                .then(|| refs.map(|refs| refs.branches.clone()).unwrap_or_default()),
            is_partial: false,
            detached: refs.and_then(|refs| match &refs.head {
                Head::At(id) => Some(id.clone()),
                Head::On(_) | Head::Unknown => None,
            }),
            head: refs.map_or_else(|| before.head.clone(), commit),
            held: before.held.clone(),
            files: if before.files.is_empty() { settings::Standings::default() } else { self.files.clone() },
        }
    }
}
