//! Steps as data: what is done on the way from a phase. The only thing that acts.

use super::{List, Named, Say, Text};

/// One step.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::step))]
pub struct Step {
    /// Taken only when this is true.
    pub when: Option<Text>,
    /// State fields to set: path and template. What a file clears and renews is among them.
    pub set: List<Named>,
    /// The limits whose count starts anew; `set` has the fields.
    pub renew: List<Text>,
    /// Files to write: path and content, both templates.
    pub write: List<Named>,
    /// Files to remove: templates; one that is exactly one `{{ … }}` can be a list.
    pub remove: List<Text>,
    /// The limit that taking it uses up one of: at the limit that one's step is taken instead.
    pub round: Option<Text>,
    /// Lines for the run's record, templates.
    pub log: List<Text>,
    /// How long to wait after it, in seconds.
    pub wait_s: u32,
    /// The phase that is due next; `end`: nobody's turn.
    pub go: Option<Text>,
    /// How the text is meant.
    pub manner: Manner,
    /// The text.
    pub say: Say,
}

/// How a step's text is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::step))]
pub enum Manner {
    /// There is none.
    #[default]
    Silent,
    /// It sends the agent back.
    Hold,
    /// It lets the agent stop, with a text for the user, and nothing else is looked at.
    Pause,
    /// It only informs the user.
    Tell,
}

/// The due phase that means nobody's turn.
pub const END: &str = "end";
