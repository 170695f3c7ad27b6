//! An approval that a case gives, in place of the person who would type it.

use std::path::Path;
use std::sync::Arc;

use holdpoint_core::workflow::approval::Channel;

use super::Subject;
use crate::engine::approval::{self, Answer, Said, Waiting};
use crate::engine::session::Session;
use crate::env::Env;
use crate::error::{CommandError, Kind};
use crate::project;
use crate::user;

/// Who approves in cases.
const BY: &str = "case";

/// Gives an approval or, with a reason, refuses it. Returns what the person would be told.
pub(super) fn give(
    subject: Subject<'_>,
    name: &str,
    no: Option<&str>,
    cwd: &Path,
    env: &Arc<dyn Env>,
) -> Result<String, CommandError> {
    user::refuse_agents(env.as_ref(), "approve")?;
    let not_due = || CommandError::new(Kind::Failed, format!("no run waits for the approval `{name}`"));
    let found = project::find(cwd, env, None, Some(subject.name));
    let run = found.runs.first().ok_or_else(not_due)?;
    let event = approval::event(cwd);
    let session = Session::new(run, &event, env);
    let waiting = Waiting::of(&session)?.ok_or_else(not_due)?;
    let outcome = match waiting.settle()? {
        Some((_, outcome)) => outcome,
        None => {
            let approval = waiting.approval(name).ok_or_else(not_due)?;
            let seen = waiting.seen(approval)?;
            let said = Said { by: BY, through: Channel::Terminal };
            waiting.say(approval, &said, no.map_or(Answer::Yes(&seen), Answer::No))?
        }
    };
    Ok(outcome.lines(&run.workflow).join("\n"))
}
