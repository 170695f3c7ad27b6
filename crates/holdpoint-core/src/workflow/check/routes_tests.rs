use crate::workflow::check::Surroundings;
use crate::workflow::parse::parse;

const HEAD: &str = "about = \"\"\n[run]\nhome = \".x\"\nstate = \"s.json\"\ndue = \"next\"\n[reviewers.r]\ncommand = [\"x\"]\n";

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
        "[phases.a]\nby=\"reviewer\"\nreport=\"r\"\nrounds={count=\"n\",limit=3}\nissues={go=\"b\"}\n[phases.b]\nby=\"agent\"\nreport=\"p\"\nthen={go=\"a\"}\n",
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_loop_without_a_limit_is_refused() {
    let found = complaints(
        "[phases.a]\nby=\"reviewer\"\nreport=\"r\"\nissues={go=\"b\"}\n[phases.b]\nby=\"agent\"\nreport=\"p\"\nthen={go=\"a\"}\n",
    );
    assert!(found.iter().any(|m| m.contains("phase `a` is in a loop that passes neither")), "{found:?}");
}

#[test]
fn a_limit_that_is_reset_on_the_way_is_none() {
    let found = complaints(
        "[phases.a]\nby=\"reviewer\"\nreport=\"r\"\nrounds={count=\"n\",limit=3}\nissues={go=\"b\"}\n[phases.b]\nby=\"agent\"\nreport=\"p\"\nthen={go=\"a\",afresh=true}\n",
    );
    assert!(found.iter().any(|m| m.contains("in a loop")), "{found:?}");
}

