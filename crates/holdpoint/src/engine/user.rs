//! What only the user may do: commands that an agent's shell is refused.

use crate::env::Env;
use crate::env_vars::REVIEWER;
use crate::error::{CommandError, Kind};

/// Refuses a command of the user's in an agent's shell, and in that of a reviewer.
pub fn refuse_agents(env: &dyn Env, command: &str) -> Result<(), CommandError> {
    if !env.is_agents() && env.var(REVIEWER).is_none() {
        return Ok(());
    }
    let what = format!("`{command}` is the user's to call, not an agent's");
    Err(CommandError::new(Kind::Failed, what).hinted("tell the user, and end your turn"))
}
