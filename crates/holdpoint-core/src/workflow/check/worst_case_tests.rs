use super::*;
use crate::workflow::parse::parse;

/// The worst case of a workflow whose phases are given, in words.
fn words(phases: &str) -> String {
    let head = "about = \"\"\n[run]\nhome = \".x\"\nstate = \"s.json\"\ndue = \"next\"\n[reviewers.r]\ncommand = [\"x\"]\n";
    let tail = "[fields]\nmax = 8\n[limits]\nmax = { count = \"n\", most = \"state.max\", then = \"end\" }\n\
                most = { count = \"n\", most = \"state.most\", then = \"end\" }\nm = { most = 2, then = \"end\" }\n\
                two = { count = \"n\", most = 2, then = \"end\" }\nthree = { count = \"n\", most = 3, then = \"end\" }\n\
                four = { count = \"n\", most = 4, then = \"end\" }\n";
    let parsed = parse("x", &format!("{head}{phases}{tail}"), &|_| None);
    assert_eq!(parsed.problems, [], "{phases}");
    match worst_case(&parsed.workflow) {
        WorstCase::NoReviews => "none".into(),
        WorstCase::Unlimited(phase) => format!("no limit: {phase}"),
        WorstCase::Nested(phase) => format!("nested: {phase}"),
        WorstCase::AtMost(bound) => bound.to_string(),
    }
}

/// A review, what mends after it, and where it goes when it is passed.
fn reviewed(name: &str, limit: &str, passed: &str) -> String {
    format!(
        "[phases.{name}]\nby = \"reviewer\"\nprompt = \"x\"\nreport = \"r\"\nlimit = \"{limit}\"\n\
         then.fail = \"mend-{name}\"\nthen.pass = {passed}\n\
         [phases.mend-{name}]\nby = \"agent\"\nreport = \"m\"\nthen = {{ go = \"{name}\" }}\n"
    )
}

fn user(name: &str, then: &str) -> String {
    format!("[phases.{name}]\nby = \"user\"\nthen = {then}\n")
}

#[test]
fn a_loop_through_the_user_counts_for_each_start() {
    let tasks = "[{ when = \"state.quick\", go = \"quick\" }, { go = \"task\" }]";
    let code = "[{ when = \"state.last\", go = \"all\", renew = \"three\" }, { when = \"state.quick\", go = \"quick\" }, { go = \"task\" }]";
    let phases = [
        user("plan", "{ go = \"plan-review\", renew = \"three\" }"),
        reviewed("plan-review", "max", "{ go = \"tasks\" }"),
        user("tasks", "{ go = \"tasks-review\", renew = \"three\" }"),
        reviewed("tasks-review", "max", tasks),
        user("task", "{ go = \"code-review\", renew = \"three\" }"),
        user("quick", "{ go = \"code-review\", renew = \"three\" }"),
        reviewed("code-review", "max", code),
        reviewed("all", "max", "{ go = \"over\" }"),
        user("over", "{ go = \"end\" }"),
        user("aside", "{}"),
    ];
    assert_eq!(words(&phases.concat()), "at most 24 + 8 × N reviews (N: how often quick, task is started)");
}

#[test]
fn without_a_loop_the_limits_are_added() {
    let phases = [
        user("u", "{ go = \"a\" }"),
        reviewed("a", "three", "{ go = \"b\" }"),
        reviewed("b", "four", "{ go = \"end\" }"),
    ];
    assert_eq!(words(&phases.concat()), "at most 7 reviews");
    assert_eq!(words(&user("u", "{ go = \"end\" }")), "none");
}

#[test]
fn a_count_that_no_step_resets_holds_over_all_starts() {
    let again = |then: &str| words(&[user("u", then), reviewed("a", "three", "{ go = \"u\" }")].concat());
    assert_eq!(again("{ go = \"a\" }"), "at most 3 reviews");
    assert_eq!(
        again("{ go = \"a\", renew = \"three\" }"),
        "at most 3 × N reviews (N: how often u is started)"
    );
    assert_eq!(again("{ go = \"a\", set = { n = 0 } }"), "at most 3 × N reviews (N: how often u is started)");
}

