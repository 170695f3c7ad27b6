//! The books of a home: what the engine knows of the runs there, and nobody else writes. They lie in the user's state
//! folder, out of the project's reach, or in the project's `.holdpoint` where there is no state folder.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::folder::{Access, FileError, Folder};
use super::layout;
use super::registry::BOOKS;
use super::state_folder::StateFolder;
use crate::allow::identity::{self, Identity};
use crate::env::Env;

/// The books of one home.
#[derive(Clone, Debug)]
pub struct Books(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    home: PathBuf,
    /// Where the files are.
    base: PathBuf,
    /// Where they are kept if not in the project.
    outside: Option<Outside>,
    folder: OnceLock<Folder>,
}

/// Books that are kept in the state folder.
#[derive(Debug)]
pub(super) struct Outside {
    /// The state folder.
    pub(super) root: PathBuf,
    /// The project's name in the registry.
    pub(super) project: String,
    /// The books' name in the project.
    pub(super) key: String,
    /// The folder that git keeps for this worktree, for the witness.
    pub(super) git: Option<PathBuf>,
    /// Whether the git folder here is another than when they were begun.
    pub(super) is_exchanged: bool,
}

impl Books {
    /// Returns the books of a home. Worktrees of a project have their own, and so has each home in one.
    pub fn of(home: &Path, env: &dyn Env) -> Books {
        // Cases make their own projects, with what they need in them.
        let state = if env.began_everything() { None } else { StateFolder::of(env).ok() };
        let outside = state.and_then(|state| Some(Books::outside(home, &state, &Identity::of(home)?)));
        outside.unwrap_or_else(|| Books::in_project(home))
    }

    /// Returns the books that are kept in the project itself.
    pub fn in_project(home: &Path) -> Books {
        Books::new(home, layout::folder(home), None)
    }

    fn new(home: &Path, base: PathBuf, outside: Option<Outside>) -> Books {
        Books(Arc::new(Inner { home: home.to_path_buf(), base, outside, folder: OnceLock::new() }))
    }

    fn outside(home: &Path, state: &StateFolder, project: &Identity) -> Books {
        let key = key(home, project);
        let root = state.root().to_path_buf();
        let mut id = project.id.clone();
        let mut base = folder_of(&root, &id, &key);
        // A folder may have become a repository since its run began.
        if project.is_repository && base.symlink_metadata().is_err() {
            let former = identity::id(&project.root).map(|former| (folder_of(&root, &former, &key), former));
            if let Some((former, name)) = former.filter(|(former, _)| former.is_dir()) {
                (base, id) = (former, name);
            }
        }
        let git = project.git.clone();
        Books::new(home, base, Some(Outside { root, project: id, key, git, is_exchanged: false }))
    }

    /// Returns books that a home had before its git folder became another.
    pub(super) fn before_exchange(home: &Path, root: &Path, project: &str, key: &str) -> Books {
        let (root, project, key) = (root.to_path_buf(), project.to_owned(), key.to_owned());
        let base = folder_of(&root, &project, &key);
        Books::new(home, base, Some(Outside { root, project, key, git: None, is_exchanged: true }))
    }

    /// Returns the books of this name in the same state folder, wherever their home is.
    pub(super) fn named(&self, project: &str, key: &str) -> Option<Books> {
        let root = self.0.outside.as_ref()?.root.clone();
        let is_name = |name: &str| !name.is_empty() && !name.contains(['/', '.']);
        (is_name(project) && is_name(key)).then(|| Books::before_exchange(&self.0.home, &root, project, key))
    }

    /// Returns the project's name in the registry, if they are out of its reach.
    pub fn project(&self) -> Option<&str> {
        self.0.outside.as_ref().map(|outside| outside.project.as_str())
    }

    /// Returns the home that they are about.
    pub fn home(&self) -> &Path {
        &self.0.home
    }

    /// Returns the folder that they are in.
    pub fn base(&self) -> &Path {
        &self.0.base
    }

    /// Returns the state folder that they are in, if they are out of the project's reach.
    pub(super) fn state_folder(&self) -> Option<&Path> {
        self.0.outside.as_ref().map(|outside| outside.root.as_path())
    }

    /// Returns whether they are out of the project's reach.
    pub fn are_outside(&self) -> bool {
        self.0.outside.is_some()
    }

