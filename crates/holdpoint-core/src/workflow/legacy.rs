//! `[legacy]` as data: how the scripts that a workflow stands in for answered where they held nothing.

use super::{List, Named};

/// `[legacy]`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::legacy))]
pub struct Legacy {
    /// Fields of every answer that lets the agent stop, each as JSON.
    pub release: List<Named>,
    /// The exit code for input that is no event; none: 0.
    pub bad_input: Option<u8>,
}
