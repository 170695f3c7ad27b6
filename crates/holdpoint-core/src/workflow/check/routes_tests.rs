use crate::workflow::check::Surroundings;
use crate::workflow::parse::parse;

const HEAD: &str = "about = \"\"\n[run]\nhome = \".x\"\nstate = \"s.json\"\ndue = \"next\"\n[reviewers.r]\ncommand = [\"x\"]\n[limits]\nn = { most = 3, then = \"end\" }\nm = { most = 2, then = \"end\" }\n";

fn complaints(phases: &str) -> Vec<String> {
    let source = format!("{HEAD}{phases}");
    let parsed = parse("x", &source, &|_| None);
    super::super::check(&parsed, &Surroundings::default())
        .into_iter()
        .map(|problem| problem.message)
        .collect()
}

#[test]
fn a_bounded_loop_is_in_order() {
    let found = complaints(
        "[phases.a]\nby=\"reviewer\"\nprompt=\"x\"\nlimit=\"n\"\nthen.pass=\"end\"\nthen.fail=\"b\"\n[phases.b]\nby=\"agent\"\nreport=\"p\"\nthen=\"a\"\n",
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_loop_without_a_limit_is_refused() {
    let found = complaints(
        "[phases.a]\nby=\"reviewer\"\nprompt=\"x\"\nthen.pass=\"end\"\nthen.fail=\"b\"\n[phases.b]\nby=\"agent\"\nreport=\"p\"\nthen=\"a\"\n",
    );
    assert!(found.iter().any(|m| m.contains("phase `a` is in a loop that passes neither")), "{found:?}");
}

#[test]
fn a_limit_that_is_reset_on_the_way_is_none() {
    let found = complaints(
        "[phases.a]\nby=\"reviewer\"\nprompt=\"x\"\nlimit=\"n\"\nthen.pass=\"end\"\nthen.fail=\"b\"\n[phases.b]\nby=\"agent\"\nreport=\"p\"\nthen={go=\"a\",renew=\"n\"}\n",
    );
    assert!(found.iter().any(|m| m.contains("in a loop")), "{found:?}");
}

#[test]
fn a_loop_through_the_user_is_in_order() {
    let found = complaints(
        "[phases.a]\nby=\"agent\"\nreport=\"r\"\nthen=\"u\"\n[phases.u]\nby=\"user\"\nthen=\"a\"\n",
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn what_leads_nowhere_or_lacks_something_is_told() {
    let found = complaints(
        "[phases.a]\nby=\"reviewer\"\nreviewer=\"nobody\"\nprompt=\"x\"\nthen.pass=\"end\"\nthen.fail=\"bb\"\n[phases.b]\nby=\"agent\"\n[phases.c]\nby=\"reviewer\"\nthen.fail=\"end\"\n",
    );
    for part in [
        "there is no phase `bb`",
        "there is no reviewer `nobody`",
        "nothing proves phase `b` finished",
        "phase `b` leads nowhere",
        "the review `c` has no `prompt`",
        "phase `c` does not say where then.pass leads",
    ] {
        assert!(found.iter().any(|message| message.contains(part)), "{part}: {found:?}");
    }
    // What nothing leads to is told where all routes are there: a missing one may be the way.
    let found = complaints(
        "[phases.a]\nby=\"reviewer\"\nprompt=\"x\"\nthen.pass=\"end\"\nthen.fail=\"bb\"\n[phases.b]\nby=\"agent\"\nreport=\"r\"\nthen=\"end\"\n",
    );
    assert_eq!(found, ["there is no phase `bb`", "no step leads to phase `a`"]);
}

/// A review with both its routes, unless `rest` has them.
fn review(name: &str, rest: &str) -> String {
    let route = |verdict: &str| {
        if rest.contains(&format!("then.{verdict}=")) {
            String::new()
        } else {
            format!("then.{verdict}=\"end\"\n")
        }
    };
    let routes = route("pass") + &route("fail");
    format!("[phases.{name}]\nby=\"reviewer\"\nprompt=\"x\"\n{routes}{rest}\n")
}

fn agent(name: &str, rest: &str) -> String {
    format!("[phases.{name}]\nby=\"agent\"\nreport=\"p\"\n{rest}\n")
}

#[test]
fn a_limit_that_leads_back_into_its_loop_is_none() {
    let phases = |then: &str| {
        let limits = format!("[limits.l]\nmost=3\nthen=\"{then}\"\n");
        complaints(
            &[&review("a", "limit=\"l\"\nthen.fail=\"b\""), &agent("b", "then=\"a\""), limits.as_str()]
                .concat(),
        )
    };
    assert_eq!(phases("end"), [""; 0]);
    let found = phases("b");
    assert!(found.iter().any(|m| m.contains("phase `a` is in a loop")), "{found:?}");
    assert_eq!(found.len(), 1, "one loop is told once: {found:?}");
    assert!(found[0].ends_with(": `a` and `b`"), "{found:?}");
}

#[test]
fn a_count_that_another_phase_starts_anew_is_no_limit() {
    let phases = |other: &str| {
        let limited = |limit: &str, rest: &str| format!("limit=\"{limit}\"\n{rest}");
        let first = review("a", &limited("n", &format!("then.fail={{go=\"b\",renew=\"{other}\"}}")));
        complaints(&[first, review("b", &limited(other, "then.fail=\"a\""))].concat())
    };
    assert_eq!(phases("m"), [""; 0], "b's count is started anew, a's is not");
    let found = phases("n");
    assert!(found.iter().any(|m| m.contains("phase `a` is in a loop")), "{found:?}");
}

#[test]
fn a_step_that_sets_the_count_starts_it_anew() {
    let limited = "limit=\"n\"\nthen.fail=\"b\"";
    let found = complaints(&[review("a", limited), agent("b", "then={go=\"a\",set={n=0}}")].concat());
    assert!(found.iter().any(|m| m.contains("phase `a` is in a loop")), "{found:?}");
}

#[test]
fn a_count_on_an_agents_phase_limits_no_loop_through_it() {
    // It counts how often the phase is found unfinished: one that is finished each time goes round for ever.
    let counted = "limit=\"c\"\nthen=\"b\"";
    let limits = "[limits.c]\ncount=\"k\"\nmost=3\nthen=\"end\"\n".to_owned();
    let found = complaints(&[agent("a", counted), agent("b", "then=\"a\""), limits.clone()].concat());
    assert!(found.iter().any(|m| m.contains("phase `a` is in a loop")), "{found:?}");
    let user = "[phases.u]\nby=\"user\"\nthen=\"a\"\n";
    let through = counted.replace("\"b\"", "\"u\"");
    assert_eq!(complaints(&[agent("a", &through), user.to_owned(), limits].concat()), [""; 0]);
}

#[test]
fn what_uses_up_no_round_is_not_limited_by_them() {
    let limited = "limit=\"n\"\n";
    for (about, rest) in [
        ("a review that did not work", "then.fault=\"b\""),
        ("one that is skipped", "skip={when=\"state.x\"}\nthen.pass=\"b\""),
    ] {
        let phases = [review("a", &format!("{limited}{rest}")), agent("b", "then=\"a\"")];
        let found = complaints(&phases.concat());
        assert!(found.iter().any(|m| m.contains("phase `a` is in a loop")), "{about}: {found:?}");
    }
    let passed = [review("a", &format!("{limited}then.pass=\"b\"")), agent("b", "then=\"a\"")];
    assert_eq!(complaints(&passed.concat()), [""; 0]);
}

#[test]
fn a_review_that_sends_back_to_itself_needs_a_limit() {
    let user = "[phases.u]\nby=\"user\"\nthen=\"a\"\n";
    let found = complaints(&[user, &review("a", "then.fail={hold=\"mend it\"}")].concat());
    assert!(found.iter().any(|m| m.contains("phase `a` is in a loop")), "{found:?}");
    let limited = "limit=\"n\"\nthen.fail={hold=\"mend it\"}";
    assert_eq!(complaints(&[user, &review("a", limited)].concat()), [""; 0]);
}

#[test]
fn a_loop_within_a_limited_loop_may_start_anew_each_time() {
    let inner = "limit=\"n\"\nthen.fail=\"b\"\nthen.pass=\"outer\"";
    let outer = |limit: &str| format!("limit=\"{limit}\"\nthen.fail={{go=\"a\",renew=\"n\"}}");
    let phases = |count: &str| {
        complaints(&[review("a", inner), agent("b", "then=\"a\""), review("outer", &outer(count))].concat())
    };
    assert_eq!(phases("m"), [""; 0]);
    assert!(phases("n").iter().any(|m| m.contains("is in a loop") && m.contains("`outer`")));
}

#[test]
fn a_command_leads_to_phases_too() {
    let phases = agent("a", "then=\"end\"");
    let command = |step: &str| complaints(&format!("{phases}[commands.go]\nabout=\"\"\nsteps=[{step}]\n"));
    assert_eq!(command("{go=\"a\"}"), [""; 0]);
    assert_eq!(
        command("{go=\"aa\"},{go=\"a\",finish=\"aaa\"}"),
        ["there is no phase `aa`", "command `go` finishes `aaa`, which does not exist"]
    );
}

#[test]
fn a_loop_is_told_with_what_would_end_it() {
    let counted = "limit=\"n\"\nthen.fail=\"b\"";
    let back = "then=\"a\"";
    for (first, second, part) in [
        ("then.fail=\"b\"", back, "give a step of the loop a `round`"),
        (counted, "then={go=\"a\",renew=\"n\"}", "the step from `b` to `a` resets `n`"),
        ("limit=\"b\"\nthen.fail=\"b\"", back, "at its limit `a` goes back into the loop"),
        ("limit=\"n\"\nthen.fault=\"b\"", back, "`a` that did not work"),
        ("then.fail=\"b\"", "limit=\"c\"\nthen=\"a\"", "the limit of `b` counts how often the agent's work"),
    ] {
        let limits = "[limits.b]\nmost=3\nthen=\"b\"\n[limits.c]\ncount=\"k\"\nmost=3\nthen=\"end\"\n";
        let source = format!("{HEAD}{limits}{}{}", review("a", first), agent("b", second));
        let problems = super::super::check(&parse("x", &source, &|_| None), &Surroundings::default());
        assert_eq!(problems.len(), 1, "{part}: {problems:?}");
        for problem in problems {
            assert!(problem.hint.as_ref().is_some_and(|hint| hint.contains(part)), "{part}: {problem:?}");
        }
    }
}

#[test]
fn a_check_counts_its_rounds_as_a_review_does() {
    let phases = |limit: &str| {
        format!(
            "[checks.c]\nrun=[\"x\"]\n[phases.a]\nby=\"check\"\ncheck=\"c\"\n{limit}then.fail=\"b\"\nthen.pass=\"end\"\n[phases.b]\nby=\"agent\"\nreport=\"p\"\nthen=\"a\"\n"
        )
    };
    assert_eq!(complaints(&phases("limit=\"n\"\n")), [""; 0]);
    assert!(complaints(&phases("")).iter().any(|m| m.contains("in a loop")));
    let without = phases("").replace("[checks.c]\nrun=[\"x\"]\n", "");
    assert!(complaints(&without).iter().any(|m| m.contains("there is no check `c`")));
}
