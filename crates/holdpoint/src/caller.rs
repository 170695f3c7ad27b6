//! Who called a hook. An agent's client hands the event over by a socket that the client itself has made; a shell below the
//! client, whatever it writes, cannot. So clients are noted by their process, and a call from below a noted client counts
//! only if it is that client's own.
//!
//! Where no noted client is above, the call is the user's: a script, a test, another terminal. Codex hands events over by a
//! pipe, so it is never noted.

use crate::env::Env;
use crate::fence::relayed::Relayed;
use crate::store::state_folder::StateFolder;

/// A process: its number comes back, but not with the same start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it started, as the system counts.
    pub start: u64,
}

/// The processes above this one, the parent first, and the one that made the socket on its standard input.
#[derive(Clone, Debug, Default)]
pub struct Lineage {
    /// The processes above.
    pub above: Vec<Process>,
    /// The number of the process that made the socket; none if standard input is something else.
    pub maker: Option<u32>,
}

/// How far above the client may be: it calls the hook itself, or through one shell.
const REACH: usize = 2;

impl Lineage {
    /// Returns the client that made this call, if it is one of those right above.
    pub(crate) fn client(&self) -> Option<Process> {
        self.above.iter().take(REACH).find(|process| Some(process.pid) == self.maker).copied()
    }

    /// Returns whether the call came from below a noted client, and not from that client.
    fn is_forged(&self, is_noted: impl Fn(&Process) -> bool) -> bool {
        let client = self.client();
        self.above.iter().any(|process| Some(*process) != client && is_noted(process))
    }
}

/// Notes the client that made this call, unless it is below another one. The keeper of a fence knows its own.
pub fn note(env: &dyn Env) {
    if env.relayed().is_some() {
        return;
    }
    let lineage = env.lineage();
    let Some((client, folder)) = lineage.client().zip(StateFolder::of(env).ok()) else { return };
    if !folder.has(&file(&client)) && !lineage.is_forged(|process| folder.has(&file(process))) {
        // One that cannot be noted is not told from others: that is how it was.
        let _ = folder.mark(&file(&client));
        folder.clear_old(FOLDER);
    }
}

/// Returns whether a call of the hook was made by something else than the client above.
pub fn is_forged(env: &dyn Env) -> bool {
    if let Some(relayed) = env.relayed() {
        return relayed == Relayed::Forged;
    }
    // Where no client was ever noted, nobody need be looked at.
    let folder = StateFolder::of(env).ok().filter(|folder| folder.has_folder(FOLDER));
    folder.is_some_and(|folder| env.lineage().is_forged(|process| folder.has(&file(process))))
}

/// Returns whether this process was started below an agent's client, or by a program that Holdpoint started for its work:
/// neither is the user.
pub fn is_below_client(env: &dyn Env) -> bool {
    let is_there = |folder: &StateFolder| folder.has_folder(FOLDER) || folder.has_folder(PERFORMERS);
    let Some(folder) = StateFolder::of(env).ok().filter(is_there) else { return false };
    let is_noted = |process: &Process| folder.has(&file(process)) || folder.has(&performer(process));
    env.lineage().above.iter().any(is_noted)
}

/// This process, noted as one that performs until it is dropped: what it starts is not the user, and need not be told so.
#[derive(Debug)]
pub struct Performer {
    folder: StateFolder,
    file: String,
}

impl Performer {
    /// Notes this process. None where it cannot be noted, or is noted already.
    pub fn note(env: &dyn Env) -> Option<Performer> {
        let (folder, file) = (StateFolder::of(env).ok()?, performer(&this_process()?));
        folder.clear_old(PERFORMERS);
        folder.mark(&file).is_ok_and(|is_new| is_new).then(|| Performer { folder, file })
    }
}

impl Drop for Performer {
    fn drop(&mut self) {
        let _ = self.folder.remove(&self.file);
    }
}

const PERFORMERS: &str = "performers";

