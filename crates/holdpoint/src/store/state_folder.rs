//! The state folder: what Holdpoint keeps of a user outside all projects. Folders are the user's alone, and so are
//! files. No link in it is followed, and a folder that is another user's is not used.

use std::cell::OnceCell;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

use super::folder::{Access, FileError, Folder, Kind};
use super::layout;
use crate::env::Env;
use crate::env_vars::{HOME, XDG_STATE_HOME};

/// The largest file that is read.
const BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The most names of a folder that are listed.
const NAMES_MAX: usize = 100_000;

/// Why there is no state folder to use.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StateFolderError {
    /// There is no home.
    #[error("there is no place for the state folder: {HOME} is not the path of a folder")]
    NoHome,
    /// It is a file or a link.
    #[error("the state folder {} cannot be used: it is not a folder, or it is a link", path.display())]
    NotFolder {
        /// Where it would be.
        path: PathBuf,
    },
    /// It belongs to someone else.
    #[error("the state folder {} cannot be used: it belongs to another user", path.display())]
    Anothers {
        /// Where it is.
        path: PathBuf,
    },
    /// It cannot be read or made.
    #[error("the state folder {} cannot be used: {kind}", path.display())]
    Unusable {
        /// Where it would be.
        path: PathBuf,
        /// Why.
        kind: io::ErrorKind,
    },
}

impl StateFolderError {
    /// What to do about it.
    pub const HINT: &str = "set XDG_STATE_HOME to the path of a folder that you can write to";
}

impl From<StateFolderError> for io::Error {
    fn from(error: StateFolderError) -> io::Error {
        io::Error::other(error)
    }
}

/// The state folder. It need not exist yet.
#[derive(Clone, Debug)]
pub struct StateFolder {
    root: PathBuf,
    /// Opened at the first look, and then held open.
    folder: OnceCell<Rc<Folder>>,
}

