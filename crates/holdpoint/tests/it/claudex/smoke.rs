//! The shortest way through everything: the hook is fired directly with `{}`, as the older scripts were, and the
//! reviewer is never run.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value as Json, json};

use super::{Site, files_below};
use crate::project::feed;

/// Fires the hook as the older scripts were fired.
fn fire(site: &Site) -> Json {
    let command = site.project.command(&["hook", "--protocol", "legacy", "--workflow", "claudex"]);
    let printed = feed(command, b"{}\n");
    assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""));
    assert_eq!(printed.stdout.lines().count(), 1, "{}", printed.stdout);
    printed.json()
}

/// A command without an agent's session.
fn tell(site: &Site, words: &[&str]) -> (Option<i32>, String) {
    let printed = site.project.run(&[&["claudex"], words].concat());
    (printed.code, printed.stdout + &printed.stderr)
}

fn begin(site: &Site) -> String {
    let (code, said) = tell(site, &["start", "plan", "a", "clock"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.starts_with("Claudex plan mode initialized.\n"), "{said}");
    said.lines().find_map(|line| line.strip_prefix("ID: ")).unwrap().to_owned()
}

/// The text of a hold that tells the agent to run the runner.
fn run_the_runner(site: &Site, id: &str, answer: &Json) -> String {
    assert_eq!(answer["decision"], "block", "{answer}");
    let text = answer["reason"].as_str().unwrap();
    let runner = site.file(id, "-runner.sh");
    assert!(text.contains(&format!("bash '{}'", runner.display())), "{text}");
    assert_eq!(std::fs::metadata(&runner).unwrap().permissions().mode() & 0o7777, 0o755);
    text.to_owned()
}

#[test]
fn from_a_start_to_an_approval() {
    let site = Site::new(&[]);
    assert_eq!(fire(&site), json!({"decision": "approve"}), "no loop");
    let id = begin(&site);
    let state = site.state(&id);
    for (field, value) in [("mode", "plan"), ("phase", "drafting"), ("topic", "\"a clock\""), ("round", "1")]
    {
        assert_eq!(state[field], value, "{field}");
    }
    assert_eq!(state["repo_root"], site.root().display().to_string());

    let answer = fire(&site);
    assert_eq!(answer["decision"], "block");
    assert!(answer["reason"].as_str().unwrap().contains("PLAN.md is missing"), "{answer}");
    assert!(!site.file(&id, "-runner.sh").exists(), "nothing to review, nothing to run");

    site.project.write("PLAN.md", "1. Tick.\n");
    let text = run_the_runner(&site, &id, &fire(&site));
    assert!(text.starts_with("### Claudex round 1 of 3, Senior-engineer review\n"), "{text}");
    assert_eq!(site.stands(&id), ("reviewing".into(), "1".into(), "none".into()));

    let again = fire(&site);
    assert!(again["reason"].as_str().unwrap().starts_with("### Claudex round 1 of 3, "), "{again}");
    assert_eq!(site.stands(&id).1, "1", "nobody has reviewed anything, and no round is used up");
    site.find(&id, 1);
    let text = run_the_runner(&site, &id, &fire(&site));
    assert!(text.starts_with("### Claudex round 2 of 3, Security and data-integrity review\n"), "{text}");
    assert!(text.contains("low=1") && text.contains("**PLAN.md is unchanged**"), "{text}");
    assert_eq!(site.stands(&id), ("reviewing".into(), "2".into(), "none".into()));

    let (code, said) = tell(&site, &["mark-done", &id]);
    assert_eq!(code, Some(1), "nobody has reviewed anything: {said}");
    std::fs::write(
        site.file(&id, "/findings-round-2.md"),
        "# Round 2 findings\n\nNo substantive findings.\n",
    )
    .unwrap();
    let (code, said) = tell(&site, &["mark-done", &id]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(site.stands(&id), ("done".into(), "2".into(), "no-material-findings".into()));

    let answer = fire(&site);
    assert_eq!(answer["decision"], "approve", "{answer}");
    assert!(answer["systemMessage"].as_str().unwrap().contains("The plan is locked"), "{answer}");
    for leftover in ["-runner.sh", "-prompt.txt", ".lock"] {
        assert!(!site.file(&id, leftover).exists(), "{leftover}");
    }
    assert_eq!(fire(&site), json!({"decision": "approve"}), "told once");
}

#[test]
fn a_second_loop_is_refused_until_the_first_is_over() {
    let site = Site::new(&[]);
    let id = begin(&site);
    let before = std::fs::read(site.file(&id, ".state")).unwrap();
    let (code, said) = tell(&site, &["start", "plan", "another"]);
    assert_eq!(code, Some(1), "{said}");
    for part in
        [format!("{id} (drafting)").as_str(), "holdpoint claudex cancel", "holdpoint claudex rollback"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(std::fs::read(site.file(&id, ".state")).unwrap(), before);
    site.project.write("PLAN.md", "1. Tick.\n");
    fire(&site);
    let (code, said) = tell(&site, &["start", "review", "the diff"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains(&format!("{id} (reviewing)")), "{said}");

    let (code, said) = tell(&site, &["cancel"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(site.stands(&id).0, "cancelled");
    assert!(!site.file(&id, "-runner.sh").exists() && !site.file(&id, ".lock").exists());
    assert_eq!(fire(&site), json!({"decision": "approve"}));
    let (code, said) = tell(&site, &["cancel"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("No active claudex loop to cancel."), "{said}");
    assert_ne!(begin(&site), id);
}

#[test]
fn a_rollback_forgets_every_loop_and_gives_the_plan_back() {
    let site = Site::new(&[]);
    site.project.write("PLAN.md", "of before\n").write("reviews/review-x.md", "kept\n");
    begin(&site);
    tell(&site, &["cancel"]);
    let id = begin(&site);
    site.project.write("PLAN.md", "of the loop\n");
    run_the_runner(&site, &id, &fire(&site));
    let (code, said) = tell(&site, &["rollback"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("2 loops"), "{said}");
    assert!(!said.contains("Nothing was restored") && said.contains("PLAN.md"), "{said}");
    assert_eq!(site.project.read("PLAN.md"), "of before\n");
    let aside = said.lines().find_map(|line| line.strip_prefix("What was replaced is in ")).unwrap();
    assert_eq!(
        std::fs::read_to_string(format!("{}/PLAN.md", aside.trim_end_matches('.'))).unwrap(),
        "of the loop\n"
    );
    assert_eq!(files_below(&site.root().join(super::LOOPS)), ["log"], "the log is kept");
    assert_eq!(site.project.read("reviews/review-x.md"), "kept\n");
    assert_eq!(fire(&site), json!({"decision": "approve"}));
    let (code, said) = tell(&site, &["rollback"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("No claudex loops in"), "{said}");
    begin(&site);
}
