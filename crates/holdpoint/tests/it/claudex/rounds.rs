//! Whole loops, with the reviewer's script on PATH: every command is run as the text prints it.

use super::{Answer, Site, files_below, report};

const LABELS: [&str; 4] = [
    "Senior-engineer review",
    "Security and data-integrity review",
    "Ops and SRE review",
    "Ops and SRE review",
];
/// What only this persona is told, at the start of the prompt.
const STANZAS: [&str; 4] = [
    "as a senior engineer",
    "as a security engineer",
    "site reliability engineer",
    "site reliability engineer",
];
const TOPIC: &str = "a clock for \"two\" time zones, and it's cheap";

fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Runs the reviewer as the hold says, from another folder, and looks at what it was told.
fn review(site: &Site, id: &str, round: usize, hold: &Answer) {
    let elsewhere = tempfile::tempdir().unwrap();
    let printed = site.shell_in(elsewhere.path(), hold.command("bash "));
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    let label = LABELS[round - 1];
    let first = format!("[claudex] Running Codex (mode=plan, round={round}, persona: {label})...");
    assert_eq!(printed.stdout.lines().next(), Some(first.as_str()));

    let prompt = site.kept("prompt", round);
    assert!(prompt.ends_with(&format!("\n{TOPIC}\n(End of the topic.)\n")), "{prompt}");
    contains(prompt.lines().next().unwrap(), &[STANZAS[round - 1]]);
    let report = site.file(id, &format!("/findings-round-{round}.md"));
    let before = site.file(id, &format!("/findings-round-{}.md", round - 1));
    contains(&prompt, &[&format!("\n{}\n", report.display()), &format!("{}/PLAN.md", site.root().display())]);
    assert_eq!(prompt.contains(&before.display().to_string()), round > 1, "{prompt}");
    let words = site.kept("words", round);
    assert_eq!(
        words,
        format!("exec --dangerously-bypass-approvals-and-sandbox\n{}\n", site.root().display())
    );
    assert_eq!(site.kept("hook", round), "", "the reviewer's own hooks answer nothing");
    assert_eq!(site.state(id)["round"], round.to_string());
}

/// The hold of a round, with the findings of the one before.
fn held(site: &Site, round: usize, last: usize, before: Option<[usize; 3]>) -> Answer {
    let hold = site.stop();
    let header = format!("### Claudex round {round} of {last}, {}\n", LABELS[round - 1]);
    assert!(hold.hold.starts_with(&header), "{}", hold.hold);
    let previous = before
        .map(|[high, medium, low]| format!("**Previous round:** high={high} medium={medium} low={low}\n"));
    match previous {
        Some(previous) => contains(&hold.hold, &[&previous]),
        None => assert!(!hold.hold.contains("Previous round"), "{}", hold.hold),
    }
    assert_eq!(hold.hold.contains("This is the last round"), round == last, "{}", hold.hold);
    hold
}

/// Takes the findings of a round into the plan.
fn revise(site: &Site, round: usize) {
    let plan = site.project.read("PLAN.md");
    site.project.write("PLAN.md", format!("{plan}\n## Changelog\n- round {round}: taken\n"));
}

