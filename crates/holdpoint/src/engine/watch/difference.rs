//! What differs from the last look, and which rule holds it.

use std::collections::BTreeMap;

use holdpoint_core::supposition::{Objection, held_branches, held_files};
use holdpoint_core::world::Answer;

use super::{Session, Sight, Unwatched};
use crate::git;
use crate::store::watch::{Breach, Held, Note, What};
use crate::watch::refs::{GitFolders, Head, Refs};
use crate::watch::touched;

/// What the branches' full names begin with.
const HEADS: &str = "refs/heads/";
/// The rule's name where the engine itself protects something.
const SETTINGS: &str = "settings";
/// The most breaches of one look.
const FOUND_MAX: usize = 20;
/// How many files the rules, and git, are asked about at once.
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
    let files = match files(session, note, now)? {
        Ok(files) => {
            found.is_cut = files.is_cut;
            files.held
        }
        Err(why) => {
            found.blind = Some(why);
            Vec::new()
        }
    };
    if session.run.workflow.run.is_sealed {
        found.marked = files;
    } else if let Some(head) = &note.look.head {
        for file in files {
            let Some(path) = file.about.clone() else { continue };
            add(What::File { path, head: head.clone() }, Held::from(file));
        }
    }
    // What the user has let a call pass is no breach.
    let is_passed = |rule: &String| note.calls.iter().any(|call| call.passed.contains(rule));
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
    is_cut: bool,
}

/// The files that were changed although a rule holds that, or why they could not be compared.
fn files(session: &Session<'_>, note: &Note, now: &Sight) -> Result<Result<Files, String>, Unwatched> {
    let (run, git) = (session.run, now.git.as_ref());
    if run.workflow.run.watch.files.is_empty() {
        return Ok(Ok(Files::default()));
    }
    let Some(git) = git else { return Ok(Ok(Files::default())) };
    let mut touched = touched::since(&run.home, git, note.look.at);
    let is_cut = touched.len() >= touched::FILES_MAX;
    touched.retain(|path| !note.look.files.contains_key(path) && !path.starts_with(".holdpoint/"));
    let mut held = Vec::new();
    for part in touched.chunks(FILES_AT_ONCE) {
        held.extend(held_files(&session.facts(), part)?);
    }
    if held.is_empty() {
        return Ok(Ok(Files { held, is_cut }));
    }
    // Touched is not changed: only now is anything read.
    let names: Vec<String> = held.iter().filter_map(|held| held.about.clone()).collect();
    let changed = if run.workflow.run.is_sealed {
        session.facts().breached()?
    } else {
        match changed_since(session, note.look.head.as_deref(), &names) {
            Ok(changed) => changed,
            Err(why) => return Ok(Err(why)),
        }
    };
    held.retain(|held| held.about.as_ref().is_some_and(|path| changed.contains(path)));
    Ok(Ok(Files { held, is_cut }))
}

/// Those of the files that are not as a commit has them, or why that cannot be told: then nothing is accused, and nothing
/// settled.
fn changed_since(session: &Session<'_>, head: Option<&str>, files: &[String]) -> Result<Vec<String>, String> {
    let Some(head) = head else { return Ok(Vec::new()) };
    let unknown = |why: &str| format!("what shell calls did to files could not be compared: {why}");
    let mut changed = Vec::new();
    for part in files.chunks(FILES_AT_ONCE) {
        match git::differing(&session.run.home.to_string_lossy(), head, part) {
            Answer::Is(more) => changed.extend(more),
            Answer::None => return Err(unknown("git gave no answer")),
            Answer::Fault(why) => return Err(unknown(&why.to_string())),
        }
        // More are not named: one is enough to be held by.
        if changed.len() >= FOUND_MAX {
            break;
        }
    }
    Ok(changed)
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

impl Sight {
    /// Whether something is as it was before the breach.
    pub(super) fn has_settled(&self, session: &Session<'_>, breach: &Breach) -> bool {
        match &breach.what {
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
            What::File { path, head } => {
                let changed = changed_since(session, Some(head), std::slice::from_ref(path));
                changed.is_ok_and(|changed| changed.is_empty())
            }
            What::Settings { path, before } => {
                self.files.get(path).is_some_and(|standing| standing.digest == *before)
            }
        }
    }
}
