//! Holdpoint in the agents' own settings: what is written where, planned as a whole before the first write, recorded,
//! and taken out again.
//!
//! Everything about one agent's settings is in its own file here, as a [`host::Host`]; the rest knows no agent.

mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;

pub mod apply;
pub mod choices;
pub mod codex_toml;
pub mod draft;
pub mod host;
pub mod jsonc;
pub mod ours;
pub mod place;
pub mod plan;
pub mod prompt;
pub mod record;
pub mod removal;
pub mod settings;
pub mod wanted;
