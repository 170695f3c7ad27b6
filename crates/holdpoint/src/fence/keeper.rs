//! The keeper: it stays outside of the fence, starts the client inside, and has every call from inside answered by a process
//! of its own, outside. It ends with the client.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use super::bubblewrap::{self, Bubblewrap};
use super::call::{self, Answered, Call, Wanted};
use super::client::{self, Client, Signals, Start};
use super::hands_over::{HandsOver, told_apart};
use super::places::Places;
use super::relayed::Relayed;
use super::{FenceError, filter, inside};
use crate::caller::{self, Lineage, Process};
use crate::env::Env;
use crate::env_vars::KEEPER;
use crate::store::state_folder::StateFolder;

/// The folder of the keepers' sockets.
const FOLDER: &str = "keepers";
/// How many calls are answered at once.
const CALLS_MAX: usize = 64;
/// How long a caller may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a process may take to end when it is told to.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// The socket of a keeper.
pub(super) fn socket(folder: &StateFolder, keeper: &Process) -> PathBuf {
    folder.root().join(FOLDER).join(keeper.to_string())
}

/// A fence that can be started.
pub struct Fence {
    bubblewrap: Bubblewrap,
    mounts: Vec<OsString>,
    /// The keeper, whose name its files have.
    own: Process,
    socket: PathBuf,
    root: PathBuf,
    cwd: PathBuf,
}

impl Fence {
    /// Prepares a fence for a client that is started in a folder. Fails if there can be none here.
    pub fn prepare(env: &dyn Env, cwd: &Path) -> Result<Fence, FenceError> {
        let bubblewrap = Bubblewrap::find(env)?;
        let state = StateFolder::of(env)?;
        let made = state.folder(FOLDER);
        let place = state.root().join(FOLDER);
        made.map_err(|error| FenceError::Place { place, why: error.into() })?;
        clear_away(&state);
        let mounts = bubblewrap::mounts(&Places::of(env, &state, cwd)?);
        bubblewrap.attempt(&mounts)?;
        // The keeper waits for processes by handles, which old systems do not have.
        pidfd_open(rustix::process::getpid(), PidfdFlags::empty()).map_err(|_| FenceError::System)?;
        let own = Process::of(std::process::id()).ok_or(FenceError::System)?;
        let root = state.root().to_path_buf();
        Ok(Fence { bubblewrap, mounts, own, socket: socket(&state, &own), root, cwd: cwd.to_path_buf() })
    }

    /// Runs a client in it, and returns the client's exit code.
    pub fn run(&self, words: &[OsString]) -> Result<u8, FenceError> {
        let listener = self.listen().map_err(|why| FenceError::Listen { place: self.socket.clone(), why })?;
        let ended = self.run_with(listener, words);
        let _ = std::fs::remove_file(&self.socket);
        let why = "it ended before the agent was started".to_owned();
        ended.map_err(FenceError::Start)?.ok_or(FenceError::Refused { why })
    }

    fn listen(&self) -> io::Result<UnixListener> {
        let (folder, name) = call::split(&self.socket)?;
        UnixListener::bind(call::short(&folder, &name))
    }

    /// Runs a client. None if the fence has ended without one; what happens to a client that was there is its own affair.
    fn run_with(&self, listener: UnixListener, words: &[OsString]) -> io::Result<Option<u8>> {
        let filter = filter::needed().map(|bytes| self.keep_filter(&bytes)).transpose()?;
        let signals = Signals::take()?;
        let start = Start { fence: self.arguments(filter.is_some()), filter: filter.as_deref(), words };
        // By this thread, which lasts as long as the keeper: the fence ends with it.
        let identity = identity(&self.root)?;
        let child = start.start(&signals)?;
        let keeper = Arc::new(Keeper::new(child.id(), &self.root, identity));
        let listening = Arc::clone(&keeper);
        std::thread::spawn(move || listening.listen(&listener, filter.as_deref()));
        let ended = client::wait(child, &signals, || keeper.inside().client.clone());
        keeper.end();
        Ok(keeper.inside().first.map(|_| ended))
    }

