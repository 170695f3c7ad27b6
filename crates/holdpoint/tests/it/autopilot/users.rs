//! The user during a run: commits, edits and decisions of their own, tasks that need no change, runs that are taken up again.

use serde_json::json;

use super::project::{PLAN, SPEC, Site};
use super::proof::log;
use super::walk::{
    BACK_1, END, READY_1, READY_2, TASK_1, TASK_2, commit_1, commit_2, discount, follow, nothing, total,
};

/// What the user types.
fn user(site: &Site, words: &[&str]) -> String {
    let printed = site.tell_as("", words);
    assert_eq!(printed.code, Some(0), "{words:?}: {}{}", printed.stdout, printed.stderr);
    printed.stdout
}

fn refusal(site: &Site, words: &[&str]) -> String {
    let printed = site.tell(words);
    assert_eq!(printed.code, Some(1), "{words:?}: {}{}", printed.stdout, printed.stderr);
    printed.stderr + &printed.stdout
}

#[test]
fn a_commit_is_told_with_its_hash_and_its_exit_code() {
    let site = Site::with(PLAN, "N/A");
    site.start(&[]);
    follow(&site, Site::next, &[(TASK_1, &total), (READY_1, &nothing)]);
    site.write("cart.py", &(site.read("cart.py") + "# later\n"));
    let said = refusal(&site, &["commit", "feat(cart): add up prices"]);
    assert!(said.contains("Not committed: edited after the review: cart.py."), "{said}");
    follow(&site, Site::next, &[(READY_1, &nothing)]);
    let said = site.done(&["commit", "feat(cart): add up prices"]);
    let head = site.git("rev-parse HEAD");
    assert!(said.starts_with(&format!("Committed: {} feat(cart): add up prices", &head[..10])), "{said}");
}

#[test]
fn what_the_user_commits_and_edits_while_it_is_blocked_is_what_the_task_goes_on_from() {
    let site = Site::with(PLAN, "N/A");
    site.start(&[]);
    follow(&site, Site::next, &[(TASK_1, &total)]);
    site.done(&["escalate", "which shop?"]);
    site.write("NOTES.md", "hello\n").write("shop.py", "OPEN = True\nCLOSED = False\n");
    site.git("add NOTES.md && git commit --quiet --message 'docs(notes): hello'");
    let said = user(&site, &["resume", "retry"]);
    assert!(said.contains("Taken over as yours, and part of this task now: shop.py."), "{said}");
    follow(&site, Site::next, &[(READY_1, &commit_1), (TASK_2, &nothing)]);
    assert_eq!(
        site.git("show --name-only --format= HEAD").lines().count(),
        3,
        "cart, its test, and the user's shop.py"
    );
}

#[test]
fn a_branch_and_a_test_that_the_user_takes_away_while_it_is_blocked_are_the_new_base() {
    let site = Site::with(PLAN, "N/A");
    site.start(&[]);
    follow(&site, Site::next, &[(TASK_1, &total)]);
    site.done(&["escalate", "is tests/test_base.sh still wanted?"]);
    site.git("switch --quiet --create topic && git rm --quiet tests/test_base.sh");
    site.git("commit --quiet --message 'test(cart): drop it' && git switch --quiet --create later");
    user(&site, &["resume", "retry"]);
    follow(
        &site,
        Site::next,
        &[(READY_1, &commit_1), (TASK_2, &discount), (READY_2, &commit_2), (END, &nothing)],
    );
    assert_eq!(site.git("log --format=%s work..later | wc -l"), "3", "the user's commit, and the two tasks'");
}

#[test]
fn a_commit_of_documents_between_tasks_needs_no_word() {
    let site = Site::with(PLAN, "N/A");
    site.start(&[]);
    follow(&site, Site::next, &[(TASK_1, &total), (READY_1, &commit_1), (TASK_2, &nothing)]);
    site.write("NOTES.md", "hello\n")
        .git("add NOTES.md && git commit --quiet --message 'docs(notes): hello'");
    follow(&site, Site::next, &[(TASK_2, &discount), (READY_2, &commit_2), (END, &nothing)]);
    assert_eq!(site.git("rev-list --count HEAD"), "4");
}

#[test]
fn a_commit_of_code_between_tasks_needs_the_users_word() {
    let site = Site::with(PLAN, "N/A");
    site.start(&[]);
    follow(&site, Site::next, &[(TASK_1, &total), (READY_1, &commit_1), (TASK_2, &nothing)]);
    site.write("shop.py", "OPEN = True\nLATE = 1\n");
    site.git("commit --quiet --all --message 'feat(shop): late'");
    discount(&site);
    assert!(site.next().contains("**HEAD has moved:**"));
    user(&site, &["resume", "it is mine"]);
    follow(&site, Site::next, &[(READY_2, &commit_2), (END, &nothing)]);
}

