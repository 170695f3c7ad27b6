//! The implementation of the core's `World`: files below a run's home, the environment, git.

#[cfg(unix)]
mod links;
mod writable;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use holdpoint_checks::reader;
use holdpoint_core::level::Level;
use holdpoint_core::path::{below, stays_below, tidy};
use holdpoint_core::secret;
use holdpoint_core::workflow::Workflow;
use holdpoint_core::world::{Answer, GitQuestion, Head, World, WorldError};
use thiserror::Error;

use crate::catalog::{self, VARIABLES};
use crate::env::Env;
use crate::error::in_full;
use crate::git::folders::Top;
use crate::level;
use crate::project::Run;
use crate::store::books::Books;
use crate::store::kept::Kept;
use crate::store::{evidence, layout, report, seal, tree};
use crate::worktree;

pub(crate) use self::writable::can_make_file_in;

/// The largest file that a fact may read.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// How often, and how long each time, to wait for another program that is writing a file in place.
const SETTLES_MAX: u32 = 100;
/// How often a file is read that changes while it is read.
const READS_MAX: u32 = 20;
const SETTLE: Duration = Duration::from_millis(8);
/// The age after which a file no longer counts as being written.
const WRITING: Duration = Duration::from_secs(2);

/// The world of one run, as it was when something of it was first asked for.
pub struct ProjectWorld {
    home: PathBuf,
    folder: PathBuf,
    /// The home without links, found out on first use.
    real_home: OnceLock<Result<PathBuf, WorldError>>,
    env: Arc<dyn Env>,
    settles: AtomicU32,
    id: Option<RunId>,
    workflow: String,
    /// The workflow itself, where it is a run's.
    whole: Option<Arc<Workflow>>,
    /// The hash of the working tree, computed on first use.
    tree: OnceLock<Answer<String>>,
    /// What differs between the working tree and another one, by that one's hash.
    changed: Mutex<BTreeMap<String, Answer<Vec<String>>>>,
    head: OnceLock<Answer<Head>>,
    evidence: OnceLock<Arc<Vec<serde_json::Value>>>,
    books: OnceLock<Books>,
}

/// A run that is a file.
struct RunId {
    id: String,
    workflow: String,
    file: String,
}

impl ProjectWorld {
    /// Creates the world of a run.
    pub fn of(run: &Run, env: Arc<dyn Env>) -> ProjectWorld {
        let world = match &run.id {
            Some(id) => ProjectWorld::of_id(&run.workflow, &run.home, id, env),
            None => ProjectWorld {
                workflow: run.workflow.name.to_string(),
                ..ProjectWorld::new(&run.home, &run.folder, env)
            },
        };
        let books = OnceLock::from(run.books.clone());
        ProjectWorld { whole: Some(Arc::clone(&run.workflow)), books, ..world }
    }

    /// Whether what is asked comes from a workflow of ours. Only then may a question start a program.
    fn is_built_in(&self) -> bool {
        let built_in = self.whole.as_ref().and_then(|own| Some((own, catalog::named(&own.name)?)));
        built_in.is_some_and(|(own, built_in)| **own == built_in.workflow)
    }

    /// Creates the world of a run that is a file, by its id.
    pub fn of_id(workflow: &Workflow, home: &Path, id: &str, env: Arc<dyn Env>) -> ProjectWorld {
        let file = workflow.run.file_of(id).map(|file| format!("{}/{file}", workflow.run.home));
        let id =
            RunId { id: id.to_owned(), workflow: workflow.name.to_string(), file: file.unwrap_or_default() };
        ProjectWorld {
            id: Some(id),
            workflow: workflow.name.to_string(),
            ..ProjectWorld::new(home, home, env)
        }
    }

    /// Creates the world of the run in `folder`, which relative paths start from, of the project at `home`.
    pub fn new(home: &Path, folder: &Path, env: Arc<dyn Env>) -> ProjectWorld {
        ProjectWorld {
            home: home.to_path_buf(),
            folder: folder.to_path_buf(),
            real_home: OnceLock::new(),
            env,
            settles: AtomicU32::new(0),
            id: None,
            workflow: String::new(),
            whole: None,
            tree: OnceLock::new(),
            changed: Mutex::default(),
            head: OnceLock::new(),
            evidence: OnceLock::new(),
            books: OnceLock::new(),
        }
    }

    fn books(&self) -> &Books {
        self.books.get_or_init(|| Books::of(&self.home, self.env.as_ref()))
    }

