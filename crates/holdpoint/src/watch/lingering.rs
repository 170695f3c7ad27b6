//! The processes that an agent's shell call has left running: what they do later is still that call's doing.

use std::path::Path;

use crate::caller::Process;

/// Whose processes are looked for.
pub struct Sought<'a> {
    /// The number that this program had before the call: later ones have higher numbers, until they start over.
    pub after: u32,
    /// How long the call took, in seconds.
    pub took: u64,
    /// The agent's session.
    pub session: &'a str,
    /// The run's home.
    pub home: &'a Path,
}

#[cfg(target_os = "linux")]
mod system {
    use super::{Process, Sought};
    use crate::caller::process::StartedWith;
    use crate::env::Env;
    use crate::env_vars::{AGENTS, SESSIONS};

    /// The most processes that are noted of one call.
    const PROCESSES_MAX: usize = 64;
    /// More processes than anybody starts in a second.
    const STARTED_A_SECOND: u64 = 20_000;
    /// How many numbers there are where the system does not say.
    const NUMBERS: u64 = 32_768;

    /// Whether numbers may have come round within this time, so that they no longer tell what is later.
    fn may_have_come_round(seconds: u64) -> bool {
        let said = || std::fs::read_to_string("/proc/sys/kernel/pid_max").ok()?.trim().parse().ok();
        seconds > 0 && said().unwrap_or(NUMBERS) / STARTED_A_SECOND <= seconds
    }

    impl Sought<'_> {
        /// Lists the processes of the session, or of an agent in this project, that began after the call did.
        pub fn processes(&self) -> Vec<Process> {
            let own = std::process::id();
            let is_any = may_have_come_round(self.took);
            let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
            let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            let is_later = |pid: &u32| is_any || *pid > self.after || (own < self.after && *pid < own);
            let above: Vec<u32> =
                crate::caller::lineage(None).above.iter().map(|process| process.pid).collect();
            let is_other = |pid: &u32| *pid != own && !above.contains(pid);
            let later = numbers.filter(is_later).filter(is_other);
            later.filter(|pid| self.is_sought(*pid)).filter_map(Process::of).take(PROCESSES_MAX).collect()
        }

        fn is_sought(&self, pid: u32) -> bool {
            let started = StartedWith::of(pid);
            let is_session = |name: &&str| started.var(name).as_deref() == Some(self.session);
            let is_here = || {
                let cwd = std::fs::read_link(format!("/proc/{pid}/cwd"));
                cwd.is_ok_and(|cwd| cwd.starts_with(self.home))
            };
            (!self.session.is_empty() && SESSIONS.iter().any(is_session))
                || (started.any_of(&AGENTS).is_some() && started.any_of(&SESSIONS).is_none() && is_here())
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{Process, Sought};

    impl Sought<'_> {
        /// Where the system does not tell, no process is known.
        pub fn processes(&self) -> Vec<Process> {
            Vec::new()
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
        let mut before = start("USERS", "own", &home);
        let sought = Sought { after: before.id(), took: 0, session: "s-lingering", home: &home };
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
        assert!(left.iter().all(Process::is_alive));
        // Numbers that came round are no way to hide.
        let round = Sought { after: u32::MAX, took: 1_000_000, ..sought };
        assert_eq!(round.processes().len(), 2);
        for child in
            [&mut before, &mut ours, &mut here].into_iter().chain(&mut others.into_iter().collect::<Vec<_>>())
        {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(!left.iter().any(Process::is_alive));
    }
}
