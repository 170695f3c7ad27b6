//! The registry: which projects this user has allowed, with what content, and which runs began here. It is kept in the
//! state folder, so that no clone brings an entry along.
//!
//! Each fact is a file of its own, so that processes side by side never lose each other's.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::layout;
use super::pin::Pin;
use super::state_folder::{StateFolder, StateFolderError};
use crate::env::Env;

/// How many allowed contents of a project are kept: its branches differ.
const CONTENTS_MAX: usize = 32;
/// How many allowed parts of contents are kept.
const PARTS_MAX: usize = 1024;
/// Folders of a project that say nothing about it: trees are taken and proved in them.
const WORKED_WITH: [&str; 2] = ["git", "bench"];

/// The folder of a project's books.
pub(super) const BOOKS: &str = "books";

/// What the registry says of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// It began here, or the user has allowed it.
    Here,
    /// It came with the repository.
    Elsewhere,
}

/// A project in the registry.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// Where it was.
    pub path: String,
    /// When it was allowed, in seconds since 1970.
    pub at: i64,
    /// The content that was allowed last, if it has any.
    pub digest: Option<String>,
    /// How many runs began here.
    pub runs: usize,
}

/// The registry of a user. Without a state folder it knows nothing and keeps nothing.
#[derive(Clone, Debug)]
pub struct Registry {
    folder: Result<StateFolder, StateFolderError>,
}

impl Registry {
    /// Opens the registry of this user.
    pub fn of(env: &dyn Env) -> Registry {
        Registry { folder: StateFolder::of(env) }
    }

    /// Returns why there is no place for it, if there is none: then nothing can be looked up.
    pub fn defect(&self) -> Option<&StateFolderError> {
        self.folder.as_ref().err()
    }

    /// Returns whether the user has allowed the project.
    pub fn is_known(&self, id: &str) -> bool {
        self.folder.as_ref().is_ok_and(|folder| folder.has(&format!("projects/{id}/known")))
    }

    /// Returns whether there is anything about the project: content may be allowed, or a run noted, in one that the user
    /// has not allowed.
    pub fn has(&self, id: &str) -> bool {
        let names = self.folder.as_ref().map(|folder| folder.names(&format!("projects/{id}")));
        names.is_ok_and(|names| {
            names.iter().any(|name| *name != BOOKS && !WORKED_WITH.contains(&name.as_str()))
        })
    }

    /// Returns whether the user has allowed this content of the project.
    pub fn is_allowed(&self, id: &str, digest: &str) -> bool {
        self.folder.as_ref().is_ok_and(|folder| folder.has(&content(id, digest)))
    }

    /// Returns whether the user has allowed this part of a project's content, whatever else was with it.
    pub fn is_part_allowed(&self, id: &str, part: &str, digest: &str) -> bool {
        self.folder.as_ref().is_ok_and(|folder| folder.has(&part_file(id, part, digest)))
    }

    /// Returns whether the user has ever allowed this part of the project's content, as it was then.
    pub fn knows_part(&self, id: &str, part: &str) -> bool {
        let is_its = |name: &String| name.starts_with(&layout::digest(&[part]));
        self.folder.as_ref().is_ok_and(|folder| folder.names(&parts(id)).iter().any(is_its))
    }

    /// Returns the digests, in a line, of a content that looked like this when it was last read in this folder.
    pub fn seen(&self, id: &str, base: &Path, fingerprint: &str) -> Option<String> {
        let text = self.folder.as_ref().ok()?.text(&seen_file(id, base))?;
        let (digests, seen) = text.split_once('\n')?;
        (seen == fingerprint).then(|| digests.to_owned())
    }

    /// Remembers what the content in a folder looks like, and its digests.
    pub fn note_seen(&self, id: &str, base: &Path, fingerprint: &str, digests: &str) -> io::Result<()> {
        self.kept()?.write(&seen_file(id, base), format!("{digests}\n{fingerprint}").as_bytes())
    }

    /// Returns what is known of a run, by its name in the project.
    pub fn run(&self, id: &str, run: &str) -> Option<Begun> {
        let text = self.folder.as_ref().ok()?.text(&run_file(id, run))?;
        // The file's name is only a short digest, which two runs may share.
        let (word, name) = text.strip_suffix('\n')?.split_once(' ')?;
        (name == run).then_some(if word == "here" { Begun::Here } else { Begun::Elsewhere })
    }

    /// Remembers where a run began.
    pub fn note_run(&self, id: &str, run: &str, begun: Begun) -> io::Result<()> {
        let word = if begun == Begun::Here { "here" } else { "elsewhere" };
        self.kept()?.write(&run_file(id, run), format!("{word} {run}\n").as_bytes())
    }

    /// Remembers that the user has allowed a project.
    pub fn know(&self, id: &str, path: &Path, at: i64) -> io::Result<()> {
        let known = serde_json::json!({"path": path, "at": at});
        self.kept()?.write(&format!("projects/{id}/known"), known.to_string().as_bytes())
    }