#[test]
fn a_task_that_is_done_already_is_passed_by_tests_and_the_spec_reviewer() {
    let site = Site::with(PLAN, "N/A");
    site.answers("reviewer", &[json!({"verdict": "needs_implementation", "notes": "no discount"})]);
    discount(&site);
    total(&site);
    site.git("add --all && git commit --quiet --message 'feat(cart): by hand'");
    site.start(&[]);
    follow(&site, Site::next, &[(TASK_1, &nothing)]);
    let back = site.done(&["nothing", "cart.total is there"]);
    assert!(back.contains("The spec reviewer sent it back:") && back.contains("no discount"), "{back}");
    assert!(site.asked("reviewer", 1).contains("**Nothing was changed for this task.**"));
    let next = site.done(&["nothing", "cart.total is there"]);
    assert!(next.contains("task 2 of 2, discount"), "{next}");
    assert_eq!((&site.task(1)["status"], &site.task(1)["commit"]), (&json!("done"), &json!(null)));
    assert!(log(&site).contains("- Spec Reviewer: approved; nothing to commit\n"), "{}", log(&site));
    site.write("src/extra.py", "X = 1\n");
    assert!(refusal(&site, &["nothing", "it is there"]).contains("src/extra.py"));
}

#[test]
fn a_run_that_was_abandoned_is_taken_up_where_its_commits_are() {
    let site = Site::with(PLAN, "N/A");
    site.start(&[]);
    follow(&site, Site::next, &[(TASK_1, &total), (READY_1, &commit_1), (TASK_2, &nothing)]);
    user(&site, &["abandon"]);
    let said = site.start(&[]);
    assert!(said.contains("is taken up where it was abandoned: task 2 of 2, discount"), "{said}");
    follow(&site, Site::next, &[(TASK_2, &discount), (READY_2, &commit_2), (END, &nothing)]);

    let site = Site::with(PLAN, "N/A");
    site.start(&[]);
    follow(&site, Site::next, &[(TASK_1, &total), (READY_1, &commit_1), (TASK_2, &nothing)]);
    user(&site, &["abandon"]);
    site.git("reset --quiet --hard HEAD~1");
    assert!(site.start(&[]).contains("Autopilot run started."), "its commits are gone");
}

#[test]
fn a_spec_that_the_user_changed_is_taken_up_with_the_users_word() {
    let site = Site::with(PLAN, "N/A");
    site.start(&[]);
    follow(&site, Site::next, &[(TASK_1, &total), (READY_1, &commit_1), (TASK_2, &nothing)]);
    user(&site, &["abandon"]);
    site.write(SPEC, &site.read(SPEC).replace("## Notes\n\nNone.", "## Notes\n\nRound down."));
    let said = site.start(&[]);
    assert!(said.contains("is taken up where it was abandoned: task 2 of 2, discount"), "{said}");
    assert!(said.contains("The spec was changed after its plan was recorded."), "{said}");
    assert!(site.next().contains("**The spec was changed** after the plan was recorded"));
    user(&site, &["resume", "it is mine"]);
    follow(&site, Site::next, &[(TASK_2, &discount), (READY_2, &commit_2), (END, &nothing)]);
    assert!(site.read(SPEC).contains("Round down."));
}

#[test]
fn what_the_user_decides_reaches_the_reviewers_and_a_review_can_be_overruled() {
    let site = Site::with(PLAN, "N/A");
    let wants = || json!({"verdict": "needs_discussion", "notes": "signed or not?"});
    let approves = || json!({"verdict": "approved", "notes": "fine"});
    site.answers("reviewer", &[approves(), wants(), approves(), wants()]);
    site.start(&[]);
    follow(&site, Site::next, &[(TASK_1, &total), (" is blocked: task 1 of 2, total", &nothing)]);
    user(&site, &["resume", "signed integers stay"]);
    follow(
        &site,
        Site::next,
        &[(BACK_1, &|site| {
            site.write("cart.py", "def total(prices):\n    # signed on purpose\n    return sum(prices)\n");
        })],
    );
    let blocked = site.next();
    assert!(blocked.contains("holdpoint autopilot overrule"), "{blocked}");
    for call in [3, 4] {
        assert!(
            site.asked("reviewer", call)
                .contains("that stands, whatever you would have chosen: signed integers stay")
        );
    }
    assert!(site.tell(&["overrule", "they stay"]).stderr.contains("the user's"), "no agent overrules");
    user(&site, &["overrule", "they stay signed"]);
    follow(&site, Site::next, &[(READY_1, &commit_1), (TASK_2, &nothing)]);
    let evidence = site.evidence();
    let overruled =
        evidence.iter().find(|piece| piece["details"]["overruled"] == "needs_discussion").unwrap();
    assert_eq!(
        (&overruled["passed"], &overruled["details"]["reason"]),
        (&json!(true), &json!("they stay signed"))
    );
    assert!(log(&site).contains("- User overruled code-quality: they stay signed\n"), "{}", log(&site));
}

