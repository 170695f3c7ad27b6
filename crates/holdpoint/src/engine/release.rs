//! Releasing: the one place where a hold does not hold. What is put here into a run's report has a line in the journal with
//! its cause, and the user is told.

use holdpoint_core::decide::decide;
use holdpoint_core::phase::{self, Due};
use holdpoint_core::release::{Cause, Released};
use holdpoint_core::workflow::step::Delivery;

use super::advance::ahead;
use super::report::{Ending, Report};
use super::session::Session;

/// Gives a hold up.
pub(super) fn let_go(report: &mut Report, released: Released) {
    report.released.push(released);
}

/// Gives up whatever a Stop would be held for that is not judged, if there is anything; says whether there is. Nothing is
/// performed to find out.
pub(super) fn unjudged(
    session: &Session<'_>,
    report: &mut Report,
    cause: Cause,
    why: Option<String>,
) -> bool {
    let Some((rule, open)) = open_at_stop(session) else { return false };
    let_go(report, Released { why, ..Released::new(cause, &rule, &open) });
    true
}

/// Gives up what a Stop would be held for in a run that is none of the session's business. `merge.rs` tells the user whose it
/// is.
pub(super) fn aside(session: &Session<'_>, report: &mut Report) {
    let why = report.note.clone();
    if unjudged(session, report, Cause::OtherSession, why) {
        report.released.iter_mut().for_each(|released| released.is_told = true);
    }
}

/// What a Stop would be held for: the rule or phase, and what it says.
fn open_at_stop(session: &Session<'_>) -> Option<(String, String)> {
    match ahead(session).ok()? {
        Ending::Waits { phase, text } if !text.is_empty() => return Some((phase.name.to_string(), text)),
        Ending::Perform(request) => {
            return Some((request.phase.clone(), format!("`{}` is due.", request.phase)));
        }
        Ending::Waits { .. }
        | Ending::Unperformed { .. }
        | Ending::Step(_)
        | Ending::Nobody
        | Ending::Unknown(_) => {}
    }
    let effects = decide(&session.facts(), None);
    let held = effects.delivered(Delivery::Hold).next();
    held.map(|message| (message.name.clone(), message.text.clone()))
}

/// Gives up, at the end of judging, what was not judged: each rule's fault lets that rule's event pass.
pub(super) fn faults(report: &mut Report) {
    let untold = report.effects.faults.iter().filter(|fault| !fault.is_told);
    let released = untold.map(|fault| Released {
        why: Some(fault.what.clone()),
        ..Released::new(Cause::Fault, fault.rule.as_deref().unwrap_or_default(), "")
    });
    let released: Vec<Released> = released.collect();
    released.into_iter().for_each(|released| let_go(report, released));
}

/// Gives up, after the walk through the phases, a review or check without a verdict, unless the agent is held all the same.
pub(super) fn unperformed(session: &Session<'_>, report: &mut Report) {
    let Some(released) = report.unperformed.take().filter(|_| !report.effects.holds()) else { return };
    let is_told = report.effects.messages.iter().any(|message| message.delivery.is_for_user());
    let has_moved =
        !matches!(phase::due(&session.facts()), Ok(Due::Phase(due)) if *due.name == released.rule);
    let_go(report, Released { is_told, has_moved, ..released });
}
