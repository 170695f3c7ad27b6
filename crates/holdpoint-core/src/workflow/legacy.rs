//! `[legacy]` as data: how the scripts that a workflow stands in for answered where they held nothing.

use super::{List, Named, Text};

/// `[legacy]`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::legacy))]
pub struct Legacy {
    /// Fields of every answer that lets the agent stop, each as JSON.
    pub release: List<Named>,
    /// The exit code for input that is no event; none: 0.
    pub bad_input: Option<u8>,
    /// Whether what the agent is told stands on standard output as plain text.
    pub plain_context: bool,
    /// The field of an answer that a message to the user is in; none: it goes to standard error.
    pub message: Option<Text>,
    /// When each rule that is asked says so on standard error.
    pub debug: Option<Debug>,
}

/// `debug`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::legacy))]
pub struct Debug {
    /// The variable that must be `true`.
    pub variable: Text,
    /// What its lines begin with.
    pub prefix: Text,
}