    /// Returns the same world where the hash of the working tree is known.
    #[must_use]
    pub fn with_tree(self, tree: Option<String>) -> ProjectWorld {
        let tree = tree.map_or_else(OnceLock::new, |tree| OnceLock::from(Answer::Is(tree)));
        ProjectWorld { tree, ..self }
    }

    /// Resolves a path to a file or folder that is below the home, wherever links lead.
    fn resolve(&self, path: &str) -> Result<PathBuf, WorldError> {
        let place = self.place(path)?;
        self.without_links(&place)?;
        Ok(place)
    }

    /// The place that a path names.
    fn place(&self, path: &str) -> Result<PathBuf, WorldError> {
        let path = tidy(path);
        if stays_below(&path) {
            return Ok(self.folder.join(path));
        }
        let home = tidy(&self.home.to_string_lossy());
        match below(&home, &path) {
            Some(rest) => Ok(self.home.join(rest)),
            None => self.linked(path),
        }
    }

    /// The path without links, if they stay below the home. What does not exist is where its folder is.
    fn without_links(&self, path: &Path) -> Result<PathBuf, WorldError> {
        let real_home = self.real_home()?;
        for there in path.ancestors() {
            match there.canonicalize() {
                Ok(real) if real.starts_with(real_home) => {
                    let missing = path.strip_prefix(there).unwrap_or(path);
                    // Joining nothing would add a slash.
                    return Ok(if missing.as_os_str().is_empty() { real } else { real.join(missing) });
                }
                Ok(_) => break,
                Err(error) if is_missing(&error) => {}
                Err(error) => return Err(unreadable(error)),
            }
        }
        let short = path.strip_prefix(&self.home).unwrap_or(path);
        Err(WorldError::Outside(short.to_string_lossy().into_owned()))
    }

    fn real_home(&self) -> Result<&Path, WorldError> {
        let real = self.real_home.get_or_init(|| self.home.canonicalize().map_err(unreadable));
        real.as_deref().map_err(Clone::clone)
    }

    /// A path that leads to the home through a link, as with /tmp on some systems.
    fn linked(&self, path: String) -> Result<PathBuf, WorldError> {
        let real_home = self.real_home()?;
        match Path::new(&path).canonicalize() {
            Ok(real) if real.starts_with(real_home) => Ok(real),
            Ok(_) | Err(_) => Err(WorldError::Outside(path)),
        }
    }
}

/// The reason why a file is not read.
#[derive(Debug, Error)]
pub enum ReadFileError {
    /// The system refuses it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A folder, a pipe, a device or a socket is in its place.
    #[error("it is not a regular file")]
    NotAFile,
    /// It is longer than the limit.
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
}

/// Reads a regular file of at most `limit` bytes. `None` if it does not exist.
pub fn read_file(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, ReadFileError> {
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if !metadata.is_file() {
        return Err(ReadFileError::NotAFile);
    }
    if metadata.len() > limit {
        return Err(ReadFileError::TooLarge(limit));
    }
    let mut bytes = Vec::new();
    for _ in 0..READS_MAX {
        let is_whole = read_unchanged(path, limit, &mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(ReadFileError::TooLarge(limit));
        }
        if is_whole {
            break;
        }
        std::thread::sleep(SETTLE);
    }
    Ok(Some(bytes))
}

/// Reads a file. Returns whether it stayed as it was: the beginning of one version and the end of another can look
/// like a whole file that nobody ever wrote. Times have ticks, so all of its length must have been read as well.
fn read_unchanged(path: &Path, limit: u64, bytes: &mut Vec<u8>) -> std::io::Result<bool> {
    let (file, before) = open(path)?;
    bytes.clear();
    bytes.reserve_exact(usize::try_from(before.len().min(limit)).unwrap_or(0));
    let read = (&file).take(limit + 1).read_to_end(bytes)? as u64;
    let after = file.metadata()?;
    Ok([before.len(), after.len()] == [read; 2] && before.modified().ok() == after.modified().ok())
}

/// Opens a regular file for reading. It does not wait for a pipe that was put in its place meanwhile.
#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<(std::fs::File, std::fs::Metadata)> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).unwrap_or(0);
    let file = std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    Ok((file, metadata))
}

#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<(std::fs::File, std::fs::Metadata)> {
    let file = std::fs::File::open(path)?;
    let metadata = file.metadata()?;
    Ok((file, metadata))
}

