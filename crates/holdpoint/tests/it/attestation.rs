//! Attestations: what was proved for a commit, written where it was proved and checked anywhere, with real git and real
//! keys.

mod again;
mod ci;
mod forgery;
mod site;
mod written;