    /// Bubblewrap with all its arguments, up to the program.
    fn arguments(&self, has_filter: bool) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec![self.bubblewrap.program.clone().into()];
        arguments.extend(["--dev-bind", "/", "/"].map(OsString::from));
        arguments.extend(self.mounts.iter().cloned());
        arguments.extend(bubblewrap::fixed());
        if has_filter {
            arguments.extend(["--seccomp", "9"].map(OsString::from));
        }
        arguments.extend(["--setenv".into(), KEEPER.into(), self.socket.clone().into()]);
        arguments.extend(["--chdir".into(), self.cwd.clone().into()]);
        arguments
    }

    /// Keeps the filter in a file until bubblewrap has read it.
    fn keep_filter(&self, bytes: &[u8]) -> io::Result<PathBuf> {
        let file = file_of(&self.own, self.socket.parent().unwrap_or(&self.root))?;
        io::Write::write_all(&mut file.as_file(), bytes)?;
        Ok(file.into_temp_path().keep()?)
    }
}

/// Makes a file of a keeper's own. It begins with the keeper's name, or another keeper would clear it away.
fn file_of(keeper: &Process, folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().prefix(&format!("{keeper}.")).tempfile_in(folder)
}

/// Removes what keepers have left that were killed.
fn clear_away(state: &StateFolder) {
    for name in state.names(FOLDER) {
        let keeper = name.split('.').next().unwrap_or_default().parse::<Process>();
        if !keeper.is_ok_and(|keeper| keeper.is_alive()) {
            let _ = std::fs::remove_file(state.root().join(FOLDER).join(name));
        }
    }
}

/// Who is in the fence.
#[derive(Default)]
struct Inside {
    /// The client as it was started.
    client: Option<Arc<Client>>,
    /// The first process in the fence: all others are below it.
    first: Option<Process>,
    /// Who hands events over.
    hands_over: HandsOver,
}

/// What a keeper knows.
struct Keeper {
    /// Bubblewrap, outside.
    fence: u32,
    root: PathBuf,
    /// The state folder's device and inode.
    identity: (u64, u64),
    inside: Mutex<Inside>,
    calls: AtomicUsize,
    performing: Mutex<BTreeSet<u32>>,
    is_idle: Condvar,
}

/// A call, counted as long as this is there: in the thread that answers it, or not at all if none can be started.
struct Counted {
    keeper: Arc<Keeper>,
    is_too_much: bool,
}

