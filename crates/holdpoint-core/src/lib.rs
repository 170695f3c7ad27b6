//! The pure core of Holdpoint: what an agent is doing (`event`), what a process asks for (`workflow`),
//! what can be known (`world`, `facts`) and what follows from it (`decide`, `transition`, `effects`).
//!
//! Invariant: nothing here does I/O, reads a clock or the environment, or keeps global state. What the core
//! needs to know it asks of a read-only [`world::World`]; what must be done it returns in a
//! [`effects::Effects`]. The crate's own `clippy.toml` refuses anything else.
//!
//! Modules are in reading order, in groups. What is not `pub` is nobody's business outside the core.

// The input: an event, the tool it is about, and the questions that the core may ask.
pub mod event;
pub mod tool;
pub mod world;

// A workflow as data: what a file says, and what is wrong with it.
pub mod workflow;

// What a user, a project and an organisation say about workflows, without touching them.
pub mod settings;

// The language of its conditions and texts: names for `check`, then evaluation within a budget.
pub mod expression;
pub mod filters;

mod budget;
mod evaluation;

// What conditions and texts can name.
pub mod facts;

// From facts to effects: the engine's own protection and the rules, then phases, then commands, all of which take steps.
pub mod decide;
mod protection;

pub mod phase;
pub mod verdict;

pub mod effects;
pub mod transition;

pub mod command;
pub mod run_id;
pub mod secret;

// What particular facts need: a sub-agent call, a report, a run's folder, a shell command.
pub mod delegation;
mod findings;
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
