//! What the system tells of processes: who is above, in which surroundings one was started, and at which terminal it is.

use std::fmt;
use std::str::FromStr;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::env::Env;

/// A process: its number comes back, but not with the same start. Files are named after one as `NUMBER-START`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it started, as the system counts.
    pub start: u64,
}

/// Where a process stands: its parent, its terminal, and whether it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Whether it has ended, and only waits for its parent to ask how.
    is_over: bool,
    /// Whether it has stopped, and no debugger had it stop.
    pub(crate) has_stopped: bool,
    pub(super) parent: u32,
    pub(super) start: u64,
    group: i64,
    /// The process that leads its session.
    leader: i64,
    /// The device of its controlling terminal; 0 if it has none.
    pub(super) terminal: u64,
    /// The group in that terminal's foreground.
    foreground: i64,
}

/// The terminal that a process is asked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// Standard input is this process's own terminal, and it is in front there: somebody can type.
    Own {
        /// The terminal's device.
        device: u64,
    },
    /// Standard input is something else, or another terminal than the process's own.
    Elsewhere,
    /// The process has no terminal at all.
    None,
}

/// What a sandbox leaves on all that runs in it, and what cannot be taken off again.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Marks {
    no_new_privs: String,
    seccomp: String,
    bounding: String,
    namespaces: Vec<String>,
}

/// The surroundings that a process was started with, as the system has them: `NAME=VALUE`, each ended by a zero byte.
/// There may be many kilobytes of them, of which two or three are asked for: so they are searched, not taken apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct StartedWith(Vec<u8>);

impl StartedWith {
    /// Returns the first of these variables that has a value.
    pub(crate) fn any_of(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().find(|name| self.var(name).is_some_and(|value| !value.is_empty())).copied()
    }
}

impl Env for StartedWith {
    fn var(&self, name: &str) -> Option<String> {
        let set = format!("{name}=");
        let starts = |at: &usize| *at == 0 || self.0[at - 1] == 0;
        let at = memmem::find_iter(&self.0, &set).find(starts)?;
        let value = self.0[at + set.len()..].split(|byte| *byte == 0).next()?;
        std::str::from_utf8(value).ok().map(str::to_owned)
    }
}

impl Marks {
    /// Returns whether processes have the same numbers for both.
    pub(super) fn shares_processes(&self, other: &Marks) -> bool {
        let space = |marks: &Marks| marks.namespaces.iter().find(|space| space.starts_with("pid:")).cloned();
        space(self) == space(other)
    }
}

impl Standing {
    /// Where the process stands that leads its session, if that is still there.
    pub(super) fn leader(&self) -> Option<Standing> {
        Standing::of(u32::try_from(self.leader).ok()?)
    }
}

impl Process {
    /// The process with this number, if it is there and has not ended.
    pub(crate) fn of(pid: u32) -> Option<Process> {
        let standing = Standing::of(pid).filter(|standing| !standing.is_over)?;
        Some(Process { pid, start: standing.start })
    }

    /// Returns whether it is still there. One that has ended is not, whether anybody asked how or not.
    pub fn is_alive(&self) -> bool {
        Process::of(self.pid) == Some(*self)
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.pid, self.start)
    }
}

/// A name is no process's.
#[derive(Debug, thiserror::Error)]
#[error("not the name of a process")]
pub struct NoProcess;

impl FromStr for Process {
    type Err = NoProcess;

