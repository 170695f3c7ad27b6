//! All environment variables that Holdpoint reads, and the one way to read them.

use std::collections::HashMap;
use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Set for a reviewer that Holdpoint started, so that Holdpoint's hooks ignore it.
pub const REVIEWER: &str = "HOLDPOINT_REVIEWER";
/// The folder in which an agent's session began, under each agent's own name; Gemini CLI uses the first. They count only
/// if the event's `cwd` leads to no run.
pub const PROJECT_DIRS: [&str; 2] = ["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR"];
/// The longest time to wait for the hook's input, in milliseconds.
pub const INPUT_TIMEOUT_MS: &str = "HOLDPOINT_INPUT_TIMEOUT_MS";
/// The folders in which reviewers' programs are searched.
pub const PATH: &str = "PATH";
/// The session of the agent whose shell a command runs in, under each agent's own name. Codex's sub-agents have separate
/// threads, but its hooks name the session; older versions name only the thread.
pub const SESSIONS: [&str; 5] = [
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_SESSION_ID",
    "GEMINI_SESSION_ID",
    "CODEX_SESSION_ID",
    "CODEX_THREAD_ID",
];
/// Set in the shells of agents, including those that do not name the session.
pub const AGENTS: [&str; 3] = ["CLAUDECODE", "GEMINI_CLI", "CURSOR_AGENT"];
/// The user's home.
pub const HOME: &str = "HOME";
/// The folder of the user's configuration, if not `.config` in the home.
pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// Claude Code's folder, if not `.claude` in the home.
pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// Codex's folder, if not `.codex` in the home.
pub const CODEX_HOME: &str = "CODEX_HOME";
/// The user's shell.
pub const SHELL: &str = "SHELL";
/// Turns colors off on any terminal.
pub const NO_COLOR: &str = "NO_COLOR";

/// Returns the names of git's variables that are set, except those for the paths of its configuration and programs.
pub fn of_git() -> Vec<OsString> {
    let is_kept = |name: &str| {
        name == "GIT_EXEC_PATH" || (name.starts_with("GIT_CONFIG_") && name != "GIT_CONFIG_PARAMETERS")
    };
    let names = std::env::vars_os().map(|(name, _)| name);
    names
        .filter(|name| name.to_str().is_some_and(|name| name.starts_with("GIT_") && !is_kept(name)))
        .collect()
}

/// The process's inputs from outside: variables, the time, random numbers.
pub trait Env: Send + Sync {
    /// Returns a variable's value, if it is set and valid UTF-8.
    fn var(&self, name: &str) -> Option<String>;

    /// Returns the time, in seconds since 1970.
    fn now(&self) -> i64 {
        jiff::Timestamp::now().as_second()
    }

    /// Returns a random number.
    fn chance(&self) -> u64 {
        // Each hasher of the standard library has its own random keys from the system.
        RandomState::new().hash_one(std::process::id())
    }

    /// Waits for this time.
    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }

    /// Returns whether a command runs in an agent's shell.
    fn is_agents(&self) -> bool {
        self.session().is_some()
            || AGENTS.iter().any(|name| self.var(name).is_some_and(|set| !set.is_empty()))
    }

    /// Returns the session of the agent whose shell a command runs in.
    fn session(&self) -> Option<String> {
        SESSIONS.iter().find_map(|name| self.var(name).filter(|session| !session.is_empty()))
    }
}

/// The process's own environment.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessEnv;

impl Env for ProcessEnv {
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    fn var(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}

/// A fixed environment for cases and tests.
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

    fn pause(&self, _: Duration) {}

    fn chance(&self) -> u64 {
        if self.now.is_some() { 0 } else { ProcessEnv.chance() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sub_agents_session_is_that_of_the_agent() {
        let given = |names: &[&str]| {
            let variables = names.iter().map(|name| ((*name).to_owned(), name.to_lowercase())).collect();
            FixedEnv { variables, now: None }.session()
        };
        assert_eq!(given(&["CODEX_THREAD_ID", "CODEX_SESSION_ID"]), Some("codex_session_id".to_owned()));
        assert_eq!(given(&["CODEX_THREAD_ID"]), Some("codex_thread_id".to_owned()));
        assert_eq!(given(&["CODEX_HOME"]), None);
    }
}
