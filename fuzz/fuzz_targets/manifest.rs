//! Any bytes as a manifest of agents.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = holdpoint_core::delegation::agents_in(bytes, "ownership");
});
