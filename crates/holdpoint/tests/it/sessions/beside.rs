//! Two sessions with two runs in one checkout.

use serde_json::Value as Json;

use super::{begin, command, is_held_by, project, prompt, stop};
use crate::project::Project;

fn phase(project: &Project, name: &str) -> Json {
    serde_json::from_str::<Json>(&project.read(&format!(".notes/{name}/state.json"))).unwrap()["phase"]
        .clone()
}

#[test]
fn each_session_keeps_its_own_run_whichever_was_written_last() {
    let project = project();
    begin(&project, "a", "cart");
    begin(&project, "b", "other");
    for _ in 0..2 {
        assert!(is_held_by(&stop(&project, "a"), "cart"));
        assert!(is_held_by(&stop(&project, "b"), "other"));
    }
    let skipped = command(&project, "a", &["notes", "skip", "no", "time"]);
    assert_eq!(
        (skipped.code, phase(&project, "cart"), phase(&project, "other")),
        (Some(0), "over".into(), "note".into())
    );
    assert!(is_held_by(&stop(&project, "b"), "other"));
    assert_eq!(stop(&project, "a")["decision"], Json::Null);
}

#[test]
fn a_command_about_anothers_run_is_refused_with_the_way_to_name_it() {
    let project = project();
    begin(&project, "a", "cart");
    prompt(&project, "b");
    let refused = command(&project, "b", &["notes", "skip", "no", "time"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    let expect = "nothing was done: another session works on the notes run `cart`, and this one has none";
    assert!(refused.stderr.contains(expect), "{}", refused.stderr);
    let hint = refused.stderr.split("to take that run over: holdpoint ").nth(1).unwrap().trim();
    assert_eq!(hint, "notes skip --run cart 'no time'");
    assert_eq!(phase(&project, "cart"), "note");
    assert_eq!(command(&project, "b", &["notes", "skip", "--run", "cart", "no time"]).code, Some(0));
    assert_eq!(phase(&project, "cart"), "over");
}

#[test]
fn a_run_that_is_named_is_the_one_that_is_meant() {
    let project = project();
    begin(&project, "a", "cart");
    begin(&project, "a", "other");
    assert_eq!(command(&project, "a", &["notes", "skip", "--run=cart", "x"]).code, Some(0));
    assert_eq!((phase(&project, "cart"), phase(&project, "other")), ("over".into(), "note".into()));
    let unknown = command(&project, "a", &["notes", "skip", "--run", "crat", "x"]);
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.stderr.contains("notes has no run \"crat\" here"), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("cart") && unknown.stderr.contains("other"), "{}", unknown.stderr);
}

/// What the user does in a terminal of their own takes no run away from the session that works on it.
#[test]
fn a_users_command_leaves_the_run_with_its_session() {
    let project = project();
    begin(&project, "a", "cart");
    prompt(&project, "b");
    assert_eq!(project.run(&["notes", "skip", "x"]).code, Some(0));
    begin(&project, "a", "more");
    assert!(is_held_by(&stop(&project, "a"), "more"));
    assert_eq!(stop(&project, "b")["decision"], Json::Null);
}

/// A finished run of the session's own hides none that is at work.
#[test]
fn a_session_whose_run_is_over_is_held_by_the_newest_that_is_nobodys() {
    let project = project();
    begin(&project, "a", "cart");
    project.write(".notes/cart/NOTE.md", "done");
    stop(&project, "a");
    assert_eq!(project.run(&["notes", "start", "other"]).code, Some(0));
    assert!(is_held_by(&stop(&project, "a"), "other"));
}
