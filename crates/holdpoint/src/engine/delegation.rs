//! What an agent hands to a sub-agent. A sub-agent's answer counts only if a hook saw the call begin, under the same id: an
//! answer alone is only a text, which anybody could send.

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::tool::ToolKind;

use super::Call;
use super::merge::Said;
use crate::agent::Asked;
use crate::project::Found;
use crate::store::layout;
use crate::store::state_folder::StateFolder;

/// The folder of the calls that have begun.
const FOLDER: &str = "calls";

/// Returns whether an event is a call of a sub-agent that may be asked to review.
pub(super) fn is_one(event: &Event, found: &Found) -> bool {
    let is_delegation = event.tool.as_ref().is_some_and(|tool| tool.kind() == ToolKind::Delegation);
    is_delegation && found.runs.iter().any(|run| run.workflow.asks_subagents())
}

/// Notes that a call has begun.
pub(super) fn begin(call: &Call<'_>, asked: &Asked, event: &Event, found: &Found) {
    if event.moment != Moment::Before || !is_one(event, found) {
        return;
    }
    if let Some((file, folder)) = file(asked, event).zip(StateFolder::of(call.env.as_ref()).ok()) {
        // One that cannot be noted does not count, and that is said then.
        let _ = folder.mark(&file);
        folder.clear_old(FOLDER);
    }
}

/// Takes what a sub-agent said out of an event if no hook saw the call begin, and says so.
pub(super) fn end(call: &Call<'_>, asked: &Asked, event: &mut Event, found: &Found, said: &mut Said) {
    if !found.runs.iter().any(|run| run.workflow.hears(event)) || call.env.began_everything() {
        return;
    }
    // Other agents have no ids by which a call could be known again.
    if !asked.agent.names_calls() || has_begun(call, asked, event) {
        return;
    }
    if let Some(tool) = &mut event.tool {
        tool.result = None;
    }
    let text = "What this sub-agent said does not count as a verdict: no hook of Holdpoint's saw the call begin. If it was \
                asked to review, ask it again.";
    found.runs.iter().take(1).for_each(|run| said.inform(&run.workflow.name, text.to_owned()));
}

/// Returns whether a call was seen to begin, once.
fn has_begun(call: &Call<'_>, asked: &Asked, event: &Event) -> bool {
    let Some((file, folder)) = file(asked, event).zip(StateFolder::of(call.env.as_ref()).ok()) else {
        return false;
    };
    folder.has(&file) && folder.remove(&file).is_ok()
}

fn file(asked: &Asked, event: &Event) -> Option<String> {
    let session = event.session.as_deref().unwrap_or_default();
    Some(format!("{FOLDER}/{}", layout::digest(&[session, asked.call_id.as_deref()?])))
}
