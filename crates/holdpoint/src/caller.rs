//! Who called a hook, and whose a shell is. An agent's client hands the event over by a socket that the client itself has
//! made; a shell below the client, whatever it writes, cannot. So clients are noted by their process, and a call from below
//! a noted client counts only if it is that client's own. Codex hands events over by a pipe: there its own record of the
//! session has to have the call.
//!
//! Where no noted client is above, and none works there, the call is the user's: a script, a test, another terminal.

pub mod client;
pub mod presence;
pub mod process;
mod rollout;
mod sign;
mod tail;
pub mod transcript;
pub mod version;
mod whence;

use std::path::{Path, PathBuf};

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::tool::Tool;

use crate::agent::{Agent, Asked};
use crate::env::Env;
use crate::env_vars::{AGENTS, SESSIONS};
use crate::fence::relayed::Relayed;
use crate::store::state_folder::StateFolder;
use client::{Client, FOLDER, Sighting, file};
pub use process::Process;
use process::{Marks, Standing, StartedWith};
use rollout::Rollout;
pub use sign::Sign;
pub use whence::Whence;

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

/// The programs that are agents' clients.
const PROGRAMS: [&str; 5] = ["claude", "codex", "gemini", "cursor-agent", "copilot"];
/// The programs that run others which are text.
const INTERPRETERS: [&str; 3] = ["node", "bun", "deno"];

impl Lineage {
    /// Returns the client that made this call, if it is one of those right above.
    pub(crate) fn client(&self) -> Option<Process> {
        self.above.iter().take(REACH).find(|process| Some(process.pid) == self.maker).copied()
    }
}

/// Who made a call of the hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A noted client.
    Client,
    /// Nobody's client is above, and none works here.
    User,
    /// Somebody whom nothing tells from the agent, for this reason: what comes of it says so.
    Unproved(&'static str),
    /// Not the client that it pretends to be: where it came from.
    Forged(Whence),
}

impl From<Relayed> for Caller {
    /// The keeper of a fence has told who it is.
    fn from(relayed: Relayed) -> Caller {
        match relayed {
            Relayed::Client => Caller::Client,
            Relayed::Unproved => Caller::Unproved(BY_PIPE),
            Relayed::Forged | Relayed::Shell => Caller::Forged(Whence::Below),
        }
    }
}

const BY_PIPE: &str =
    "caller not proved: Codex hands events over by a pipe, and its commands run outside of a sandbox";
const UNKNOWN: &str =
    "caller not proved: an agent's client works here, and this call is not known to be its own";
const TAKEN_UP: &str =
    "caller not proved: the session that it names was begun by another client, which is still open";

/// Tells who made a call of the hook.
pub fn of(env: &dyn Env, asked: &Asked, event: &Event) -> Caller {
    if let Some(relayed) = env.relayed() {
        return relayed.into();
    }
    let lineage = env.lineage();
    // Where no client was ever noted, none need be looked for.
    let folder = StateFolder::of(env).ok().filter(|folder| folder.has_folder(FOLDER));
    let is_noted = |process: &Process| folder.as_ref().is_some_and(|folder| folder.has(&file(process)));
    let Some(at) = lineage.above.iter().position(is_noted) else {
        return outside(folder.as_ref(), &lineage, event);
    };
    let (nearest, further) = (lineage.above[at], &lineage.above[at + 1..]);
    if further.iter().any(is_noted) {
        return Caller::Forged(Whence::Below);
    }
    let is_doubted = || folder.as_ref().is_some_and(|folder| is_doubted(folder, nearest, event));
    if lineage.client() == Some(nearest) {
        return if is_doubted() { Caller::Unproved(UNKNOWN) } else { Caller::Client };
    }
    let client = folder.as_ref().and_then(|folder| Client::noted(folder, &nearest)).unwrap_or_default();
    if asked.agent == Agent::Codex
        && client.agent == Agent::Codex.name()
        && lineage.maker.is_none()
        && at < REACH
    {
        return match by_record(&client, nearest, asked, event) {
            Caller::Client if is_doubted() => Caller::Unproved(UNKNOWN),
            caller => caller,
        };
    }
    Caller::Forged(Whence::Below)
}

/// Returns whether a client came along while another worked here, which still does: whoever left that one could play it.
fn is_doubted(folder: &StateFolder, process: Process, event: &Event) -> bool {
    client::is_doubted(folder, &process)
        && client::at(folder, Path::new(&event.cwd)).any(|other| other != process)
}

