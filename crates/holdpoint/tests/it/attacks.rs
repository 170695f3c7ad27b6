//! The page of attacks is true: it has every finding, and every test that it names is there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What the review found, by its ids: its page has no others.
const FOUND: [&str; 24] = [
    "V1",
    "V2",
    "V3",
    "V4",
    "V7",
    "V8",
    "V9",
    "V9b",
    "V10",
    "V11",
    "V17",
    "V18",
    "V19",
    "V22b",
    "V24",
    "V25d",
    "R1",
    "P1",
    "Q1",
    "Q2",
    "Q3",
    "S3",
    "R1 (faults)",
    "R4 (faults)",
];

fn page() -> String {
    reference("attacks.md")
}

/// A page of the reference.
pub(crate) fn reference(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// The first cells of a page's tables, each word between commas for itself.
pub(crate) fn ids(page: &str) -> BTreeSet<&str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    rows.flat_map(|ids| ids.split(", ")).collect()
}

/// Every test that a page names is there. Returns how many it names.
pub(crate) fn tests_are_there(page: &str) -> usize {
    let tests: Vec<&str> = page.split('`').filter(|word| word.contains("::")).collect();
    for test in &tests {
        let (file, name) = place(test);
        let source = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{test}: {error}"));
        assert!(source.contains(&format!("#[test]\nfn {name}() {{\n")), "{test}");
    }
    tests.len()
}

/// The file that a test's path names, and the test.
fn place(test: &str) -> (PathBuf, &str) {
    let (module, name) = test.rsplit_once("::").unwrap();
    let file = format!("tests/it/{}.rs", module.replace("::", "/"));
    (Path::new(env!("CARGO_MANIFEST_DIR")).join(file), name)
}

#[test]
fn every_finding_is_on_the_page_of_attacks() {
    let page = page();
    let ids = ids(&page);
    for id in FOUND {
        assert!(ids.contains(id), "{id}");
    }
}

#[test]
fn every_test_on_the_page_of_attacks_is_there() {
    assert!(tests_are_there(&page()) > 40);
}
