//! The loop in which nothing counts that the engine has not seen itself, from outside: a real repository, the real
//! binary, real hook events, and shell scripts in the place of the test runner and the reviewers.

mod attested;
mod books;
#[cfg(target_os = "linux")]
mod callers;
#[cfg(target_os = "linux")]
mod crash;
#[cfg(target_os = "linux")]
mod elsewhere;
#[cfg(target_os = "linux")]
mod fence;
#[cfg(target_os = "linux")]
mod meanwhile;
mod performance;
#[cfg(target_os = "linux")]
mod pinned;
pub(crate) mod project;
pub(crate) mod proof;
mod runners;
mod setbacks;
pub(crate) mod subagents;
mod users;
pub(crate) mod walk;
#[cfg(target_os = "linux")]
mod word;
