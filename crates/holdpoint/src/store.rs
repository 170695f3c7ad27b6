//! The store: state files and our own folder `.holdpoint`. Nothing else in the program writes to a project.
//!
//! Invariants: a file is replaced whole or not at all; a state file is read, decided on and written under its lock;
//! what another program wrote in between is never overwritten; locks are never deleted.

pub mod aside;
pub mod atomic;
pub mod books;
pub mod checked;
pub mod door;
pub mod error;
pub mod evidence;
pub mod files;
pub mod fired;
pub mod folder;
pub mod git_folder;
pub mod holds;
pub mod jobs;
pub mod journal;
pub mod kept;
pub mod layout;
pub mod lock;
pub mod memory;
pub mod message;
pub mod owed;
pub mod owner;
pub mod pending;
pub mod pin;
pub mod plain_log;
pub mod receipt;
pub mod records;
pub mod registered;
pub mod registry;
pub mod report;
pub mod review_token;
pub mod seal;
pub mod section;
pub mod state;
pub mod state_folder;
pub mod told;
pub mod tree;
pub mod unheard;
pub mod watch;
pub mod witness;
