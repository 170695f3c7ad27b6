//! An agent that only ever asks what is due and does it: the whole loop, over two tasks.

use serde_json::{Value as Json, json};

use super::project::Site;
use super::proof::{agrees_with_git, log, texts};

/// A step of a script: what the text must begin with, after `### Autopilot FTR-7`, and what the agent then does.
pub(crate) type Step<'a> = (&'a str, &'a dyn Fn(&Site));

/// Asks what is due, does it, and asks again.
pub(crate) fn follow(site: &Site, due: impl Fn(&Site) -> String, steps: &[Step<'_>]) {
    for (count, (expected, act)) in steps.iter().enumerate() {
        let text = due(site);
        let heading =
            text.lines().find_map(|line| line.strip_prefix("### Autopilot FTR-7")).unwrap_or_default();
        assert!(heading.starts_with(expected), "step {count}: not {expected:?} but {text}");
        act(site);
    }
}

pub(crate) const TASK_1: &str = ": task 1 of 2, total";
pub(crate) const BACK_1: &str = ": task 1 of 2 comes back, total";
pub(crate) const READY_1: &str = ": task 1 of 2 is ready to commit, total";
pub(crate) const TASK_2: &str = ": task 2 of 2, discount";
pub(crate) const READY_2: &str = ": task 2 of 2 is ready to commit, discount";
pub(crate) const END: &str = ": every task is committed (2)";

/// Code for task 1 that does what it should.
pub(crate) fn total(site: &Site) {
    site.write("cart.py", "def total(prices):\n    return sum(prices)\n");
    test_total(site);
}

/// The test of task 1.
pub(crate) fn test_total(site: &Site) {
    let test = "test \"$(python3 -B -c 'import cart; print(cart.total([1, 2]))')\" = 3\n";
    site.write("tests/test_total.sh", test);
}

/// Code for task 2 that does what it should.
pub(crate) fn discount(site: &Site) {
    let code = site.read("cart.py") + "\n\ndef off(price):\n    return price * 9 // 10\n";
    let test = "test \"$(python3 -B -c 'import cart; print(cart.off(100))')\" = 90\n";
    site.write("cart.py", &code).write("tests/test_off.sh", test);
}

pub(crate) fn commit_1(site: &Site) {
    site.done(&["commit", "feat(cart): add up prices"]);
}

pub(crate) fn commit_2(site: &Site) {
    site.done(&["commit", "feat(cart): ten percent off"]);
}

pub(crate) fn nothing(_: &Site) {}

/// Replaces text in the code.
pub(crate) fn replace(site: &Site, from: &str, to: &str) {
    let code = site.read("cart.py");
    assert!(code.contains(from), "{code}");
    site.write("cart.py", &code.replace(from, to));
}

const REGRESSION: &str = "tests/regression/test_no_extra.sh";

/// A debugger that finds the bug, and a reviewer that wants a name changed.
fn debugged() -> Site {
    let site = Site::new();
    let regression =
        json!({"test_name": "test_no_extra", "test_file": REGRESSION, "test_code": "the sum of [1] is 1"});
    site.answers(
        "debugger",
        &[json!({"verdict": "fix_proposed", "notes": "one too many", "regression": regression})],
    );
    let approved = || json!({"verdict": "approved", "notes": "fine"});
    site.answers("reviewer", &[approved(), json!({"verdict": "needs_refactor", "notes": "call them items"})]);
    site
}

/// The script of a walk with everything in it.
fn script<'a>() -> Vec<Step<'a>> {
    vec![
        (TASK_1, &|site| {
            site.write("cart.py", "def total(prices):\n    # TODO: tax\n    return sum(prices) + 1\n");
            test_total(site);
        }),
        (BACK_1, &|site| replace(site, " + 1", "")),
        (": task 1, keep the bug from coming back", &|site| {
            let test = "test \"$(python3 -B -c 'import cart; print(cart.total([1]))')\" = 1\n";
            site.write(REGRESSION, test);
        }),
        (BACK_1, &|site| replace(site, "    # TODO: tax\n", "")),
        (BACK_1, &|site| replace(site, "prices", "items")),
        (READY_1, &commit_1),
        (TASK_2, &discount),
        (READY_2, &commit_2),
        (END, &nothing),
    ]
}

/// What is on record at the end of that walk.
fn all_is_on_record(site: &Site) {
    let commits = agrees_with_git(site);
    let state = site.state();
    let head = |field: &str| state[field].clone();
    assert_eq!((head("spec_id"), head("spec_path")), (json!("FTR-7"), json!(super::project::SPEC)));
    assert_eq!(
        (head("phase"), head("spec_status"), head("plan_exists")),
        (json!("finishing"), json!("done"), json!(true))
    );
    assert_eq!(
        (head("current_task"), head("baseline"), head("reviews")),
        (json!(2), json!([]), json!("process"))
    );
    assert!(head("started").as_str().unwrap().ends_with('Z'));
    let [first, second] = state["tasks"].as_array().unwrap().as_slice() else { panic!("{state}") };
    for (task, id, name) in [(first, 1, "total"), (second, 2, "discount")] {
        let expected = json!({"id": id, "name": name, "status": "done", "coder": "done", "tester": "pass",
            "reviewer": "approved", "spec_reviewer": "approved", "commit": commits[id - 1], "verify": "pass",
            "smoke": "pass", "functional": "pass"});
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&task[field], value, "{field} of task {id}");
        }
        assert!(task["ts"].as_str().unwrap().ends_with('Z'));
    }
    assert_eq!(texts(&first["files_changed"]), ["cart.py", REGRESSION, "tests/test_total.sh"]);
    assert_eq!(texts(&second["files_changed"]), ["cart.py", "tests/test_off.sh"]);
    let counts = |task: &Json| {
        let names = ["debug_attempts", "precheck_loop", "refactor_loop", "spec_review_loop", "commit_retry"];
        names.map(|name| task[name].as_u64().unwrap_or(0))
    };
    assert_eq!((counts(first), counts(second)), ([1, 1, 1, 0, 0], [0; 5]));
    assert_eq!(site.git("status --porcelain -- . ':!ai' ':!.holdpoint'"), "", "nothing is left over");
}

