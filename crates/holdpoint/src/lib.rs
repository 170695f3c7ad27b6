//! Holdpoint's outer half: it reads what agents send, finds the runs, asks the core, keeps state and journal, and
//! answers. The core decides; everything that touches the world is here.
//!
//! Modules in reading order:

extern crate alloc;

pub mod hook;
pub mod engine;
pub mod agent;

pub mod catalog;
pub mod project;
pub mod world;
pub mod git;
pub mod store;

pub mod case;
pub mod cli;
pub mod ui;
pub mod error;
pub mod env_vars;
