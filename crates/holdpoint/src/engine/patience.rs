//! The engine's own patience at Stop: nobody is trapped. What counts is progress since the last hold, not what the
//! agent says about being in a hook already.

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::holds::OpenHold;
use holdpoint_core::release::Cause;

use super::session::Session;
use crate::agent::Agent;
use crate::env_vars;
use crate::store::memory::{self, Memory};
use crate::store::{holds, layout};

/// How often in a row a Stop is held without progress.
const STOP_HOLDS_MAX: u32 = holdpoint_core::phase::HOLDS;
/// How often a Stop is held between two prompts of the user, whatever changes: an agent could change something each
/// time for ever.
const STOP_HOLDS_IN_ALL_MAX: u32 = 50;

/// Counts a hold at Stop with this text, and says why it is given up, if it is.
pub(super) fn spent(session: &Session<'_>, text: &str) -> Option<Cause> {
    spent_at(session, text, STOP_HOLDS_MAX)
}

/// The same for a phase with a limit of its own.
pub(super) fn spent_at(session: &Session<'_>, text: &str, limit: u32) -> Option<Cause> {
    match count(session, text) {
        None => Some(Cause::Uncounted),
        Some(memory) if memory.stop_holds_in_all > STOP_HOLDS_IN_ALL_MAX => Some(Cause::TooOften),
        Some(memory) if memory.stop_holds > limit => Some(Cause::NoProgress),
        Some(_) => None,
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

/// After how many holds in a row Claude Code ends a turn all the same, if its settings do not say otherwise.
const CLAUDE_CAP: u32 = 8;

/// The Stop's hold that the agent's client did not heed, at the prompt that follows: the last Stop was held, as often as the
/// client allows, and the turn is over.
pub(super) fn capped(session: &Session<'_>) -> Option<OpenHold> {
    let (run, event) = (session.run, session.event);
    if event.moment != Moment::Prompt || event.agent != Agent::Claude.name() {
        return None;
    }
    let held = memory::read(&run.books, &id(event), &run.workflow.name)?.stop_holds_in_all;
    let cap = session.env.var(env_vars::CLAUDE_CAP).and_then(|cap| cap.parse().ok()).unwrap_or(CLAUDE_CAP);
    if held < cap {
        return None;
    }
    let open = holds::read(&run.books, &run.workflow.name, &run.place()).0;
    let is_it = |hold: &OpenHold| {
        hold.event == Moment::Stop.name() && hold.session == id(event) && hold.cause.is_none()
    };
    open.into_iter().find(is_it)
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