impl Counted {
    fn begin(keeper: Arc<Keeper>) -> Counted {
        let is_too_much = keeper.calls.fetch_add(1, Ordering::Relaxed) >= CALLS_MAX;
        Counted { keeper, is_too_much }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.keeper.calls.fetch_sub(1, Ordering::Relaxed);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn identity(root: &Path) -> io::Result<(u64, u64)> {
    root.symlink_metadata().map(|found| (found.dev(), found.ino()))
}

impl Keeper {
    fn new(fence: u32, root: &Path, identity: (u64, u64)) -> Keeper {
        Keeper {
            fence,
            root: root.to_path_buf(),
            identity,
            inside: Mutex::default(),
            calls: AtomicUsize::new(0),
            performing: Mutex::default(),
            is_idle: Condvar::new(),
        }
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        locked(&self.inside)
    }

    /// Answers calls, each in a thread.
    fn listen(self: &Arc<Keeper>, listener: &UnixListener, mut filter: Option<&Path>) {
        for stream in listener.incoming().flatten() {
            // Whoever calls was started by bubblewrap, which has read it.
            let _ = filter.take().map(std::fs::remove_file);
            let counted = Counted::begin(Arc::clone(self));
            let serve = move || {
                let mut stream = stream;
                let answered = if counted.is_too_much {
                    Answered::Refused(format!("it answers {CALLS_MAX} calls already"))
                } else {
                    let answered = counted.keeper.serve(&mut stream);
                    answered.unwrap_or_else(|error| Answered::Refused(error.to_string()))
                };
                call::answer(&mut stream, &answered);
            };
            // One that cannot be started drops the call, and its caller says so.
            let _ = std::thread::Builder::new().spawn(serve);
        }
    }

    fn serve(&self, stream: &mut UnixStream) -> io::Result<Answered> {
        let peer = socket_peercred(stream.as_fd())?;
        let peer_pid = u32::try_from(peer.pid.as_raw_nonzero().get()).map_err(io::Error::other)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let (call, streams) = call::receive(stream)?;
        let above = caller::above(peer_pid);
        if call.kind == Wanted::Ready {
            return Ok(self.begin(peer_pid, &above));
        }
        let is_inside = self.inside().first.is_some_and(|first| above.contains(&first));
        if !is_inside || peer.uid != rustix::process::geteuid() {
            return Ok(Answered::Refused("this is not its fence".to_owned()));
        }
        if identity(&self.root).ok() != Some(self.identity) {
            let what =
                format!("the state folder {} was replaced since the fence was made", self.root.display());
            return Ok(Answered::Refused(what));
        }
        let relayed = match call.kind {
            Wanted::Hook => self.caller(above, &streams[0]),
            _ if inside::is_answered_outside(&call.args) => Relayed::Shell,
            _ => return Ok(Answered::Refused("this command is not one that it answers".to_owned())),
        };
        self.perform(stream, &call, relayed, streams)
    }

    /// Takes note of the client, which is about to be what the caller is now.
    fn begin(&self, pid: u32, above: &[Process]) -> Answered {
        let mut inside = self.inside();
        let is_ours = above.iter().any(|process| process.pid == self.fence);
        match (Client::of(pid), above.first()) {
            (Some(client), Some(first)) if is_ours && inside.first.is_none() => {
                inside.client = Some(Arc::new(client));
                inside.first = Some(*first);
                Answered::Exit(0)
            }
            _ => Answered::Refused("its fence has a client already".to_owned()),
        }
    }

    /// Tells who calls a hook: the same rule as without a fence, but that nothing in the fence is the user's.
    fn caller(&self, above: Vec<Process>, stdin: &OwnedFd) -> Relayed {
        let maker = socket_peercred(stdin.as_fd()).ok();
        let maker = maker.and_then(|maker| u32::try_from(maker.pid.as_raw_nonzero().get()).ok());
        let client = Lineage { above, maker }.client();
        let mut inside = self.inside();
        let known = std::mem::take(&mut inside.hands_over);
        let (relayed, hands_over) = told_apart(known, client, Process::of, caller::above);
        inside.hands_over = hands_over;
        relayed
    }

    /// Starts a process for a call, and waits until it ends, or the caller has gone.
    fn perform(
        &self,
        stream: &UnixStream,
        call: &Call,
        relayed: Relayed,
        streams: [OwnedFd; 3],
    ) -> io::Result<Answered> {
        let mut child = {
            let mut performing = locked(&self.performing);
            let child = command(call, relayed, streams).spawn()?;
            performing.insert(child.id());
            child
        };
        let ended = wait(&mut child, stream);
        locked(&self.performing).remove(&child.id());
        self.is_idle.notify_all();
        let status = ended?;
        Ok(match status.code().and_then(|code| u8::try_from(code).ok()) {
            Some(code) => Answered::Exit(code),
            None => {
                Answered::Refused(format!("its process ended by signal {}", status.signal().unwrap_or(0)))
            }
        })
    }

    /// Ends what is still being performed: the client that asked for it has gone.
    fn end(&self) {
        let performing = locked(&self.performing);
        performing.iter().for_each(|pid| tell(*pid, Signal::TERM));
        let waited =
            self.is_idle.wait_timeout_while(performing, LAST_WORDS, |performing| !performing.is_empty());
        let (performing, _) = waited.unwrap_or_else(PoisonError::into_inner);
        performing.iter().for_each(|pid| tell(*pid, Signal::KILL));
    }
}

/// The process that answers a call: this program again, outside, with the keeper's surroundings and the caller's streams.
fn command(call: &Call, relayed: Relayed, streams: [OwnedFd; 3]) -> Command {
    let [stdin, stdout, stderr] = streams;
    let mut command = Command::new("/proc/self/exe");
    command.arg0("holdpoint").args(["relayed", relayed.word()]);
    command.args((call.kind == Wanted::Hook).then_some("hook")).args(&call.args);
    // They say whose shell it is, and no more.
    let passed: Vec<&str> = call::passed().collect();
    for name in &passed {
        command.env_remove(name);
    }
    let given = call.variables.iter().filter(|(name, _)| passed.contains(&name.as_str()) && name != KEEPER);
    command.envs(given.map(|(name, value)| (name, value)));
    command.current_dir(&call.cwd).stdin(stdin).stdout(stdout).stderr(stderr).process_group(0);
    command
}

/// Waits for a process, and ends it if its caller has gone.
fn wait(child: &mut Child, stream: &UnixStream) -> io::Result<std::process::ExitStatus> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidInput)?;
    let handle = pidfd_open(pid, PidfdFlags::empty())?;
    let mut watched = [PollFd::new(&handle, PollFlags::IN), PollFd::new(stream, PollFlags::RDHUP)];
    let has_ended = loop {
        match poll(&mut watched, None) {
            Err(rustix::io::Errno::INTR) => {}
            _ => break !watched[0].revents().is_empty(),
        }
    };
    if !has_ended {
        tell(child.id(), Signal::TERM);
        let patience = Timespec::try_from(LAST_WORDS).ok();
        if poll(&mut [PollFd::new(&handle, PollFlags::IN)], patience.as_ref()) == Ok(0) {
            tell(child.id(), Signal::KILL);
        }
    }
    child.wait()
}

