//! What the system tells of processes: who is above, in which surroundings one was started, and at which terminal it is.

/// A process: its number comes back, but not with the same start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it started, as the system counts.
    pub start: u64,
}

/// Where a process stands: its parent and its terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) parent: u32,
    pub(super) start: u64,
    group: i64,
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

impl Marks {
    /// Returns whether processes have the same numbers for both.
    pub(super) fn shares_processes(&self, other: &Marks) -> bool {
        let space = |marks: &Marks| marks.namespaces.iter().find(|space| space.starts_with("pid:")).cloned();
        space(self) == space(other)
    }
}

impl Process {
    /// The process with this number, if it is there.
    pub(crate) fn of(pid: u32) -> Option<Process> {
        Standing::of(pid).map(|standing| Process { pid, start: standing.start })
    }

    /// Returns whether it is still there.
    pub fn is_alive(&self) -> bool {
        Process::of(self.pid) == Some(*self)
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::path::Path;

    use super::{Marks, Process, Standing, Terminal};

    /// The most that is read of a process's surroundings.
    const ENVIRON_BYTES_MAX: u64 = 1024 * 1024;
    /// The namespaces by which a sandbox can be told.
    const NAMESPACES: [&str; 3] = ["mnt", "pid", "user"];

    impl Standing {
        pub(in super::super) fn of(pid: u32) -> Option<Standing> {
            Standing::read(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
        }

        pub(super) fn read(line: &str) -> Option<Standing> {
            // The program's name comes second, and may have anything in it.
            let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().take(20).collect();
            let number = |at: usize| fields.get(at)?.parse::<i64>().ok();
            Some(Standing {
                parent: u32::try_from(number(1)?).ok()?,
                group: number(2)?,
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

    /// Returns the variables that a process was started with; none if they cannot be read.
    pub(in super::super) fn surroundings(process: Process) -> Vec<(String, String)> {
        let bytes = read(Path::new(&format!("/proc/{}/environ", process.pid)), ENVIRON_BYTES_MAX);
        let texts = bytes.split(|byte| *byte == 0).filter_map(|text| std::str::from_utf8(text).ok());
        let pairs = texts.filter_map(|text| text.split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Returns the words that a process was started with.
    pub(in super::super) fn words(process: Process) -> Vec<String> {
        let bytes = read(Path::new(&format!("/proc/{}/cmdline", process.pid)), 4096);
        bytes.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
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
pub(super) use linux::{surroundings, words};

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::{Marks, Process, Standing, Terminal};

    impl Standing {
        pub(in super::super) fn of(_: u32) -> Option<Standing> {
            None
        }
    }

    /// Returns the terminal that this process is asked at: here only standard input can be looked at.
    pub fn terminal() -> Terminal {
        let is_there = std::io::IsTerminal::is_terminal(&std::io::stdin());
        if is_there { Terminal::Own { device: 0 } } else { Terminal::Elsewhere }
    }

    pub(in super::super) fn surroundings(_: Process) -> Vec<(String, String)> {
        Vec::new()
    }

    pub(in super::super) fn words(_: Process) -> Vec<String> {
        Vec::new()
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
pub(super) use elsewhere::{surroundings, words};

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name_is() {
        let line = "7 (a) b) (c) S 3 7 5 34816 9 4194304 95 0 0 0 0 0 0 0 20 0 1 0 59636 2703360 309 1844674407370955";
        let read = Standing::read(line).unwrap();
        assert_eq!((read.parent, read.group, read.terminal), (3, 7, 34816));
        assert_eq!((read.foreground, read.start), (9, 59636));
        for torn in ["", "7 (a", "7 (a) S", "7 (a) S x 7 5 34816 9 0 0 0 0 0 0 0 0 0 0 0 0 0 1"] {
            assert_eq!(Standing::read(torn), None, "{torn}");
        }
    }

    #[test]
    fn this_process_has_its_own_surroundings_and_marks() {
        let own = Process::of(std::process::id()).unwrap();
        assert!(own.is_alive());
        assert!(!Process { start: own.start + 1, ..own }.is_alive());
        assert!(surroundings(own).iter().any(|(name, _)| name == "PATH"));
        assert_eq!(Marks::of(own), Marks::of(own));
        assert!(Marks::of(own).is_some_and(|marks| !marks.namespaces.is_empty()));
    }
}
