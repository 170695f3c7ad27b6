//! Where the git folders of a working tree are, read from git's own files as git itself reads them. Whoever asks where a
//! repository is asks here.

use std::ffi::OsString;
use std::fs::FileType;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest file of git's that names a folder.
const BYTES_MAX: u64 = 4096;
/// How the file begins that takes a git folder's place.
const NAMED: &[u8] = b"gitdir: ";

/// The top of a working tree: a folder with something called `.git` in it.
#[derive(Clone, Debug)]
pub struct Top {
    /// The folder.
    pub root: PathBuf,
    kind: FileType,
}

/// The git folders of a working tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitFolders {
    /// The top of the working tree.
    pub root: PathBuf,
    /// The working tree's own git folder: its head and its index are there.
    pub own: PathBuf,
    lies: Lies,
}

/// Where a git folder lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lies {
    /// In the working tree.
    Within,
    /// Where `.git`, a link, leads.
    Linked,
    /// Where `.git`, a file, says.
    Named,
}

impl Top {
    /// Finds the working tree that a folder is in.
    pub fn of(folder: &Path) -> Option<Top> {
        // One buffer for all: every event that concerns a run comes by here.
        let mut path = OsString::with_capacity(folder.as_os_str().len() + "/.git".len());
        let mut kind = |root: &Path| {
            path.clear();
            path.push(root);
            path.push("/.git");
            Some(Path::new(&path).symlink_metadata().ok()?.file_type())
        };
        folder.ancestors().find_map(|root| Some(Top { root: root.to_path_buf(), kind: kind(root)? }))
    }

    /// The working tree whose top is this very folder.
    pub fn at(root: &Path) -> Option<Top> {
        let kind = root.join(".git").symlink_metadata().ok()?.file_type();
        Some(Top { root: root.to_path_buf(), kind })
    }

    /// Its git folders; none where `.git` is no folder and names none.
    pub fn git(self) -> Option<GitFolders> {
        let Top { root, kind } = self;
        let own = root.join(".git");
        if kind.is_dir() {
            return Some(GitFolders { root, own, lies: Lies::Within });
        }
        let lies = if kind.is_symlink() { Lies::Linked } else { Lies::Named };
        if lies == Lies::Linked && own.is_dir() {
            return Some(GitFolders { root, own, lies });
        }
        let own = named(&own, NAMED, &root)?;
        Some(GitFolders { root, own, lies })
    }
}

impl GitFolders {
    /// Finds the git folders of the working tree that a folder is in.
    pub fn of(folder: &Path) -> Option<GitFolders> {
        Top::of(folder)?.git()
    }

    /// Those of the working tree whose top is this very folder.
    pub fn at(root: &Path) -> Option<GitFolders> {
        Top::at(root)?.git()
    }

    /// The repository's: its branches and objects are there.
    pub fn common(&self) -> PathBuf {
        named(&self.own.join("commondir"), b"", &self.own).unwrap_or_else(|| self.own.clone())
    }

    /// Whether it lies in the working tree itself.
    pub fn is_within(&self) -> bool {
        self.lies == Lies::Within
    }

    /// The repository of a linked working tree, if that names the working tree, too: a `.git` that only claims to be a
    /// worktree's says nothing about the repository that it names.
    pub fn main(&self) -> Option<PathBuf> {
        if self.lies != Lies::Named {
            return None;
        }
        let back = named(&self.own.join("gitdir"), b"", &self.own)?;
        if back.canonicalize().ok()? != self.root.join(".git").canonicalize().ok()? {
            return None;
        }
        named(&self.own.join("commondir"), b"", &self.own)?.canonicalize().ok()
    }
}

/// The path that a file of git's has after a beginning, from a folder.
fn named(file: &Path, begins: &[u8], from: &Path) -> Option<PathBuf> {
    // Anything else than a file, a pipe say, would be waited for.
    let there = file.metadata().ok().filter(|there| there.is_file() && there.len() <= BYTES_MAX)?;
    let mut bytes = Vec::with_capacity(usize::try_from(there.len()).unwrap_or_default());
    std::fs::File::open(file).ok()?.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
    let path = bytes.strip_prefix(begins)?;
    let end = path.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r'))?;
    Some(from.join(to_path(&path[..=end])))
}

/// Decodes a path as git writes it.
#[cfg(unix)]
pub fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes))
}

/// Decodes a path as git writes it.
#[cfg(not(unix))]
pub fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::process::Command;

    use super::*;

    fn sh(folder: &Path, script: &str) {
        let ran = Command::new("sh").args(["-ec", script]).current_dir(folder).status();
        assert!(ran.unwrap().success(), "{script}");
    }

    /// What git says, if it takes the folder for one in a repository.
    fn by_git(folder: &Path, what: &str) -> Option<PathBuf> {
        let asked = ["rev-parse", "--path-format=absolute", what];
        let said = Command::new("git").args(asked).current_dir(folder).output().unwrap();
        let text = String::from_utf8(said.stdout).unwrap();
        said.status.success().then(|| PathBuf::from(text.trim_end()).canonicalize().unwrap())
    }

    /// A repository, a linked working tree, a submodule, a link, and what only looks like one.
    #[test]
    fn the_folders_are_those_that_git_finds() {
        let folder = tempfile::tempdir().unwrap();
        sh(
            folder.path(),
            "git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && mkdir sub \
             && git worktree add -q ../w && git worktree add -q --detach '../a b ' && cd .. && git init -q --separate-git-dir far s \
             && mkdir l n t p d && ln -s ../r/.git l/.git && printf 'gitdir:../r/.git' > n/.git && printf 'gitdir: ../r/.git' > t/.git \
             && mkfifo p/.git && ln -s nowhere d/.git",
        );
        for (name, within) in [
            ("r", true),
            ("r/sub", true),
            ("w", false),
            ("a b ", false),
            ("s", false),
            ("l", false),
            ("t", false),
        ] {
            let place = folder.path().join(name);
            let found = GitFolders::of(&place).unwrap_or_else(|| panic!("{name}"));
            let real = |path: &Path| path.canonicalize().ok();
            assert_eq!(real(&found.own), by_git(&place, "--git-dir"), "{name}");
            assert_eq!(real(&found.common()), by_git(&place, "--git-common-dir"), "{name}");
            assert_eq!(found.is_within(), within, "{name}");
            assert_eq!(found.main().is_some(), matches!(name, "w" | "a b "), "{name}");
        }
        for name in ["n", "p", "d"] {
            let place = folder.path().join(name);
            assert!(Top::at(&place).is_some() && GitFolders::of(&place).is_none(), "{name}");
        }
        assert!(Top::at(&folder.path().join("r/sub")).is_none());
        // A copy of a linked working tree is not the one that the repository knows.
        sh(folder.path(), "cp -r w copy");
        let copy = GitFolders::at(&folder.path().join("copy")).unwrap();
        assert_eq!(copy.main(), None);
    }
}