    fn from_str(name: &str) -> Result<Process, NoProcess> {
        let (pid, start) = name.split_once('-').ok_or(NoProcess)?;
        let (pid, start) = (pid.parse().map_err(|_| NoProcess)?, start.parse().map_err(|_| NoProcess)?);
        Ok(Process { pid, start })
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::path::{Path, PathBuf};

    use super::{Marks, Process, Standing, StartedWith, Terminal};

    /// The most that is read of a process's surroundings.
    const ENVIRON_BYTES_MAX: u64 = 1024 * 1024;
    /// The namespaces by which a sandbox can be told.
    const NAMESPACES: [&str; 3] = ["mnt", "pid", "user"];

    impl Standing {
        pub(crate) fn of(pid: u32) -> Option<Standing> {
            Standing::read(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
        }

        pub(super) fn read(line: &str) -> Option<Standing> {
            // The program's name comes second, and may have anything in it.
            let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().take(20).collect();
            let number = |at: usize| fields.get(at)?.parse::<i64>().ok();
            let state = *fields.first()?;
            // The first thread can end before the others do.
            let has_threads = number(17)? > 1;
            Some(Standing {
                is_over: matches!(state, "Z" | "X") && !has_threads,
                has_stopped: state == "T",
                parent: u32::try_from(number(1)?).ok()?,
                group: number(2)?,
                leader: number(3)?,
                // A device is printed with its sign.
                terminal: u64::from(u32::from_ne_bytes(i32::try_from(number(4)?).ok()?.to_ne_bytes())),
                foreground: number(5)?,
                start: fields.get(19)?.parse().ok()?,
            })
        }
    }

    /// Returns the terminal that this process is asked at.
    pub fn terminal() -> Terminal {
        let Some(own) = Standing::of(std::process::id()) else { return Terminal::None };
        if own.terminal == 0 {
            return Terminal::None;
        }
        let input = rustix::fs::fstat(rustix::stdio::stdin());
        let is_own = input.is_ok_and(|input| printed(input.st_rdev) == own.terminal);
        let is_in_front = own.foreground == own.group;
        if is_own && is_in_front && rustix::termios::isatty(rustix::stdio::stdin()) {
            Terminal::Own { device: own.terminal }
        } else {
            Terminal::Elsewhere
        }
    }

    /// A device as the list of processes has it.
    fn printed(device: u64) -> u64 {
        let (major, minor) = (u64::from(rustix::fs::major(device)), u64::from(rustix::fs::minor(device)));
        (minor & 0xff) | (major << 8) | ((minor & !0xff) << 12)
    }

    impl StartedWith {
        /// Those of the process with this number; none if they cannot be read.
        pub(crate) fn of(pid: u32) -> StartedWith {
            StartedWith(read(Path::new(&format!("/proc/{pid}/environ")), ENVIRON_BYTES_MAX))
        }
    }

    /// Returns the words that a process was started with.
    pub(in super::super) fn words(process: Process) -> Vec<String> {
        let bytes = read(Path::new(&format!("/proc/{}/cmdline", process.pid)), 4096);
        bytes.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }

    /// Returns the file that a process runs.
    pub(in super::super) fn program(process: Process) -> Option<PathBuf> {
        std::fs::read_link(format!("/proc/{}/exe", process.pid)).ok()
    }

    fn read(path: &Path, bytes_max: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Ok(file) = std::fs::File::open(path) {
            let _ = std::io::Read::read_to_end(&mut std::io::Read::take(file, bytes_max), &mut bytes);
        }
        bytes
    }

    impl Marks {
        /// Those of a process; none if it is not there to be looked at.
        pub fn of(process: Process) -> Option<Marks> {
            let status = std::fs::read_to_string(format!("/proc/{}/status", process.pid)).ok()?;
            let line = |name: &str| {
                let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
                line.unwrap_or_default().trim().to_owned()
            };
            let space = |name: &&str| {
                let space = std::fs::read_link(format!("/proc/{}/ns/{name}", process.pid)).ok()?;
                Some(space.to_string_lossy().into_owned())
            };
            Some(Marks {
                no_new_privs: line("NoNewPrivs"),
                seccomp: line("Seccomp"),
                bounding: line("CapBnd"),
                namespaces: NAMESPACES.iter().filter_map(space).collect(),
            })
        }
    }
}

#[cfg(target_os = "linux")]
pub use linux::terminal;
#[cfg(target_os = "linux")]
pub(super) use linux::{program, words};

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::{Marks, Process, Standing, StartedWith, Terminal};

    impl Standing {
        pub(crate) fn of(_: u32) -> Option<Standing> {
            None
        }
    }

    /// Returns the terminal that this process is asked at: here only standard input can be looked at.
    pub fn terminal() -> Terminal {
        let is_there = std::io::IsTerminal::is_terminal(&std::io::stdin());
        if is_there { Terminal::Own { device: 0 } } else { Terminal::Elsewhere }
    }

    impl StartedWith {
        pub(crate) fn of(_: u32) -> StartedWith {
            StartedWith::default()
        }
    }

    pub(in super::super) fn words(_: Process) -> Vec<String> {
        Vec::new()
    }

    pub(in super::super) fn program(_: Process) -> Option<std::path::PathBuf> {
        None
    }

    impl Marks {
        /// Those of a process: they cannot be told here.
        pub fn of(_: Process) -> Option<Marks> {
            None
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub use elsewhere::terminal;
#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::{program, words};

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name_is() {
        let line = "7 (a) b) (c) S 3 7 5 34816 9 4194304 95 0 0 0 0 0 0 0 20 0 1 0 59636 2703360 309 1844674407370955";
        let read = Standing::read(line).unwrap();
        assert_eq!((read.parent, read.group, read.leader, read.terminal), (3, 7, 5, 34816));
        assert_eq!((read.foreground, read.start), (9, 59636));
        for torn in ["", "7 (a", "7 (a) S", "7 (a) S x 7 5 34816 9 0 0 0 0 0 0 0 0 0 0 0 0 0 1"] {
            assert_eq!(Standing::read(torn), None, "{torn}");
        }
    }

    #[test]
    fn whether_a_process_goes_on_is_told_by_its_state_and_its_threads() {
        let standing = |state: &str, threads: u32| {
            let line = format!("7 (a) {state} 3 7 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 {threads} 0 59636 0 0");
            let read = Standing::read(&line).unwrap();
            (read.is_over, read.has_stopped)
        };
        assert_eq!((standing("S", 1), standing("T", 4)), ((false, false), (false, true)));
        assert_eq!((standing("Z", 1), standing("X", 0)), ((true, false), (true, false)));
        assert_eq!(standing("Z", 3), (false, false), "its first thread has ended, the others go on");
    }

    #[test]
    fn a_process_that_nobody_has_asked_how_it_ended_is_not_there() {
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let process = Process::of(child.id()).unwrap();
        assert!(process.is_alive());
        drop(child.stdin.take());
        // It is waited for without being asked, so it stays in the list.
        let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw).unwrap();
        let options = rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
        rustix::process::waitid(rustix::process::WaitId::Pid(pid), options).unwrap();
        assert!(Standing::of(child.id()).is_some() && !process.is_alive());
        child.wait().unwrap();
        assert!(!process.is_alive());
    }

    #[test]
    fn a_process_is_named_by_its_number_and_its_start() {
        let process = Process { pid: 7, start: 59636 };
        assert_eq!(process.to_string(), "7-59636");
        assert_eq!("7-59636".parse::<Process>().unwrap(), process);
        for wrong in ["", "7", "7-", "-7", "7-x", ".tmpAbc", "7-59636.x"] {
            assert!(wrong.parse::<Process>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_variable_is_found_by_its_whole_name() {
        let started = StartedWith(b"A_HOME=/x\0HOME=/home/me\0EMPTY=\0NOTE=HOME=/y\0LAST=z".to_vec());
        for (name, expect) in [
            ("HOME", Some("/home/me")),
            ("A_HOME", Some("/x")),
            ("EMPTY", Some("")),
            ("NOTE", Some("HOME=/y")),
            ("LAST", Some("z")),
            ("OME", None),
            ("NONE", None),
        ] {
            assert_eq!(started.var(name).as_deref(), expect, "{name}");
        }
        assert_eq!(StartedWith::default().var("HOME"), None);
    }

    #[test]
    fn this_process_has_its_own_surroundings_and_marks() {
        let own = Process::of(std::process::id()).unwrap();
        assert!(own.is_alive());
        assert!(!Process { start: own.start + 1, ..own }.is_alive());
        assert!(StartedWith::of(own.pid).var("PATH").is_some());
        assert_eq!(Marks::of(own), Marks::of(own));
        assert!(Marks::of(own).is_some_and(|marks| !marks.namespaces.is_empty()));
    }
}
