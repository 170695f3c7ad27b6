//! What is looked at before and after an agent's shell call: refs, files, the agents' settings, and the processes that a
//! call has left running. Files are read directly: no git process where a file can answer.

pub mod lingering;
mod place;
pub mod refs;
pub mod settings;
pub mod touched;
