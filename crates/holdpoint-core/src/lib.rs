//! The pure core of Holdpoint: what an agent is doing (`event`), what a process asks for (`workflow`),
//! what can be known (`world`, `facts`) and what follows from it (`decide`, `transition`, `effects`).
//!
//! Invariant: nothing here does I/O, reads a clock or the environment, or keeps global state. What the core
//! needs to know it asks of a read-only [`world::World`]; what must be done it returns in a
//! [`effects::Effects`]. The crate's own `clippy.toml` refuses anything else.
//!
//! Modules in reading order:

pub mod command;
pub mod decide;
pub mod effects;
pub mod event;
pub mod facts;
pub mod phase;
pub mod tool;
pub mod transition;
pub mod workflow;
pub mod world;

pub mod acceptance;
pub mod allowed_files;
pub mod blueprint;
pub mod delegation;
pub mod diagnostic;
pub mod document;
pub mod expression;
pub mod filters;
pub mod findings;
pub mod graph;
pub mod json;
pub mod layout;
pub mod lines;
pub mod path;
pub mod plan;
pub mod run_id;
pub mod scan;
pub mod shell;
pub mod source;
pub mod test_report;
pub mod verdict;
