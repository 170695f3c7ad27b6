//! Who gives a command: the one place that decides what only the user may do.

use crate::env::Env;
use crate::error::{CommandError, Kind};

/// Refuses an agent what is the user's to do.
pub fn refuse_agents(env: &dyn Env, what: &str) -> Result<(), CommandError> {
    if !env.is_agents() {
        return Ok(());
    }
    let what = format!("`{what}` is the user's to call, not an agent's");
    Err(CommandError::new(Kind::Failed, what).hinted("tell the user, and end your turn"))
}

/// Returns whether the user is there and can be asked.
pub fn is_there(env: &dyn Env) -> bool {
    !env.is_agents() && env.has_terminal()
}
