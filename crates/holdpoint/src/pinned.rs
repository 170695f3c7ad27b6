//! With which programs a project's checks and reviews are performed: those that the user had at `holdpoint allow`, or that
//! were there when something was first performed. Whoever calls later brings no others along, and a program that has
//! become another file starts nothing until its user has said so. `docs/design/013-pinned-programs.md` says why so.

mod change;
mod pinned_env;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use holdpoint_core::digest::Parts;
use holdpoint_core::phase::{Request, Task};
use holdpoint_core::shell::plain_words;
use holdpoint_core::workflow::Workflow;

pub use self::change::{Change, Changes};
use self::pinned_env::PinnedEnv;
use crate::allow::fingerprint::{SETTLED_S, look};
use crate::allow::identity::Identity;
use crate::confinement::variables;
use crate::env::Env;
use crate::env_vars::{self, PATH};
use crate::program;
use crate::project::Run;
use crate::store::pin::{By, Pin, Program, Surroundings};
use crate::store::state_folder::StateFolder;
use crate::world::is_program;

/// The program that every project's checks use.
const GIT: &str = "git";
/// The shell of acceptance rows.
const SHELL: &str = "sh";
/// How much of a file is read at once.
const PART_BYTES: usize = 1024 * 1024;

/// Why a program is not started. The user can say that it is well.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPinned {
    /// Its file is another one.
    #[error(
        "`{name}` is another file than on {day}, so nothing was performed: {}. If you upgraded it, type in a \
         terminal: holdpoint allow", file.display()
    )]
    Changed {
        /// How it is called.
        name: String,
        /// The file that is there now.
        file: PathBuf,
        /// When it was pinned.
        day: String,
    },
    /// It was not on the PATH that is pinned, and is on this one.
    #[error(
        "`{name}` was not on your PATH on {day}, so nothing was performed. If you installed it since, type in a \
         terminal: holdpoint allow"
    )]
    Elsewhere {
        /// How it is called.
        name: String,
        /// When the PATH was pinned.
        day: String,
    },
    /// Its file cannot be read, so it cannot be told whether it is the same.
    #[error("{} cannot be read, so nothing was performed: {why}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        why: String,
    },
}

/// What is pinned of a project.
#[derive(Debug)]
pub struct Pinned {
    pin: Pin,
    /// The top of the project: its own files are not pinned.
    root: PathBuf,
    /// The variables by which programs are found.
    pub surroundings: Surroundings,
}

impl Pinned {
    /// Finds what is pinned of the project that a folder belongs to. None if nothing is.
    pub fn of(folder: &Path, env: &dyn Env) -> Option<Pinned> {
        let (pin, root) = place(folder, env)?;
        let surroundings = pin.surroundings()?;
        Some(Pinned { pin, root, surroundings })
    }

    /// Pins the surroundings of this process. None if they cannot be kept, or have no PATH.
    fn begin(folder: &Path, env: &dyn Env, by: By) -> Option<Pinned> {
        let (pin, root) = place(folder, env)?;
        let variables = variables::pinned(env);
        let surroundings = Surroundings { at: env.now(), by, variables };
        let has_path = surroundings.variables.contains_key(PATH);
        (has_path && pin.keep_surroundings(&surroundings).is_ok()).then(|| Pinned { pin, root, surroundings })
    }

    /// Lists the programs.
    pub fn programs(&self) -> Vec<Program> {
        self.pin.programs()
    }

    /// Finds a program's file, which is the same as when it was pinned; it is pinned now if it was not yet. None if there
    /// is no such program.
    fn find(&self, name: &str, env: &dyn Env) -> Result<Option<PathBuf>, NotPinned> {
        let pinned = self.pin.program(name);
        let same_place = pinned.as_ref().map(|program| program.file.clone()).filter(|file| is_program(file));
        let Some(file) = same_place.or_else(|| self.look_up(name)) else {
            let is_elsewhere = !name.contains('/') && env.program(name).is_some();
            let elsewhere = || NotPinned::Elsewhere { name: name.to_owned(), day: day(self.surroundings.at) };
            return if is_elsewhere { Err(elsewhere()) } else { Ok(None) };
        };
        // What is pinned is compared first: it may have become a link into the project.
        if pinned.is_none() && self.is_projects(&file) {
            return Ok(Some(file));
        }
        match pinned {
            Some(program) => self.compare(program, file, env.now()).map(Some),
            None => {
                // What cannot be kept is pinned the next time.
                let _ = self.pin.keep_program(&seen(name, &file, env.now())?);
                Ok(Some(file))
            }
        }
    }

