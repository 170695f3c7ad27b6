//! The paths of a repository, read from its files: a call of git must not depend on which repository git finds.

use std::path::{Path, PathBuf};

use super::call::Call;
use super::error::TreeError;
use crate::allow::identity::Identity;
use crate::env::Env;
use crate::env_vars::{HOME, XDG_CONFIG_HOME};
use crate::git::folders::GitFolders;
use crate::pinned;
use crate::store::git_folder::GitFolder;

/// A repository with a working tree, and Holdpoint's own repository for it.
#[derive(Debug)]
pub(super) struct Repository {
    /// The top of the working tree.
    pub(super) root: PathBuf,
    /// The git folder of this working tree.
    pub(super) git: PathBuf,
    /// The user's objects. Never written, but for a commit.
    pub(super) objects: PathBuf,
    /// The program, and the PATH that it gets if it is pinned.
    pub(super) program: (PathBuf, Option<String>),
    /// Holdpoint's own repository: its objects, attributes and indexes.
    pub(super) ours: GitFolder,
    /// Where the user's own configuration may be, and the list of what it ignores by default.
    global: Global,
}

/// The files of git's that are the user's, not the repository's.
#[derive(Debug)]
struct Global {
    settings: Vec<PathBuf>,
    ignore: Option<PathBuf>,
}

impl Repository {
    /// Opens the repository that has a working tree with its top at `root`.
    pub(super) fn at(root: &Path, env: &dyn Env) -> Result<Repository, TreeError> {
        let root =
            std::path::absolute(root).map_err(|source| TreeError::Io { path: root.to_path_buf(), source })?;
        let found = GitFolders::at(&root).ok_or_else(|| TreeError::NotARepository { root: root.clone() })?;
        let (shared, git) = (found.common(), found.own);
        let project = Identity::of(&root);
        let unwritable = |source| TreeError::OurFolder { root: root.clone(), source };
        let ours = GitFolder::open(&root, project.as_ref().map(|project| project.id.as_str()), env)
            .map_err(unwritable)?;
        let objects = shared.join("objects");
        let program = pinned::git(&root, env)?;
        let global = Global::of(env);
        let repository = Repository { root: root.clone(), git, objects, program, ours, global };
        if !repository.ours.is_ready() {
            let format = repository.object_format()?;
            repository.ours.make_ready(&format).map_err(unwritable)?;
        }
        Ok(repository)
    }

    /// The kind of ids that the user's repository has.
    fn object_format(&self) -> Result<String, TreeError> {
        let printed = Call::users(self, "rev-parse", &["--show-object-format"]).printed()?;
        Ok(String::from_utf8_lossy(&printed).trim().to_owned())
    }

    /// What the user ignores in all repositories, as configuration for a call.
    pub(super) fn ignored_by_user(&self) -> Result<Vec<String>, TreeError> {
        let mut file = self.global.ignore.clone().filter(|file| file.is_file());
        if self.global.settings.iter().any(|file| file.exists()) {
            let asked = ["--global", "--type=path", "--get", "core.excludesFile"];
            let done = Call::users(self, "config", &asked).done()?;
            let named = String::from_utf8_lossy(&done.printed).trim().to_owned();
            if done.status.success() && !named.is_empty() {
                file = Some(PathBuf::from(named));
            }
        }
        let file = file.unwrap_or_else(|| PathBuf::from("/dev/null"));
        Ok(vec![format!("core.excludesFile={}", file.display())])
    }

    /// Whether only a part of the files is checked out, by the user's will.
    pub(super) fn is_sparse(&self) -> bool {
        self.git.join("info/sparse-checkout").exists()
    }
}

impl Global {
    fn of(env: &dyn Env) -> Global {
        let home = env.var(HOME).map(PathBuf::from);
        let xdg = env.var(XDG_CONFIG_HOME).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let folder = xdg.or_else(|| Some(home.as_ref()?.join(".config"))).map(|folder| folder.join("git"));
        let named = env.var("GIT_CONFIG_GLOBAL").map(PathBuf::from);
        let usual = home.map(|home| home.join(".gitconfig"));
        let settings =
            named.into_iter().chain(usual).chain(folder.as_ref().map(|folder| folder.join("config")));
        Global { settings: settings.collect(), ignore: folder.map(|folder| folder.join("ignore")) }
    }
}

/// Finds the git folder that a linked working tree shares with the others; none where it lies in the tree.
pub fn shared(root: &Path) -> Option<PathBuf> {
    let git = GitFolders::at(root).filter(|git| !git.is_within())?;
    let shared = git.common();
    (shared != git.own && shared.join("objects").is_dir()).then_some(shared)
}
