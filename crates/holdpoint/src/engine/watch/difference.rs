//! What differs from the last look, and which rule holds it.

use std::collections::BTreeMap;
use std::path::Path;

use holdpoint_core::supposition::{Objection, held_branches, held_files};
use holdpoint_core::world::Answer;

use super::{Session, Sight, Unwatched};
use crate::git;
use crate::git::folders::GitFolders;
use crate::store::watch::{Breach, Call, Held, Note, What};
use crate::watch::refs::{Head, Refs};
use crate::watch::touched;

/// What the branches' full names begin with.
const HEADS: &str = "refs/heads/";
/// The rule's name where the engine itself protects something.
const SETTINGS: &str = "settings";
/// The most breaches of one look.
const FOUND_MAX: usize = 20;
/// How many files the rules are asked about at once.
const FILES_AT_ONCE: usize = 500;

/// What a look has found.
#[derive(Default)]
pub(super) struct Found {
    /// What the run remembers.
    pub(super) breaches: Vec<Breach>,
    /// Files of a sealed run: its marks remember them.
    pub(super) marked: Vec<Objection>,
    /// Why files could not be compared, if they could not.
    pub(super) blind: Option<String>,
    /// Whether more files were touched than are looked at.
    pub(super) is_cut: bool,
}

/// Finds what the open calls have done although a rule holds it.
pub(super) fn found(session: &Session<'_>, note: &Note, now: &Sight) -> Result<Found, Unwatched> {
    let mut found = Found::default();
    let at = session.env.now();
    let calls: Vec<String> = note.calls.iter().map(|call| call.command.clone()).collect();
    let mut add = |what: What, held: Held| {
        found.breaches.push(Breach { what, held, calls: calls.clone(), at });
    };
    for (what, held) in refs(session, note, now)? {
        add(what, held);
    }
    for (path, before) in settings(note, now) {
        add(What::Settings { path, before }, Held { rule: SETTINGS.to_owned(), ..Held::default() });
    }
    let Files { held, is_cut, blind } = files(session, note, now)?;
    if session.run.workflow.run.is_sealed {
        found.marked = held;
    } else if let Some(head) = &note.look.head {
        for file in held {
            let Some(path) = file.about.clone() else { continue };
            add(What::File { path, head: head.clone() }, Held::from(file));
        }
    }
    (found.is_cut, found.blind) = (is_cut, blind);
    // What the user has let a call pass is no breach, while no other call can have done it.
    let open: Vec<&Call> = note.calls.iter().filter(|call| !call.is_over).collect();
    let is_passed = |rule: &String| !open.is_empty() && open.iter().all(|call| call.passed.contains(rule));
    found.breaches.retain(|breach| !is_passed(&breach.held.rule));
    found.marked.retain(|marked| !is_passed(&marked.rule));
    // What says how the hooks are called comes first: it must not be pushed out by the rest.
    found.breaches.sort_by_key(|breach| !matches!(breach.what, What::Settings { .. }));
    found.breaches.truncate(FOUND_MAX);
    Ok(found)
}

/// The refs that were moved, with the rule that held them before.
fn refs(session: &Session<'_>, note: &Note, now: &Sight) -> Result<Vec<(What, Held)>, Unwatched> {
    let Some(before) = &note.look.branches else { return Ok(Vec::new()) };
    let empty = Refs::default();
    let after = now.refs.as_ref().unwrap_or(&empty);
    let held = |name: &str| {
        let is_it = |held: &&Held| held.branch.as_deref().is_none_or(|branch| branch == name);
        note.look.held.iter().find(is_it).cloned()
    };
    let mut moved = Vec::new();
    for (name, id) in before.iter().filter(|(name, id)| after.branches.get(*name) != Some(*id)) {
        if let Some(held) = held(name) {
            let after = after.branches.get(name).cloned();
            moved.push((What::Ref { name: format!("{HEADS}{name}"), before: Some(id.clone()), after }, held));
        }
    }
    let is_made = |id: &String| !note.look.is_partial && !is_known(note, before, now, id);
    let made: BTreeMap<&String, &String> =
        after.branches.iter().filter(|(name, id)| !before.contains_key(*name) && is_made(id)).collect();
    if !made.is_empty() {
        let names: Vec<String> = made.keys().map(ToString::to_string).collect();
        for objection in held_branches(&session.facts(), &names)? {
            let about = names.iter().filter(|name| objection.about.as_ref().is_none_or(|it| it == *name));
            for name in about {
                let what = What::Ref {
                    name: format!("{HEADS}{name}"),
                    before: None,
                    after: made.get(name).map(ToString::to_string),
                };
                moved.push((what, Held::from(objection.clone())));
            }
        }
    }
    moved.extend(detached(note, before, now, after));
    Ok(moved)
}

