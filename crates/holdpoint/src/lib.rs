//! Holdpoint's outer half: it reads what agents send, finds the runs, asks the core, keeps state and journal, and
//! answers. The core decides; everything that touches the world is here.
//!
//! Modules in reading order:

extern crate alloc;

pub mod agent;
pub mod engine;
pub mod hook;

pub mod catalog;
pub mod check;
pub mod git;
pub mod process_group;
pub mod program;
pub mod project;
pub mod reviewer;
pub mod store;
pub mod worktree;
pub mod world;

pub mod case;
pub mod cli;
pub mod demo;
pub mod env_vars;
pub mod error;
pub mod install;
pub mod plugin;
pub mod ui;
