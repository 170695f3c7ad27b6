//! Any text as a shell command: what would it commit, and where.

#![no_main]

#[path = "files.rs"]
mod files;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|command: &str| {
    // Without a git in it a command is not even parsed.
    let _ =
        holdpoint_core::shell::commits(&format!("git status; {command}"), "/w", &files::Files(Vec::new()));
});
