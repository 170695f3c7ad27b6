//! The pure core of Holdpoint: what an agent is doing (`event`), what a process asks for (`workflow`),
//! what can be known (`world`, `facts`) and what follows from it (`decide`, `transition`, `effects`).
//!
//! Invariant: nothing here does I/O, reads a clock or the environment, or keeps global state. What the core
//! needs to know it asks of a read-only [`world::World`]; what must be done it returns in a
//! [`effects::Effects`]. The crate's own `clippy.toml` refuses anything else.
//!
//! Modules are in reading order, in groups.

// The input: an event, the tool it is about, and the questions that the core may ask.
pub mod event;
pub mod tool;
pub mod world;

// A workflow as data, and the language of its conditions and texts.
pub mod workflow;

mod budget;
mod evaluation;
pub mod expression;
pub mod filters;

pub mod facts;

// From facts to effects: rules, then phases, then commands, all of which take steps.
pub mod decide;
mod protection;

pub mod phase;
pub mod verdict;

pub mod effects;
pub mod transition;

pub mod command;
pub mod run_id;

// What particular facts need.
pub mod delegation;
pub mod findings;
pub mod layout;
pub mod shell;

// For people: drawings and error messages.
pub mod diagnostic;
pub mod graph;

// Formats that everything else reads.
pub mod digest;
pub mod document;
pub mod json;
pub mod lines;
pub mod path;
