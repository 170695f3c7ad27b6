//! The engine's own patience at Stop: nobody is trapped. What counts is progress since the last hold, not what the
//! agent says about being in a hook already.

use holdpoint_core::event::{Event, Moment};

use super::session::Session;
use crate::store::layout;
use crate::store::memory::{self, Memory};

/// How often in a row a Stop is held without progress.
const STOP_HOLDS_MAX: u32 = holdpoint_core::phase::HOLDS;
/// How often a Stop is held between two prompts of the user, whatever changes: an agent could change something each
/// time for ever.
const STOP_HOLDS_IN_ALL_MAX: u32 = 50;

/// Why a hold is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Release {
    /// It was repeated, and nothing had changed.
    NoProgress,
    /// It was repeated very often.
    TooOften,
    /// It cannot be counted, so it could go on for ever.
    Uncounted,
}

/// Counts a hold at Stop with this text, and says whether it is given up.
pub(super) fn spent(session: &Session<'_>, text: &str) -> Option<Release> {
    match count(session, text) {
        None => Some(Release::Uncounted),
        Some(memory) if memory.stop_holds_in_all > STOP_HOLDS_IN_ALL_MAX => Some(Release::TooOften),
        Some(memory) if memory.stop_holds > STOP_HOLDS_MAX => Some(Release::NoProgress),
        Some(_) => None,
    }
}

/// How often in a row, this time included, a Stop is held with this text without progress.
pub(super) fn times(session: &Session<'_>, text: &str) -> u32 {
    match count(session, text) {
        Some(memory) if memory.stop_holds_in_all <= STOP_HOLDS_IN_ALL_MAX => memory.stop_holds,
        _ => u32::MAX,
    }
}

/// Counts a hold. Progress is: another text, or another state than at the last hold.
fn count(session: &Session<'_>, text: &str) -> Option<Memory> {
    let state = session.facts().state_bytes().ok().flatten().unwrap_or_default();
    let digest = layout::digest(&[text, &String::from_utf8_lossy(&state)]);
    let run = session.run;
    let counted = memory::update(&run.books, &id(session.event), &run.workflow.name, |memory| {
        if memory.stop_digest != digest {
            memory.stop_digest.clone_from(&digest);
            memory.stop_holds = 0;
        }
        memory.stop_holds += 1;
        memory.stop_holds_in_all += 1;
        memory.clone()
    });
    counted.ok()
}

/// A new prompt of the user starts the count again.
pub(super) fn note(session: &Session<'_>) {
    let (run, id) = (session.run, id(session.event));
    if session.event.moment == Moment::Prompt && memory::exists(&run.books, &id, &run.workflow.name) {
        let _ = memory::update(&run.books, &id, &run.workflow.name, |memory| {
            memory.stop_holds = 0;
            memory.stop_holds_in_all = 0;
        });
    }
}

/// Whose holds are counted together: a session's, and each sub-agent's apart from them.
fn id(event: &Event) -> String {
    let session = event.session.clone().unwrap_or_default();
    let subagent = event.subagent.as_ref().filter(|_| event.moment != Moment::Stop);
    subagent.map(|subagent| format!("{session} {}", subagent.id)).unwrap_or(session)
}