/// Tells who made a call that no noted client is above.
fn outside(folder: Option<&StateFolder>, lineage: &Lineage, event: &Event) -> Caller {
    if lineage.above.iter().any(|process| is_noted_elsewhere(folder, *process)) {
        return Caller::Forged(Whence::Below);
    }
    let Some(folder) = folder else { return Caller::User };
    let session = event.session.as_deref().unwrap_or_default();
    match client::of_session(folder, session) {
        // One that is not noted any more, say by a container that shares the folder, and sees no process of ours.
        Some(process) if lineage.client() == Some(process) => Caller::Client,
        Some(process) if is_at_session(folder, process, session) => Caller::Forged(Whence::Outside(process)),
        // That client has gone on to another session: this one may be taken up elsewhere.
        Some(process) if !is_of_before(lineage, &[process]) => Caller::Unproved(TAKEN_UP),
        Some(_) => Caller::User,
        None => {
            let others: Vec<Process> = client::at(folder, Path::new(&event.cwd)).collect();
            if others.is_empty() || is_of_before(lineage, &others) {
                Caller::User
            } else {
                Caller::Unproved(UNKNOWN)
            }
        }
    }
}

/// Returns whether a client made this call that was started in a terminal which was there before the others were, and is
/// none of theirs: whoever left one of them is in that one's terminal, in a newer one or in none.
fn is_of_before(lineage: &Lineage, others: &[Process]) -> bool {
    let standing = |process: &Process| Standing::of(process.pid);
    let Some(own) = lineage.client().and_then(|client| standing(&client)) else { return false };
    let Some(leader) = own.leader().filter(|leader| own.terminal != 0 && leader.terminal == own.terminal)
    else {
        return false;
    };
    let is_apart = |other: &Process| {
        leader.start <= other.start && standing(other).is_some_and(|other| other.terminal != own.terminal)
    };
    others.iter().all(is_apart)
}

fn is_at_session(folder: &StateFolder, process: Process, session: &str) -> bool {
    Client::noted(folder, &process).is_none_or(|client| client.is_at_session(session))
}

/// Returns whether a process is noted in the state folder that it was itself started with: whoever is below it may have set
/// another.
fn is_noted_elsewhere(folder: Option<&StateFolder>, process: Process) -> bool {
    let started = StartedWith::of(process.pid);
    let is_other = |root: &PathBuf| folder.is_none_or(|folder| root != folder.root());
    let own = StateFolder::place(&started).filter(is_other).and_then(|_| StateFolder::of(&started).ok());
    own.is_some_and(|own| own.has_folder(FOLDER) && own.has(&file(&process)))
}

/// Tells whether a call of Codex's is one that its own record has, and whether somebody else could have written that.
fn by_record(client: &Client, process: Process, asked: &Asked, event: &Event) -> Caller {
    let own = Process::of(std::process::id()).and_then(Marks::of);
    if own.is_some_and(|own| own != client.marks) {
        return Caller::Forged(Whence::InSandbox);
    }
    let rollout = Rollout::read(&StartedWith::of(process.pid), asked.transcript.as_deref(), event);
    if event.moment == Moment::Before {
        let (id, command) = (asked.call_id.as_deref(), event.tool.as_ref().and_then(Tool::command));
        if !id.is_some_and(|id| {
            rollout.as_ref().is_some_and(|rollout| rollout.has_call(id, command.as_deref()))
        }) {
            return Caller::Forged(Whence::NotRecorded);
        }
    }
    if rollout.is_some_and(|rollout| rollout.is_sandboxed()) {
        Caller::Client
    } else {
        Caller::Unproved(BY_PIPE)
    }
}

/// Notes the client that made this call, and its session.
pub fn note(env: &dyn Env, event: &Event) {
    let Ok(folder) = StateFolder::of(env) else { return };
    let session = event.session.as_deref();
    // The keeper of a fence knows its own client.
    if env.relayed().is_some() {
        return session.into_iter().for_each(|session| client::see(&folder, session));
    }
    let lineage = env.lineage();
    let by_pipe = || {
        let near = lineage.above.iter().take(REACH).filter(|_| lineage.maker.is_none());
        let is_codex = |process: &&Process| event.agent == Agent::Codex.name() && is_codex(**process);
        near.copied().find(|process| is_codex(&process))
    };
    match lineage.client().or_else(by_pipe) {
        // One that cannot be noted is not told from others: that is how it was.
        Some(client) => {
            let seen = Sighting { agent: &event.agent, session, place: &event.cwd };
            let is_new = !folder.has(&file(&client));
            let _ = Client::note(&folder, &client, &seen);
            if is_new && env.unproved().is_some() {
                client::doubt(&folder, &client);
            }
        }
        None => session.into_iter().for_each(|session| client::see(&folder, session)),
    }
}

fn is_codex(process: Process) -> bool {
    process::words(process).first().is_some_and(|word| name(word) == Agent::Codex.name())
}

/// Remembers that a hook has seen a session that stops, unless somebody else than its client says so: whoever could make one
/// up could leave a run to it.
pub fn see(env: &dyn Env, asked: &Asked, event: &Event) {
    let Some((session, folder)) = event.session.as_deref().zip(StateFolder::of(env).ok()) else { return };
    if presence::is_open(&folder, session) && matches!(of(env, asked, event), Caller::Client | Caller::User) {
        client::see(&folder, session);
    }
}

