//! A review or a check that is due: performed once at a time, kept as evidence, and the step it leads to.

use std::sync::Arc;
use std::time::Duration;

use holdpoint_core::effects::{Effects, Fault};
use holdpoint_core::facts::{FactError, Facts};
use holdpoint_core::phase::{self, Outcome, Review};
use holdpoint_core::transition::Origin;
use holdpoint_core::workflow::phase::Phase;
use holdpoint_core::workflow::step::Delivery;
use serde_json::Value as Json;

use super::report::Report;
use super::session::Session;
use crate::check::{self, Performed};
use crate::store::evidence::{self, Evidence};
use crate::store::journal::{self, Reviewed};
use crate::store::layout;
use crate::store::lock::{self, Lock, LockError};

/// The lock under which a run's reviews are performed, one at a time; without it, what is said instead is in the report.
pub(super) fn lock(session: &Session<'_>, phase: &Phase, report: &mut Report) -> Option<Lock> {
    let home = &session.run.home;
    let path = layout::lock(home, &format!("review {}", layout::name(home, &session.run.place())));
    let prepared = layout::prepare(home, &path).map_err(LockError::Io);
    match prepared.and_then(|()| lock::take(&path, Duration::ZERO)) {
        Ok(lock) => return Some(lock),
        Err(LockError::Busy(_)) => {
            let text = format!("The {} of this run is being done already.", phase.name);
            report.effects.messages.push(Origin::Phase(phase).message(Delivery::Tell, text));
        }
        Err(error @ LockError::Io(_)) => {
            report.effects.fault(format!("{} was not performed: {}: {error}", phase.name, path.display()));
        }
    }
    None
}

/// Performs a review or a check, keeps what came of it, and says which step it leads to.
pub(super) fn perform(
    session: &Session<'_>,
    phase: &Phase,
    review: &Review,
    report: &mut Report,
) -> Result<Effects, FactError> {
    let item = session.facts().item_id();
    let mut performed = match check::perform(review, session.run, session.env) {
        Ok(performed) => performed,
        Err(failure) => return failed(&session.refresh(), phase, &failure.to_string(), report),
    };
    // The world is asked anew: a check may have changed it, and others meanwhile, too.
    let facts = session.refresh_with(performed.tree.clone());
    if let Some(pass) = &review.pass
        && !facts.evaluate(pass, facts.context())?.is_true()
    {
        performed.verdict = Some("fail".to_owned());
    }
    report.reviews.push(reviewed(review, &performed));
    if let Err(error) = keep_evidence(session, item, review, &performed) {
        report.effects.fault(format!("what came of {} is not on record: {error}", review.phase));
    }
    // From here on, what was just seen is part of what is known.
    let facts = session.refresh_with(performed.tree.clone());
    if let Some(why) = phase::unknown_answer(phase, performed.verdict.as_deref()) {
        return failed(&facts, phase, &why, report);
    }
    let Performed { verdict: answer, details, output, .. } = performed;
    phase::performed(&facts, phase, &review.clean, &Outcome { answer, details, output })
}

/// The step for what did not work.
fn failed(facts: &Arc<Facts>, phase: &Phase, why: &str, report: &mut Report) -> Result<Effects, FactError> {
    let effects = phase::failed(facts, phase, why);
    let is_told = effects.as_ref().is_ok_and(|effects| !effects.messages.is_empty());
    report.effects.faults.push(Fault { rule: None, what: why.to_owned(), is_told });
    effects
}

/// Keeps what the engine saw itself. Where it cannot be kept, nothing is proved later.
fn keep_evidence(
    session: &Session<'_>,
    item: Json,
    review: &Review,
    performed: &Performed,
) -> std::io::Result<()> {
    let evidence = Evidence {
        at: journal::now(),
        workflow: session.run.workflow.name.to_string(),
        item,
        phase: review.phase.clone(),
        round: review.round,
        command: review.command.clone(),
        outcome: performed.verdict.clone().unwrap_or_default(),
        exit: performed.exit,
        took_ms: u64::try_from(performed.took.as_millis()).unwrap_or(u64::MAX),
        tree: performed.tree.clone(),
        log: performed.log.clone(),
        log_digest: performed.log_digest.clone(),
        doubts: performed.doubts.clone(),
        details: performed.details.clone(),
        chain: String::new(),
    };
    evidence::append(&session.run.home, &evidence)
}

fn reviewed(review: &Review, performed: &Performed) -> Reviewed {
    Reviewed {
        phase: review.phase.clone(),
        round: review.round,
        program: review.command.first().cloned().unwrap_or_default(),
        verdict: performed.verdict.clone(),
        report: review.report.clone(),
        took_ms: u64::try_from(performed.took.as_millis()).unwrap_or(u64::MAX),
        cost_usd: performed.cost_usd,
    }
}
