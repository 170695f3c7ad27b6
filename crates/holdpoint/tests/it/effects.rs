//! What shell calls do, looked at after them: real repositories, real shells, real hook events.

mod honest;
mod overlap;
mod project;
mod protected;
mod pushes;
mod spellings;