#[test]
fn findings_fall_from_round_to_round_until_nothing_is_material() {
    let counts = [[3, 2, 1], [1, 1, 0], [0, 0, 1]];
    let answers: Vec<String> = (0..3).map(|at| report(at + 1, counts[at])).collect();
    let site = Site::new(&answers);
    let id = site.start(&["plan", "--rounds", "5", "--", TOPIC]);
    contains(&site.stop().hold, &["PLAN.md is missing", TOPIC]);
    site.project.write("PLAN.md", "1. Tick.\n");
    for round in 1..=3 {
        let hold = held(&site, round, 5, (round > 1).then(|| counts[round - 2]));
        assert!(!hold.hold.contains("unchanged"), "{}", hold.hold);
        review(&site, &id, round, &hold);
        if round < 3 {
            revise(&site, round);
        } else {
            let marked = site.shell(hold.command("holdpoint claudex mark-done "));
            assert_eq!(marked.code, Some(0), "{}", marked.stderr);
        }
    }
    let end = site.stop();
    assert_eq!(end.hold, "");
    contains(
        &end.message,
        &[
            "The plan is locked",
            "\nRounds run: 3 of 5\n",
            "\nTime taken: ",
            "\n- Round 1 (Senior-engineer review): high=3 medium=2 low=1\n",
            "\n- Round 2 (Security and data-integrity review): high=1 medium=1 low=0\n",
            "\n- Round 3 (Ops and SRE review): high=0 medium=0 low=1\n",
            "What is open: findings of round 3 that the agent judged not material",
            "\n- low: Low thing 1 of round 3 (mend it)",
        ],
    );
    assert!(!end.message.contains("thing 1 of round 2"), "only the last round is open: {}", end.message);
    let kept: Vec<String> = files_below(&site.root().join(super::LOOPS));
    let rounds = |name: &str| (1..=3).map(|n| format!("{id}/{name}-round-{n}.md")).collect::<Vec<_>>();
    assert_eq!(
        kept,
        [vec![format!("{id}.state")], rounds("findings"), rounds("plan"), vec!["log".into()]].concat()
    );
    assert!(site.stop().is_silent(), "told once");
    contains(&site.done(&["status"]), &["activity    complete", "round 2  high=1 medium=1 low=0", TOPIC]);
    assert_eq!(site.stands(&id), ("done".into(), "3".into(), "no-material-findings".into()));
    log_is_in_utc(&site, &id);
}

/// Every line of the log begins with a time in UTC that is now, and the course of the loop can be read in it.
fn log_is_in_utc(site: &Site, id: &str) {
    let log = site.project.read(".claude/claudex/log");
    let now = jiff::Timestamp::now();
    for line in log.lines() {
        let (time, _) = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")).unwrap();
        assert!(time.ends_with('Z'), "{line}");
        let age = now.duration_since(time.parse().unwrap());
        assert!(age.as_secs() < 600 && !age.is_negative(), "{line}");
    }
    for part in
        [id, "phase=\"reviewing\"", "round=3", "decision_signal=\"no-material-findings\"", "phase=\"done\""]
    {
        contains(&log, &[part]);
    }
}

#[test]
fn the_limit_ends_it_with_three_ways_to_go_on() {
    // The second call finds no answer prepared: that review fails.
    let site = Site::new(&[report(1, [1, 0, 0])]);
    site.project.write("PLAN.md", "1. Tick.\n");
    let id = site.start(&["plan", "--rounds=2", "--from-draft", TOPIC]);
    review(&site, &id, 1, &held(&site, 1, 2, None));
    revise(&site, 1);
    let hold = held(&site, 2, 2, Some([1, 0, 0]));
    let failed = site.shell(hold.command("bash "));
    assert_ne!(failed.code, Some(0), "{}", failed.stdout);
    contains(&failed.stdout, &["It left no findings at "]);
    let refused = site.shell(hold.command("holdpoint claudex mark-done "));
    assert_eq!(refused.code, Some(1), "nobody can say that there is nothing");
    contains(&refused.stderr, &["round 2", hold.command("bash ")]);

    for _ in 0..3 {
        let back = site.stop();
        contains(&back.hold, &["### Claudex round 2 of 2", "it uses up no round", hold.command("bash ")]);
    }
    let given_up = site.stop();
    assert_eq!(given_up.hold, "");
    contains(
        &given_up.message,
        &["Nothing was reviewed in round 2", "the loop stays", "holdpoint claudex doctor"],
    );
    assert_eq!(site.stands(&id), ("reviewing".into(), "2".into(), "none".into()), "no round is used up");

    let found = "# Round 2 findings\n\n## Medium\n\n- The clock may stop (wind it)\n";
    std::fs::write(site.file(&id, "/findings-round-2.md"), found).unwrap();
    let end = site.stop();
    assert_eq!(end.hold, "");
    contains(
        &end.message,
        &[
            "stopped at max rounds (round 2 of 2)",
            "It is as it was when the last round began.",
            "\nRounds run: 2 of 2\n",
            "\n- Round 1 (Senior-engineer review): high=1 medium=0 low=0\n",
            "\n- Round 2 (Security and data-integrity review): high=0 medium=1 low=0\n",
            &format!("The last findings: {}", site.file(&id, "/findings-round-2.md").display()),
            "\n1. Revise PLAN.md by hand",
            "\n2. Have it reviewed again, with more rounds",
            "\n3. Accept it as known to be incomplete",
            "What is open: the findings of round 2.\n- medium: The clock may stop (wind it)",
        ],
    );
    let state = site.state(&id);
    assert_eq!((state["phase"].as_str(), state["decision_signal"].as_str()), ("done", "max-reached"));
    assert!(!site.file(&id, "-runner.sh").exists());
    assert!(site.stop().is_silent());

    let again = site.shell(end.command("holdpoint claudex start plan "));
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    contains(&again.stdout, &["Max rounds: 4", "Source: ", TOPIC]);
    assert!(site.stop().hold.starts_with("### Claudex round 1 of 4, "));
}