#[cfg(unix)]
pub(crate) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// Returns whether an error means that the file does not exist. A file in place of a folder is a fault instead.
pub fn is_missing(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
}

impl ProjectWorld {
    /// Returns whether the project is the top folder of a repository.
    fn is_repository(&self) -> bool {
        Top::at(&self.home).is_some()
    }

    fn find_head(&self) -> Answer<Head> {
        if !self.is_repository() {
            return Answer::None;
        }
        match worktree::head(&self.home, self.env.as_ref()) {
            Ok(Some(head)) => Answer::Is(head),
            Ok(None) => Answer::None,
            Err(error) => Answer::Fault(WorldError::Tree(in_full(&error))),
        }
    }
}

/// The system's reason for not reading a file or folder.
fn unreadable(why: impl ToString) -> WorldError {
    WorldError::Unreadable(why.to_string())
}

/// Turns a failure into a fault.
fn or_fault<T>(result: Result<T, worktree::TreeError>) -> Answer<T> {
    result.map_or_else(|error| Answer::Fault(WorldError::Tree(in_full(&error))), Answer::Is)
}

/// What a reader of documents answers.
fn read(said: Result<Option<serde_json::Value>, reader::ReaderError>) -> Answer<serde_json::Value> {
    let fault = |why: reader::ReaderError| Answer::Fault(WorldError::Document(why.to_string()));
    said.map_or_else(fault, |said| said.map_or(Answer::None, Answer::Is))
}

impl World for ProjectWorld {
    fn read(&self, path: &str) -> Answer<Vec<u8>> {
        let real = self.place(path).and_then(|place| self.without_links(&place));
        match real.and_then(|path| read_file(&path, FILE_BYTES_MAX).map_err(unreadable)) {
            Ok(Some(bytes)) => Answer::Is(bytes),
            Ok(None) => Answer::None,
            Err(why) => Answer::Fault(why),
        }
    }

    fn state(&self, path: &str) -> Answer<Vec<u8>> {
        let is_sealed = self.whole.as_ref().is_some_and(|workflow| workflow.run.is_sealed);
        if is_sealed { seal::answer(self.books(), &self.workflow) } else { self.read(path) }
    }

    fn read_as(&self, reader: &str, path: &str, args: &[serde_json::Value]) -> Answer<serde_json::Value> {
        let bytes = match self.read(path) {
            Answer::Is(bytes) => bytes,
            Answer::None => return Answer::None,
            Answer::Fault(why) => return Answer::Fault(why),
        };
        let text = String::from_utf8_lossy(&bytes);
        read(reader::read_as(reader, text.trim_start_matches('\u{feff}'), args))
    }

    fn tests(&self, output: &str, exit: Option<i64>) -> Answer<serde_json::Value> {
        read(reader::tests(&secret::replaced(output), exit))
    }

    fn exists(&self, path: &str) -> Answer<()> {
        match self.resolve(path).map(|path| path.metadata()) {
            Ok(Ok(_)) => Answer::Is(()),
            Ok(Err(error)) if is_missing(&error) => Answer::None,
            Ok(Err(error)) => Answer::Fault(unreadable(error)),
            Err(why) => Answer::Fault(why),
        }
    }

    fn is_folder(&self, dir: &str) -> bool {
        Path::new(dir).is_dir()
    }

    fn folder(&self) -> String {
        let below = self.folder.strip_prefix(&self.home).unwrap_or(&self.folder);
        tidy(&below.to_string_lossy())
    }

    fn run_id(&self) -> Option<String> {
        self.id.as_ref().map(|run| run.id.clone())
    }

    fn state_file(&self) -> Option<String> {
        self.id.as_ref().map(|run| run.file.clone())
    }

    fn level(&self) -> Option<Level> {
        level::of_this_process(self.books(), self.env.as_ref())
    }

    fn now_millis(&self) -> i64 {
        self.env.now_millis()
    }

    fn is_new(&self, path: &str) -> Answer<()> {
        match self.exists(path) {
            Answer::Is(()) if self.resolve(path).is_ok_and(|path| report::is_old(self.books(), &path)) => {
                Answer::None
            }
            answer => answer,
        }
    }

