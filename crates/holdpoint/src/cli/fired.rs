//! When each hook last fired here, whether or not a run was active: by the journals, and by what is noted where there is none.

use std::path::Path;

use serde::Serialize;

use crate::agent::Agent;
use crate::env::Env;
use crate::store::fired;
use crate::store::journal::Entry;
use crate::store::state_folder::StateFolder;

/// The last event of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Firing {
    /// The agent's name.
    pub(super) agent: String,
    /// The moment: `stop`, `before` …
    pub(super) event: String,
    /// When.
    pub(super) at: String,
}

/// Returns the last event of each kind in a folder and below it, the newest first.
pub(super) fn of<'a>(
    env: &dyn Env,
    root: &Path,
    entries: impl IntoIterator<Item = &'a Entry>,
) -> Vec<Firing> {
    let noted = StateFolder::of(env).map(|folder| fired::below(&folder, root)).unwrap_or_default();
    let noted =
        noted.into_iter().map(|fired| Firing { agent: fired.agent, event: fired.event, at: fired.at });
    // A command is a shell's.
    let is_agents = |name: &str| Agent::ALL.iter().any(|(agent, _)| *agent == name);
    let is_hooks =
        |entry: &&Entry| entry.kind.is_event() && !entry.event.is_empty() && is_agents(&entry.agent);
    let told = entries.into_iter().filter(is_hooks).map(|entry| Firing {
        agent: entry.agent.clone(),
        event: entry.event.clone(),
        at: entry.at.clone(),
    });
    let mut all: Vec<Firing> = noted.chain(told).collect();
    // Times of the journal are in order as texts.
    all.sort_by(|one, other| other.at.cmp(&one.at));
    let mut last: Vec<Firing> = Vec::new();
    for firing in all {
        if !last.iter().any(|known| known.agent == firing.agent && known.event == firing.event) {
            last.push(firing);
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::FixedEnv;

    #[test]
    fn the_last_of_each_kind_counts_and_commands_do_not() {
        let entry = |agent: &str, event: &str, at: &str| Entry {
            at: at.into(),
            event: event.into(),
            agent: agent.into(),
            ..Entry::default()
        };
        let entries = [
            entry("claude", "stop", "2026-01-01T00:00:01.000Z"),
            entry("claude", "before", "2026-01-01T00:00:02.000Z"),
            entry("claude", "stop", "2026-01-01T00:00:03.000Z"),
            entry("shell", "command", "2026-01-01T00:00:04.000Z"),
        ];
        let env = FixedEnv { variables: [].into(), now: None };
        let firings = of(&env, Path::new("/p"), &entries);
        let shown: Vec<(&str, &str)> = firings.iter().map(|f| (f.event.as_str(), &f.at[17..19])).collect();
        assert_eq!(shown, [("stop", "03"), ("before", "02")]);
    }
}