/// Returns the session of the agent whose shell this is, if a hook has seen it: what a shell's variables say is the agent's
/// to change. Below a noted client it is one of that client's.
pub fn session(env: &dyn Env) -> Option<String> {
    let named = env.session();
    // Where nothing can be noted, nothing can be compared.
    let Ok(folder) = StateFolder::of(env) else { return named };
    let client = env.lineage().above.iter().find_map(|process| Client::noted(&folder, process));
    match client.filter(|client| !client.sessions.is_empty()) {
        Some(client) => {
            let is_its = |session: &String| client.sessions.contains(session);
            named.filter(is_its).or_else(|| client.sessions.last().cloned())
        }
        None => named.filter(|session| client::is_seen(&folder, session)),
    }
}

/// Returns whether this process was started below an agent's client, or by a program that Holdpoint started for its work:
/// neither is the user.
pub fn is_below_client(env: &dyn Env) -> bool {
    let is_there = |folder: &StateFolder| folder.has_folder(FOLDER) || folder.has_folder(PERFORMERS);
    let folder = StateFolder::of(env).ok().filter(is_there);
    let is_noted = |process: &Process| {
        let is_noted = |folder: &StateFolder| folder.has(&file(process)) || folder.has(&performer(process));
        folder.as_ref().is_some_and(is_noted) || is_noted_elsewhere(folder.as_ref(), *process)
    };
    env.lineage().above.iter().any(is_noted)
}

/// Returns whether a process above is to be known for an agent's, noted or not: by its program, or by the variables that
/// it was started with.
pub fn is_below_agent(env: &dyn Env) -> bool {
    let names_agent =
        |started: &StartedWith| started.any_of(&AGENTS).or_else(|| started.any_of(&SESSIONS)).is_some();
    let is_agents = |process: &Process| {
        is_client(&process::words(*process)) || names_agent(&StartedWith::of(process.pid))
    };
    env.lineage().above.iter().any(is_agents)
}

/// Returns whether these are the words that an agent's client is started with.
fn is_client(words: &[String]) -> bool {
    let program = words.first().map(|word| name(word)).unwrap_or_default();
    let script = words.get(1).map(|word| name(word)).unwrap_or_default();
    let is_known = |name: &str| PROGRAMS.contains(&name);
    is_known(program) || INTERPRETERS.contains(&program) && is_known(script)
}

/// A program's name, without its folder and its ending.
fn name(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or_default();
    name.strip_suffix(".js").or_else(|| name.strip_suffix(".mjs")).unwrap_or(name)
}

/// Returns whether a client that is noted and still there works in this folder, above it, below it, or elsewhere in its
/// project.
pub fn is_client_at(env: &dyn Env, place: &Path) -> bool {
    StateFolder::of(env).is_ok_and(|folder| client::at(&folder, place).next().is_some())
}

/// Returns why a command that is given in this folder is not known to be the user's, if that is so: a client works there,
/// and whoever has left it looks like anybody.
pub fn doubt(env: &dyn Env, place: &Path) -> Option<&'static str> {
    (!env.is_below_client() && is_client_at(env, place)).then_some(UNKNOWN)
}

/// Returns the agent whose client is at this terminal, if one is.
pub fn agent_at(env: &dyn Env, device: u64) -> Option<String> {
    client::at_terminal(&StateFolder::of(env).ok()?, device)
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
        let own = Process::of(std::process::id())?;
        let (folder, file) = (StateFolder::of(env).ok()?, performer(&own));
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
    format!("{PERFORMERS}/{process}")
}

/// The lineage of this process, up to this one. Empty where the system does not tell.
#[cfg(target_os = "linux")]
pub fn lineage(outermost: Option<u32>) -> Lineage {
    let above = chain(std::os::unix::process::parent_id(), outermost);
    let maker = rustix::net::sockopt::socket_peercred(rustix::stdio::stdin()).ok();
    let maker = maker.and_then(|maker| u32::try_from(maker.pid.as_raw_nonzero().get()).ok());
    Lineage { above, maker }
}

/// The processes above the one with this number, its parent first.
#[cfg(target_os = "linux")]
pub(crate) fn above(pid: u32) -> Vec<Process> {
    Standing::of(pid).map(|standing| chain(standing.parent, None)).unwrap_or_default()
}

/// A process and those above it, up to the outermost.
#[cfg(target_os = "linux")]
fn chain(mut pid: u32, outermost: Option<u32>) -> Vec<Process> {
    let mut above = Vec::new();
    // No chain of processes is longer, unless one of them ends meanwhile and its number comes back.
    while pid > 0 && above.len() < ABOVE_MAX {
        let Some(Standing { parent, start, .. }) = Standing::of(pid) else { break };
        above.push(Process { pid, start });
        pid = if Some(pid) == outermost { 0 } else { parent };
    }
    above
}

#[cfg(target_os = "linux")]
const ABOVE_MAX: usize = 1_000;

/// The lineage of this process. Empty where the system does not tell.
#[cfg(not(target_os = "linux"))]
pub fn lineage(_: Option<u32>) -> Lineage {
    Lineage::default()
}

#[cfg(test)]
#[path = "caller_tests.rs"]
mod caller_tests;
