//! The places that the fence closes. Inside they can be read, and not be written, moved or covered.
//!
//! They are read-only and not hidden, so that a shell inside can show a receipt even where its own sandbox keeps it from
//! asking the keeper, and so that nothing inside differs but for what must.

use std::collections::BTreeSet;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::FenceError;
use crate::allow::identity::Identity;
use crate::env::Env;
use crate::env_vars::{BUS_ADDRESS, HOME, TMUX, XDG_RUNTIME_DIR};
use crate::layers;
use crate::store::pin::Pin;
use crate::store::state_folder::StateFolder;

/// The most links that are followed on the way to a place.
const LINKS_MAX: usize = 40;

/// Folders whose links stay open: only root writes there, and has to, where something is installed.
const SYSTEM: [&str; 4] = ["/bin", "/sbin", "/usr/bin", "/usr/sbin"];

/// What the fence does to the file system.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// What can only be read.
    pub(super) closed: BTreeSet<PathBuf>,
    /// The folders on the way there that the agent could otherwise move, the upper ones first.
    pub(super) held: BTreeSet<PathBuf>,
    /// What cannot be seen: sockets by which a process outside would be started.
    pub(super) hidden: BTreeSet<PathBuf>,
}

impl Places {
    /// Finds the places for a client that is started in a folder.
    pub(super) fn of(env: &dyn Env, state: &StateFolder, cwd: &Path) -> Result<Places, FenceError> {
        let mut places = Places::default();
        places.close(state.root())?;
        let has_home = |folder: &PathBuf| folder.ancestors().nth(2).is_some_and(Path::is_dir);
        if let Some(folder) = layers::user(env).filter(has_home) {
            // What is not there could be made there.
            let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
            made.map_err(|why| FenceError::Place { place: folder.clone(), why })?;
            places.close(&folder)?;
        }
        let organisation = layers::organisation(env);
        if organisation.is_dir() {
            places.close(&organisation)?;
        }
        let own = std::env::current_exe().map_err(FenceError::Start)?;
        places.close(&own)?;
        // Of these a change is noticed, wherever it comes from: it is enough that nobody changes them by accident.
        let pinned = Identity::of(cwd).map(|project| Pin::of(state.clone(), &project.id).programs());
        for program in pinned.unwrap_or_default() {
            places.closed.extend(program.file.canonicalize().ok());
            places.close_links(&program.file, &[cwd, state.root()], env);
        }
        places.hidden = starters(env);
        Ok(places)
    }

    /// Closes the links by which a program is found. A link cannot be closed by itself, so its folder is, unless that is the
    /// system's or has in it what the agent works on: then a change of the link is noticed all the same.
    fn close_links(&mut self, program: &Path, worked_on: &[&Path], env: &dyn Env) {
        let home = env.var(HOME).and_then(|home| Path::new(&home).canonicalize().ok());
        let worked_on = worked_on.iter().filter_map(|path| path.canonicalize().ok()).chain(home);
        let worked_on: Vec<PathBuf> = worked_on.collect();
        let mut path = program.to_path_buf();
        for _ in 0..LINKS_MAX {
            let Some((folder, to)) = path.parent().zip(std::fs::read_link(&path).ok()) else { return };
            let is_open = |real: &PathBuf| {
                SYSTEM.iter().any(|system| real == Path::new(system))
                    || worked_on.iter().any(|place| place.starts_with(real))
            };
            self.closed.extend(folder.canonicalize().ok().filter(|real| !is_open(real)));
            path = folder.join(to);
        }
    }

    /// Closes a place, and holds the way to it.
    fn close(&mut self, place: &Path) -> Result<(), FenceError> {
        let real = real(place)?;
        let way = real.ancestors().skip(1).filter(|folder| folder.parent().is_some_and(is_writable));
        self.held.extend(way.map(Path::to_path_buf));
        self.closed.insert(real);
        Ok(())
    }
}

fn is_writable(folder: &Path) -> bool {
    access(folder, Access::WRITE_OK).is_ok()
}

