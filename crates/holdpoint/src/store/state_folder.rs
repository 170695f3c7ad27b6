//! The state folder: what Holdpoint keeps of a user outside all projects. Folders are the user's alone, and so are
//! files. No link in it is followed, and a folder that is another user's is not used.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::folder::Folder;
use crate::env::Env;
use crate::env_vars::{HOME, XDG_STATE_HOME};

/// The largest file that is read.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The state folder. It need not exist yet.
#[derive(Clone, Debug)]
pub struct StateFolder {
    root: PathBuf,
}

impl StateFolder {
    /// Finds the user's state folder. None without a home, which is never created, or if what is there is a link or
    /// another user's.
    pub fn of(env: &dyn Env) -> Option<StateFolder> {
        let absolute = |path: &PathBuf| path.is_absolute();
        let named = env.var(XDG_STATE_HOME).map(PathBuf::from).filter(absolute);
        let home = || env.var(HOME).map(PathBuf::from).filter(|home| absolute(home) && home.is_dir());
        let root = named.or_else(|| Some(home()?.join(".local/state")))?.join("holdpoint");
        let is_usable = match root.symlink_metadata() {
            Ok(metadata) => metadata.is_dir() && is_users(&metadata),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        is_usable.then_some(StateFolder { root })
    }

    /// Returns whether a file is there.
    pub fn has(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_ok_and(|metadata| metadata.is_file())
    }

    /// Reads a file. None if it cannot be read.
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        let file = open(&self.root.join(path)).ok()?;
        let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let mut bytes = Vec::new();
        let is_small = metadata.len() <= BYTES_MAX;
        (is_small && file.take(BYTES_MAX).read_to_end(&mut bytes).is_ok()).then_some(bytes)
    }

    /// Reads a file as text.
    pub fn text(&self, path: &str) -> Option<String> {
        String::from_utf8(self.read(path)?).ok()
    }

    /// Writes a file, whole or not at all.
    pub fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let target = self.prepared(path)?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = target.with_extension(format!("{}.{number}.tmp", std::process::id()));
        let written = create(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, &target));
        if written.is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
        written
    }

    /// Creates an empty file; false if it was there already. Of several processes, one creates it.
    pub fn mark(&self, path: &str) -> io::Result<bool> {
        match create(&self.prepared(path)?, b"") {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Lists the names in a folder.
    pub fn names(&self, path: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.root.join(path)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// Lists the names in a folder, that of the file written longest ago first.
    pub fn oldest_first(&self, path: &str) -> Vec<String> {
        let written = |name: &String| {
            self.root.join(path).join(name).symlink_metadata().and_then(|there| there.modified()).ok()
        };
        let mut names = self.names(path);
        names.sort_by_cached_key(written);
        names
    }

    /// Removes a file, or an empty folder. What is not there is no fault.
    pub fn remove(&self, path: &str) -> io::Result<()> {
        let path = self.root.join(path);
        let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        let removed = if is_folder { std::fs::remove_dir(&path) } else { std::fs::remove_file(&path) };
        removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
    }

    /// Removes the files in a folder that nobody has touched for a week.
    pub fn clear_old(&self, path: &str) {
        if let Ok(folder) = Folder::own(&self.root) {
            super::layout::clear_old(&folder, &self.root.join(path));
        }
    }

    /// Creates the folders that a file is in, and returns the file's path.
    fn prepared(&self, path: &str) -> io::Result<PathBuf> {
        let file = self.root.join(path);
        if let Some(outside) = self.root.parent() {
            std::fs::create_dir_all(outside)?;
        }
        let below = file.parent().and_then(|folder| folder.strip_prefix(&self.root).ok());
        let mut folder = self.root.clone();
        make_folder(&folder)?;
        for name in below.into_iter().flat_map(Path::components) {
            folder.push(name);
            make_folder(&folder)?;
        }
        Ok(file)
    }
}

/// Creates a folder of the user's alone. One that is there must be a folder, and not a link to one.
fn make_folder(folder: &Path) -> io::Result<()> {
    let made = private_folder().create(folder);
    match made {
        Err(error) if !folder.symlink_metadata().is_ok_and(|there| there.is_dir()) => Err(error),
        _ => Ok(()),
    }
}

fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(unix)]
fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

#[cfg(not(unix))]
fn private_folder() -> DirBuilder {
    DirBuilder::new()
}

/// Opens a file for reading: no link, and nothing that would block.
#[cfg(unix)]
pub fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// Opens a file for reading.
#[cfg(not(unix))]
pub fn open(path: &Path) -> io::Result<File> {
    File::open(path)
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

    fn folder(home: &Path) -> Option<StateFolder> {
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
        assert!(folder(&above.path().join("home")).is_none());
        assert!(folder(Path::new("home")).is_none(), "nor is one that is not absolute");
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
        assert!(folder(elsewhere.path()).is_none());
    }
}
