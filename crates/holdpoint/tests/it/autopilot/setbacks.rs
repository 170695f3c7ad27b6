//! What goes wrong on the way: failures of others, limits, checks that do not pass, commits that git refuses.

use serde_json::{Value as Json, json};

use super::project::{ACCEPTANCE, PLAN, SPEC, Site};
use super::proof::{agrees_with_git, log, texts};
use super::walk::{
    BACK_1, END, READY_1, READY_2, Step, TASK_1, TASK_2, commit_1, commit_2, discount, follow, nothing,
    replace, test_total, total,
};

/// Task 2 as it should go, to the end.
const TO_THE_END: [Step<'static>; 3] = [(TASK_2, &discount), (READY_2, &commit_2), (END, &nothing)];

#[test]
fn a_test_that_failed_before_is_not_the_tasks() {
    let site = Site::with(PLAN, "N/A");
    site.write("legacy/tests/test_shop.sh", "false\n");
    site.sh("sed -i 's/find tests/find tests legacy/' test && git add --all && git commit --quiet --message 'chore(shop): break it'");
    site.start(&[]);
    let writes = |name: &'static str| {
        move |site: &Site| {
            site.write(&format!("src/{name}.py"), "PRICES = []\n");
            site.write(&format!("tests/test_{name}.sh"), &format!("test -f src/{name}.py\n"));
        }
    };
    let steps: [Step<'_>; 5] = [
        (TASK_1, &writes("total")),
        (READY_1, &commit_1),
        (TASK_2, &writes("off")),
        (READY_2, &commit_2),
        (END, &nothing),
    ];
    follow(&site, Site::next, &steps);
    let state = site.state();
    assert_eq!(state["baseline"], json!(["legacy/tests/test_shop.sh::test_shop"]));
    assert_eq!(
        (&state["tasks"][0]["tester"], &state["spec_status"]),
        (&json!("fail_out_of_scope"), &json!("done"))
    );
    assert!(log(&site).contains("- out-of-scope failure: legacy/tests/test_shop.sh::test_shop\n"));
    assert!(site.next().contains("Tests outside of these tasks failed, and were not repaired: task 1, 2."));
}

#[test]
fn a_test_that_failed_before_is_not_the_tasks_in_whichever_folder_it_lies() {
    let site = Site::with(PLAN, "N/A");
    site.write("tests/test_shop.sh", "false\n");
    site.git("add --all && git commit --quiet --message 'chore(shop): break it'");
    site.start(&[]);
    let worse = |site: &Site| {
        total(site);
        replace(site, "sum(prices)", "sum(prices) + 1");
    };
    follow(&site, Site::next, &[(TASK_1, &worse)]);
    let back = site.next();
    assert!(
        back.contains("Failed before this work began, and none of it: tests/test_shop.sh::test_shop"),
        "{back}"
    );
    assert!(back.contains("The debugger sent it back:"), "{back}");
    follow(&site, Site::next, &[(BACK_1, &total), (READY_1, &commit_1)]);
    assert_eq!(site.task(1)["tester"], json!("fail_out_of_scope"));
    let changed = |site: &Site| {
        discount(site);
        site.write("tests/test_shop.sh", "exit 3\n");
    };
    follow(&site, Site::next, &[(TASK_2, &changed), (": task 2 of 2 comes back, discount", &nothing)]);
}