/// Follows a path to where it leads. Fails at a link that the agent could replace.
fn real(place: &Path) -> Result<PathBuf, FenceError> {
    let mut path = place.to_path_buf();
    for _ in 0..LINKS_MAX {
        let parts: Vec<&Path> = path.ancestors().collect();
        let Some(link) = parts.into_iter().rev().find(|part| part.is_symlink()) else {
            return path.canonicalize().map_err(|why| FenceError::Place { place: place.to_path_buf(), why });
        };
        let folder = link.parent().unwrap_or(Path::new("/"));
        let target = std::fs::read_link(link).ok().filter(|_| !is_writable(folder));
        let found = target.zip(path.strip_prefix(link).ok()).map(|(to, rest)| folder.join(to).join(rest));
        path =
            found.ok_or_else(|| FenceError::Link { link: link.to_path_buf(), place: place.to_path_buf() })?;
    }
    Err(FenceError::Place { place: place.to_path_buf(), why: std::io::ErrorKind::InvalidInput.into() })
}

/// Finds what starts programs outside for whoever asks: the user's service manager, by its own socket and by the message
/// bus, and the terminals' multiplexers.
fn starters(env: &dyn Env) -> BTreeSet<PathBuf> {
    let user = rustix::process::getuid().as_raw();
    let runtime = env.var(XDG_RUNTIME_DIR).unwrap_or_else(|| format!("/run/user/{user}"));
    let bus = env.var(BUS_ADDRESS).and_then(|address| {
        let path =
            address.split([';', ',']).find_map(|part| part.strip_prefix("unix:path=").map(str::to_owned));
        path.map(PathBuf::from)
    });
    let tmux =
        env.var(TMUX).and_then(|value| Some(PathBuf::from(value.split(',').next()?).parent()?.to_path_buf()));
    let usual = ["systemd", "bus"].map(|name| Path::new(&runtime).join(name));
    let others = [format!("/tmp/tmux-{user}"), "/run/screen".to_owned()].map(PathBuf::from);
    let all = usual.into_iter().chain(others).chain(bus).chain(tmux);
    // Where it is a folder with more in it, such as /tmp, it stays.
    let is_own = |path: &PathBuf| path.is_absolute() && path.components().count() > 2;
    all.filter(is_own).filter_map(|path| path.canonicalize().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_a_closed_place_is_held() {
        let above = tempfile::tempdir().unwrap();
        let above = above.path().canonicalize().unwrap();
        std::fs::create_dir_all(above.join("a/b/books")).unwrap();
        let mut places = Places::default();
        places.close(&above.join("a/b/books")).unwrap();
        assert!(places.held.contains(&above.join("a")) && places.held.contains(&above.join("a/b")));
        assert!(!places.held.contains(Path::new("/")));
        assert_eq!(places.closed.into_iter().collect::<Vec<_>>(), [above.join("a/b/books")]);
        let upper_first: Vec<_> = places.held.iter().map(|path| path.components().count()).collect();
        assert!(upper_first.is_sorted(), "{upper_first:?}");
    }

    #[test]
    fn the_links_to_a_program_are_closed() {
        let above = tempfile::tempdir().unwrap();
        let above = above.path().canonicalize().unwrap();
        for folder in ["home/bin", "home/project", "versions"] {
            std::fs::create_dir_all(above.join(folder)).unwrap();
        }
        std::os::unix::fs::symlink("../../versions/1", above.join("home/bin/claude")).unwrap();
        std::os::unix::fs::symlink("bin/claude", above.join("home/other")).unwrap();
        let variables = [(HOME.to_owned(), above.join("home").display().to_string())].into();
        let env = crate::env::FixedEnv { variables, now: None };
        let project = above.join("home/project");
        let closed = |program: &str| {
            let mut places = Places::default();
            places.close_links(&above.join(program), &[&project], &env);
            places.closed.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(closed("home/bin/claude"), [above.join("home/bin")]);
        assert_eq!(closed("home/other"), [above.join("home/bin")], "the home itself stays open");
        assert!(closed("versions/1").is_empty());
    }

    #[test]
    fn a_link_that_can_be_replaced_is_no_way_to_a_place() {
        let above = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(above.path().join("real/books")).unwrap();
        std::os::unix::fs::symlink("real", above.path().join("link")).unwrap();
        let error = Places::default().close(&above.path().join("link/books")).unwrap_err();
        assert!(matches!(&error, FenceError::Link { link, .. } if link.ends_with("link")), "{error}");
    }
}
