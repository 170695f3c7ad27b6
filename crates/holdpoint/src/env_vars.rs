//! Every environment variable that Holdpoint reads, and the one way to read them.

use std::collections::HashMap;
use std::hash::BuildHasher;

/// Set for a reviewer that Holdpoint started: its own hooks answer nothing.
pub const REVIEWER: &str = "HOLDPOINT_REVIEWER";
/// Where Claude Code's session began. The event's `cwd` comes first; this is asked where that leads to no run.
pub const CLAUDE_PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";
/// How long to wait for the hook's input, in milliseconds.
pub const INPUT_TIMEOUT_MS: &str = "HOLDPOINT_INPUT_TIMEOUT_MS";
/// Where reviewers' programs are looked for.
pub const PATH: &str = "PATH";
/// No colour, whatever the terminal.
pub const NO_COLOR: &str = "NO_COLOR";

/// The environment.
pub trait Env: Send + Sync {
    /// A variable's value, if it is set and is text.
    fn var(&self, name: &str) -> Option<String>;
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

/// An environment of its own, for cases and tests.
impl<S: BuildHasher + Send + Sync> Env for HashMap<String, String, S> {
    fn var(&self, name: &str) -> Option<String> {
        self.get(name).cloned()
    }
}
