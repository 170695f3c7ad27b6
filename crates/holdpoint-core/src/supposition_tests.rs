use std::sync::Arc;

use super::*;
use crate::event::{Event, Moment};
use crate::workflow::parse::parse;
use crate::world::Answer;
use crate::world::world_tests::FakeWorld;

fn facts(rules: &str) -> Arc<Facts> {
    let source = format!("about = \"\"\n[run]\nhome = \".x\"\n{rules}");
    let parsed = parse("x", &source, &|_| None);
    assert_eq!(parsed.problems, []);
    let world = Arc::new(FakeWorld::with_git(|_, _| Answer::Is("main".into())));
    // The event is one that says nothing of a shell: what was done is looked at when the next event comes.
    let event = Arc::new(Event::from_shell(Moment::Stop, "/w"));
    Facts::new(parsed.workflow, event, "/w".into(), world)
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("b{number}")).collect()
}

fn about(held: &[Objection]) -> Vec<Option<&str>> {
    held.iter().map(|held| held.about.as_deref()).collect()
}

const TRUNK: &str = "[holds.trunk]\non = \"before shell\"\ncode = \"T-1\"\n\
    when = \"tool.commits_to | select('in', ['b3', 'b70']) | first\"\nsay = \"no\"\n";

#[test]
fn the_branches_that_a_rule_holds_are_found_among_many() {
    let held = held_branches(&facts(TRUNK), &names(100)).unwrap();
    assert_eq!(about(&held), [Some("b3"), Some("b70")]);
    assert_eq!((held[0].rule.as_str(), held[0].code.as_deref()), ("trunk", Some("T-1")));
    assert_eq!(held_branches(&facts(TRUNK), &names(3)).unwrap(), []);
}

#[test]
fn a_rule_about_any_commit_holds_every_branch() {
    let rules = "[holds.all]\non = \"before shell\"\nwhen = \"tool.commits\"\nsay = \"no\"\n";
    assert_eq!(about(&held_branches(&facts(rules), &names(9)).unwrap()), [None]);
}

#[test]
fn the_files_that_a_rule_holds_are_found() {
    let rules = "[holds.tests]\non = \"before edit\"\nwhen = \"tool.files | only(['tests/**'])\"\nsay = \"no\"\n\
        [holds.more]\non = \"before edit\"\nwhen = \"tool.paths | select('eq', '/w/tests/a') | first\"\nsay = \"no\"\n";
    let files = ["src/a", "tests/a", "tests/b/c"].map(str::to_owned);
    let held = held_files(&facts(rules), &files).unwrap();
    assert_eq!(about(&held), [Some("tests/a"), Some("tests/b/c")]);
    assert_eq!(held[0].rule, "tests");
}

#[test]
fn a_condition_that_cannot_be_judged_is_an_error() {
    let rules =
        "[holds.a]\non = \"before shell\"\nwhen = \"tool.commits_to | length > none + 1\"\nsay = \"no\"\n";
    assert!(held_branches(&facts(rules), &names(1)).is_err());
}
