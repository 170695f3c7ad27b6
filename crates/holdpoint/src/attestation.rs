//! Attestations: what was proved for a commit, so that it can be checked where the agent never was.
//!
//! `collection.rs` makes in-toto statements of a run's evidence; `envelope.rs` and `signature.rs` put them into DSSE
//! envelopes; `note.rs` keeps them with the commit. `verification.rs` checks all of it, and `rerun.rs` performs the tests
//! again. Everything that is read here may come from anybody.

mod base64;
pub mod chains;
pub mod collection;
pub mod envelope;
mod git;
pub mod identity;
pub mod note;
pub mod predicate;
pub mod problem;
pub mod repository;
pub mod requirement;
pub mod rerun;
pub mod signature;
pub mod statement;
mod travel;
pub mod verification;