fn performer(process: &Process) -> String {
    format!("{PERFORMERS}/{}-{}", process.pid, process.start)
}

#[cfg(target_os = "linux")]
fn this_process() -> Option<Process> {
    let pid = std::process::id();
    process(pid)
}

/// The process that has this number now.
#[cfg(target_os = "linux")]
pub(crate) fn process(pid: u32) -> Option<Process> {
    parent_and_start(pid).map(|(_, start)| Process { pid, start })
}

#[cfg(not(target_os = "linux"))]
fn this_process() -> Option<Process> {
    None
}

const FOLDER: &str = "clients";

fn file(process: &Process) -> String {
    format!("{FOLDER}/{}-{}", process.pid, process.start)
}

/// The lineage of this process. Empty where the system does not tell.
#[cfg(target_os = "linux")]
pub fn lineage() -> Lineage {
    let above = chain(std::os::unix::process::parent_id());
    let maker = rustix::net::sockopt::socket_peercred(rustix::stdio::stdin()).ok();
    let maker = maker.and_then(|maker| u32::try_from(maker.pid.as_raw_nonzero().get()).ok());
    Lineage { above, maker }
}

/// The processes above the one with this number, its parent first.
#[cfg(target_os = "linux")]
pub(crate) fn above(pid: u32) -> Vec<Process> {
    parent_and_start(pid).map(|(parent, _)| chain(parent)).unwrap_or_default()
}

/// A process and those above it.
#[cfg(target_os = "linux")]
fn chain(mut pid: u32) -> Vec<Process> {
    let mut above = Vec::new();
    // No chain of processes is longer, unless one of them ends meanwhile and its number comes back.
    while pid > 0 && above.len() < ABOVE_MAX {
        let Some((parent, start)) = parent_and_start(pid) else { break };
        above.push(Process { pid, start });
        pid = parent;
    }
    above
}

#[cfg(target_os = "linux")]
const ABOVE_MAX: usize = 1_000;

#[cfg(target_os = "linux")]
fn parent_and_start(pid: u32) -> Option<(u32, u64)> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The program's name comes second, and may have anything in it.
    let mut fields = line.rsplit_once(')')?.1.split_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    let start = fields.nth(17)?.parse().ok()?;
    Some((parent, start))
}

/// The lineage of this process. Empty where the system does not tell.
#[cfg(not(target_os = "linux"))]
pub fn lineage() -> Lineage {
    Lineage::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32) -> Process {
        Process { pid, start: 7 }
    }

    #[test]
    fn a_call_below_a_client_counts_only_if_it_is_the_clients_own() {
        // Above this process: 4, then 3, 2 and 1. The client is 2.
        let forged = |above: &[u32], maker: Option<u32>, noted: &[u32]| {
            let lineage = Lineage { above: above.iter().map(|pid| process(*pid)).collect(), maker };
            lineage.is_forged(|process| noted.contains(&process.pid))
        };
        assert!(!forged(&[2, 1], Some(2), &[2]), "the client");
        assert!(!forged(&[3, 2, 1], Some(2), &[2]), "the client through a shell");
        assert!(forged(&[3, 2, 1], None, &[2]), "a shell's pipe");
        assert!(forged(&[2, 1], None, &[2]), "a shell that became this process");
        assert!(forged(&[3, 2, 1], Some(3), &[2]), "a program's own socket");
        assert!(forged(&[4, 3, 2, 1], Some(2), &[2]), "a socket of the client's that came further down");
        assert!(forged(&[3, 2, 1], Some(3), &[2, 3]), "a client below a client");
        assert!(!forged(&[2, 1], None, &[]), "nobody's shell");
        assert!(!forged(&[3, 1], None, &[2]), "somebody else's shell");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_processes_above_are_told_to_the_first() {
        let lineage = lineage();
        assert_eq!(
            lineage.above.first().map(|process| process.pid),
            Some(std::os::unix::process::parent_id())
        );
        assert!(lineage.above.iter().all(|process| process.pid > 0));
    }
}
