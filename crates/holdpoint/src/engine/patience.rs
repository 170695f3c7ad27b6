//! The engine's own patience at Stop: nobody is trapped. What counts is progress since the last hold, not what the
//! agent says about being in a hook already.

use holdpoint_core::decision::Decision;
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::workflow::RuleKind;

use crate::project::Run;
use crate::store::{layout, memory};

/// How often in a row a Stop is held for the same thing.
pub(super) const STOP_HOLDS_MAX: u32 = 3;

/// Counts a hold at Stop; true once it has been held for the same thing too often.
///
/// Where nothing can be remembered (a folder that cannot be written), the hold is given up at once: a hold that
/// cannot be counted could go on for ever.
pub(super) fn is_spent(run: &Run, event: &Event, decision: &Decision) -> bool {
    let holds = decision.findings.iter().filter(|finding| finding.kind == RuleKind::Hold);
    let texts: Vec<&str> = holds.map(|finding| finding.text.as_str()).collect();
    counts(run, event, &texts.join("\n")) > STOP_HOLDS_MAX
}

/// How often in a row, this time included, a Stop is held with this text.
pub(super) fn counts(run: &Run, event: &Event, text: &str) -> u32 {
    let digest = layout::digest(&[text]);
    let counted = memory::update(&run.home, session(event), &run.workflow.name, |memory| {
        if memory.stop_digest != digest {
            memory.stop_digest.clone_from(&digest);
            memory.stop_holds = 0;
        }
        memory.stop_holds += 1;
        memory.stop_holds
    });
    counted.unwrap_or(u32::MAX)
}

/// A new prompt of the user starts the count anew.
pub(super) fn note(run: &Run, event: &Event) {
    if event.moment == Moment::Prompt && memory::exists(&run.home, session(event), &run.workflow.name) {
        let _ = memory::update(&run.home, session(event), &run.workflow.name, |memory| memory.stop_holds = 0);
    }
}

fn session(event: &Event) -> &str {
    event.session.as_deref().unwrap_or_default()
}
