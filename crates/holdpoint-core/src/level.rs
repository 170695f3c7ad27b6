//! What can be believed of a proof, by who made it and who kept it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Who made the proof and kept it, from the weakest to the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::level))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Holdpoint, as the same user as the agent. A program that is written to forge can forge it.
    Kept,
    /// A process outside of a fence around the agent.
    Fenced,
    /// A service with another user id.
    Notarised,
    /// A machine where the agent never was: it performed the proof again, on the commit's own tree.
    Witnessed,
}

impl Level {
    /// All levels, as workflow files, commands, evidence and attestations spell them.
    pub const ALL: [(&'static str, Level); 4] = [
        ("kept", Level::Kept),
        ("fenced", Level::Fenced),
        ("notarised", Level::Notarised),
        ("witnessed", Level::Witnessed),
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        let named = Level::ALL.into_iter().find(|(_, level)| *level == self);
        named.map_or("", |(word, _)| word)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_and_written_as_their_words() {
        assert!(Level::Kept < Level::Fenced && Level::Fenced < Level::Notarised);
        assert!(Level::Notarised < Level::Witnessed);
        for (word, level) in Level::ALL {
            assert_eq!(level.to_string(), word);
            assert_eq!(serde_json::to_value(level).unwrap(), word);
        }
    }
}
