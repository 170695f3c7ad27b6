//! What entries of the journal do not say by themselves: how the runs here stand now, and what became of each hold.

use std::collections::HashMap;
use std::sync::Arc;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::Facts;
use holdpoint_core::holds::{How, OpenHold};
use holdpoint_core::standing::{Fate, Standing};

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
    pub(super) fn fate(&self, id: &str) -> Option<Fate<'_>> {
        let is_it = |hold: &&OpenHold| hold.id == id;
        let open = self.runs.iter().flat_map(|(_, standing)| &standing.holds).find(is_it);
        open.map(Fate::Open).or_else(|| self.settled.get(id).copied().map(Fate::Settled))
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
