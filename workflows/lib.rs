//! The workflows that are built into Holdpoint: one folder for each, next to this file, and the list of the environment
//! variables that workflows can read.
//!
//! They are a package so that the program's build script finds them wherever it runs: in a checkout, or among
//! downloaded packages.

/// The folder that holds the workflows' folders, on the machine that builds this package.
pub const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// The file that lists the environment variables, in that folder.
pub const VARIABLES: &str = "variables.txt";
