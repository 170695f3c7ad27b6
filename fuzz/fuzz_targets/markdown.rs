//! Any text as a Markdown document.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let sections = holdpoint_core::document::sections(text);
    assert!(!sections.is_empty() && sections[0].title.is_empty());
});
