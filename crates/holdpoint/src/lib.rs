//! Holdpoint's outer half: it reads what agents send, finds the runs, asks the core, keeps state and journal, and
//! answers. The core decides; everything that touches the world is here.
//!
//! Modules are in reading order, in groups.

extern crate alloc;

// The way of an event: the hook reads it, the agent's dialect explains it, the engine answers it.
pub mod hook;

pub mod agent;
pub mod caller;

pub mod engine;

// Where the agent's client runs in a fence, a keeper outside has every call answered.
pub mod fence;

// The engine looks up: workflows, runs, facts.
pub mod allow;
pub mod catalog;
pub mod layers;
pub mod level;
pub mod project;

pub mod watch;
pub mod world;

pub mod git;
pub mod worktree;

// The engine acts: reviews and checks, and the one place that writes to a project.
pub mod bench;
pub mod check;
pub mod reviewer;

pub mod confinement;
pub mod pinned;
pub mod process_group;
pub mod program;

pub mod store;

// The command line for people, and what its commands are about.
pub mod cli;

pub mod attestation;

pub mod install;
pub mod plugin;

pub mod case;
pub mod demo;

pub mod error;
pub mod ui;
pub mod user;

pub mod env;
pub mod env_vars;
