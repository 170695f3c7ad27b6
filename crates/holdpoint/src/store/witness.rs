//! The witness: a file in the project's git folder that says how far a home's books had come, so that it is noticed when they
//! are gone, when the project is a copy, and when it was put back. No clone has one, and `git clean` leaves it alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use holdpoint_core::path::{stays_below, tidy};
use serde::{Deserialize, Serialize};

use super::books::Books;
use super::folder::{Access, FileError, Folder};
use super::layout;
use super::records::Head;
use crate::allow::identity::Identity;
use crate::git::folders::GitFolders;

/// Our folder in git's.
const FOLDER: &str = "holdpoint";
/// The folder of witnesses in that, one for each home.
const BELOW: &str = "holdpoint/witness";
/// The largest witness.
const BYTES_MAX: u64 = 64 * 1024;
/// The most homes of a project that are looked at.
const NAMES_MAX: usize = 1_000;

/// What the git folder says of a home's books.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Witness {
    /// The project's name in the registry.
    pub project: String,
    /// The books' name in the project.
    pub books: String,
    /// The home, from the worktree's root.
    pub home: String,
    /// Where it was.
    pub path: PathBuf,
    /// The newest record.
    pub counter: u64,
    /// The chain of it.
    pub head: String,
    /// The sealed runs, each workflow with its record's counter.
    pub runs: BTreeMap<String, u64>,
}

impl Witness {
    /// Leaves the witness of what the books say now. A project without git has none.
    pub fn leave(books: &Books, head: &Head) -> Result<(), FileError> {
        let Some((outside, git)) = books.place().and_then(|place| Some((place, place.git.as_ref()?))) else {
            return Ok(());
        };
        let runs = head.runs.iter().map(|(workflow, sealed)| (workflow.clone(), sealed.counter)).collect();
        let witness = Witness {
            project: outside.project.clone(),
            books: outside.key.clone(),
            home: below_root(books.home()),
            path: books.home().to_path_buf(),
            counter: head.counter,
            head: head.chain.clone(),
            runs,
        };
        let folder = Folder::own(&git.join(FOLDER))?;
        let file = git.join(BELOW).join(name(&witness.home));
        folder.make_folder_of(&file, Access::Ours)?;
        folder.replace(&file, &serde_json::to_vec(&witness).unwrap_or_default(), Access::Ours)
    }

    /// Returns the witness of a home, whichever project's it is.
    pub fn of(home: &Path) -> Option<Witness> {
        let git = git_of(&Identity::of(home)?)?;
        read(&git, &name(&below_root(home)))
    }

    /// Returns the witnesses of all homes in the worktree with this root, with each home.
    pub fn all(root: &Path) -> Vec<(PathBuf, Witness)> {
        let git = GitFolders::at(root).map(|git| git.own);
        let Some(git) = git.filter(|git| git.join(BELOW).symlink_metadata().is_ok()) else {
            return Vec::new();
        };
        let names = Folder::own_if_there(&git.join(FOLDER)).ok().flatten();
        let names = names.and_then(|folder| folder.entries(&git.join(BELOW), NAMES_MAX).ok());
        let names =
            names.unwrap_or_default().into_iter().filter_map(|(name, _)| name.to_str().map(str::to_owned));
        let all = names.filter_map(|named| read(&git, &named).filter(|witness| name(&witness.home) == named));
        // A path in it is used as one: it must not lead out of the project.
        let all = all.filter(|witness| tidy(&witness.home).is_empty() || stays_below(&witness.home));
        all.map(|witness| (root.join(&witness.home), witness)).collect()
    }

    /// Forgets it: its user has said so.
    pub fn remove(home: &Path) -> Result<(), FileError> {
        let Some(git) = Identity::of(home).and_then(|project| git_of(&project)) else { return Ok(()) };
        match Folder::own_if_there(&git.join(FOLDER))? {
            Some(folder) => folder.remove(&git.join(BELOW).join(name(&below_root(home)))),
            None => Ok(()),
        }
    }
}

/// The folder that git keeps for a worktree, or that a copy of a linked one names.
fn git_of(project: &Identity) -> Option<PathBuf> {
    let named = || GitFolders::at(&project.root).filter(|_| project.is_repository).map(|git| git.own);
    project.git.clone().or_else(named)
}

fn read(git: &Path, name: &str) -> Option<Witness> {
    let folder = Folder::own_if_there(&git.join(FOLDER)).ok()??;
    let bytes = folder.read(&git.join(BELOW).join(name), BYTES_MAX).ok()??;
    serde_json::from_slice(&bytes).ok()
}

fn below_root(home: &Path) -> String {
    let root = Identity::of(home).map(|project| project.root);
    let below = root.as_deref().and_then(|root| home.strip_prefix(root).ok());
    below.map(|below| below.to_string_lossy().into_owned()).unwrap_or_default()
}

fn name(home: &str) -> String {
    if home.is_empty() { "root".to_owned() } else { layout::digest(&[home]) }
}