#[test]
fn a_verdict_on_other_files_is_not_overruled() {
    let site = Site::with(PLAN, "N/A");
    site.answers(
        "reviewer",
        &[json!({"verdict": "approved"}), json!({"verdict": "needs_discussion", "notes": "?"})],
    );
    site.start(&[]);
    follow(&site, Site::next, &[(TASK_1, &total), (" is blocked: task 1 of 2, total", &nothing)]);
    site.write("cart.py", "def total(prices):\n    return 7\n");
    let printed = site.tell_as("", &["overrule", "take it"]);
    assert_eq!(printed.code, Some(1));
    assert!(printed.stderr.contains("on the files as they are now"), "{}", printed.stderr);
    assert!(printed.stderr.contains("holdpoint autopilot resume retry"), "{}", printed.stderr);
    assert_eq!(site.phase(), "escalated");
}

#[test]
fn a_council_of_three_rules_before_the_user_is_asked() {
    let site = Site::with(PLAN, "N/A");
    let wants = || json!({"verdict": "needs_discussion", "notes": "?"});
    let refactor = || json!({"verdict": "needs_refactor", "notes": "smaller"});
    let approves = || json!({"verdict": "approved"});
    site.answers(
        "reviewer",
        &[approves(), refactor(), approves(), refactor(), approves(), refactor(), approves(), wants()],
    );
    let found = |notes: &str| json!({"verdict": "solution_found", "notes": notes});
    site.answers("council", &[found("split it"), found("drop it"), found("ask less"), found("do drop it")]);
    site.start(&[]);
    let again = |site: &Site| {
        site.write("cart.py", &(site.read("cart.py") + "# again\n"));
    };
    follow(&site, Site::next, &[(TASK_1, &total), (BACK_1, &again), (BACK_1, &again)]);
    let back = site.next();
    assert!(back.contains("The council says what to do now:\n`````\ndo drop it\n`````"), "{back}");
    for (call, lens) in ["architecture", "simplicity", "the user"].iter().enumerate() {
        assert!(site.asked("council", call + 1).contains(&format!("Yours is {lens}:")));
    }
    let ruling = site.asked("council", 4);
    assert!(["split it", "drop it", "ask less"].iter().all(|said| ruling.contains(said)), "{ruling}");
    follow(&site, Site::next, &[(BACK_1, &again), (" is blocked: task 1 of 2, total", &nothing)]);
}

#[test]
fn a_debugger_that_sees_no_repair_is_heard_by_the_council_first() {
    let site = Site::with(PLAN, "N/A");
    site.answers("debugger", &[json!({"verdict": "escalate", "notes": "the spec contradicts itself"})]);
    site.start(&[]);
    let wrong = |site: &Site| {
        total(site);
        site.write("cart.py", "def total(prices):\n    return sum(prices) + 1\n");
    };
    follow(&site, Site::next, &[(TASK_1, &wrong)]);
    let blocked = site.next();
    assert!(site.asked("council", 1).contains("the spec contradicts itself"));
    assert!(blocked.contains("the debugger sees no repair within this task."), "{blocked}");
    assert!(blocked.contains("A council of three has looked at it"), "{blocked}");
    let record: serde_json::Value = serde_json::from_str(&site.read("ai/escalations/FTR-7-1.json")).unwrap();
    assert_eq!((&record["target"], &record["council"]), (&json!("human"), &json!("needs_human")));
}

#[test]
fn a_start_looks_for_the_tests_and_the_reviewer_before_it_makes_a_run() {
    let site = Site::with(PLAN, "N/A");
    site.sh("git rm --quiet test && git commit --quiet --message 'chore(test): gone'");
    site.write("package.json", "{\"scripts\": {\"test\": \"node --test\"}}\n");
    let said = refusal(&site, &["start", SPEC]);
    assert!(said.contains(&format!("holdpoint autopilot start {SPEC} --test 'npm test'")), "{said}");
    assert!(!site.root().join("autopilot-state.json").exists());
    let said = refusal(&site, &["start", SPEC, "--test", "./gone"]);
    assert!(said.contains("the command was not found") && said.contains("queued again"), "{said}");
    let said = refusal(&site, &["start", SPEC, "--test", "echo 'No module named pytest'; exit 1"]);
    assert!(said.contains("names no test that failed") && said.contains("No module named pytest"), "{said}");
    assert!(site.read(SPEC).contains("**Status:** queued |"));
    std::fs::remove_file(site.tools().join("claude")).unwrap();
    let said = refusal(&site, &["start", SPEC, "--test", "true"]);
    assert!(said.contains("--reviews subagent"), "{said}");
}