    fn kept(&self, path: &str) -> Answer<Option<Vec<u8>>> {
        let Some(run) = &self.id else { return Answer::None };
        let kept = Kept::new(&self.home, &run.workflow, &run.id);
        match kept.read(&tidy(path)) {
            Ok(_) if !kept.exists() => Answer::None,
            Ok(file) => Answer::Is(file),
            Err(why) => Answer::Fault(unreadable(why)),
        }
    }

    fn is_same_place(&self, one: &str, other: &str) -> bool {
        let real = |path: &str| Path::new(path).canonicalize().ok();
        tidy(one) == tidy(other) || real(one).is_some_and(|one| Some(one) == real(other))
    }

    #[cfg(unix)]
    fn real(&self, path: &str) -> Option<String> {
        let real = links::real_place(Path::new(path))?;
        (real != Path::new(path)).then(|| real.to_str().map(str::to_owned)).flatten()
    }

    fn is_writable(&self, folder: &str) -> Answer<()> {
        let Ok(folder) = self.resolve(folder) else { return Answer::None };
        let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(&self.home);
        if can_make_file_in(there) { Answer::Is(()) } else { Answer::None }
    }

    fn program(&self, name: &str) -> Answer<String> {
        let found = crate::program::on_path(name, self.env.as_ref());
        found.map_or(Answer::None, |path| Answer::Is(path.to_string_lossy().into_owned()))
    }

    fn version(&self, program: &str) -> Answer<String> {
        if !self.is_built_in() {
            return Answer::None;
        }
        let said = crate::reviewer::first_line(&[program, "--version"], &self.home);
        said.map_or(Answer::None, Answer::Is)
    }

    fn list(&self, path: &str) -> Answer<Vec<String>> {
        match self.resolve(path).and_then(|folder| tree::names(&folder).map_err(unreadable)) {
            Ok(names) => Answer::Is(names),
            Err(why) => Answer::Fault(why),
        }
    }

    fn settle(&self, path: &str) -> bool {
        let modified = self.resolve(path).ok().and_then(|path| path.metadata().ok()?.modified().ok());
        let fresh = modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age < WRITING);
        let again = fresh && self.settles.fetch_add(1, Ordering::Relaxed) < SETTLES_MAX;
        if again {
            std::thread::sleep(SETTLE);
        }
        again
    }

    fn tree(&self, aside: &[String]) -> Answer<String> {
        if !self.is_repository() {
            return Answer::None;
        }
        self.tree.get_or_init(|| or_fault(worktree::hash(&self.home, aside, self.env.as_ref()))).clone()
    }

    fn changed_since(&self, tree: &str, aside: &[String]) -> Answer<Vec<String>> {
        let now = match self.tree(aside) {
            Answer::Is(now) => now,
            Answer::None => return Answer::None,
            Answer::Fault(why) => return Answer::Fault(why),
        };
        let differing = || or_fault(worktree::changed(&self.home, tree, &now, self.env.as_ref()));
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        changed.entry(tree.to_owned()).or_insert_with(differing).clone()
    }

    fn head(&self) -> Answer<Head> {
        self.head.get_or_init(|| self.find_head()).clone()
    }

    fn tree_without(&self, tree: &str, aside: &[String]) -> Answer<String> {
        or_fault(worktree::tree_without(&self.home, tree, aside, self.env.as_ref()))
    }

    fn evidence(&self) -> Arc<Vec<serde_json::Value>> {
        let read = || {
            let all = evidence::read(self.books(), &self.workflow);
            Arc::new(all.iter().filter_map(|piece| serde_json::to_value(piece).ok()).collect())
        };
        Arc::clone(self.evidence.get_or_init(read))
    }

    fn random_u64(&self) -> u64 {
        self.env.random_u64()
    }

    fn digest(&self, paths: &[String]) -> Answer<String> {
        let contents = paths.iter().map(|path| match self.read(path) {
            Answer::Is(bytes) => layout::content_digest(&bytes),
            Answer::None => "none".to_owned(),
            Answer::Fault(why) => why.to_string(),
        });
        let named = paths.iter().zip(contents).map(|(path, content)| format!("{path}\n{content}\n"));
        Answer::Is(layout::content_digest(named.collect::<String>().as_bytes()))
    }

    fn env(&self, name: &str) -> Option<String> {
        self.env.var(name).filter(|_| VARIABLES.contains(&name))
    }

    fn git(&self, dir: &str, question: &GitQuestion) -> Answer<String> {
        crate::git::ask(dir, question)
    }
}

#[cfg(all(test, unix))]
#[path = "world_tests.rs"]
mod world_tests;
