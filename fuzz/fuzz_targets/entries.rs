//! Any bytes as git's index file.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // What is behind the first letters is what matters.
    let file = [b"DIRC\0\0\0", bytes].concat();
    for entry in holdpoint::worktree::entries::read(&file).unwrap_or_default() {
        assert!(entry.line().ends_with(&entry.path));
    }
});