    /// Looks a program up on the PATH that is pinned. A path is meant from the top of the project.
    fn look_up(&self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            return Some(self.root.join(name)).filter(|file| is_program(file));
        }
        program::on(self.surroundings.variables.get(PATH)?, name)
    }

    /// Returns whether a file is the project's own: its tree has it. A link from elsewhere is none of it.
    fn is_projects(&self, file: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        let is_below =
            |path: &Path| real(path).zip(real(&self.root)).is_some_and(|(path, root)| path.starts_with(root));
        is_below(file) && file.parent().is_some_and(is_below)
    }

    /// Compares a program with what it was: from outside first, as its bytes may be many.
    fn compare(&self, was: Program, file: PathBuf, now: i64) -> Result<PathBuf, NotPinned> {
        if was.file == file && was.look.is_some() && was.look == outside(&file, now)? {
            return Ok(file);
        }
        let is = seen(&was.name, &file, now)?;
        if is.digest != was.digest {
            return Err(NotPinned::Changed { name: was.name, file, day: day(was.at) });
        }
        let _ = self.pin.keep_program(&Program { at: was.at, ..is });
        Ok(file)
    }
}

/// Returns the surroundings in which a request is performed. Fails if a program that it starts is another than it was.
pub fn ready(request: &Request, run: &Run, env: &Arc<dyn Env>) -> Result<Arc<dyn Env>, NotPinned> {
    if env.began_everything() {
        return Ok(Arc::clone(env));
    }
    let pinned = Pinned::of(&run.home, env.as_ref());
    let Some(pinned) = pinned.or_else(|| first(run, env.as_ref())) else { return Ok(Arc::clone(env)) };
    let mut files = BTreeMap::new();
    for name in started_by(request) {
        if let Some(file) = pinned.find(&name, env.as_ref())? {
            files.insert(name, file);
        }
    }
    Ok(Arc::new(PinnedEnv { outer: Arc::clone(env), variables: pinned.surroundings.variables, files }))
}

/// Pins what is there as something is performed for the first time, and at once all that the run will start: later an agent
/// has had its hands on it.
fn first(run: &Run, env: &dyn Env) -> Option<Pinned> {
    let pinned = Pinned::begin(&run.home, env, By::Performer)?;
    for name in started_in(&run.workflow).chain([GIT.to_owned()]) {
        let _ = pinned.find(&name, env);
    }
    Some(pinned)
}

/// Pins anew what the user has now: the variables, git, what these workflows start, and what was pinned before.
pub fn renew<'a>(
    root: &Path,
    env: &dyn Env,
    workflows: impl Iterator<Item = &'a Workflow>,
) -> io::Result<()> {
    let Some(pinned) = Pinned::begin(root, env, By::User) else { return Ok(()) };
    let known = pinned.programs().into_iter().map(|program| program.name);
    let mut names: BTreeSet<String> = known.chain([GIT.to_owned(), SHELL.to_owned()]).collect();
    names.extend(workflows.flat_map(started_in));
    for name in names {
        pinned.pin.forget_program(&name)?;
        let _ = pinned.find(&name, env);
    }
    Ok(())
}

/// Returns what `renew` would change.
pub fn changes(root: &Path, env: &dyn Env) -> Changes {
    Pinned::of(root, env).map(|pinned| Changes::of(&pinned, env)).unwrap_or_default()
}

