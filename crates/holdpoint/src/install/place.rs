//! Where an installation is: a project, or the user's own settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::host::{self, Host};
use crate::env::Env;
use crate::env_vars::{HOME, XDG_CONFIG_HOME};
use crate::error::{CommandError, Kind};
use crate::store::folder::{Access, FileError, Folder};
use crate::store::layout;

/// The record's file.
pub const RECORD: &str = "installed.json";

/// Whose settings are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A project's.
    Project,
    /// The user's, for all projects.
    User,
}

/// Where an installation is.
#[derive(Clone)]
pub struct Place {
    /// Whose settings.
    pub scope: Scope,
    /// The project's folder, or the user's home.
    pub root: PathBuf,
    env: Arc<dyn Env>,
}

/// The files of the user's own in which this agent's hooks can be registered, or switched off.
pub fn user_settings(env: &Arc<dyn Env>, agent: &str) -> Vec<PathBuf> {
    let Some(host) = host::ALL.iter().find(|host| host.name == agent) else { return Vec::new() };
    Place::find(Scope::User, Path::new("/"), env).map(|place| place.all_settings(host)).unwrap_or_default()
}

impl Place {
    /// The place that is meant from a folder.
    pub fn find(scope: Scope, cwd: &Path, env: &Arc<dyn Env>) -> Result<Place, CommandError> {
        let home = env.var(HOME).filter(|home| !home.is_empty()).map(PathBuf::from);
        let root = match (scope, home) {
            (Scope::User, Some(home)) => home,
            (Scope::User, None) => {
                return Err(CommandError::new(
                    Kind::Usage,
                    "there is no HOME, so there are no user's settings",
                )
                .hinted("set HOME, or leave out `--user`"));
            }
            (Scope::Project, home) => project(cwd, home.as_deref())?,
        };
        Ok(Place { scope, root, env: Arc::clone(env) })
    }

    /// An agent's folder here.
    pub fn folder(&self, host: &Host) -> PathBuf {
        match self.scope {
            Scope::Project => self.root.join(host.folder),
            Scope::User => {
                let named = host.user_variable.and_then(|name| self.env.var(name));
                named.map_or_else(|| self.root.join(host.user_folder), PathBuf::from)
            }
        }
    }

    /// The file that an agent's hooks are written to.
    pub fn settings(&self, host: &Host) -> PathBuf {
        self.folder(host).join(host.settings)
    }

    /// All files that can register an agent's hooks here.
    pub fn all_settings(&self, host: &Host) -> Vec<PathBuf> {
        let folder = self.folder(host);
        std::iter::once(host.settings)
            .chain(host.also.iter().copied())
            .map(|name| folder.join(name))
            .collect()
    }

    /// Where our own files about the installation are.
    pub fn ours(&self) -> PathBuf {
        match self.scope {
            Scope::Project => layout::folder(&self.root),
            Scope::User => {
                let named =
                    self.env.var(XDG_CONFIG_HOME).map(PathBuf::from).filter(|path| path.is_absolute());
                named.unwrap_or_else(|| self.root.join(".config")).join("holdpoint")
            }
        }
    }

    /// The record of what was written.
    pub fn record(&self) -> PathBuf {
        self.ours().join(RECORD)
    }

    /// Opens the folder that has our own files about the installation, if there is one.
    pub fn open_ours(&self) -> Result<Option<Folder>, FileError> {
        match self.scope {
            Scope::Project => Folder::project(&self.root).map(Some),
            // The user's own folder may be a link: it came with no project.
            Scope::User if self.ours().is_dir() => Folder::users(&self.ours()).map(Some),
            Scope::User => Ok(None),
        }
    }

    /// Opens it with the folder of one of our files made.
    pub fn prepare(&self, file: &Path) -> Result<Folder, FileError> {
        if self.scope == Scope::Project {
            return layout::prepare(&self.root, file);
        }
        let folder = self.open_ours()?.map_or_else(|| Folder::own(&self.ours()), Ok)?;
        folder.make_folder_of(file, Access::Ours)?;
        Ok(folder)
    }

    /// Opens the folder whose files may be changed here and that has this one, given without links; none if it leads
    /// elsewhere.
    pub fn open(&self, target: &Path) -> Result<Option<Folder>, FileError> {
        match self.roots().into_iter().find(|root| target.starts_with(root)) {
            Some(root) if self.scope == Scope::Project => Folder::project(&root).map(Some),
            Some(root) => Folder::users(&root).map(Some),
            None => Ok(None),
        }
    }

    /// Lists the folders whose files may be changed here, without links: the project, or the user's home and what the
    /// user has named for an agent's settings.
    fn roots(&self) -> Vec<PathBuf> {
        let named = host::ALL.into_iter().filter(|_| self.scope == Scope::User).map(|host| self.folder(host));
        let roots = std::iter::once(self.root.clone()).chain(named);
        roots.filter_map(|root| root.canonicalize().ok()).collect()
    }

    /// A path for people, and in the record: below the root without it, elsewhere whole.
    pub fn shown(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).ok();
        match (self.scope, below) {
            (Scope::Project, Some(below)) => below.display().to_string(),
            (Scope::User, Some(below)) => format!("~/{}", below.display()),
            (_, None) => path.display().to_string(),
        }
    }

    /// The path that `shown` stands for.
    pub fn path(&self, shown: &str) -> PathBuf {
        self.root.join(shown.strip_prefix("~/").filter(|_| self.scope == Scope::User).unwrap_or(shown))
    }
}

/// The project that a folder belongs to: where one is installed already, else where git has its root, else the folder
/// itself. Never the user's home: what is written there holds for all projects.
fn project(cwd: &Path, home: Option<&Path>) -> Result<PathBuf, CommandError> {
    if home == Some(cwd) {
        return Err(CommandError::new(
            Kind::Usage,
            "this is your home folder: its settings hold for all projects",
        )
        .hinted("`--user` is for that; for one project, go to its folder"));
    }
    let up = || cwd.ancestors().take_while(|folder| Some(*folder) != home);
    let installed = up().find(|folder| layout::folder(folder).join(RECORD).is_file());
    let root = installed.or_else(|| up().find(|folder| folder.join(".git").exists()));
    Ok(root.unwrap_or(cwd).to_path_buf())
}
