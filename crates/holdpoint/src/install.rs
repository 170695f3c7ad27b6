//! Holdpoint's entries in the agents' settings: planned as a whole before the first write, recorded, and removed again.
//!
//! Everything about one agent's settings is in a file named after it, as a [`host::Host`]. The rest knows no agent.

mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;

pub mod error;

pub mod apply;
pub mod codex_toml;
pub mod draft;
pub mod extra;
pub mod host;
pub mod jsonc;
pub mod ours;
pub mod place;
pub mod plan;
mod pre_push;
pub mod project_settings;
pub mod prompt;
pub mod record;
pub mod removal;
pub mod settings;
pub mod wanted;