impl StateFolder {
    /// Finds the user's state folder. Without a home, which is never created, there is none; what is a link or another
    /// user's is not used.
    pub fn of(env: &dyn Env) -> Result<StateFolder, StateFolderError> {
        let root = StateFolder::place(env).ok_or(StateFolderError::NoHome)?;
        match root.symlink_metadata() {
            Ok(metadata) if !metadata.is_dir() => Err(StateFolderError::NotFolder { path: root }),
            Ok(metadata) if !is_users(&metadata) => Err(StateFolderError::Anothers { path: root }),
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StateFolderError::Unusable { path: root, kind: error.kind() })
            }
            _ => Ok(StateFolder { root, folder: OnceCell::new() }),
        }
    }

    /// Returns where a user's is, or would be, whether it can be used or not.
    pub fn place(env: &dyn Env) -> Option<PathBuf> {
        let absolute = |path: &PathBuf| path.is_absolute();
        let named = env.var(XDG_STATE_HOME).map(PathBuf::from).filter(absolute);
        let home = || env.var(HOME).map(PathBuf::from).filter(|home| absolute(home) && home.is_dir());
        Some(named.or_else(|| Some(home()?.join(".local/state")))?.join("holdpoint"))
    }

    /// Returns where it is, or would be.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder, if it is there.
    fn opened(&self) -> Option<&Folder> {
        if self.folder.get().is_none() {
            let folder = Folder::own_if_there(&self.root).ok()??;
            let _ = self.folder.set(Rc::new(folder));
        }
        self.folder.get().map(Rc::as_ref)
    }

    /// Returns the folder, and creates it and the one that a file is to be in.
    fn made_for(&self, path: &str) -> Result<&Folder, FileError> {
        if self.folder.get().is_none() {
            let _ = self.folder.set(Rc::new(Folder::own(&self.root)?));
        }
        let folder =
            self.opened().ok_or_else(|| FileError::io(&self.root)(io::ErrorKind::NotFound.into()))?;
        folder.make_folder_of(Path::new(path), Access::Ours)?;
        Ok(folder)
    }

    /// Returns whether a file is there.
    pub fn has(&self, path: &str) -> bool {
        self.opened().is_some_and(|folder| folder.has_file(Path::new(path)))
    }

    /// Returns whether a folder is there.
    pub fn has_folder(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
    }

    /// Reads a file. None if it cannot be read.
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.opened()?.read(Path::new(path), BYTES_MAX).ok()?
    }

    /// Reads a file as text.
    pub fn text(&self, path: &str) -> Option<String> {
        String::from_utf8(self.read(path)?).ok()
    }

    /// Writes a file, whole or not at all. A link in its place is not followed, and goes.
    pub fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let folder = self.made_for(path)?;
        let path = Path::new(path);
        if folder.find(path)?.is_some_and(|found| found.kind == Kind::Link) {
            folder.remove(path)?;
        }
        Ok(folder.replace(path, bytes, Access::Ours)?)
    }

    /// Creates an empty file; false if it was there already. Of several processes, one creates it.
    pub fn mark(&self, path: &str) -> io::Result<bool> {
        match self.made_for(path)?.create(Path::new(path), b"", Access::Ours) {
            Ok(()) => Ok(true),
            Err(error) if error.is_taken() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the state folder for a folder in it that others write to by name, and makes that.
    pub fn folder(&self, path: &str) -> Result<(Folder, PathBuf), FileError> {
        self.made_for(&format!("{path}/x"))?;
        Ok((Folder::own(&self.root)?, self.root.join(path)))
    }

    /// Sets the time of a file that is there; false if there is none.
    pub fn set_time(&self, path: &str, time: SystemTime) -> bool {
        let file = self.opened().and_then(|folder| folder.open(Path::new(path)).ok()?);
        file.is_some_and(|file| file.set_modified(time).is_ok())
    }

    /// Lists the names in a folder, each with the time that its file was written.
    pub fn names_and_times(&self, path: &str) -> Vec<(SystemTime, String)> {
        self.entries(path)
    }

    /// Lists the names in a folder.
    pub fn names(&self, path: &str) -> Vec<String> {
        let mut names: Vec<String> = self.entries(path).into_iter().map(|(_, name)| name).collect();
        names.sort();
        names
    }

    /// Lists the names in a folder, that of the file written longest ago first.
    pub fn oldest_first(&self, path: &str) -> Vec<String> {
        let mut entries = self.entries(path);
        entries.sort();
        entries.into_iter().map(|(_, name)| name).collect()
    }

    fn entries(&self, path: &str) -> Vec<(SystemTime, String)> {
        let entries = self.opened().and_then(|folder| folder.entries(Path::new(path), NAMES_MAX).ok());
        let named = |(name, found): (PathBuf, super::folder::Found)| {
            Some((found.modified, name.into_os_string().into_string().ok()?))
        };
        entries.unwrap_or_default().into_iter().filter_map(named).collect()
    }

    /// Removes a file, or an empty folder. What is not there is no fault.
    pub fn remove(&self, path: &str) -> io::Result<()> {
        let Some(folder) = self.opened() else { return Ok(()) };
        let path = Path::new(path);
        match folder.find(path)? {
            Some(found) if found.kind == Kind::Folder => {
                let not_empty = || io::Error::from(io::ErrorKind::DirectoryNotEmpty);
                folder.remove_empty(path).then_some(()).ok_or_else(not_empty)
            }
            _ => Ok(folder.remove(path)?),
        }
    }

    /// Removes a folder with all that is in it. Links in it are removed, and not followed.
    pub fn remove_all(&self, path: &str) -> io::Result<()> {
        let removed = std::fs::remove_dir_all(self.root.join(path));
        removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
    }

    /// Removes the files in a folder that nobody has touched for a week.
    pub fn clear_old(&self, path: &str) {
        if let Some(folder) = self.opened() {
            layout::clear_old(folder, Path::new(path));
        }
    }

    /// The same, but for those whose names are still needed.
    pub fn clear_old_unless(&self, path: &str, is_needed: impl Fn(&str) -> bool) {
        if let Some(folder) = self.opened() {
            let is_needed = |name: &Path| name.to_str().is_some_and(&is_needed);
            layout::clear_old_unless(folder, Path::new(path), is_needed);
        }
    }
}

/// Returns whether something belongs to the user whom this process acts for.
#[cfg(unix)]
pub fn is_users(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == rustix::process::geteuid().as_raw()
}

/// Returns whether something belongs to the user whom this process acts for.
#[cfg(not(unix))]
pub fn is_users(_: &std::fs::Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
#[expect(clippy::disallowed_methods, reason = "foreign files")]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::env::FixedEnv;

    fn folder(home: &Path) -> Result<StateFolder, StateFolderError> {
        let variables = [(HOME.to_owned(), home.display().to_string())].into();
        StateFolder::of(&FixedEnv { variables, now: None })
    }

    #[test]
    fn what_is_kept_is_the_users_alone() {
        let home = tempfile::tempdir().unwrap();
        let state = folder(home.path()).unwrap();
        assert!(state.mark("a/b/c").unwrap() && !state.mark("a/b/c").unwrap());
        state.write("a/d", b"one").unwrap();
        state.write("a/d", b"two").unwrap();
        assert_eq!(state.text("a/d").as_deref(), Some("two"));
        assert_eq!(state.names("a"), ["b", "d"]);
        let mode = |path: &str| {
            let place = home.path().join(".local/state/holdpoint").join(path);
            place.symlink_metadata().unwrap().permissions().mode() & 0o777
        };
        assert_eq!((mode(""), mode("a"), mode("a/d"), mode("a/b/c")), (0o700, 0o700, 0o600, 0o600));
    }

    #[test]
    fn a_home_that_is_not_there_is_not_created() {
        let above = tempfile::tempdir().unwrap();
        assert!(folder(&above.path().join("home")).is_err());
        assert!(folder(Path::new("home")).is_err(), "nor is one that is not absolute");
    }

    #[test]
    fn no_link_is_followed() {
        let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let state = folder(home.path()).unwrap();
        state.write("a/d", b"one").unwrap();
        std::fs::write(other.path().join("x"), "secret").unwrap();
        let root = home.path().join(".local/state/holdpoint");
        symlink(other.path().join("x"), root.join("a/link")).unwrap();
        symlink(other.path(), root.join("away")).unwrap();
        assert!(state.read("a/link").is_none() && !state.has("a/link"));
        assert!(state.write("away/y", b"y").is_err() && !other.path().join("y").exists());
        state.write("a/link", b"mine").unwrap();
        assert_eq!(std::fs::read_to_string(other.path().join("x")).unwrap(), "secret");
        let elsewhere = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(elsewhere.path().join(".local/state")).unwrap();
        symlink(&root, elsewhere.path().join(".local/state/holdpoint")).unwrap();
        assert!(folder(elsewhere.path()).is_err());
    }
}
