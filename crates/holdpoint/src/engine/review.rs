//! A review or a check that is due: performed once at a time, kept as evidence, and the step it leads to.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use holdpoint_core::effects::{Effects, Fault};
use holdpoint_core::facts::{FactError, Facts};
use holdpoint_core::level::Level;
use holdpoint_core::phase::{self, Answered, Request, Task};
use holdpoint_core::release::{Cause, Released};
use holdpoint_core::verdict::Verdict;
use holdpoint_core::workflow::phase::Phase;
use holdpoint_core::workflow::step::Delivery;

use super::report::Report;
use super::session::Session;
use super::{job, judge, owed, watch};
use crate::check::{self, Failure, Performed};
use crate::level;
use crate::pinned::NotPinned;
use crate::project::Run;
use crate::store::evidence::{self, Evidence};
use crate::store::journal::{self, Reviewed};
use crate::store::layout;
use crate::store::lock::{self, Lock, LockError};

/// The lock under which a run's reviews are performed, one at a time. It is not waited for.
pub(super) fn lock(session: &Session<'_>) -> Result<Lock, LockError> {
    take_lock(session, &lock_file(session), Duration::ZERO)
}

/// The same lock, which is waited for: a person's word is not lost because a hook is at work.
pub(super) fn wait_for_lock(session: &Session<'_>) -> Result<Lock, LockError> {
    take_lock(session, &lock_file(session), lock::PATIENCE)
}

fn lock_file(session: &Session<'_>) -> PathBuf {
    let Run { home, books, .. } = session.run;
    books.lock(&format!("review {}", layout::name(home, &session.run.place())))
}

fn take_lock(session: &Session<'_>, path: &Path, patience: Duration) -> Result<Lock, LockError> {
    lock::take(session.run.books.prepare(path)?, path, patience)
}

/// What follows from a request.
pub(super) enum NextStep {
    /// The step that is taken.
    Take(Effects),
    /// Nothing was performed: a program is another than it was. No route of the workflow is taken, because one for faults
    /// may open the gate.
    NotPinned(NotPinned),
}

/// Performs a review or a check, keeps what came of it, and says which step it leads to.
pub(super) fn perform(
    session: &Session<'_>,
    phase: &Phase,
    request: &Request,
    report: &mut Report,
) -> Result<NextStep, FactError> {
    let item = session.facts().item_id();
    let job = job::begin(session, phase, request);
    let came = check::perform(request, session.run, session.env);
    if let Some(job) = job {
        job.end(&came, came.as_ref().err().map(|failure| failure.in_words(request)), report);
    }
    let performed = match came {
        Ok(performed) => performed,
        Err(Failure::Pinned(why)) => return Ok(NextStep::NotPinned(why)),
        Err(failure) => {
            let why = failure.in_words(request);
            let released =
                Released { why: Some(why.clone()), ..Released::new(cause(&failure), &phase.name, "") };
            report.unperformed = Some(released);
            return failed(&session.refresh(), phase, &why, report).map(NextStep::Take);
        }
    };
    let Performed { mut verdict, output, cost_usd, mut evidence, stands, unread } = performed;
    if let Some(why) = unread {
        tell_unread(session, request, &verdict, why, report);
    }
    if verdict == Verdict::Pass {
        acknowledge(session, request, &evidence);
    }
    evidence.doubts.extend(session.env.unproved().map(str::to_owned));
    // The world is asked again: a check may have changed it, and others meanwhile, too.
    let facts = session.refresh_with(stands.clone());
    if let Some(condition) = &request.condition
        && !facts.is_true(condition)?
    {
        verdict = Verdict::Fail;
    }
    // A program that could write anywhere could write the books, too.
    let most = if evidence.unconfined.is_some() { Level::Kept } else { Level::Fenced };
    let evidence = Evidence {
        at: journal::now(),
        workflow: session.run.workflow.name.to_string(),
        item,
        phase: request.phase.clone(),
        round: request.round,
        command: request.command().to_vec(),
        verdict: Some(verdict.clone()),
        passed: phase::has_passed(&facts, phase, &verdict)?,
        level: level::of_this_process(&session.run.books, session.env.as_ref()).map(|level| level.min(most)),
        ..evidence
    };
    report.reviews.push(Reviewed { report: request.report.clone(), cost_usd, ..Reviewed::of(&evidence) });
    // Where it cannot be kept, nothing is proved later.
    if let Err(error) = evidence::append(&session.run.books, &evidence) {
        report.effects.fault(format!("the verdict of {} was not recorded: {error}", request.phase));
    }
    owed::performed(session, phase);
    // From here on, what was just seen is part of what is known.
    let facts = session.refresh_with(stands);
    let answered = Answered { verdict: Some(verdict), details: evidence.details, output };
    phase::performed(&facts, phase, &answered).map(NextStep::Take)
}

/// Tells the user of an answer that could not be read, and has it in the journal: a reviewer that gives such answers is
/// broken, and says nothing of the work.
fn tell_unread(
    session: &Session<'_>,
    request: &Request,
    verdict: &Verdict,
    why: String,
    report: &mut Report,
) {
    let Run { home, folder, workflow, .. } = session.run;
    let what = format!("{}, round {}: no verdict that can be read: {why}", request.phase, request.round);
    let log = request.log.as_ref().map(|log| folder.join(log)).filter(|log| log.is_file());
    let log = log.map(|log| {
        let log = log.strip_prefix(home).unwrap_or(&log).display().to_string();
        format!(" All that it printed is in {log}.")
    });
    let text = format!(
        "holdpoint: {}: {what}. The reviewer was asked twice, and this counts as `{verdict}`; it says nothing of the \
         work.{} Its command line, to try it: `holdpoint review --dry-run`.",
        workflow.name,
        log.unwrap_or_default()
    );
    report.effects.messages.push(judge::of_books(Delivery::Tell, text));
    report.effects.faults.push(Fault {
        rule: Some(request.phase.clone()),
        what,
        is_told: true,
        ..Fault::default()
    });
    report.unread = Some(why);
}

/// Has a commit that was made just now told from what others move meanwhile.
fn acknowledge(session: &Session<'_>, request: &Request, evidence: &Evidence) {
    let is_made = matches!(request.task, Task::Commit { is_done: false, .. });
    if let Some(commit) = evidence.details["commit"].as_str().filter(|_| is_made) {
        watch::acknowledge(session, &watch::Own { commit, parent: evidence.details["parent"].as_str() });
    }
}

/// Why a review or check without a verdict does not hold.
fn cause(failure: &Failure) -> Cause {
    match failure {
        Failure::Missing(_) => Cause::NoReviewer,
        Failure::Timeout(_) => Cause::Deadline,
        Failure::Interrupted => Cause::Interrupted,
        Failure::Start(_)
        | Failure::Exit(_)
        | Failure::NoReport(_)
        | Failure::Unreadable(_)
        | Failure::Changed(_)
        | Failure::Lacks(_)
        | Failure::Pinned(_) => Cause::ReviewFailed,
    }
}

/// The step for what did not work.
fn failed(facts: &Arc<Facts>, phase: &Phase, why: &str, report: &mut Report) -> Result<Effects, FactError> {
    let effects = phase::failed(facts, phase, why);
    let is_told = effects.as_ref().is_ok_and(|effects| !effects.messages.is_empty());
    report.effects.faults.push(Fault { what: why.to_owned(), is_told, ..Fault::default() });
    effects
}
