//! The process's surroundings: environment variables, the clock, randomness and sleep.

mod overlay;

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::time::Duration;

use crate::caller::process::{self, Terminal};
use crate::caller::{self, Lineage};
use crate::env_vars::{AGENTS, PATH, REVIEWER, SESSIONS, XDG_STATE_HOME};
use crate::fence::relayed::{self, Relayed};
use crate::program;
pub use overlay::Overlay;

/// The process's surroundings. Cases and tests have their own.
pub trait Env: Send + Sync {
    /// Returns a variable's value, if it is set and valid UTF-8.
    fn var(&self, name: &str) -> Option<String>;

    /// Finds a program on `PATH`.
    fn program(&self, name: &str) -> Option<PathBuf> {
        program::on(&self.var(PATH)?, name)
    }

    /// Returns the time, in seconds since 1970.
    fn now(&self) -> i64 {
        jiff::Timestamp::now().as_second()
    }

    /// Returns the time, in milliseconds since 1970.
    fn now_millis(&self) -> i64 {
        jiff::Timestamp::now().as_millisecond()
    }

    /// Returns a random number.
    fn random_u64(&self) -> u64 {
        // Each hasher of the standard library has its own keys, from the system's source of randomness.
        RandomState::new().hash_one(std::process::id())
    }

    /// Waits.
    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }

    /// Returns whether standard input is a terminal, where somebody can be asked.
    fn has_terminal(&self) -> bool {
        false
    }

    /// Returns the terminal that the user of this process is asked at. Cases have none.
    fn terminal(&self) -> Terminal {
        Terminal::None
    }

    /// Returns why nothing tells the caller from the agent, if that is so.
    fn unproved(&self) -> Option<&'static str> {
        None
    }

    /// Returns whether all that is found was begun here: so it is for cases, which make their own projects.
    fn began_everything(&self) -> bool {
        false
    }

    /// Returns where this process comes from. Cases have no processes.
    fn lineage(&self) -> Lineage {
        Lineage::default()
    }

    /// Returns whether an agent's client is above this process, whatever its variables say.
    fn is_below_client(&self) -> bool {
        false
    }

    /// Returns who called from inside a fence, if a keeper started this process for that.
    fn relayed(&self) -> Option<Relayed> {
        None
    }

    /// Returns whether a process above is to be known for an agent's, whether a hook has noted it or not.
    fn is_below_agent(&self) -> bool {
        false
    }
}

impl dyn Env + '_ {
    /// Returns whether this process runs in an agent's shell, or in a program that Holdpoint started for its work.
    pub fn is_agents(&self) -> bool {
        // What a reviewer or a check runs is no more the user than the agent is.
        self.var(REVIEWER).is_some()
            || self.session().is_some()
            || AGENTS.iter().any(|name| self.var(name).is_some_and(|set| !set.is_empty()))
            || self.is_below_client()
    }

    /// Returns the session of the agent whose shell this process runs in, as its variables say.
    pub fn session(&self) -> Option<String> {
        SESSIONS.iter().find_map(|name| self.var(name).filter(|session| !session.is_empty()))
    }
}

/// The real surroundings of this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessEnv;

impl Env for ProcessEnv {
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    fn var(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn has_terminal(&self) -> bool {
        std::io::IsTerminal::is_terminal(&std::io::stdin())
    }

    fn terminal(&self) -> Terminal {
        process::terminal()
    }

    fn lineage(&self) -> Lineage {
        caller::lineage(outermost(self))
    }

    fn is_below_client(&self) -> bool {
        self.relayed().is_some() || caller::is_below_client(self)
    }

    fn relayed(&self) -> Option<Relayed> {
        relayed::caller()
    }

    fn is_below_agent(&self) -> bool {
        caller::is_below_agent(self)
    }
}

/// The outermost process that counts. Only tests, which may themselves be run by an agent, have one.
fn outermost(env: &dyn Env) -> Option<u32> {
    #[cfg(debug_assertions)]
    if let Some(pid) = env.var(crate::env_vars::OUTERMOST) {
        return pid.parse().ok();
    }
    let _ = env;
    None
}

/// Fixed surroundings, for cases and tests.
#[derive(Clone, Debug, Default)]
pub struct FixedEnv {
    /// The variables.
    pub variables: HashMap<String, String>,
    /// The time, if it is fixed.
    pub now: Option<i64>,
}

impl Env for FixedEnv {
    fn var(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn now(&self) -> i64 {
        self.now.unwrap_or_else(|| ProcessEnv.now())
    }

    fn now_millis(&self) -> i64 {
        self.now.map_or_else(|| ProcessEnv.now_millis(), |now| now.saturating_mul(1_000))
    }

    fn pause(&self, _: Duration) {}

    fn began_everything(&self) -> bool {
        true
    }

    fn random_u64(&self) -> u64 {
        if self.now.is_some() { 0 } else { ProcessEnv.random_u64() }
    }
}

/// A user of whom only the state folder is known: demos and trials have one of their own.
#[derive(Clone, Debug)]
pub struct StateOf(pub PathBuf);

impl Env for StateOf {
    fn var(&self, name: &str) -> Option<String> {
        (name == XDG_STATE_HOME).then(|| self.0.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sub_agents_session_is_that_of_the_agent() {
        let given = |names: &[&str]| {
            let variables = names.iter().map(|name| ((*name).to_owned(), name.to_lowercase())).collect();
            let env: &dyn Env = &FixedEnv { variables, now: None };
            env.session()
        };
        assert_eq!(given(&["CODEX_THREAD_ID", "CODEX_SESSION_ID"]), Some("codex_session_id".to_owned()));
        assert_eq!(given(&["CODEX_THREAD_ID"]), Some("codex_thread_id".to_owned()));
        assert_eq!(given(&["CODEX_HOME"]), None);
    }
}
