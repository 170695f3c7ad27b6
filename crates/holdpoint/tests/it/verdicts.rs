//! Verdicts: every check and every reviewer takes the route that is written for its verdict, and its evidence says
//! `passed` exactly where that was the passing one.

mod former;
mod kinds;

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project};

/// A run whose check or review decides. `PHASE` is the phase that is performed; tables may follow at `TABLES`.
const WORKFLOW: &str = r#"
about = "A phase that decides."
[run]
home  = ".mini"
state = ".mini/state.json"
due   = "phase"
[phases.begin]
by   = "user"
then = "decide"
[phases.decide]
PHASE
[phases.mend]
by    = "agent"
ask   = "MEND"
until = "false"
then  = "decide"
[limits]
mending = { count = "mended", most = 9, then = "begin" }
[fields]
phase  = ""
mended = 0
clean  = 0
[commands.next]
about   = "Goes on"
through = ["all"]
[commands.proof]
about = "What is on record"
steps = [ { say = "{{ evidence.decide.verdict }} {{ evidence.decide.passed | spell }}" } ]
TABLES
"#;

/// Where the two usual verdicts lead.
const ROUTES: &str =
    "then.pass = { go = \"begin\", tell = \"GOOD\" }\nthen.fail = { go = \"mend\", round = \"mending\" }\n";

fn project(phase: &str, tables: &str) -> Project {
    let project = Project::new();
    project.workflow("mini", &WORKFLOW.replace("PHASE", phase).replace("TABLES", tables));
    let checked = project.run(&["check", "mini"]);
    assert_eq!(checked.code, Some(0), "{phase}{tables}{}{}", checked.stdout, checked.stderr);
    project.write(".mini/state.json", "{\"phase\": \"decide\", \"mended\": 0}");
    project
}

fn stop(project: &Project) -> Printed {
    project.hook(&json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root()}))
}

fn phase(project: &Project) -> String {
    let state: Json = serde_json::from_str(&project.read(".mini/state.json")).unwrap();
    state["phase"].as_str().unwrap().to_owned()
}

/// The verdict on record and whether it passed: as rules see it, and as it is kept.
fn proof(project: &Project) -> String {
    let seen = project.run(&["mini", "proof"]).stdout.trim().to_owned();
    let lines = project.read_book("evidence/mini.jsonl");
    let kept: Json = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(seen, format!("{} {}", kept["verdict"].as_str().unwrap(), kept["passed"]));
    seen
}

/// One check of each kind that passes where the file `ok` is.
const CHECKS: [&str; 3] = [
    "run = [\"test\", \"-f\", \"ok\"]",
    "tests = [\"sh\", \"-c\", \"test -f ok && echo '3 passed in 0.1s' || { echo '1 failed, 2 passed in 0.1s'; exit 1; }\"]",
    "that = \"file('ok').exists\"",
];

/// The same check in its phase, by its name, and at the end of an agent's phase.
fn placed(check: &str) -> [(String, String); 3] {
    let named = format!("[checks.named]\n{check}\n");
    [
        (format!("by = \"check\"\ncheck = {{ {check} }}\n{ROUTES}"), String::new()),
        (format!("by = \"check\"\ncheck = \"named\"\n{ROUTES}"), named),
        (
            format!("by = \"agent\"\nask = \"WORK\"\nuntil = \"true\"\ncheck = {{ {check} }}\n{ROUTES}"),
            String::new(),
        ),
    ]
}

#[test]
fn a_check_of_any_kind_takes_the_route_of_its_verdict() {
    for (phase_text, tables) in CHECKS.iter().flat_map(|check| placed(check)) {
        for by_command in [true, false] {
            let project = project(&phase_text, &tables);
            let on = || if by_command { project.run(&["mini", "next"]) } else { stop(&project) };
            let failed = on();
            assert_eq!(
                (phase(&project).as_str(), proof(&project).as_str()),
                ("mend", "fail false"),
                "{phase_text}"
            );
            assert!(failed.stdout.contains("MEND"), "{phase_text}{}{}", failed.stdout, failed.stderr);
            assert!(by_command || failed.json()["decision"] == "block", "{}", failed.stdout);

            project.write("ok", "").write(".mini/state.json", "{\"phase\": \"decide\", \"mended\": 0}");
            let passed = on();
            assert_eq!(
                (phase(&project).as_str(), proof(&project).as_str()),
                ("begin", "pass true"),
                "{phase_text}"
            );
            assert!(passed.stdout.contains("GOOD"), "{phase_text}{}{}", passed.stdout, passed.stderr);
            assert!(by_command || passed.json()["decision"].is_null(), "{}", passed.stdout);
        }
    }
}

/// A reviewer that answers with what is in the file `answer`, with keys of its own.
fn reviewer(keys: &str) -> String {
    format!(
        "[reviewers.it]\ncommand = [\"sh\", \"-c\", \"printf '{{\\\"verdict\\\": \\\"%s\\\"}}' $(cat answer)\"]\nverdict_at = [\"verdict\"]\n{keys}\n"
    )
}

