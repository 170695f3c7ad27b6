//! `holdpoint receipt`: show what came of a command that a hook performed.

use clap::Args;

use super::Context;
use crate::error::{CommandError, Kind};
use crate::store::receipt::Receipt;

/// Show what came of a command that a hook performed (called in the agent's shell)
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The receipt
    id: String,
}

/// Shows it.
pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let missing = || {
        let what = format!("there is no receipt {:?}: it is kept for a week", arguments.id);
        CommandError::new(Kind::Files, what).hinted("see where the run stands: holdpoint status")
    };
    context.ui.line(Receipt::find(context.env.as_ref(), &arguments.id).ok_or_else(missing)?.shown()?);
    Ok(())
}
