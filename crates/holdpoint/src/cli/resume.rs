//! `holdpoint resume`: a paused run holds again.

use clap::Args;
use holdpoint_core::door::Word;
use holdpoint_core::workflow::approval::Channel;

use super::confirmation::Users;
use super::{Context, phrase, subject};
use crate::engine::pause;
use crate::error::CommandError;
use crate::user;

/// End a pause: the run holds again, at once
///
/// What an agent's shell did meanwhile although a rule holds it is told, and holds the agent until it is undone or accepted. With --accept it
/// is yours: nobody is told. A sealed run's own marks are not changed by that.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint resume                               the run here that is paused
  holdpoint resume --accept                      what was done meanwhile is yours
  holdpoint resume --workflow myflow --run one   one run of several")]
pub(super) struct Arguments {
    /// Take what was done meanwhile for your own
    #[arg(long)]
    accept: bool,
    /// The run, by its name [default: the one that is paused]
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Only runs of this workflow
    #[arg(long, value_name = "WORKFLOW")]
    workflow: Option<String>,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let users = Users::command(context, &context.cwd, "holdpoint resume")?;
    subject::find(context, arguments.workflow.as_slice())?;
    let (workflow, name) = (arguments.workflow.as_deref(), arguments.run.as_deref());
    let run = pause::paused(&context.find(None), workflow, name)?;
    users.confirm(context)?;
    let word = Word { by: user::name(), through: Channel::Terminal, reason: String::new() };
    let pause = pause::end(&run, &word, arguments.accept, &context.env)?;
    let (workflow, since) = (&run.workflow.name, phrase::since(&pause.at));
    context.ui.line(format!("Resumed after {since}: {workflow}, run {}. It holds again.", run.name()));
    Ok(())
}
