//! The names of all environment variables that Holdpoint reads. `env.rs` reads them.

use std::ffi::OsString;

pub use crate::env::{Env, FixedEnv, ProcessEnv};

/// Set for a reviewer that Holdpoint started: its own hooks answer nothing.
pub const REVIEWER: &str = "HOLDPOINT_REVIEWER";
/// Where an agent's session began, by each agent's own name for it; Gemini CLI goes by the first. The event's `cwd`
/// comes first; these are asked where that leads to no run.
pub const PROJECT_DIRS: [&str; 2] = ["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR"];
/// How long to wait for the hook's input, in milliseconds.
pub const INPUT_TIMEOUT_MS: &str = "HOLDPOINT_INPUT_TIMEOUT_MS";
/// Where reviewers' programs are looked for.
pub const PATH: &str = "PATH";
/// The session of the agent whose shell a command runs in, by each agent's own name for it. Codex's sub-agents have
/// threads of their own, but its hooks tell the session's; versions that name no session have the thread alone.
pub const SESSIONS: [&str; 5] = [
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_SESSION_ID",
    "GEMINI_SESSION_ID",
    "CODEX_SESSION_ID",
    "CODEX_THREAD_ID",
];
/// Set in the shells of agents, also of those that do not say which session it is.
pub const AGENTS: [&str; 3] = ["CLAUDECODE", "GEMINI_CLI", "CURSOR_AGENT"];
/// The user's home.
pub const HOME: &str = "HOME";
/// Where the user's configuration is, if not in `.config` of the home.
pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// Claude Code's folder, if not `.claude` in the home.
pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// Codex's folder, if not `.codex` in the home.
pub const CODEX_HOME: &str = "CODEX_HOME";
/// The user's shell.
pub const SHELL: &str = "SHELL";
/// No colour, whatever the terminal.
pub const NO_COLOR: &str = "NO_COLOR";

/// Lists git's variables that are set, except those that say where its configuration and its programs are.
pub fn of_git() -> Vec<OsString> {
    let is_kept = |name: &str| {
        name == "GIT_EXEC_PATH" || (name.starts_with("GIT_CONFIG_") && name != "GIT_CONFIG_PARAMETERS")
    };
    let names = std::env::vars_os().map(|(name, _)| name);
    names
        .filter(|name| name.to_str().is_some_and(|name| name.starts_with("GIT_") && !is_kept(name)))
        .collect()
}
