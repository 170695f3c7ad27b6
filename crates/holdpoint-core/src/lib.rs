//! The pure core of Holdpoint: what an agent is doing (`event`), what a process asks for (`workflow`),
//! what can be known (`world`, `facts`) and what follows from it (`decide`, `transition`, `effects`).
//!
//! Invariant: nothing here does I/O, reads a clock or the environment, or keeps global state. What the core
//! needs to know it asks of a read-only [`world::World`]; what must be done it returns in a
//! [`effects::Effects`]. The crate's own `clippy.toml` refuses anything else.
//!
//! Modules are in reading order, in groups; above each group is what the program needs of it. What nobody outside needs is
//! `pub(crate)`: a test of the program looks for it. This is the program's library and promises nothing to others.

// The program makes an event of what an agent sends, and answers the questions that the core asks about it.
pub mod event;
pub mod tool;
pub mod world;

// A workflow as data: the program parses and checks its file, embeds the built-in ones, and reads what it says.
pub mod workflow;

// What a user, a project and an organisation say about workflows, without touching them.
pub mod settings;

// The language of conditions and texts: the reference asks for its names; evaluation is the core's own.
pub mod filters;

mod budget;
mod evaluation;
mod expression;

// What conditions and texts can name: the program makes the facts of an event, and asks for some itself.
pub mod facts;

// From facts to effects: what an event, a phase and a command come to. The program performs and writes it.
pub mod decide;
pub mod protection;
pub mod supposition;

pub mod level;
pub mod phase;
pub mod verdict;

pub mod door;
pub mod effects;
pub mod holds;
pub mod release;
pub mod standing;
pub mod tally;
pub mod transition;

pub mod command;
pub mod run_id;
pub mod secret;

// What particular facts need. `Layout` is a part of embedded workflows; the readers of foreign text are fuzzed.
pub mod delegation;
mod findings;
pub mod layout;
pub mod shell;

// For people: error messages and drawings, which the program prints.
pub mod diagnostic;
pub mod graph;

// Formats that the program and its checks read as well.
pub mod digest;
pub mod document;
pub mod json;
pub mod lines;
pub mod path;
