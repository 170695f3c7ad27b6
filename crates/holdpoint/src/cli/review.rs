//! `holdpoint review`: performs the review that is due, from a shell.

mod report;

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use clap::Args;
use holdpoint_core::effects::Fault;
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::phase::Unperformed;
use serde_json::{Value as Json, json};

use super::Context;
use crate::allow::waiting;
use crate::engine::advance::ahead;
use crate::engine::judge;
use crate::engine::pause;
use crate::engine::report::{Ending, Report};
use crate::engine::session::Session;
use crate::env_vars::REVIEWER;
use crate::error::{CommandError, Kind};
use crate::project::Run;
use crate::ui::Ui;
use crate::user;

/// Run the review that is due
///
/// Does what the agent's next Stop would do in the run of this folder. The verdict is recorded, and the run continues from it. Exits with 0 if the review ran, whatever its verdict, and with 1
/// if it could not run.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint review                perform it and print the verdict
  holdpoint review --dry-run      show the reviewer's command line
  holdpoint review --json | jq -r '.[].reviews[].verdict'")]
pub(super) struct Arguments {
    /// Print the command line and the report it would ask for, without running it
    #[arg(long)]
    dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// One run and its review.
struct Reviewed {
    run: Run,
    /// What was due before the review.
    before: Ending,
    /// The performed review. None if nothing was performed.
    done: Option<Report>,
    /// What is due afterwards.
    after: Result<Ending, Fault>,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    if context.env.var(REVIEWER).is_some() {
        return Err(CommandError::new(Kind::Failed, "a reviewer cannot start another review"));
    }
    if user::is_agents(context.env.as_ref()) && !arguments.dry_run {
        let what = "an agent's shell performs no review: Holdpoint's hook does, when the agent stops";
        return Err(CommandError::new(Kind::Failed, what).hinted("end your turn"));
    }
    let event = Arc::new(Event::from_shell(Moment::Stop, &context.cwd.to_string_lossy()));
    let mut rows = Vec::new();
    let mut hints: Vec<String> = Vec::new();
    let env = context.performing();
    for run in runs(context)? {
        let name = run.workflow.name.to_string();
        let session = Session::new(&run, &event, &env);
        let before = ahead(&session).map_err(|fault| unknown(&name, &fault))?;
        let is_due = matches!(before, Ending::Perform(_) | Ending::Unperformed { .. });
        if is_due && !arguments.dry_run {
            pause::refuse(&run)?;
        }
        let done = (is_due && !arguments.dry_run).then(|| perform(context.ui, &session, &before));
        let after = ahead(&session);
        let reviewed = Reviewed { run, before, done, after };
        hints.extend(reviewed.has_failed().then(|| reviewed.hint()));
        if arguments.json {
            rows.push(report::as_json(&reviewed));
        } else {
            context.ui.line(report::in_words(context, &reviewed));
        }
    }
    if arguments.json {
        context.ui.json(Json::Array(rows));
    }
    if hints.is_empty() {
        return Ok(());
    }
    hints.dedup();
    Err(hints
        .into_iter()
        .fold(CommandError::new(Kind::Failed, "the review could not run"), CommandError::hinted))
}

/// Returns the runs whose workflow has phases.
fn runs(context: &Context) -> Result<Vec<Run>, CommandError> {
    let mut found = context.find(None);
    found.runs.retain(|run| !run.workflow.phases.is_empty());
    if found.runs.is_empty() && !found.waiting.is_empty() {
        return Err(waiting::refusal(&found.waiting));
    }
    if found.runs.is_empty() {
        let what = format!("no run of a workflow with phases in {} or above it", context.cwd.display());
        return Err(CommandError::new(Kind::Failed, what).hinted("see `holdpoint status`"));
    }
    Ok(found.runs)
}

fn unknown(workflow: &str, fault: &Fault) -> CommandError {
    CommandError::new(Kind::Failed, format!("cannot find out what is due in {workflow}: {fault}"))
        .hinted("see `holdpoint status`")
}

/// Performs the review, and shows the seconds on a terminal.
fn perform(ui: Ui, session: &Session<'_>, before: &Ending) -> Report {
    let Ending::Perform(request) = before else { return judge::review(session) };
    if !ui.shows_progress() {
        return judge::review(session);
    }
    let (finished, is_finished) = channel::<()>();
    let words = format!("{}, round {}", request.phase, request.round);
    let deadline_s = request.timeout_s;
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let started = Instant::now();
            loop {
                ui.progress(format!("{words}: {} s of at most {deadline_s}", started.elapsed().as_secs()));
                let waited = is_finished.recv_timeout(Duration::from_secs(1));
                if waited != Err(RecvTimeoutError::Timeout) {
                    return ui.progress("");
                }
            }
        });
        let done = judge::review(session);
        drop(finished);
        done
    })
}

impl Reviewed {
    /// Returns whether a review was due and was requested, but could not run.
    fn has_failed(&self) -> bool {
        let Some(done) = &self.done else { return false };
        let is_skipped = matches!(self.before, Ending::Unperformed { why: Unperformed::Skipped, .. });
        // An answer that could not be read is a verdict all the same.
        let unread = usize::from(done.unread.is_some());
        done.effects.faults.len() > unread || (done.reviews.is_empty() && !is_skipped)
    }
}

impl Reviewed {
    /// Returns what to do about a review that could not run.
    fn hint(&self) -> String {
        match &self.before {
            Ending::Unperformed { why, .. } => report::after(self, *why),
            _ => {
                "see `holdpoint log --faults`; `holdpoint review --dry-run` shows the command line".to_owned()
            }
        }
    }
}

fn due(ending: &Ending) -> Json {
    match ending {
        Ending::Nobody => Json::Null,
        Ending::Unknown(name) => json!({"phase": name, "by": null}),
        Ending::Perform(request) => {
            json!({"phase": request.phase, "by": if request.is_review() { "reviewer" } else { "check" }})
        }
        Ending::Waits { phase, .. } | Ending::Unperformed { phase, .. } | Ending::Step(phase) => {
            json!({"phase": phase.name, "by": phase.actor().name()})
        }
    }
}
