//! The one integration test binary: the program from outside.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests stop at the first surprise and prepare their own files"
)]

use std::path::Path;

#[cfg(unix)]
mod allow;
#[cfg(unix)]
mod approval;
mod attacks;
#[cfg(unix)]
mod attestation;
#[cfg(unix)]
mod autopilot;
mod bad_input;
mod bad_project;
mod cases;
// Who calls a hook is told on Linux alone.
#[cfg(target_os = "linux")]
mod cheats;
mod check;
mod checks;
#[cfg(unix)]
mod claudex;
#[cfg(target_os = "linux")]
mod client;
#[cfg(unix)]
mod clients;
mod commands;
#[cfg(target_os = "linux")]
mod confinement;
#[cfg(unix)]
mod crash;
#[cfg(unix)]
mod cycle;
mod demo;
mod dialects;
#[cfg(unix)]
mod doctor;
#[cfg(target_os = "linux")]
mod door;
mod echo;
#[cfg(unix)]
mod effects;
mod eject;
#[cfg(unix)]
mod escapes;
#[cfg(unix)]
mod faults;
#[cfg(target_os = "linux")]
mod fence;
mod gate;
mod generated;
mod graph;
mod guide;
mod hook;
mod init;
#[cfg(unix)]
mod journal;
#[cfg(target_os = "linux")]
mod kill;
// Only a debug build takes another organisation's folder.
#[cfg(all(unix, debug_assertions))]
mod layers;
mod legacy;
#[cfg(unix)]
mod links;
mod log;
#[cfg(unix)]
mod mistakes;
#[cfg(unix)]
mod model;
mod moments;
mod owed;
mod ownership;
mod parallel;
mod permits;
mod phases;
mod project;
#[cfg(unix)]
mod proof;
mod random;
mod readme;
mod recorded;
mod recording;
mod reference;
mod registered;
mod registration;
#[cfg(target_os = "linux")]
mod release;
mod review;
#[cfg(target_os = "linux")]
mod rewritten;
mod sessions;
mod shown;
mod status;
#[cfg(unix)]
mod statusline;
#[cfg(unix)]
mod steps;
mod surface;
#[cfg(unix)]
mod terminal;
mod test_command;
mod tidy;
mod verdicts;
mod why;
#[cfg(unix)]
mod width;

/// A test file that nobody names would never run. A folder's files are named by the file beside it.
#[test]
fn no_test_file_is_forgotten() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    all_named(&folder, &folder.join("main.rs"));
}

fn all_named(folder: &Path, by: &Path) {
    let naming = std::fs::read_to_string(by).unwrap();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let module = path.file_stem().unwrap().to_str().unwrap();
        let named = naming.contains(&format!("mod {module};"));
        assert!(path == by || named, "{} is not in {}", path.display(), by.display());
        if path.is_dir() {
            all_named(&path, &path.with_extension("rs"));
        }
    }
}