/// Sends a signal to a process that was started for a call, and to its group.
fn tell(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(pid, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::FixedEnv;
    use crate::env_vars::HOME;

    #[test]
    fn what_a_living_keeper_has_is_not_cleared_away() {
        let home = tempfile::tempdir().unwrap();
        let variables = [(HOME.to_owned(), home.path().display().to_string())].into();
        let state = StateFolder::of(&FixedEnv { variables, now: None }).unwrap();
        let own = Process::of(std::process::id()).unwrap();
        let gone = Process { start: own.start + 1, ..own };
        let (_, folder) = state.folder(FOLDER).unwrap();
        let filter = |keeper| file_of(&keeper, &folder).unwrap().into_temp_path().keep().unwrap();
        let kept = [socket(&state, &own), filter(own)];
        let cleared = [socket(&state, &gone), filter(gone), folder.join(".tmpAbc")];
        for path in kept.iter().chain(&cleared) {
            std::fs::File::create(path).unwrap();
        }
        clear_away(&state);
        assert!(kept.iter().all(|path| path.exists()));
        assert!(!cleared.iter().any(|path| path.exists()));
    }

    #[test]
    fn a_call_counts_only_as_long_as_somebody_answers_it() {
        let keeper = Arc::new(Keeper::new(1, Path::new("/"), (0, 0)));
        let all: Vec<Counted> = (0..=CALLS_MAX).map(|_| Counted::begin(Arc::clone(&keeper))).collect();
        assert!(!all[CALLS_MAX - 1].is_too_much && all[CALLS_MAX].is_too_much);
        // A thread that cannot be started drops what it would have done.
        drop(all);
        assert!(!Counted::begin(keeper).is_too_much);
    }
}
