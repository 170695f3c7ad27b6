//! The one integration test binary: the program from outside.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests stop at the first surprise and prepare their own files"
)]

mod bad_input;
mod bad_project;
mod cases;
mod check;
#[cfg(unix)]
mod clients;
mod commands;
#[cfg(unix)]
mod cycle;
mod eject;
mod gate;
mod graph;
mod hook;
#[cfg(target_os = "linux")]
mod kill;
mod legacy;
mod log;
#[cfg(unix)]
mod model;
mod parallel;
mod phases;
mod project;
mod random;
mod readme;
mod registration;
mod review;
mod shown;
mod status;
mod test_command;
mod tidy;
mod why;

/// A test file that nobody names would never run.
#[test]
fn no_test_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let main = std::fs::read_to_string(format!("{folder}/main.rs")).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(name == "main.rs" || main.contains(&format!("mod {module};")), "{name} is not in main.rs");
    }
}
