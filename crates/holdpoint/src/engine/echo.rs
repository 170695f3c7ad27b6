//! A hold at Stop that comes back as a prompt: some agents go on by sending the hold's text to themselves, and their
//! hooks see it as if the user had typed it. It is not the user's: no rule looks at it, and no count starts again.

use holdpoint_core::event::{Event, Moment};

use crate::store::books::Books;
use crate::store::memory;

/// How much of the text is remembered: others may have added to it when it comes back.
const CHARS_KEPT: usize = 200;
/// It is one for all workflows.
const NO_WORKFLOW: &str = "";

/// Remembers what will come back, if a Stop is held. After one that is not, and when a session begins, nothing will: what
/// has that text in it then is the user's, or was put before the user's words by us.
pub(super) fn expect(books: &Books, event: &Event, hold: Option<&str>) {
    if !matches!(event.moment, Moment::Stop | Moment::Start) {
        return;
    }
    let start: String = hold.unwrap_or_default().chars().take(CHARS_KEPT).collect();
    if start == kept(books, event).unwrap_or_default() {
        return;
    }
    // Where it cannot be remembered, the agent's own limit on prompts to itself is left.
    let _ = memory::update(books, session(event), NO_WORKFLOW, |memory| memory.stop_text = start);
}

fn kept(books: &Books, event: &Event) -> Option<String> {
    memory::read(books, session(event), NO_WORKFLOW).map(|memory| memory.stop_text)
}

/// Whether a prompt is a hold that came back.
pub(super) fn is_one(books: &Books, event: &Event) -> bool {
    let Some(prompt) = event.prompt.as_deref() else { return false };
    kept(books, event).is_some_and(|start| !start.is_empty() && prompt.contains(&start))
}

fn session(event: &Event) -> &str {
    event.session.as_deref().unwrap_or_default()
}