    /// Remembers that this content of a project is allowed, and keeps its texts: what changes later is shown against
    /// them.
    pub fn allow(&self, id: &str, digest: &str, texts: &BTreeMap<String, String>) -> io::Result<()> {
        let folder = self.kept()?;
        folder.write(&content(id, digest), &serde_json::to_vec(texts)?)?;
        folder.write(&format!("projects/{id}/latest"), digest.as_bytes())?;
        forget_oldest(folder, &format!("projects/{id}/allowed"), digest, CONTENTS_MAX);
        Ok(())
    }

    /// Remembers that this part of a project's content is allowed.
    pub fn allow_part(&self, id: &str, part: &str, digest: &str) -> io::Result<()> {
        let folder = self.kept()?;
        let file = part_file(id, part, digest);
        folder.write(&file, b"")?;
        let newest = file.rsplit('/').next().unwrap_or_default();
        forget_oldest(folder, &parts(id), newest, PARTS_MAX);
        Ok(())
    }

    /// Returns the texts that were allowed last.
    pub fn latest(&self, id: &str) -> Option<BTreeMap<String, String>> {
        let folder = self.folder.as_ref().ok()?;
        let digest = folder.text(&format!("projects/{id}/latest"))?;
        serde_json::from_slice(&folder.read(&content(id, &digest))?).ok()
    }

    /// Lists the projects that the user has allowed.
    pub fn list(&self) -> Vec<Entry> {
        let Ok(folder) = &self.folder else { return Vec::new() };
        let entry = |id: String| {
            let known = folder.read(&format!("projects/{id}/known"))?;
            let known: serde_json::Value = serde_json::from_slice(&known).ok()?;
            let runs = folder.names(&format!("projects/{id}/runs"));
            let here = |name: &&String| {
                folder
                    .text(&format!("projects/{id}/runs/{name}"))
                    .is_some_and(|text| text.starts_with("here"))
            };
            Some(Entry {
                path: known["path"].as_str()?.to_owned(),
                at: known["at"].as_i64()?,
                digest: folder.text(&format!("projects/{id}/latest")),
                runs: runs.iter().filter(here).count(),
                id,
            })
        };
        folder.names("projects").into_iter().filter_map(entry).collect()
    }

    /// Forgets a project: what was allowed in it, and which runs began there.
    pub fn forget(&self, id: &str) -> io::Result<()> {
        let folder = self.kept()?;
        let project = format!("projects/{id}");
        // What makes it count goes first.
        clear(folder, &format!("{project}/allowed"))?;
        clear(folder, &parts(id))?;
        folder.remove(&format!("{project}/known"))?;
        Pin::forget(folder, id)?;
        for part in ["runs", "seen"] {
            clear(folder, &format!("{project}/{part}"))?;
        }
        for part in WORKED_WITH {
            folder.remove_all(&format!("{project}/{part}"))?;
        }
        folder.remove(&format!("{project}/latest"))?;
        // What was seen in it is not forgotten: nothing of it counts while the project is not allowed.
        if folder.has_folder(&format!("{project}/{BOOKS}")) { Ok(()) } else { folder.remove(&project) }
    }

    /// Forgets with which programs a project's checks are performed: the next one pins them anew.
    pub fn forget_pin(&self, id: &str) -> io::Result<()> {
        self.folder.as_ref().map_or(Ok(()), |folder| Pin::forget(folder, id))
    }

    /// Returns whether something is said to a session for the first time. Without a place to remember it, always.
    pub fn first_time(&self, session: &str, what: &str) -> bool {
        let Ok(folder) = &self.folder else { return true };
        match folder.mark(&format!("told/{}", layout::digest(&[session, what]))) {
            Ok(true) => {
                folder.clear_old("told");
                true
            }
            Ok(false) => false,
            Err(_) => true,
        }
    }

    fn kept(&self) -> io::Result<&StateFolder> {
        self.folder.as_ref().map_err(|error| error.clone().into())
    }
}

/// Removes a folder and the files in it.
fn clear(folder: &StateFolder, path: &str) -> io::Result<()> {
    for name in folder.names(path) {
        folder.remove(&format!("{path}/{name}"))?;
    }
    folder.remove(path)
}

/// Keeps only so many files in a folder, and the newest by its name.
fn forget_oldest(folder: &StateFolder, path: &str, newest: &str, max: usize) {
    let mut others = folder.oldest_first(path);
    others.retain(|name| !name.starts_with(newest));
    for name in others.iter().take(others.len().saturating_sub(max - 1)) {
        let _ = folder.remove(&format!("{path}/{name}"));
    }
}

fn parts(id: &str) -> String {
    format!("projects/{id}/parts")
}

/// All versions of a part have names that begin alike.
fn part_file(id: &str, part: &str, digest: &str) -> String {
    format!("{}/{}-{digest}", parts(id), layout::digest(&[part]))
}

fn content(id: &str, digest: &str) -> String {
    format!("projects/{id}/allowed/{digest}.json")
}

/// Worktrees of a project look different, so each folder has its own.
fn seen_file(id: &str, base: &Path) -> String {
    format!("projects/{id}/seen/{}", layout::digest(&[&base.to_string_lossy()]))
}

fn run_file(id: &str, run: &str) -> String {
    format!("projects/{id}/runs/{}", layout::digest(&[run]))
}
