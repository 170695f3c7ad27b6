//! Any text as source code in every language that checks read, as a spec, and as a blueprint.

#![no_main]

use holdpoint_checks::{acceptance, allowed_files, blueprint, plan, scan};
use holdpoint_core::path;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let names = ["src/billing/a.py", "src/billing/a.tsx", "src/billing/a.rs", "src/billing/a.go"];
    let files: Vec<(String, String)> = names.map(|name| (name.to_owned(), text.to_owned())).to_vec();
    for (name, text) in &files {
        let lines = text.lines().count();
        let found = scan::scan(name, text, &scan::Limits::default());
        assert!(found.iter().all(|finding| (1..=lines).contains(&finding.line)));
    }
    let documents = ["domain-map.md", "cross-cutting.md"].map(|name| (name.to_owned(), text.to_owned()));
    let read = blueprint::Blueprint::read(&documents);
    blueprint::judge(&read, text, &files);
    acceptance::rows(text);
    plan::tasks(text);
    assert!(allowed_files::listed(text).iter().all(|path| path::stays_below(path)));
});
