//! `holdpoint pause`: the user keeps a run from holding for a while.

use clap::Args;
use holdpoint_core::door::Word;
use holdpoint_core::workflow::approval::Channel;

use super::confirmation::{self, Users};
use super::{Context, release, subject};
use crate::allow::waiting;
use crate::engine::{door, pause};
use crate::error::CommandError;
use crate::user;

/// Pause a run: it holds nothing until `holdpoint resume`
///
/// While a run is paused nothing of it holds, performs or advances, and its commands are refused. What Holdpoint protects of a sealed run stays protected.
/// `holdpoint resume` ends it at once. What is done in a pause proves nothing: what is proved later is proved on the files as they are then.
/// What an agent's shell did meanwhile is looked at afterwards, unless you resume with --accept. Takes your own terminal, or a prompt that you
/// type. Agents cannot pause.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint pause                               until `holdpoint resume`
  holdpoint pause --for 1h --reason \"a spike\"   for an hour
  holdpoint pause --workflow myflow --run one   one run of several
  holdpoint resume                              it holds again
  holdpoint resume --accept                     what was done meanwhile is yours")]
pub(super) struct Arguments {
    /// Why; asked for at a terminal
    #[arg(long, value_name = "WHY")]
    reason: Option<String>,
    /// How long: 90s, 10m, 2h, 1d [default: until you resume it]
    #[arg(long = "for", value_name = "TIME", value_parser = release::length)]
    seconds: Option<u32>,
    /// The run, by its name [default: the newest]
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Only runs of this workflow
    #[arg(long, value_name = "WORKFLOW")]
    workflow: Option<String>,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let users = Users::command(context, &context.cwd, "holdpoint pause")?;
    subject::find(context, arguments.workflow.as_slice())?;
    let found = context.find(None);
    if found.runs.is_empty() && !found.waiting.is_empty() {
        return Err(waiting::refusal(&found.waiting));
    }
    let run = pause::addressee(&found, arguments.workflow.as_deref(), arguments.run.as_deref())?;
    let reason = confirmation::reason(context, arguments.reason.as_deref(), "paused")?;
    users.confirm(context)?;
    let word = Word { by: user::name(), through: Channel::Terminal, reason };
    let pause = pause::begin(&run, word, arguments.seconds, &context.env)?;
    let until = pause.until.as_deref().map(door::clock);
    let until = until.map(|until| format!(" until {until}")).unwrap_or_default();
    context.ui.line(format!(
        "Paused{until}: {}, run {}. Nothing of it holds.",
        run.workflow.name,
        run.name()
    ));
    context.ui.line(format!("To go on: {}", pause::way_on(&run)));
    Ok(())
}