#[test]
fn an_agent_that_only_asks_what_is_next_walks_the_whole_loop() {
    let site = debugged();
    assert!(site.start(&[]).starts_with("Autopilot run started."));
    follow(&site, Site::next, &script());
    all_is_on_record(&site);
    let log = log(&site);
    let lines: Vec<&str> = log.lines().filter(|line| !line.is_empty()).collect();
    let commits = agrees_with_git(&site);
    assert!(lines[0].starts_with("### Task 1/2: total — 20"), "{log}");
    let expected = [
        "- Coder: cart.py, tests/test_total.sh",
        "- Tester: fail: tests/test_total.sh::test_total",
        "- Debugger: fix_proposed",
        &format!("- Regression test: {REGRESSION}"),
        "- Tester: pass",
        "- Pre-check: fail",
        "- Tester: pass",
        "- Spec Reviewer: approved",
        "- Code Quality Reviewer: needs_refactor",
        "- Tester: pass",
        "- Spec Reviewer: approved",
        "- Code Quality Reviewer: approved",
        &format!("- Commit: {}", commits[0]),
        "- Local Verify: pass",
    ];
    assert_eq!(lines[1..=expected.len()], expected);
    assert!(lines[expected.len() + 1].starts_with("### Task 2/2: discount — 20"), "{log}");
    assert_eq!(lines.last().unwrap().to_string(), format!("- Done: {}", commits.join(", ")));
    assert!(site.asked("debugger", 1).contains("FAIL: 1"), "the debugger is told what failed");
    assert!(site.next().contains("every task is committed (2)"), "and so it stays");
}

#[test]
fn the_same_walk_goes_by_stops_alone() {
    let site = debugged();
    site.start(&[]);
    let script = script();
    let (_, steps) = script.split_last().unwrap();
    follow(&site, Site::stop, steps);
    assert_eq!(site.stop(), "", "the agent may go");
    all_is_on_record(&site);
}