/// A commit on no branch, where a rule holds every commit.
fn detached(
    note: &Note,
    before: &BTreeMap<String, String>,
    now: &Sight,
    after: &Refs,
) -> Option<(What, Held)> {
    let held = note.look.held.iter().find(|held| held.branch.is_none())?.clone();
    let Head::At(id) = &after.head else { return None };
    let is_new = note.look.detached.as_ref() != Some(id)
        && !is_known(note, before, now, id)
        && !after.branches.values().any(|known| known == id);
    let what =
        || What::Ref { name: "HEAD".to_owned(), before: note.look.head.clone(), after: Some(id.clone()) };
    is_new.then(|| (what(), held))
}

/// Whether a commit was there before: a branch that is made or a head that is moved to it is no commit.
fn is_known(note: &Note, before: &BTreeMap<String, String>, now: &Sight, id: &str) -> bool {
    let elsewhere = |git: &GitFolders| git.was_known_elsewhere(id, note.look.at);
    before.values().any(|known| known == id) || now.git.as_ref().is_some_and(elsewhere)
}

/// The settings that stand otherwise.
fn settings<'a>(note: &'a Note, now: &'a Sight) -> impl Iterator<Item = (String, Option<String>)> + 'a {
    let differs = |path: &String, before: &Option<String>| {
        now.files.get(path).is_some_and(|standing| standing.digest != *before)
    };
    let all = note.look.files.iter().map(|(path, standing)| (path, &standing.digest));
    all.filter(move |(path, before)| differs(path, before))
        .map(|(path, before)| (path.clone(), before.clone()))
}

/// The files that were changed although a rule holds that.
#[derive(Default)]
struct Files {
    held: Vec<Objection>,
    /// Whether more were touched than are looked at.
    is_cut: bool,
    /// Why they could not be compared: then none is held.
    blind: Option<String>,
}

/// Finds the files that were changed although a rule holds that.
fn files(session: &Session<'_>, note: &Note, now: &Sight) -> Result<Files, Unwatched> {
    let run = session.run;
    let git = now.git.as_ref().filter(|_| !run.workflow.run.watch.files.is_empty());
    let Some(git) = git else { return Ok(Files::default()) };
    let mut touched = touched::since(&run.home, git, note.look.at, run.workflow.run.watch.within.as_deref());
    let mut files = Files { is_cut: touched.len() >= touched::FILES_MAX, ..Files::default() };
    touched.retain(|path| !note.look.files.contains_key(path) && !path.starts_with(".holdpoint/"));
    for part in touched.chunks(FILES_AT_ONCE) {
        files.held.extend(held_files(&session.facts(), part)?);
    }
    if files.held.is_empty() {
        return Ok(files);
    }
    // Touched is not changed: only now is anything read.
    let names: Vec<String> = files.held.iter().filter_map(|held| held.about.clone()).collect();
    let changed = if run.workflow.run.is_sealed {
        Ok(session.facts().breached()?)
    } else {
        // More are not named: one is enough to be held by.
        let head = note.look.head.as_deref();
        head.map_or(Ok(Vec::new()), |head| changed_since(session, head, &names, FOUND_MAX))
    };
    let is_changed = |path: &String| changed.as_ref().is_ok_and(|changed| changed.contains(path));
    files.held.retain(|held| held.about.as_ref().is_some_and(is_changed));
    files.blind = changed.err();
    Ok(files)
}

