//! What can be believed of a proof, by where it was made and kept.

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
    /// All levels, as workflow files, commands and attestations spell them.
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
