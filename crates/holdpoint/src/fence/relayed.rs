//! A process that a keeper has started for a call from inside the fence: it knows who called.
//!
//! The keeper says so by the arguments. They count only if the parent is a keeper: a process of this very program that has
//! its socket in the state folder. No process inside the fence has such a parent.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::OnceLock;

use crate::env::ProcessEnv;
use crate::error::{CommandError, Kind};
use crate::ui::Ui;

/// Who called from inside a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relayed {
    /// The client, by a socket of its own.
    Client,
    /// Nobody can tell: the fence's client hands events over by a pipe.
    Unproved,
    /// Something else than the client.
    Forged,
    /// A shell, which typed a command.
    Shell,
}

impl Relayed {
    const ALL: [(&'static str, Relayed); 4] = [
        ("client", Relayed::Client),
        ("unproved", Relayed::Unproved),
        ("forged", Relayed::Forged),
        ("shell", Relayed::Shell),
    ];

    /// The word for it.
    #[cfg(target_os = "linux")]
    pub(super) fn word(self) -> &'static str {
        Relayed::ALL.iter().find(|(_, relayed)| *relayed == self).map_or("", |(word, _)| *word)
    }
}

static RELAYED: OnceLock<Relayed> = OnceLock::new();

/// Returns who called this process from inside a fence. None if no keeper started it.
pub fn caller() -> Option<Relayed> {
    RELAYED.get().copied()
}

/// Answers a call from inside a fence, for the keeper above.
pub fn main(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let word = args.next();
    let named = Relayed::ALL.iter().find(|(name, _)| word.as_ref().is_some_and(|word| word == name));
    let Some((_, relayed)) = named.filter(|_| is_below_keeper()) else { return refuse() };
    let _ = RELAYED.set(*relayed);
    let mut args = args.peekable();
    if args.next_if(|first| first == "hook").is_some() {
        return crate::hook::main(args);
    }
    crate::cli::run(args)
}

/// Not the keeper's: an agent that tries the word by hand.
fn refuse() -> ExitCode {
    let error = CommandError::new(Kind::Failed, "only a keeper calls this");
    Ui::new(&ProcessEnv).error(&error.hinted("see `holdpoint help run`"));
    ExitCode::FAILURE
}

/// Returns whether the parent is a keeper. Has this process end with it.
#[cfg(target_os = "linux")]
fn is_below_keeper() -> bool {
    use crate::store::state_folder::StateFolder;
    use std::os::unix::fs::{FileTypeExt, MetadataExt};

    // The keeper that ended before this is not the parent any more.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM));
    let pid = std::os::unix::process::parent_id();
    let Some((process, folder)) = crate::caller::Process::of(pid).zip(StateFolder::of(&ProcessEnv).ok())
    else {
        return false;
    };
    let socket = super::keeper::socket(&folder, &process).symlink_metadata();
    let file =
        |of: &str| std::fs::metadata(format!("/proc/{of}/exe")).map(|file| (file.dev(), file.ino())).ok();
    let own = file("self");
    socket.is_ok_and(|found| found.file_type().is_socket()) && own.is_some() && file(&pid.to_string()) == own
}

#[cfg(not(target_os = "linux"))]
fn is_below_keeper() -> bool {
    false
}
