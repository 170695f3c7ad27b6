//! The client in the fence: started with the user's terminal, waited for, and given the signals that only the keeper gets.
//!
//! Keeper and client are one process group, so that the terminal's own signals (Ctrl-C, a new size, Ctrl-Z) reach the client
//! as they would without a fence. The keeper outlives them, and stops when the client does.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use crate::caller::process::Standing;

/// How often the keeper looks whether the client has stopped itself: nothing tells of a grandchild's stop.
const LOOK: Duration = Duration::from_millis(250);
/// The signals that bubblewrap must not end by: the client decides.
const PASSED: [Signal; 6] =
    [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM, Signal::USR1, Signal::USR2];
/// Those of them that a terminal sends to all its foreground processes.
const TERMINALS: [Signal; 2] = [Signal::INT, Signal::QUIT];
/// Has bubblewrap ignore them, and gives it the filter as its descriptor 9.
const SCRIPT: &str = "trap '' HUP INT QUIT TERM USR1 USR2; exec \"$@\" 9<\"$0\"";

/// The signals, waiting to be passed on.
pub(super) struct Signals {
    told: Vec<(Signal, Arc<AtomicBool>)>,
    wake: UnixStream,
}

impl Signals {
    /// Takes the signals from now on.
    pub(super) fn take() -> io::Result<Signals> {
        let (wake, waker) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let mut told = Vec::new();
        let ignored = ignored();
        for signal in PASSED.into_iter().filter(|signal| !is_in(ignored, *signal)) {
            let flag = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(signal.as_raw(), Arc::clone(&flag))?;
            signal_hook::low_level::pipe::register(signal.as_raw(), waker.try_clone()?)?;
            told.push((signal, flag));
        }
        Ok(Signals { told, wake })
    }

    /// The signals that the client must be able to take again, as an argument.
    fn argument(&self) -> String {
        let numbers = self.told.iter().map(|(signal, _)| signal.as_raw().to_string());
        numbers.collect::<Vec<_>>().join(",")
    }

    fn due(&self) -> impl Iterator<Item = Signal> {
        let _ = (&self.wake).read(&mut [0; 64]);
        self.told.iter().filter(|(_, flag)| flag.swap(false, Ordering::Relaxed)).map(|(signal, _)| *signal)
    }
}

/// The signals that were ignored before: they stay so.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn is_in(mask: u64, signal: Signal) -> bool {
    let bit = u32::try_from(signal.as_raw() - 1).ok().and_then(|bit| 1_u64.checked_shl(bit));
    bit.is_some_and(|bit| mask & bit != 0)
}

/// What a client is started with.
pub(super) struct Start<'a> {
    /// Bubblewrap with its arguments, up to the program.
    pub(super) fence: Vec<OsString>,
    /// The filter's file, if there is one.
    pub(super) filter: Option<&'a Path>,
    /// The client and its arguments.
    pub(super) words: &'a [OsString],
}

impl Start<'_> {
    /// Starts it. It ends with the thread that does.
    pub(super) fn start(&self, signals: &Signals) -> io::Result<Child> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT]).arg(self.filter.unwrap_or(Path::new("/dev/null"))).args(&self.fence);
        command
            .arg("--")
            .arg(std::env::current_exe()?)
            .arg("fenced")
            .arg(signals.argument())
            .args(self.words);
        command.spawn()
    }
}

/// The client, once it has said that it is there.
pub(super) struct Client {
    handle: OwnedFd,
    pid: u32,
}

impl Client {
    /// The client with this number.
    pub(super) fn of(pid: u32) -> Option<Client> {
        let raw = i32::try_from(pid).ok().and_then(Pid::from_raw)?;
        Some(Client { handle: pidfd_open(raw, PidfdFlags::empty()).ok()?, pid })
    }

    fn send(&self, signal: Signal) {
        let _ = pidfd_send_signal(&self.handle, signal);
    }

    /// Returns whether it has stopped, and no debugger had it stop.
    fn has_stopped(&self) -> bool {
        Standing::of(self.pid).is_some_and(|standing| standing.has_stopped)
    }
}

/// Waits until the fence has ended, and passes signals on meanwhile. `client` says who is in it, once that is known.
pub(super) fn wait(mut child: Child, signals: &Signals, client: impl Fn() -> Option<Arc<Client>>) -> u8 {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let Some(handle) = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else {
        return child.wait().map_or(u8::MAX, code);
    };
    let terminal = File::open("/dev/tty").ok();
    let look = terminal.as_ref().and_then(|_| Timespec::try_from(LOOK).ok());
    loop {
        let mut watched = [PollFd::new(&handle, PollFlags::IN), PollFd::new(&signals.wake, PollFlags::IN)];
        let _ = poll(&mut watched, look.as_ref());
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => return code(status),
            Err(_) => return u8::MAX,
        }
        let client = client();
        for signal in signals.due() {
            let has_it = TERMINALS.contains(&signal) && is_in_front(terminal.as_ref());
            match &client {
                Some(client) if !has_it => client.send(signal),
                Some(_) => {}
                // There is nobody to decide yet.
                None => drop(child.kill()),
            }
        }
        if let Some(client) = client.filter(|client| terminal.is_some() && client.has_stopped()) {
            stop();
            client.send(Signal::CONT);
        }
    }
}

/// Stops the keeper, so that its shell takes the terminal back. Returns when it goes on.
fn stop() {
    let _ = kill_process(rustix::process::getpid(), Signal::STOP);
}

/// Returns whether the terminal sends its signals to the keeper's group, and so to the client.
fn is_in_front(terminal: Option<&File>) -> bool {
    let front = terminal.and_then(|terminal| rustix::termios::tcgetpgrp(terminal).ok());
    front.is_some_and(|front| front == rustix::process::getpgrp())
}

/// The exit code, as a shell would say it.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}
