//! What entries of the journal do not say by themselves: how the runs here stand now, and what became of each hold.

use std::collections::HashMap;
use std::sync::Arc;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::Facts;
use holdpoint_core::holds::{How, OpenHold};
use holdpoint_core::release::Cause;
use holdpoint_core::standing::Standing;

use super::{Context, phrase};
use crate::engine::standing;
use crate::project::{Found, Run};
use crate::store::journal::Entry;

/// The runs of a folder, and how the holds of its journals were settled.
#[derive(Debug, Default)]
pub(super) struct History {
    runs: Vec<(String, Standing)>,
    settled: HashMap<String, How>,
}

/// What became of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is still open, and holds unless there is a cause why it does not.
    Open(Option<Cause>),
    /// It was settled.
    Settled(How),
}

impl Fate {
    /// Returns the word for it: `open`, `released`, or how it was settled.
    pub(super) fn name(self) -> &'static str {
        match self {
            Fate::Open(None) => "open",
            Fate::Open(Some(_)) => "released",
            Fate::Settled(how) => how.name(),
        }
    }

    /// Renders it for people.
    pub(super) fn in_words(self) -> String {
        match self {
            Fate::Open(None) => "still open".to_owned(),
            Fate::Open(Some(cause)) => format!("still open, but released: {}", cause.reason()),
            Fate::Settled(how) => how.in_words().to_owned(),
        }
    }
}

/// Returns the facts about a run for a session that would begin in the current folder.
pub(super) fn facts(context: &Context, run: &Run) -> Arc<Facts> {
    let event = Event::from_shell(Moment::Start, &context.cwd.to_string_lossy());
    run.facts(Arc::new(event), Arc::clone(&context.env))
}

impl History {
    /// That of the runs that were found, with the journals' entries.
    pub(super) fn of<'a>(
        context: &Context,
        found: &Found,
        entries: impl IntoIterator<Item = &'a Entry>,
    ) -> History {
        let stands = |run: &Run| (run.workflow.name.to_string(), standing::of(run, &facts(context, run)));
        let settled = entries.into_iter().filter_map(|entry| entry.settled.as_ref());
        History {
            runs: found.runs.iter().map(stands).collect(),
            settled: settled.map(|settled| (settled.hold.clone(), settled.how)).collect(),
        }
    }

    /// Returns what became of a hold, by its id; none if nothing is known of it.
    pub(super) fn fate(&self, id: &str) -> Option<Fate> {
        let is_it = |hold: &&OpenHold| hold.id == id;
        let open = self.runs.iter().flat_map(|(_, standing)| &standing.holds).find(is_it);
        open.map(|hold| Fate::Open(hold.cause)).or_else(|| self.settled.get(id).copied().map(Fate::Settled))
    }

    /// Says how each run stands now, in a sentence with the next command.
    pub(super) fn now(&self) -> Vec<String> {
        let sentence = |(workflow, standing): &(String, Standing)| {
            let words = phrase::printable(&standing.condition().in_words(phrase::since)?);
            let next = standing.next_command().map(|next| format!(" Next: `{next}`.")).unwrap_or_default();
            let stop = if words.ends_with(['.', '!', '?', ':']) { "" } else { "." };
            Some(format!("Now, {workflow}: {words}{stop}{next}"))
        };
        self.runs.iter().filter_map(sentence).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_became_of_a_hold_is_said() {
        for (fate, name, words) in [
            (Fate::Open(None), "open", "still open"),
            (Fate::Open(Some(Cause::Background)), "released", "still open, but released: background work"),
            (Fate::Settled(How::Satisfied), "satisfied", "satisfied"),
            (Fate::Settled(How::Dropped), "dropped", "not tried again"),
        ] {
            assert_eq!((fate.name(), fate.in_words().as_str()), (name, words));
        }
    }
}
