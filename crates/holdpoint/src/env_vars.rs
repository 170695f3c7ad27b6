//! The names of all environment variables that Holdpoint reads. `env.rs` reads them.

use std::ffi::OsString;

/// The token of a review that is under way: Holdpoint's hooks ignore the reviewer that has it.
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
/// The socket of the keeper outside, in a fence around an agent: hooks and commands ask it.
pub const KEEPER: &str = "HOLDPOINT_KEEPER";
/// Set in the shells of agents, including those that do not name the session. In a fence everything is the agent's.
pub const AGENTS: [&str; 4] = ["CLAUDECODE", "GEMINI_CLI", "CURSOR_AGENT", KEEPER];
/// How often Claude Code heeds a hold in a row, if its settings say so.
pub const CLAUDE_CAP: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";
/// The user's login name, under either name.
pub const USERS: [&str; 2] = ["USER", "LOGNAME"];
/// The user's home.
pub const HOME: &str = "HOME";
/// The folder of the user's configuration, if not `.config` in the home.
pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// The folder of the user's state, if not `.local/state` in the home.
pub const XDG_STATE_HOME: &str = "XDG_STATE_HOME";
/// The folder of the user's running services: the sockets in it that start programs are hidden in a fence.
pub const XDG_RUNTIME_DIR: &str = "XDG_RUNTIME_DIR";
/// Where the user's message bus is, which is hidden in a fence.
pub const BUS_ADDRESS: &str = "DBUS_SESSION_BUS_ADDRESS";
/// Where tmux is, which is hidden in a fence.
pub const TMUX: &str = "TMUX";
/// Digests of projects' content that count as allowed, separated by commas: for containers and CI.
pub const ALLOW: &str = "HOLDPOINT_ALLOW";
/// The organisation's folder, for tests: only a debug build reads it, a released program has `/etc/holdpoint` alone.
pub const ORGANISATION: &str = "HOLDPOINT_ORGANISATION";
/// The number of the outermost process that counts, for tests: only a debug build reads it.
pub const OUTERMOST: &str = "HOLDPOINT_OUTERMOST";
/// Claude Code's folder, if not `.claude` in the home.
pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// Codex's folder, if not `.codex` in the home.
pub const CODEX_HOME: &str = "CODEX_HOME";
/// The user's shell.
pub const SHELL: &str = "SHELL";
/// Turns colors off on any terminal.
pub const NO_COLOR: &str = "NO_COLOR";
/// The width to which output is folded where it is not a terminal.
pub const COLUMNS: &str = "COLUMNS";

/// Lists git's variables that a commit needs, with their values: who commits, and when, what signs it, and where git's
/// configuration and its programs are. Not those that are configuration themselves.
pub fn for_commit() -> Vec<(OsString, OsString)> {
    const PLACES: [&str; 7] = [
        "GIT_EXEC_PATH",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
        "GNUPGHOME",
        "GPG_TTY",
        "SSH_AUTH_SOCK",
    ];
    let is_needed = |name: &str| {
        PLACES.contains(&name) || name.starts_with("GIT_AUTHOR_") || name.starts_with("GIT_COMMITTER_")
    };
    std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_needed)).collect()
}

/// Lists the variables that git needs to run at all, with their values: where programs and temporary files are.
pub fn for_git() -> Vec<(OsString, OsString)> {
    const NEEDED: [&str; 4] = [PATH, "TMPDIR", "GIT_EXEC_PATH", "SYSTEMROOT"];
    let is_needed = |name: &str| NEEDED.contains(&name);
    std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_needed)).collect()
}

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