/// The git by which a project's tree is read, and the PATH that it gets.
pub fn git(root: &Path, env: &dyn Env) -> Result<(PathBuf, Option<String>), NotPinned> {
    // Tests of this crate have no state folder of their own.
    let is_pinned = !cfg!(test) && !env.began_everything();
    let pinned = is_pinned.then(|| Pinned::of(root, env)).flatten();
    let Some(pinned) = pinned else { return Ok((installed(GIT), None)) };
    let file = pinned.find(GIT, env)?.unwrap_or_else(|| GIT.into());
    Ok((file, pinned.surroundings.variables.get(PATH).cloned()))
}

/// Where the system would find a program. By its whole path it is started without this process being copied first.
fn installed(name: &str) -> PathBuf {
    let own = env_vars::for_git().into_iter().find(|(variable, _)| variable == PATH);
    let path = own.and_then(|(_, path)| path.into_string().ok());
    path.and_then(|path| program::on(&path, name)).unwrap_or_else(|| name.into())
}

/// Names the programs that a request starts, as far as its words say.
fn started_by(request: &Request) -> Vec<String> {
    let words: Vec<&str> = match &request.task {
        Task::Acceptance { .. } => vec![SHELL],
        _ => request.command().iter().map(String::as_str).collect(),
    };
    std::iter::once(GIT.to_owned()).chain(named(&words)).collect()
}

/// Names the programs of a workflow's reviewers and checks, those that a template names aside.
fn started_in(workflow: &Workflow) -> impl Iterator<Item = String> {
    let reviewers = workflow.reviewers.iter().map(|reviewer| reviewer.command.to_vec());
    let checks = workflow.checks.iter().map(|check| check.kind.command().to_vec());
    let words = reviewers.chain(checks).collect::<Vec<_>>().into_iter();
    let named = words.flat_map(|words| named(&words.iter().map(AsRef::as_ref).collect::<Vec<&str>>()));
    named.filter(|name| !name.contains("{{"))
}

/// Names the program of a command line, and the one that it has a shell start, if that is plain.
fn named(words: &[&str]) -> Vec<String> {
    let inner = match words {
        [_, "-c", text] => plain_words(text).and_then(|words| words.into_iter().next()),
        _ => None,
    };
    words.first().map(|name| (*name).to_owned()).into_iter().chain(inner).collect()
}

fn place(folder: &Path, env: &dyn Env) -> Option<(Pin, PathBuf)> {
    let state = StateFolder::of(env).ok()?;
    let project = Identity::of(folder)?;
    Some((Pin::of(state, &project.id), project.root))
}

/// A program as it is now.
fn seen(name: &str, file: &Path, at: i64) -> Result<Program, NotPinned> {
    let look = outside(file, at)?;
    let digest = digest(file).map_err(unreadable(file))?;
    Ok(Program { name: name.to_owned(), file: file.to_owned(), digest, look, at })
}

/// What a file looks like from outside. None if another change might not show: it was changed just now.
fn outside(file: &Path, now: i64) -> Result<Option<String>, NotPinned> {
    let metadata = file.metadata().map_err(unreadable(file))?;
    let (changed, look) = look(&metadata);
    Ok((changed < now - SETTLED_S).then(|| format!("{} {look}", device(&metadata))))
}

fn unreadable(file: &Path) -> impl FnOnce(io::Error) -> NotPinned {
    |error| NotPinned::Unreadable { file: file.to_owned(), why: error.to_string() }
}

#[cfg(unix)]
fn device(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::dev(metadata)
}

#[cfg(not(unix))]
fn device(_: &std::fs::Metadata) -> u64 {
    0
}

fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (mut parts, mut part) = (Parts::default(), vec![0; PART_BYTES]);
    loop {
        match file.read(&mut part)? {
            0 => return Ok(parts.digest()),
            length => parts.add(&part[..length]),
        }
    }
}

/// A day, as people write it.
pub fn day(at: i64) -> String {
    jiff::Timestamp::from_second(at).map(|at| at.strftime("%Y-%m-%d").to_string()).unwrap_or_default()
}