/// Those of the files, `most` of them, that are not as a commit has them, or why that cannot be told: then nothing is
/// accused, and nothing settled.
fn changed_since(
    session: &Session<'_>,
    head: &str,
    files: &[String],
    most: usize,
) -> Result<Vec<String>, String> {
    let unknown = |why: &str| format!("what shell calls did to files could not be compared: {why}");
    match git::differing(&session.run.home.to_string_lossy(), head, files, most) {
        Answer::Is(changed) => Ok(changed),
        Answer::None => Err(unknown("git gave no answer")),
        Answer::Fault(why) => Err(unknown(&why.to_string())),
    }
}

/// Adds what was found to what is remembered: a ref that moves on is one breach, from where it first was.
pub(super) fn remember(note: &mut Note, found: Vec<Breach>) {
    for breach in found {
        match note.breaches.iter_mut().find(|known| is_about_same(&known.what, &breach.what)) {
            Some(known) => {
                if let (What::Ref { after, .. }, What::Ref { after: now, .. }) =
                    (&mut known.what, breach.what)
                {
                    *after = now;
                }
                known.at = breach.at;
                known.calls.extend(breach.calls);
                known.calls.dedup();
            }
            None => note.breaches.push(breach),
        }
    }
}

fn is_about_same(one: &What, other: &What) -> bool {
    match (one, other) {
        (What::Ref { name: one, .. }, What::Ref { name: other, .. })
        | (What::File { path: one, .. }, What::File { path: other, .. })
        | (What::Settings { path: one, .. }, What::Settings { path: other, .. }) => one == other,
        _ => false,
    }
}

/// The files of breaches as they stand now: by the commit that they were at, those that are not as it has them. None where
/// that cannot be told.
struct Standing<'a>(BTreeMap<&'a str, Option<Vec<String>>>);

impl<'a> Standing<'a> {
    /// Asks about all of them at once, each commit once.
    fn of(session: &Session<'_>, breaches: &'a [Breach]) -> Standing<'a> {
        let mut asked: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for breach in breaches {
            if let What::File { path, head } = &breach.what {
                asked.entry(head).or_default().push(path.clone());
            }
        }
        let changed = |head, paths: &[String]| changed_since(session, head, paths, usize::MAX).ok();
        Standing(asked.into_iter().map(|(head, paths)| (head, changed(head, &paths))).collect())
    }

    /// Whether a file, or whatever is in its place, is as the commit has it.
    fn is_as_it_was(&self, path: &str, head: &str) -> bool {
        let is_there = |changed: &String| Path::new(changed).starts_with(path);
        let changed = self.0.get(head).and_then(Option::as_ref);
        changed.is_some_and(|changed| !changed.iter().any(is_there))
    }
}

impl Sight {
    /// Leaves of the breaches those that are not settled.
    pub(super) fn settle(&self, session: &Session<'_>, breaches: &mut Vec<Breach>) {
        let standing = Standing::of(session, breaches);
        let settled: Vec<bool> =
            breaches.iter().map(|breach| self.has_settled(&standing, &breach.what)).collect();
        let mut settled = settled.into_iter();
        breaches.retain(|_| !settled.next().unwrap_or(false));
    }

    /// Whether something is as it was before the breach.
    fn has_settled(&self, standing: &Standing<'_>, what: &What) -> bool {
        match what {
            What::Ref { name, before, .. } => {
                let Some(refs) = &self.refs else { return false };
                let now = match name.strip_prefix(HEADS) {
                    Some(branch) => refs.branches.get(branch),
                    None => match &refs.head {
                        Head::At(id) => Some(id),
                        // On a branch again: nothing is left of it but a commit that nobody names.
                        Head::On(_) => before.as_ref(),
                        Head::Unknown => None,
                    },
                };
                now == before.as_ref()
            }
            What::File { path, head } => standing.is_as_it_was(path, head),
            What::Settings { path, before } => {
                self.files.get(path).is_some_and(|standing| standing.digest == *before)
            }
        }
    }
}
