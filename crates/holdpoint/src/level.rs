//! The level of what this process performs: who performs it, and who keeps what came of it.

use holdpoint_core::level::Level;

use crate::env::Env;
use crate::fence::relayed::Relayed;

/// Returns the level of what this process performs: fenced if a keeper outside of the agent's fence started it for the
/// client itself.
pub fn of_this_process(env: &dyn Env) -> Level {
    if env.relayed() == Some(Relayed::Client) { Level::Fenced } else { Level::Kept }
}