#[test]
fn what_is_entered_from_outside_counts_once_more() {
    let phases = [
        user("first", "{ go = \"a\", renew = \"three\" }"),
        reviewed("a", "three", "{ go = \"again\" }"),
        user("again", "{ go = \"a\", renew = \"three\" }"),
    ];
    assert_eq!(words(&phases.concat()), "at most 3 + 3 × N reviews (N: how often again is started)");
}

#[test]
fn several_loops_have_a_letter_each() {
    let phases = [
        user("u", "{ go = \"a\", renew = \"three\" }"),
        reviewed("a", "three", "[{ when = \"state.x\", go = \"v\" }, { go = \"u\" }]"),
        user("v", "{ go = \"b\", renew = \"three\" }"),
        reviewed("b", "four", "{ go = \"v\" }"),
    ];
    assert_eq!(
        words(&phases.concat()),
        "at most 3 × N1 + 4 × N2 reviews (N1: how often u is started; N2: how often v is started)"
    );
}

#[test]
fn a_field_without_a_first_value_stays_a_name() {
    let phases = [
        user("u", "{ go = \"a\", renew = \"three\" }"),
        reviewed("a", "most", "{ go = \"b\", renew = \"three\" }"),
        reviewed("b", "two", "{ go = \"u\" }"),
    ];
    assert_eq!(words(&phases.concat()), "at most (2 + most) × N reviews (N: how often u is started)");
}

#[test]
fn a_review_without_a_limit_is_done_as_often_as_it_is_come_to() {
    let single = "[phases.a]\nby = \"reviewer\"\nprompt = \"x\"\nthen.fail = \"end\"\nthen.pass = \"end\"\n";
    assert_eq!(words(&[user("u", "{ go = \"a\" }"), single.into()].concat()), "at most 1 review");
    let second =
        "[phases.second]\nby = \"reviewer\"\nprompt = \"x\"\nthen.fail = \"a\"\nthen.pass = \"end\"\n";
    let phases = [user("u", "{ go = \"a\" }"), reviewed("a", "three", "{ go = \"second\" }"), second.into()];
    assert_eq!(words(&phases.concat()), "at most 6 reviews", "three of each");
}

#[test]
fn what_nothing_limits_is_named() {
    let stays = "[phases.a]\nby = \"reviewer\"\nprompt = \"x\"\nthen.fail = {}\nthen.pass = \"end\"\n";
    assert_eq!(words(&[user("u", "{ go = \"a\" }"), stays.into()].concat()), "no limit: a");
    // Each starts the other's count anew, which is the same field.
    let phases = [
        user("u", "{ go = \"a\" }"),
        reviewed("a", "three", "{ go = \"b\", renew = \"three\" }"),
        reviewed("b", "three", "{ go = \"a\", renew = \"three\" }"),
    ];
    assert_eq!(words(&phases.concat()), "no limit: a");
}

#[test]
fn a_loop_within_a_limited_one_is_not_called_unlimited() {
    let outer = "[phases.outer]\nby = \"reviewer\"\nprompt = \"x\"\nlimit = \"m\"\n\
                 then.fail = { go = \"a\", renew = \"three\" }\nthen.pass = \"end\"\n";
    let phases = [user("u", "{ go = \"a\" }"), reviewed("a", "three", "{ go = \"outer\" }"), outer.into()];
    assert_eq!(
        words(&phases.concat()),
        "at most 11 reviews",
        "two of the outer, and three of the inner for each and at first"
    );
}

#[test]
fn steps_that_use_up_a_limit_are_counted() {
    let round = "round = \"three\"";
    let phases = format!(
        "[checks.c]\nrun = [\"x\"]\n[phases.test]\nby = \"check\"\ncheck = \"c\"\nthen.pass = \"a\"\n\
         then.fail = {{ go = \"mend\", {round} }}\n[phases.a]\nby = \"reviewer\"\nprompt = \"x\"\nthen.pass = \"b\"\n\
         then.fail = {{ go = \"mend\", {round} }}\n[phases.b]\nby = \"reviewer\"\nprompt = \"x\"\nthen.pass = \"end\"\n\
         then.fail = {{ go = \"mend\", round = \"m\" }}\n[phases.mend]\nby = \"agent\"\nreport = \"r\"\nthen = \"test\"\n"
    );
    let user = user("u", "{ go = \"test\" }");
    // Six turns: one, three of the limit `three` and two of `m`; two reviews in each.
    assert_eq!(words(&[user, phases].concat()), "at most 12 reviews");
}
