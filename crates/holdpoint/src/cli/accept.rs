//! `holdpoint accept`: what shell calls did although a rule holds it, and the user's word that it may stay.

use std::sync::Arc;

use clap::Args;
use holdpoint_core::event::{Event, Moment};

use super::confirmation::Users;
use super::{Context, subject};
use crate::engine::session::Session;
use crate::engine::watch;
use crate::error::{CommandError, Kind};
use crate::user;

/// Accept what an agent's shell did although a rule holds it
///
/// A rule that holds commits, or changes of files, looks at each shell call a second time, after it: at what the call did.
/// What it did all the same is remembered, and the agent is held at Stop until it is undone or you accept it. Shows what is
/// open, each with the command that undoes it, and asks. Only you can accept: it takes your terminal, and while an agent's
/// client works here a word that you type.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint accept          look at what is open, then answer y or n
  holdpoint accept --yes    accept all of it")]
pub(super) struct Arguments {
    /// Do not ask, unless an agent's client works here
    #[arg(long)]
    yes: bool,
    /// Only runs of this workflow
    #[arg(long, value_name = "WORKFLOW")]
    workflow: Option<String>,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let users = Users::command(context, &context.cwd, "holdpoint accept")?;
    subject::find(context, arguments.workflow.as_slice())?;
    let found = context.find(arguments.workflow.as_deref());
    let event = Arc::new(Event::from_shell(Moment::Stop, &context.cwd.to_string_lossy()));
    let sessions: Vec<Session<'_>> =
        found.runs.iter().map(|run| Session::new(run, &event, &context.env)).collect();
    let open: Vec<&Session<'_>> =
        sessions.iter().filter(|session| !watch::unsettled(session).is_empty()).collect();
    if open.is_empty() {
        context.ui.line("Nothing is open: no shell call here did what a rule holds.");
        return Ok(());
    }
    for session in &open {
        for (what, undoing) in watch::unsettled(session) {
            context.ui.line(format!("{}: {what}", session.run.workflow.name));
            context.ui.whole_line(format!("  to undo it: {undoing}"));
        }
    }
    if !user::is_there(context.env.as_ref()) {
        return Err(CommandError::new(Kind::Failed, "nothing was accepted: this is not a terminal")
            .hinted("type it in a terminal of your own"));
    }
    users.agree(context, (!arguments.yes).then_some("May it stay?"), "nothing was accepted")?;
    for session in open {
        let accepted = watch::accept(session).map_err(|why| CommandError::new(Kind::Files, why))?;
        context.ui.line(format!("Accepted, {}: {}.", session.run.workflow.name, accepted.join("; ")));
    }
    Ok(())
}
