//! The bench: a copy of the tree that is proved, in the user's state folder. Tests and reviewers work there, and see
//! exactly the files that their evidence names, whatever happens in the project meanwhile.
//!
//! It is kept from one proof to the next, so that only what changed is written, and builds stay incremental.

mod make;
mod names;

use std::path::{Path, PathBuf};
use std::time::Duration;

use holdpoint_core::workflow::bench::is_meant;
use thiserror::Error;

use crate::allow::identity::Identity;
use crate::env::Env;
use crate::project::Run;
use crate::store::folder::{Access, FileError};
use crate::store::layout;
use crate::store::lock::{self, Lock, LockError};
use crate::store::state_folder::StateFolder;
use crate::worktree::{self, Copy, Kept, TreeError};
pub use make::MakeError;
use names::Names;

/// How long a bench that is in use is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most folders that are lent: a project with more has something else in mind.
const LENT_MAX: usize = 200;

/// A bench that nobody else uses meanwhile.
pub struct Bench {
    copy: Copy,
    home: PathBuf,
    folder: PathBuf,
    /// Beside the copy: what was made in it.
    beside: PathBuf,
    names: Names,
    _lock: Lock,
}

/// Why there is no bench.
#[derive(Debug, Error)]
pub enum BenchError {
    /// Others work on it.
    #[error("the bench is in use")]
    Busy(#[source] LockError),
    /// Its folder cannot be used.
    #[error("the bench cannot be used")]
    Folder(#[from] FileError),
    /// A tree cannot be taken or laid.
    #[error("the bench cannot be laid")]
    Tree(#[from] TreeError),
    /// A folder of the project cannot be lent.
    #[error("{} cannot be lent", path.display())]
    Lend {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A folder cannot be made.
    #[error(transparent)]
    Make(#[from] MakeError),
}

impl Bench {
    /// Opens the bench of a run's project, and keeps others from it.
    pub fn open(run: &Run, env: &dyn Env) -> Result<Bench, BenchError> {
        let place = layout::digest(&[&run.home.to_string_lossy()]);
        let project = Identity::of(&run.home).map(|project| project.id);
        let (holder, beside) = match StateFolder::of(env).ok().zip(project) {
            Some((state, id)) => state.folder(&format!("projects/{id}/bench/{place}"))?,
            None => {
                let beside = layout::bench(&run.home).join(&place);
                (layout::prepare(&run.home, &beside.join("x"))?, beside)
            }
        };
        // Reports that name the folder are easier to read with the project's own name.
        let folder = beside.join(run.home.file_name().unwrap_or("project".as_ref()));
        holder.make_folder(&folder, Access::Ours)?;
        let lock = lock::take(&holder, &beside.join("lock"), PATIENCE).map_err(BenchError::Busy)?;
        let copy = Copy::at(&run.home, &folder, &beside.join("index"), env)?;
        let names = Names::of(run, env);
        Ok(Bench { copy, home: run.home.clone(), folder, beside, names, _lock: lock })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes it exactly this tree, with the folders of `[bench]`. Returns those that are the project's own: nothing proves
    /// what is in them.
    pub fn lay(&self, tree: &str, env: &dyn Env) -> Result<Vec<String>, BenchError> {
        self.copy.lay(tree, &|path| self.names.kept(path))?;
        make::all(&self.names.make, &self.folder, &self.beside, env)?;
        self.lend(env)
    }

    /// Returns what is not as it was laid.
    pub fn differing(&self) -> Result<Vec<String>, BenchError> {
        let is_kept = |path: &str| match self.names.kept(path) {
            Kept::No if is_meant(layout::FOLDER, path) || self.names.is_lent(path) => Kept::Yes,
            kept => kept,
        };
        Ok(self.copy.differing(&is_kept)?)
    }

    /// Returns the copy, for a commit that is made of it.
    pub fn copy(&self) -> &Copy {
        &self.copy
    }

    /// The index of the copy.
    pub fn index(&self) -> PathBuf {
        self.beside.join("index")
    }

    fn lend(&self, env: &dyn Env) -> Result<Vec<String>, BenchError> {
        let ignored = worktree::ignored(&self.home, env)?;
        let lent =
            ignored.into_iter().filter(|path| self.names.is_lent(path) && self.names.kept(path) == Kept::No);
        let lent: Vec<String> = lent.take(LENT_MAX).collect();
        for path in &lent {
            let place = self.folder.join(path);
            let made = place.parent().map_or(Ok(()), std::fs::create_dir_all);
            made.and_then(|()| link(&self.home.join(path), &place))
                .map_err(|source| BenchError::Lend { path: PathBuf::from(path), source })?;
        }
        Ok(lent)
    }
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn link(to: &Path, at: &Path) -> std::io::Result<()> {
    std::os::windows::fs::symlink_dir(to, at)
}

#[cfg(all(test, unix))]
mod bench_tests;
