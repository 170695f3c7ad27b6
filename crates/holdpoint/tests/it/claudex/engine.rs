//! The reviewer run by Holdpoint, and what is said of one that the agent ran.

use super::{Site, make_executable};

/// A reviewer that only writes its findings, as far as it is let.
const REVIEWER: &str = r#"#!/bin/sh
here=$(dirname -- "$0")
round=$(grep -m1 -x '/.*/findings-round-[0-9]*\.md')
cat "$here/answer" >"$round"
grep -q 'No substantive' "$here/answer" && echo '{"verdict": "clean"}' || echo '{"verdict": "findings"}'
"#;

#[test]
fn holdpoint_runs_the_reviewer_and_keeps_its_verdict() {
    let site = Site::new(&[]);
    site.tools.write("codex", REVIEWER);
    make_executable(&site.tools.root().join("codex"));
    site.tools.write("answer", "# Round 1 findings\n\n## High\n- It has no hands (add them)\n");
    let id = site.start(&["plan", "--run", "engine", "a clock"]);
    site.project.write("PLAN.md", "1. Tick.\n");
    let first = site.stop();
    assert!(first.hold.contains("Holdpoint has had the plan reviewed"), "{first:?}");
    assert_eq!(site.stands(&id).0, "deciding");
    assert!(!site.file(&id, "-runner.sh").exists());
    site.tools.write("answer", "# Round 2 findings\n\nNo substantive findings.\n");
    site.project.write("PLAN.md", "1. Tick.\n2. Hands.\n");
    let end = site.stop();
    assert_eq!((end.hold.as_str(), site.stands(&id).0.as_str()), ("", "done"), "{end:?}");
    let evidence = site.project.read_book("evidence/claudex.jsonl");
    let verdicts: Vec<bool> = evidence.lines().map(|line| line.contains("\"verdict\":\"pass\"")).collect();
    assert_eq!(verdicts, [false, true], "{evidence}");
    assert!(!evidence.contains("unconfined"), "{evidence}");
    let told = format!("{}{}", end.message, site.stop().message);
    assert!(told.contains("is complete") && !told.contains("did not perform"), "{told}");
    assert!(site.done(&["status"]).contains("run by Holdpoint"));
}

#[test]
fn a_diff_is_not_reviewed_by_the_engine() {
    let site = Site::new(&[]);
    let refused = site.tell(&["start", "review", "--run", "engine", "all of it"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("leave `--run engine` out"), "{}", refused.stderr);
}

#[test]
fn the_user_is_told_that_nothing_proves_what_the_agent_ran() {
    let site = Site::new(&[]);
    let id = site.start(&["plan", "a clock"]);
    site.project.write("PLAN.md", "1. Tick.\n");
    assert!(!site.stop().hold.is_empty());
    // The agent writes the findings itself.
    site.project.write(&format!(".claude/claudex/{id}/findings-round-1.md"), "No substantive findings.\n");
    site.done(&["mark-done", &id]);
    let end = site.stop();
    assert!(end.message.contains("the agent had them run, and nothing proves them"), "{end:?}");
    assert!(site.project.read_book("journal.jsonl").contains("unreviewed"));
    assert!(!site.stop().message.contains("nothing proves"), "once");
    for words in [&["status"][..], &["evidence"]] {
        let shown = site.project.run(words).stdout;
        assert!(shown.contains("nothing proves them"), "{words:?}: {shown}");
    }
}