#[test]
fn a_loop_through_the_user_is_in_order() {
    let found = complaints(
        "[phases.a]\nby=\"agent\"\nreport=\"r\"\nthen={go=\"u\"}\n[phases.u]\nby=\"user\"\nthen={go=\"a\"}\n",
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn what_leads_nowhere_or_lacks_something_is_told() {
    let found = complaints(
        "[phases.a]\nby=\"reviewer\"\nreviewer=\"nobody\"\nreport=\"r\"\nissues={go=\"bb\"}\n[phases.b]\nby=\"agent\"\n[phases.c]\nby=\"reviewer\"\nissues={go=\"end\"}\n",
    );
    for part in [
        "phase `a` goes to `bb`, which does not exist",
        "phase `a` has no reviewer",
        "nothing proves phase `b` finished",
        "the review `c` leaves no `report`",
        "no step leads to phase `a`",
    ] {
        assert!(found.iter().any(|message| message.contains(part)), "{part}: {found:?}");
    }
}

/// A review that counts its rounds, with what else it says.
fn review(name: &str, rest: &str) -> String {
    format!("[phases.{name}]\nby=\"reviewer\"\nreport=\"r\"\n{rest}\n")
}

fn agent(name: &str, rest: &str) -> String {
    format!("[phases.{name}]\nby=\"agent\"\nreport=\"p\"\n{rest}\n")
}

#[test]
fn a_limit_that_leads_back_into_its_loop_is_none() {
    let phases = |exhausted: &str| {
        let rounds = format!("rounds={{count=\"n\",limit=3,exhausted={exhausted}}}\nissues={{go=\"b\"}}");
        complaints(&[review("a", &rounds), agent("b", "then={go=\"a\"}")].concat())
    };
    assert_eq!(phases("{go=\"end\"}"), [""; 0]);
    let found = phases("{go=\"b\"}");
    assert!(found.iter().any(|m| m.contains("phase `a` is in a loop")), "{found:?}");
    assert!(found.iter().any(|m| m.contains("phase `b` is in a loop")), "{found:?}");
}

#[test]
fn a_count_that_another_phase_starts_anew_is_no_limit() {
    let phases = |other: &str| {
        let rounds = |count: &str, rest: &str| format!("rounds={{count=\"{count}\",limit=3}}\n{rest}");
        let first = review("a", &rounds("n", "issues={go=\"b\",afresh=true}"));
        complaints(&[first, review("b", &rounds(other, "issues={go=\"a\"}"))].concat())
    };
    assert_eq!(phases("m"), [""; 0], "b's count is started anew, a's is not");
    let found = phases("n");
    assert!(found.iter().any(|m| m.contains("phase `a` is in a loop")), "{found:?}");
}

#[test]
fn a_step_that_sets_the_count_starts_it_anew() {
    let rounds = "rounds={count=\"n\",limit=3}\nissues={go=\"b\"}";
    let found =
        complaints(&[review("a", rounds), agent("b", "then={go=\"a\",set={n=\"{{ 0 }}\"}}")].concat());
    assert!(found.iter().any(|m| m.contains("phase `a` is in a loop")), "{found:?}");
}

#[test]
fn a_count_on_an_agents_phase_limits_no_loop_through_it() {
    // It counts how often the phase is found unfinished: one that is finished each time goes round for ever.
    let counted = "rounds={count=\"n\",limit=3,exhausted={go=\"end\"}}\nthen={go=\"b\"}";
    let found = complaints(&[agent("a", counted), agent("b", "then={go=\"a\"}")].concat());
    assert!(found.iter().any(|m| m.contains("phase `a` is in a loop")), "{found:?}");
    let user = "[phases.u]\nby=\"user\"\nthen={go=\"a\"}\n";
    let through = counted.replace("\"b\"", "\"u\"");
    assert_eq!(complaints(&[agent("a", &through), user.to_owned()].concat()), [""; 0]);
}

#[test]
fn what_uses_up_no_round_is_not_limited_by_them() {
    let rounds = "rounds={count=\"n\",limit=3}\n";
    for (about, rest) in [
        ("a review that did not work", "failed={go=\"b\"}"),
        ("one that is skipped", "skip={when=\"state.x\"}\npassed={go=\"b\"}"),
    ] {
        let phases = [review("a", &format!("{rounds}{rest}")), agent("b", "then={go=\"a\"}")];
        let found = complaints(&phases.concat());
        assert!(found.iter().any(|m| m.contains("phase `a` is in a loop")), "{about}: {found:?}");
    }
    let passed = [review("a", &format!("{rounds}passed={{go=\"b\"}}")), agent("b", "then={go=\"a\"}")];
    assert_eq!(complaints(&passed.concat()), [""; 0]);
}

#[test]
fn a_review_that_sends_back_to_itself_needs_a_limit() {
    let user = "[phases.u]\nby=\"user\"\nthen={go=\"a\"}\n";
    let found = complaints(&[user, &review("a", "issues={hold=\"mend it\"}\npassed={go=\"end\"}")].concat());
    assert!(found.iter().any(|m| m.contains("phase `a` is in a loop")), "{found:?}");
    let limited = "rounds={count=\"n\",limit=3}\nissues={hold=\"mend it\"}\npassed={go=\"end\"}";
    assert_eq!(complaints(&[user, &review("a", limited)].concat()), [""; 0]);
}

#[test]
fn a_loop_within_a_limited_loop_may_start_anew_each_time() {
    let inner = "rounds={count=\"n\",limit=3}\nissues={go=\"b\"}\npassed={go=\"outer\"}";
    let outer =
        |count: &str| format!("rounds={{count=\"{count}\",limit=2}}\nissues={{go=\"a\",afresh=true}}");
    let phases = |count: &str| {
        complaints(
            &[review("a", inner), agent("b", "then={go=\"a\"}"), review("outer", &outer(count))].concat(),
        )
    };
    assert_eq!(phases("m"), [""; 0]);
    assert!(phases("n").iter().any(|m| m.contains("phase `outer` is in a loop")));
}

#[test]
fn a_command_leads_to_phases_too() {
    let phases = agent("a", "then={go=\"end\"}");
    let command = |step: &str| complaints(&format!("{phases}[commands.go]\nabout=\"\"\nsteps=[{step}]\n"));
    assert_eq!(command("{go=\"a\"}"), [""; 0]);
    assert_eq!(
        command("{go=\"aa\"},{go=\"a\",finish=\"aaa\"}"),
        [
            "command `go` goes to `aa`, which does not exist",
            "command `go` finishes `aaa`, which does not exist"
        ]
    );
}

#[test]
fn a_loop_is_told_with_what_would_end_it() {
    let counted = "rounds={count=\"n\",limit=3}\nissues={go=\"b\"}";
    let back = "then={go=\"a\"}";
    for (first, second, part) in [
        ("issues={go=\"b\"}", back, "give a review of the loop `rounds`"),
        (counted, "then={go=\"a\",afresh=true}", "the step from `b` to `a` starts `n` anew"),
        (
            "rounds={count=\"n\",limit=3,exhausted={go=\"b\"}}\nissues={go=\"b\"}",
            back,
            "at its limit `a` goes back into the loop",
        ),
        ("rounds={count=\"n\",limit=3}\nfailed={go=\"b\"}", back, "`a` that did not work"),
        (
            "issues={go=\"b\"}",
            "rounds={count=\"n\",limit=3}\nthen={go=\"a\"}",
            "the agent's phase `b` is found unfinished",
        ),
    ] {
        let source = format!("{HEAD}{}{}", review("a", first), agent("b", second));
        let problems = super::super::check(&parse("x", &source, &|_| None), &Surroundings::default());
        assert_eq!(problems.len(), 2, "{part}: {problems:?}");
        for problem in problems {
            assert!(problem.hint.as_ref().is_some_and(|hint| hint.contains(part)), "{part}: {problem:?}");
        }
    }
}

#[test]
fn a_check_counts_its_rounds_as_a_review_does() {
    let phases = |rounds: &str| {
        format!(
            "[checks.c]\nrun=[\"x\"]\n[phases.a]\nby=\"check\"\n{rounds}issues={{go=\"b\"}}\npassed={{go=\"end\"}}\n[phases.b]\nby=\"agent\"\nreport=\"p\"\nthen={{go=\"a\"}}\n"
        )
    };
    assert_eq!(complaints(&phases("rounds={count=\"n\",limit=3}\n")), [""; 0]);
    assert!(complaints(&phases("")).iter().any(|m| m.contains("in a loop")));
    let without = phases("").replace("[checks.c]\nrun=[\"x\"]\n", "");
    assert!(complaints(&without).iter().any(|m| m.contains("phase `a` has no check")));
}
