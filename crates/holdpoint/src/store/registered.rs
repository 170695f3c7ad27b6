//! Homes of sealed runs, registered by their paths: a run whose files are gone from its project is found all the same.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::books::Books;
use super::folder::FileError;
use super::state_folder::StateFolder;
use super::{layout, records};
use crate::allow::identity;
use crate::env::Env;

/// The folder of registered homes in the state folder.
const FOLDER: &str = "places";
/// The file in the books that says where their home was last.
const HOME: &str = "home";
/// The longest path.
const BYTES_MAX: u64 = 64 * 1024;

/// A registered home.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Place {
    path: PathBuf,
    project: String,
    books: String,
    /// The home's folder itself, named as a project is: git may be taken away from it.
    folder: String,
}

/// The books of a folder and of those above it that have sealed runs, the nearest first.
#[derive(Debug, Default)]
pub struct Registered(Vec<Books>);

impl Registered {
    /// Finds them.
    pub fn above(start: &Path, env: &dyn Env) -> Registered {
        let state = if env.began_everything() { None } else { StateFolder::of(env).ok() };
        let Some(state) = state else {
            let has = |folder: &&Path| layout::folder(folder).join("sealed").is_dir();
            return Registered(start.ancestors().filter(has).map(Books::in_project).collect());
        };
        let places = state.root().join(FOLDER);
        // Most users have no sealed run.
        if !start.is_absolute() || places.symlink_metadata().is_err() {
            return Registered::default();
        }
        let mut path = OsString::new();
        let mut is_there = |folder: &Path| {
            path.clear();
            path.push(&places);
            path.push("/");
            path.push(name(folder));
            Path::new(&path).symlink_metadata().is_ok()
        };
        let there = start.ancestors().filter(|folder| is_there(folder));
        Registered(there.filter_map(|folder| found(folder, &state, env)).collect())
    }

    /// Returns the nearest books that have a sealed run of a workflow.
    pub fn with(&self, workflow: &str) -> Option<&Books> {
        self.0.iter().find(|books| has_run(books, workflow))
    }

    /// Returns the sealed runs that the books know of, each with its workflow's name: of a name, the nearest.
    pub fn runs(&self) -> Vec<(&Books, String)> {
        let mut runs: Vec<(&Books, String)> = Vec::new();
        for books in &self.0 {
            let head = records::head(books).ok().flatten().unwrap_or_default();
            let new = head.runs.into_keys().filter(|name| !runs.iter().any(|(_, known)| known == name));
            let new: Vec<_> = new.map(|name| (books, name)).collect();
            runs.extend(new);
        }
        runs
    }

    /// Returns whether a home is registered.
    pub fn has(&self, home: &Path) -> bool {
        self.0.iter().any(|books| books.home() == home)
    }
}

/// Returns whether books have a sealed run of a workflow, or had one that nobody has ended.
pub fn has_run(books: &Books, workflow: &str) -> bool {
    let is_recorded = || {
        let head = records::head(books).ok().flatten();
        head.is_some_and(|head| head.runs.contains_key(workflow))
    };
    books.has(&books.seal(workflow)) || is_recorded()
}

/// The books of a registered home. A folder that was made anew at the same path is another one.
fn found(folder: &Path, state: &StateFolder, env: &dyn Env) -> Option<Books> {
    let place = state.read(&format!("{FOLDER}/{}", name(folder)))?;
    let place: Place = serde_json::from_slice(&place).ok().filter(|place: &Place| place.path == folder)?;
    let books = Books::of(folder, env);
    if books.project() == Some(&place.project) {
        return Some(books);
    }
    let is_same = identity::id(folder).is_some_and(|id| id == place.folder);
    is_same.then(|| Books::before_exchange(folder, state.root(), &place.project, &place.books))
}

/// Registers the home of books. Returns where it was, if it was elsewhere.
pub fn register(books: &Books) -> Result<Option<PathBuf>, FileError> {
    let Some(outside) = books.place() else { return Ok(None) };
    let home = books.home();
    let place = Place {
        path: home.to_path_buf(),
        project: outside.project.clone(),
        books: outside.key.clone(),
        folder: identity::id(home).unwrap_or_default(),
    };
    let (bytes, file) =
        (serde_json::to_vec(&place).unwrap_or_default(), outside.root.join(FOLDER).join(name(home)));
    let folder = books.prepare(&file)?;
    if folder.read(&file, BYTES_MAX)?.is_none_or(|known| known != bytes) {
        folder.replace(&file, &bytes, super::folder::Access::Ours)?;
    }
    let last = books.base().join(HOME);
    let known = folder.read(&last, BYTES_MAX)?.and_then(|bytes| String::from_utf8(bytes).ok());
    let path = home.to_string_lossy();
    if known.as_deref() == Some(&*path) {
        return Ok(None);
    }
    books.prepare(&last)?.replace(&last, path.as_bytes(), super::folder::Access::Ours)?;
    let former = known.map(PathBuf::from);
    // Another way to the same folder is no move.
    let is_elsewhere = |former: &PathBuf| {
        former.canonicalize().ok().is_none_or(|former| Some(former) != home.canonicalize().ok())
    };
    let former = former.filter(is_elsewhere);
    if let Some(former) = &former {
        let stale = outside.root.join(FOLDER).join(name(former));
        let is_stale = folder.read(&stale, BYTES_MAX)?.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if is_stale.is_some_and(|stale: Place| stale.project == outside.project && stale.books == outside.key)
        {
            folder.remove(&stale)?;
        }
    }
    Ok(former)
}

fn name(folder: &Path) -> String {
    layout::digest(&[&folder.to_string_lossy()])
}