#[test]
fn a_review_takes_the_route_of_its_verdict_in_whatever_words() {
    let review = |keys: &str| format!("by = \"reviewer\"\nprompt = \"LOOK\"\n{keys}");
    let own = "verdicts = [\"approved\", \"needs_change\"]\nthen.approved = { go = \"begin\", tell = \"GOOD\" }\nthen.needs_change = { go = \"mend\", round = \"mending\" }\n";
    let answers = "answers = { PASS = \"pass\", FAIL = \"fail\" }";
    for (routes, keys, answer, led, proved) in [
        (ROUTES, "", "pass", "begin", "pass true"),
        (ROUTES, "", "fail", "mend", "fail false"),
        (ROUTES, answers, "PASS", "begin", "pass true"),
        (ROUTES, answers, "FAIL", "mend", "fail false"),
        (
            ROUTES,
            "answers = { PASS = \"pass\", LGTM = \"pass\", FAIL = \"fail\" }",
            "PASS",
            "begin",
            "pass true",
        ),
        (
            ROUTES,
            "answers = { PASS = \"pass\", LGTM = \"pass\", FAIL = \"fail\" }",
            "LGTM",
            "begin",
            "pass true",
        ),
        (ROUTES, "otherwise = \"fail\"", "perhaps", "mend", "fail false"),
        (own, "", "approved", "begin", "approved true"),
        (own, "", "needs_change", "mend", "needs_change false"),
        (own, "answers = { LGTM = \"approved\" }", "LGTM", "begin", "approved true"),
        (own, "otherwise = \"needs_change\"", "PASS", "mend", "needs_change false"),
    ] {
        let project = project(&review(routes), &reviewer(keys));
        project.write("answer", answer);
        let printed = project.run(&["mini", "next"]);
        let told = format!("{routes}{keys} {answer}: {}{}", printed.stdout, printed.stderr);
        assert_eq!((phase(&project).as_str(), proof(&project).as_str()), (led, proved), "{told}");
    }
}

#[test]
fn an_answer_that_nobody_can_read_is_a_fault_and_no_evidence() {
    let project = project(
        &format!("by = \"reviewer\"\nprompt = \"LOOK\"\n{ROUTES}"),
        &reviewer("answers = { PASS = \"pass\" }"),
    );
    project.write("answer", "perhaps");
    let printed = stop(&project);
    let told = "decide: the reviewer answered `perhaps`; it may answer `PASS`, `fail`";
    assert!(printed.stdout.contains(told), "{}", printed.stdout);
    assert_eq!(phase(&project), "decide");
    assert!(!project.book("evidence/mini.jsonl").exists());
}

#[test]
fn a_first_clean_review_of_two_has_not_passed_yet() {
    let keys =
        format!("by = \"reviewer\"\nprompt = \"LOOK\"\nclean = {{ count = \"clean\", need = 2 }}\n{ROUTES}");
    let project = project(&keys, &reviewer("answers = { PASS = \"pass\", FAIL = \"fail\" }"));
    let review = |answer: &str, clean: u32| {
        project.write("answer", answer);
        let state = json!({"phase": "decide", "mended": 0, "clean": clean});
        project.write(".mini/state.json", state.to_string());
        project.run(&["mini", "next"]);
        format!("{}, {}", phase(&project), proof(&project))
    };
    assert_eq!(review("PASS", 0), "mend, pass false");
    assert_eq!(review("PASS", 1), "begin, pass true");
    assert_eq!(review("FAIL", 1), "mend, fail false");
}

#[test]
fn a_verdict_that_a_check_accepts_has_passed_on_its_own_route() {
    let suite = "tests = [\"sh\", \"-c\", \"echo '=== short test summary info ==='; echo 'FAILED tests/test_old.py::test_old - x'; echo '1 failed, 2 passed in 0.1s'; exit 1\"]\nscope = \"['src/a.py']\"\nknown = \"['tests/test_old.py::test_old']\"\n";
    let excused = "then.out-of-scope = { go = \"begin\", tell = \"EXCUSED\" }\n";
    for (accepts, route, led, proved) in [
        ("", "", "mend", "out-of-scope false"),
        ("", excused, "begin", "out-of-scope false"),
        ("accepts = [\"out-of-scope\"]\n", excused, "begin", "out-of-scope true"),
    ] {
        let check = format!("[checks.suite]\n{suite}{accepts}");
        let project = project(&format!("by = \"check\"\ncheck = \"suite\"\n{ROUTES}{route}"), &check);
        project.run(&["mini", "next"]);
        assert_eq!((phase(&project).as_str(), proof(&project).as_str()), (led, proved), "{accepts}{route}");
    }
}

#[test]
fn a_check_that_cannot_be_made_is_not_called_a_reviewer() {
    for (check, told) in [
        ("run = [\"no-such-linter\"]", "the check's program `no-such-linter` is not installed"),
        ("run = [\"sleep\", \"30\"], timeout = 1", "the check did not finish within 1 seconds"),
    ] {
        let project = project(&format!("by = \"check\"\ncheck = {{ {check} }}\n{ROUTES}"), "");
        let next = project.run(&["mini", "next"]);
        assert!(next.stderr.contains(told), "{}{}", next.stdout, next.stderr);
        let review = project.run(&["review"]);
        let all = format!("{}{}", review.stdout, review.stderr);
        assert!(all.contains(told) && all.contains("due: decide, by a check"), "{all}");
        assert!(!all.contains("reviewer"), "{all}");
        assert_eq!(phase(&project), "decide");
    }
}
