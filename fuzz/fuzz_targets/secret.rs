//! Any text, with secrets in it or not.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = holdpoint_core::secret::replaced(text);
});