#[test]
fn a_task_that_cannot_be_repaired_is_the_users_until_it_is_resumed() {
    let site = Site::new();
    site.start(&[]);
    let worse = |site: &Site| replace(site, "+ 1", "+ 1 + 1");
    follow(
        &site,
        Site::next,
        &[
            (TASK_1, &|site| {
                site.write("cart.py", "def total(prices):\n    return sum(prices) + 1\n");
                test_total(site);
            }),
            (BACK_1, &worse),
            (BACK_1, &worse),
            (BACK_1, &worse),
            (" is blocked: task 1 of 2, total", &nothing),
        ],
    );
    let state = site.state();
    assert_eq!((&state["phase"], &state["spec_status"]), (&json!("escalated"), &json!("blocked")));
    assert_eq!(
        (&state["tasks"][0]["debug_attempts"], &state["tasks"][0]["status"]),
        (&json!(3), &json!("blocked"))
    );
    assert!(site.read(SPEC).contains("**Status:** blocked |"));
    assert!(site.read("ai/backlog.md").contains("| FTR-7 | cart | blocked |"));
    assert!(log(&site).contains("- ACTION REQUIRED: debug_attempts\n"));
    let record: Json = serde_json::from_str(&site.read("ai/escalations/FTR-7-1.json")).unwrap();
    assert_eq!((&record["escalation_type"], &record["target"]), (&json!("debug_stuck"), &json!("human")));
    assert_eq!(record["council"], json!("needs_human"), "it was held, and has left it to the user");
    assert_eq!((&record["task"]["id"], &record["attempts"]["debug_attempts"]), (&json!(1), &json!(3)));
    assert!(record["current_error"].as_str().unwrap().contains("FAIL: 1"), "{record}");
    assert_eq!(site.stop(), "", "the agent may go: it is the user's turn");
    assert_eq!(site.git("rev-list --count HEAD"), "1");

    let resumed = site.tell_as("", &["resume", "add nothing to the sum"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(site.read(SPEC).contains("**Status:** in_progress |"));
    assert_eq!(site.task(1)["debug_attempts"], json!(0));
    let due = site.next();
    assert!(due.contains("The user says what to do now:\n`````\nadd nothing to the sum\n`````"), "{due}");
    follow(&site, Site::next, &[(BACK_1, &total), (READY_1, &commit_1)]);
    follow(&site, Site::next, &TO_THE_END);
    agrees_with_git(&site);
}

/// A functional check that asks for what only the third version does.
fn wants(functional: &str) -> Site {
    Site::with(PLAN, &ACCEPTANCE.replace("prints `3`", functional))
}

#[test]
fn a_functional_check_that_fails_is_repaired_tested_and_committed_again() {
    let site = Site::with(
        PLAN,
        &ACCEPTANCE.replace("cart.total([1, 2])", "cart.total([1, 2, 3])").replace("`3`", "`6`"),
    );
    site.start(&[]);
    let wrong = |site: &Site| {
        total(site);
        replace(site, "sum(prices)", "sum(prices[:2])");
    };
    follow(
        &site,
        Site::next,
        &[
            (TASK_1, &wrong),
            (READY_1, &commit_1),
            (BACK_1, &|site| replace(site, "[:2]", "[:3]")),
            (READY_1, &|site| drop(site.done(&["commit", "fix(cart): add up all prices"]))),
        ],
    );
    follow(&site, Site::next, &TO_THE_END);
    let commits = agrees_with_git(&site);
    let task = site.task(1);
    assert_eq!((texts(&task["commits"]), &task["verify"]), (commits[..2].to_vec(), &json!("pass")));
    assert_eq!(task["verify_func_retry"], json!(1));
}

#[test]
fn a_functional_check_that_never_passes_only_warns() {
    let site = wants("prints `4`");
    site.start(&[]);
    let again = |site: &Site| {
        site.write("cart.py", &(site.read("cart.py") + "# again\n"));
    };
    follow(
        &site,
        Site::next,
        &[
            (TASK_1, &total),
            (READY_1, &commit_1),
            (BACK_1, &again),
            (READY_1, &|site| drop(site.done(&["commit", "fix(cart): try"]))),
            (BACK_1, &again),
            (READY_1, &|site| drop(site.done(&["commit", "fix(cart): try again"]))),
            (TASK_2, &nothing),
        ],
    );
    let task = site.task(1);
    assert_eq!(
        (&task["verify"], &task["functional"], &task["status"]),
        (&json!("warn"), &json!("warn"), &json!("done"))
    );
    assert_eq!(agrees_with_git(&site).len(), 3);
    assert!(log(&site).contains("- WARN: functional: AV-F1"), "{}", log(&site));
    assert!(log(&site).contains("- Local Verify: warn\n"));
}

#[test]
fn a_smoke_check_is_tried_again() {
    let site = Site::new();
    let warm = site.tools().join("warm").display().to_string();
    let command = format!(
        "`cat {warm} 2>/dev/null; touch {warm}; test -s {warm} \\|\\| {{ echo up >{warm}; false; }}`"
    );
    let spec = site.read(SPEC).replace("`python3 -B -c 'import cart'`", &command);
    site.write(SPEC, &spec).git("commit --quiet --all --message 'docs(cart): how to see it run'");
    site.start(&[]);
    follow(&site, Site::next, &[(TASK_1, &total), (READY_1, &commit_1), (TASK_2, &nothing)]);
    let task = site.task(1);
    assert_eq!(
        (&task["smoke"], &task["verify"], &task["verify_smoke_retry"]),
        (&json!("pass"), &json!("pass"), &json!(1))
    );
    let smoke = site.evidence().into_iter().filter(|piece| piece["phase"] == "smoke");
    assert_eq!(smoke.map(|piece| piece["verdict"].clone()).collect::<Vec<_>>(), ["fail", "pass"]);
}

/// A pre-commit hook that refuses code with a word in it.
fn refusing(word: &str) -> Site {
    let site = Site::new();
    site.git_hook(
        "pre-commit",
        &format!("#!/bin/sh\nif grep -q {word} cart.py; then echo 'the word {word} is banned'; exit 1; fi\n"),
    );
    site.start(&[]);
    site
}

/// A commit that does not come about: its exit code says so.
fn refused_commit(site: &Site) {
    let printed = site.tell(&["commit", "feat(cart): add up prices"]);
    assert_eq!(printed.code, Some(1), "{}", printed.stdout);
}

#[test]
fn a_commit_that_a_hook_refuses_is_put_right_and_proved_anew() {
    let site = refusing("sum");
    let failed: &str = ": the commit of task 1 failed, total";
    follow(
        &site,
        Site::next,
        &[
            (TASK_1, &total),
            (READY_1, &refused_commit),
            (failed, &|site| {
                site.write("cart.py", "def total(prices):\n    result = 0\n    for price in prices:\n        result += price\n    return result\n");
            }),
            (READY_1, &commit_1),
        ],
    );
    follow(&site, Site::next, &TO_THE_END);
    agrees_with_git(&site);
    assert_eq!(site.task(1)["commit_retry"], json!(1));
}

#[test]
fn a_commit_that_is_refused_twice_blocks_the_spec() {
    let site = refusing("total");
    let failed: &str = ": the commit of task 1 failed, total";
    follow(&site, Site::next, &[(TASK_1, &total), (READY_1, &refused_commit)]);
    assert!(site.next().contains("the word total is banned"), "the agent is told what git said");
    follow(&site, Site::next, &[(failed, &refused_commit), (" is blocked: task 1 of 2, total", &nothing)]);
    assert_eq!((site.phase(), &site.state()["spec_status"]), ("escalated".to_owned(), &json!("blocked")));
    assert!(log(&site).contains("- ACTION REQUIRED: commit failure\n"), "{}", log(&site));
    let record: Json = serde_json::from_str(&site.read("ai/escalations/FTR-7-1.json")).unwrap();
    assert_eq!((&record["escalation_type"], &record["target"]), (&json!("commit_failure"), &json!("human")));
    assert!(record["current_error"].as_str().unwrap().contains("is banned"));
    assert_eq!(
        (site.git("rev-list --count HEAD"), site.task(1)["commit"].clone()),
        ("1".to_owned(), Json::Null)
    );
}
