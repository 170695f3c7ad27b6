//! The processes that an agent's shell call has left running: what they do later is still that call's doing.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// A process: its number comes back, but not with the same start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Its number.
    pub pid: u32,
    /// When it started, as the system counts.
    pub start: u64,
}

/// Whose processes are looked for.
pub struct Sought<'a> {
    /// The number that this program had before the call: later ones have higher numbers, until they start over.
    pub after: u32,
    /// The agent's session.
    pub session: &'a str,
    /// The run's home.
    pub home: &'a Path,
}

#[cfg(target_os = "linux")]
mod system {
    use super::{Left, Path, Sought};
    use crate::env_vars::{AGENTS, SESSIONS};

    /// The most processes that are noted of one call.
    const PROCESSES_MAX: usize = 64;

    impl Sought<'_> {
        /// Lists the processes of the session, or of an agent in this project, that began after the call did.
        pub fn processes(&self) -> Vec<Left> {
            let own = std::process::id();
            let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
            let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            let is_later = |pid: &u32| {
                if own >= self.after { *pid > self.after } else { *pid > self.after || *pid < own }
            };
            let above: Vec<u32> =
                crate::caller::lineage(None).above.iter().map(|process| process.pid).collect();
            let is_other = |pid: &u32| *pid != own && !above.contains(pid);
            let later = numbers.filter(is_later).filter(is_other);
            later.filter(|pid| self.is_sought(*pid)).filter_map(Left::of).take(PROCESSES_MAX).collect()
        }

        fn is_sought(&self, pid: u32) -> bool {
            let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else { return false };
            let variables =
                || environment.split(|byte| *byte == 0).filter_map(|line| std::str::from_utf8(line).ok());
            let has = |names: &[&str], is_it: &dyn Fn(&str) -> bool| {
                let mut pairs = variables().filter_map(|line| line.split_once('='));
                pairs.any(|(name, value)| names.contains(&name) && is_it(value))
            };
            let is_here = || {
                let cwd = std::fs::read_link(format!("/proc/{pid}/cwd"));
                cwd.is_ok_and(|cwd| cwd.starts_with(self.home))
            };
            (!self.session.is_empty() && has(&SESSIONS, &|value| value == self.session))
                || (has(&AGENTS, &|value| !value.is_empty())
                    && !has(&SESSIONS, &|value| !value.is_empty())
                    && is_here())
        }
    }

    impl Left {
        fn of(pid: u32) -> Option<Left> {
            let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // The program's name comes second, and may have anything in it.
            let mut fields = line.rsplit_once(')')?.1.split_whitespace();
            let is_over = matches!(fields.next()?, "Z" | "X");
            let start = fields.nth(18)?.parse().ok()?;
            (!is_over).then_some(Left { pid, start })
        }

        /// Whether it is still running.
        pub fn is_running(&self) -> bool {
            Path::new("/proc").is_dir() && Left::of(self.pid).as_ref() == Some(self)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{Left, Sought};

    impl Sought<'_> {
        /// Where the system does not tell, no process is known.
        pub fn processes(&self) -> Vec<Left> {
            Vec::new()
        }
    }

    impl Left {
        /// Whether it is still running.
        pub fn is_running(&self) -> bool {
            false
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_of_the_session_is_found_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let start = |name: &str, value: &str, cwd: &Path| {
            let mut sleep = Command::new("sleep");
            sleep.arg("60").env_clear().env("PATH", "/usr/bin:/bin").env(name, value).current_dir(cwd);
            sleep.stdin(Stdio::null()).spawn().unwrap()
        };
        let sought = Sought { after: std::process::id(), session: "s-lingering", home: &home };
        let mut ours = start("CLAUDE_CODE_SESSION_ID", "s-lingering", Path::new("/"));
        let mut here = start("GEMINI_CLI", "1", &home);
        let others = [
            start("CLAUDE_CODE_SESSION_ID", "another", &home),
            start("GEMINI_CLI", "1", Path::new("/")),
            start("USERS", "own", &home),
        ];
        let mut found: Vec<u32> = sought.processes().iter().map(|left| left.pid).collect();
        found.sort_unstable();
        let mut wanted = [ours.id(), here.id()];
        wanted.sort_unstable();
        assert_eq!(found, wanted);
        let left = sought.processes();
        assert!(left.iter().all(Left::is_running));
        for child in [&mut ours, &mut here].into_iter().chain(&mut others.into_iter().collect::<Vec<_>>()) {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(!left.iter().any(Left::is_running));
    }
}
