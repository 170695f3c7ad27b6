//! Any text as source code in every language that checks read, as a spec, and as a blueprint.

#![no_main]

use holdpoint_checks::acceptance::AcceptanceRows;
use holdpoint_checks::allowed_files::AllowedFiles;
use holdpoint_checks::blueprint::{Blueprint, Compliance, Reference, Words};
use holdpoint_checks::lint::Linter;
use holdpoint_checks::plan::Plan;
use holdpoint_checks::reader::Reader;
use holdpoint_checks::scan::Scan;
use holdpoint_core::path;
use holdpoint_core::workflow::performer::MoneyWords;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let names = ["src/billing/a.py", "src/billing/a.tsx", "src/billing/a.rs", "src/billing/a.go"];
    let files: Vec<(String, String)> = names.map(|name| (name.to_owned(), text.to_owned())).to_vec();
    let lines = text.lines().count();
    let found = Scan::default().findings(&files);
    assert!(found.iter().all(|finding| (1..=lines).contains(&finding.line)));
    let documents = ["domain-map.md", "cross-cutting.md"].map(|name| (name.to_owned(), text.to_owned()));
    let fields = ["Domain", "Data model"].map(str::to_owned).to_vec();
    let reference = Reference { section: "Reference".to_owned(), fields };
    let words = |words: [&'static str; 2]| words.map(Into::into).to_vec().into();
    let money = MoneyWords {
        documents: "cross-cutting*".into(),
        about: words(["money", "price"]),
        units: words(["cents", "minor units"]),
        names: words(["price", "*total"]),
    };
    let words = Words { domains: "domain-map*".to_owned(), money, reference };
    let blueprint = Blueprint::read(&documents, &words);
    Compliance { blueprint, spec: text.to_owned(), path: String::new() }.findings(&files);
    AcceptanceRows { ids: "T-*".to_owned(), columns: Vec::new() }.read(text);
    Plan { titles: vec!["Plan".to_owned()] }.read(text);
    let allowed = AllowedFiles { titles: vec!["Allowed".to_owned()] }.read(&format!("## Allowed\n{text}"));
    assert!(allowed.unwrap_or_default().iter().all(|path| path::stays_below(path)));
});