    pub(super) fn place(&self) -> Option<&Outside> {
        self.0.outside.as_ref()
    }

    /// Opens the folder to read from; none if it is not there yet.
    pub(super) fn opened(&self) -> Result<Option<&Folder>, FileError> {
        if let Some(folder) = self.0.folder.get() {
            return Ok(Some(folder));
        }
        let opened = match &self.0.outside {
            Some(outside) => Folder::own_if_there(&outside.root)?,
            None => Some(Folder::project(&self.0.home)?),
        };
        Ok(opened.map(|folder| self.0.folder.get_or_init(|| folder)))
    }

    /// Opens the folder to write a file, whose own folder is made.
    pub fn prepare(&self, file: &Path) -> Result<&Folder, FileError> {
        let Some(outside) = &self.0.outside else {
            let folder = layout::prepare(&self.0.home, file)?;
            return Ok(self.0.folder.get_or_init(|| folder));
        };
        let folder = match self.opened()? {
            Some(folder) => folder,
            None => {
                let folder = Folder::own(&outside.root)?;
                self.0.folder.get_or_init(|| folder)
            }
        };
        folder.make_folder_of(file, Access::Ours)?;
        Ok(folder)
    }

    /// Reads a file of them; none if it is missing.
    pub(super) fn read(&self, file: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
        match self.opened()? {
            Some(folder) => folder.read(file, limit),
            None => Ok(None),
        }
    }

    /// Returns whether a file of them is there.
    pub(super) fn has(&self, file: &Path) -> bool {
        self.opened().ok().flatten().is_some_and(|folder| folder.has_file(file))
    }

    /// Renames a file of them. One that is not there is no error.
    pub(super) fn rename(&self, from: &Path, to: &Path) -> Result<(), FileError> {
        let Some(folder) = self.opened()? else { return Ok(()) };
        match folder.rename(from, to) {
            Err(error) if !error.is_missing() => Err(error),
            _ => Ok(()),
        }
    }

    /// The journal.
    pub fn journal(&self) -> PathBuf {
        self.0.base.join("journal.jsonl")
    }

    /// A journal that was set aside.
    pub(super) fn old_journal(&self, number: u32) -> PathBuf {
        self.0.base.join(format!("journal.{number}.jsonl"))
    }

    /// The lock of one place, by its name, or of one purpose.
    pub fn lock(&self, of: &str) -> PathBuf {
        self.0.base.join("locks").join(format!("{}.lock", layout::digest(&[of])))
    }

    /// What the engine remembers of a session's run.
    pub fn memory(&self, session: &str, workflow: &str) -> PathBuf {
        self.0.base.join("sessions").join(format!("{}.json", layout::digest(&[session, workflow])))
    }

    /// Whose run it is.
    pub fn owner(&self, place: &Path) -> PathBuf {
        let name = layout::name(&self.0.home, place);
        self.0.base.join("owners").join(format!("{}.json", layout::digest(&[&name])))
    }

    /// The mark of a report that was there before it was asked for.
    pub fn report(&self, report: &Path) -> PathBuf {
        self.0.base.join("reports").join(layout::digest(&[&layout::name(&self.0.home, report)]))
    }

    /// The engine's own copy of a state that only it writes.
    pub fn seal(&self, workflow: &str) -> PathBuf {
        self.0.base.join("sealed").join(format!("{workflow}.json"))
    }

    /// What the engine saw itself in a workflow's runs.
    pub fn evidence(&self, workflow: &str) -> PathBuf {
        self.0.base.join("evidence").join(format!("{workflow}.jsonl"))
    }

    /// The marks of what has been told to a session.
    pub fn told(&self) -> PathBuf {
        self.0.base.join("told")
    }
}

/// Names the books of a home in its project: its worktree, and the folder in that.
fn key(home: &Path, project: &Identity) -> String {
    let worktree = project.worktree.as_deref().unwrap_or("main");
    match home.strip_prefix(&project.root) {
        Ok(below) if !below.as_os_str().is_empty() => {
            format!("{worktree}-{}", layout::digest(&[&below.to_string_lossy()]))
        }
        _ => worktree.to_owned(),
    }
}

fn folder_of(root: &Path, project: &str, key: &str) -> PathBuf {
    let mut path = root.to_path_buf();
    path.push("projects");
    path.push(project);
    path.push(BOOKS);
    path.push(key);
    path
}