#[test]
fn what_was_changed_after_the_last_review_is_told() {
    for (last, is_revised) in [("1", true), ("1", false), ("2", true)] {
        let site = Site::new(&[]);
        let id = site.start(&["plan", "--rounds", last, TOPIC]);
        for round in 1..=last.parse().unwrap() {
            site.project.write("PLAN.md", format!("1. Tick {round} times.\n"));
            site.stop();
            site.find(&id, round);
        }
        assert_eq!(site.stands(&id).0, "reviewing");
        if is_revised {
            revise(&site, 9);
        }
        let end = site.stop();
        let unreviewed = "It was changed since the last round began, and nobody has reviewed that change.";
        assert_eq!(end.message.contains(unreviewed), is_revised, "{last} rounds: {}", end.message);
    }
}

#[test]
fn a_diff_is_reviewed_once_and_the_loop_lasts_until_the_report_is_there() {
    let site = Site::new(&[report(1, [0, 2, 0])]);
    let id = site.start(&["review", "--", TOPIC]);
    let hold = site.stop();
    let paths =
        ["review", "proposed-fixes"].map(|name| format!("{}/reviews/{name}-{id}.md", site.root().display()));
    contains(
        &hold.hold,
        &["Claudex review starting, Senior-engineer review", "READ-ONLY", &paths[0], &paths[1]],
    );

    let waiting = site.stop();
    assert_eq!(waiting.hold, "", "once is enough");
    contains(&waiting.message, &["has left no report yet", &paths[0]]);
    contains(&site.done(&["status"]), &["the reviewer is to be run, or is running"]);
    assert_eq!(site.tell(&["start", "plan", "another"]).code, Some(1), "it is still at work");
    assert!(site.file(&id, "-runner.sh").exists(), "it is not cleared away under the reviewer");

    let printed = site.shell(hold.command("bash "));
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    assert!(printed.stdout.starts_with("[claudex] Running Codex (mode=review, round=1, persona: Senior-"));
    let prompt = site.kept("prompt", 1);
    assert!(prompt.ends_with(&format!("\n{TOPIC}\n(End of the topic.)\n")), "{prompt}");
    contains(&prompt, &["git diff", "Read only", &paths[0], &paths[1]]);

    let end = site.stop();
    assert_eq!(end.hold, "");
    contains(&end.message, &["is complete", "high=0 medium=2 low=0", &paths[0], &paths[1], "Time taken: "]);
    assert!(!site.file(&id, "-runner.sh").exists() && !site.file(&id, "-prompt.txt").exists());
    assert!(site.stop().is_silent());
    site.start(&["plan", "another"]);
}
