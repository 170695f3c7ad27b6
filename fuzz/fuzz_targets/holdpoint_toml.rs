//! Any text as settings of every layer: what is locked above stays locked.

#![no_main]

use holdpoint_core::settings::{Effective, Layer, Said, parse};
use libfuzzer_sys::fuzz_target;

const ABOVE: &str = "require = [\"house\"]\nown_workflows = false\nlock = [\"programs\", \"reviewers\"]\n";

fuzz_target!(|text: &str| {
    let texts = [(Layer::Organisation, ABOVE), (Layer::User, text), (Layer::Project, text)];
    let parsed = texts.map(|(layer, text)| (layer, parse(layer, "file", text)));
    let said = parsed
        .each_ref()
        .map(|(layer, parsed)| Said { layer: *layer, file: "file", settings: &parsed.settings });
    let (effective, problems) = Effective::of(&said);
    assert!(effective.enables("house") && effective.reviewers.is_empty());
    assert!(effective.programs.pass.is_empty() && effective.programs.writes.is_empty());
    assert!(effective.bar(Layer::Project, "house", |_| true).is_some());
    for problem in parsed.iter().flat_map(|(_, parsed)| &parsed.problems).chain(&problems) {
        problem.position(text);
    }
});
