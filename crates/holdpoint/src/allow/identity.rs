//! Which project a folder belongs to, told apart from every other by what no clone, copy or archive can bring along:
//! the inode of its git folder and the time that was created. All worktrees of a repository are one project.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::git::folders::Top;
use crate::store::layout::content_digest;

/// A project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name in the registry.
    pub id: String,
    /// The root of its repository's worktree, or the folder itself where there is no repository.
    pub root: PathBuf,
    /// Whether it is a repository.
    pub is_repository: bool,
    /// Its linked worktree, named as the project is; none for the repository's own.
    pub worktree: Option<String>,
    /// The folder that git keeps for this worktree, if it is a repository's.
    pub git: Option<PathBuf>,
}

impl Identity {
    /// Identifies the project that a folder belongs to: its repository, or the folder itself.
    pub fn of(folder: &Path) -> Option<Identity> {
        let Some(top) = Top::of(folder) else { return Identity::of_folder(folder) };
        let (root, is_repository) = (top.root.clone(), true);
        match top.git().map(|git| (git.is_within(), git.main(), git.own)) {
            Some((true, _, own)) => {
                Some(Identity { id: id(&own)?, root, is_repository, worktree: None, git: Some(own) })
            }
            Some((false, Some(main), own)) => {
                Some(Identity { id: id(&main)?, root, is_repository, worktree: id(&own), git: Some(own) })
            }
            // A `.git` that only claims to be a worktree's says nothing about the repository that it names.
            Some((false, None, _)) | None => {
                Some(Identity { id: id(&root)?, root, is_repository, worktree: None, git: None })
            }
        }
    }

    /// Identifies a folder by itself.
    pub fn of_folder(folder: &Path) -> Option<Identity> {
        let root = folder.to_path_buf();
        Some(Identity { id: id(folder)?, root, is_repository: false, worktree: None, git: None })
    }

    /// Returns the names under which the registry may have it: its root may have been allowed before it became a
    /// repository.
    pub fn ids(&self) -> impl Iterator<Item = String> {
        let former = || self.is_repository.then(|| id(&self.root)).flatten();
        std::iter::once(self.id.clone()).chain(std::iter::once_with(former).flatten())
    }

    /// Names a place in the project, the same in all its worktrees.
    pub fn name(&self, place: &Path) -> String {
        layout_name(place.strip_prefix(&self.root).unwrap_or(place))
    }
}

fn layout_name(place: &Path) -> String {
    if place.as_os_str().is_empty() { ".".to_owned() } else { place.to_string_lossy().into_owned() }
}

/// Names a folder: inode and creation time, which outlive a move. Without a creation time its path counts, too.
pub(crate) fn id(folder: &Path) -> Option<String> {
    let metadata = folder.metadata().ok()?;
    let created = metadata.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let inode = inode(&metadata);
    Some(match created {
        Some(time) => format!("{inode:x}-{:x}", time.as_nanos()),
        None => format!(
            "{inode:x}-{}",
            content_digest(folder.canonicalize().ok()?.as_os_str().as_encoded_bytes())
        ),
    })
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}
