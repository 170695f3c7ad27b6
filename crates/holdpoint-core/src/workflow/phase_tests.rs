use super::*;
use crate::workflow::parse::parse;

/// A check of each kind, as a phase has it.
const KINDS: [&str; 7] = [
    "run = [\"make\"]",
    "tests = [\"make\", \"test\"]",
    "that = \"true\"",
    "scan = \"[]\"",
    "blueprint = \"plans\", files = \"[]\", spec = \"'spec.md'\"",
    "acceptance = \"A-*\", spec = \"'spec.md'\", section = \"Acceptance\"",
    "commit = \"[]\", message = \"'x'\", landed = \"true\"",
];

/// Where a verdict leads by default.
const DEFAULT: [(Verdict, &str); 6] = [
    (Verdict::Pass, "good"),
    (Verdict::Fail, "bad"),
    (Verdict::Skip, "good"),
    (Verdict::Warn, "good"),
    (Verdict::Broken, "bad"),
    (Verdict::OutOfScope, "bad"),
];

fn workflow(check: &str, routes: &str) -> Workflow {
    let source = format!(
        "about = \"\"\n[run]\nhome = \".x\"\nstate = \"s.json\"\ndue = \"phase\"\n[phases.p]\nby = \"check\"\n\
         check = {{ {check} }}\n{routes}[phases.good]\nby = \"user\"\nthen = \"p\"\n[phases.bad]\nby = \"user\"\n\
         [phases.own]\nby = \"user\"\n"
    );
    let parsed = parse("x", &source, &|_| None);
    assert_eq!(parsed.problems, [], "{source}");
    parsed.workflow
}

/// Where a verdict leads, and whether it counts as passed.
fn led(workflow: &Workflow, verdict: &Verdict) -> (String, bool) {
    let what = workflow.phase("p").and_then(Phase::performance).unwrap();
    let route = what.route(verdict, workflow).unwrap();
    (route.steps[0].go.as_deref().unwrap().to_owned(), what.passes(verdict, workflow))
}

#[test]
fn every_verdict_of_every_kind_of_check_takes_its_route() {
    const BOTH: &str = "then.pass = \"good\"\nthen.fail = \"bad\"\n";
    for check in KINDS {
        let plain = workflow(check, BOTH);
        for verdict in plain.check("p").unwrap().kind.verdicts() {
            let (_, target) = DEFAULT.iter().find(|(known, _)| known == verdict).unwrap();
            assert_eq!(led(&plain, verdict), ((*target).to_owned(), *target == "good"), "{check}: {verdict}");
            if !matches!(verdict, Verdict::Pass | Verdict::Fail) {
                let own = workflow(check, &format!("{BOTH}then.{verdict} = \"own\"\n"));
                assert_eq!(
                    led(&own, verdict),
                    ("own".to_owned(), false),
                    "{check}: {verdict}, its own route"
                );
            }
        }
    }
}

#[test]
fn an_accepted_verdict_passes_by_its_own_route_or_by_the_passing_one() {
    let accepts = "tests = [\"make\"], accepts = [\"out-of-scope\"]";
    let both = "then.pass = \"good\"\nthen.fail = \"bad\"\n";
    let (verdict, passed) = (Verdict::OutOfScope, true);
    assert_eq!(led(&workflow(accepts, both), &verdict), ("good".to_owned(), passed));
    let own = format!("{both}then.out-of-scope = \"own\"\n");
    assert_eq!(led(&workflow(accepts, &own), &verdict), ("own".to_owned(), passed));
    assert_eq!(led(&workflow(accepts, both), &Verdict::Broken), ("bad".to_owned(), false));
}

#[test]
fn every_verdict_of_people_takes_its_own_route() {
    let source = "about = \"\"\n[run]\nhome = \".x\"\nstate = \"s.json\"\ndue = \"phase\"\nsealed = true\n[approvals]\nqa = {}\n\
         [phases.p]\nby = \"approval\"\napprovals = [\"qa\"]\nthen.pass = \"good\"\nthen.fail = \"bad\"\nthen.stale = \"own\"\n\
         [phases.good]\nby = \"user\"\nthen = \"p\"\n[phases.bad]\nby = \"user\"\n[phases.own]\nby = \"user\"\n";
    let parsed = parse("x", source, &|_| None);
    assert_eq!(parsed.problems, []);
    let routes = parsed.workflow.phase("p").and_then(Phase::routes).unwrap();
    for (verdict, expect) in
        [(Verdict::Pass, Some("good")), (Verdict::Fail, Some("bad")), (Verdict::Stale, Some("own"))]
    {
        let route = routes.of(&verdict).and_then(|route| route.steps[0].go.as_deref());
        assert_eq!(route, expect, "{verdict}");
    }
    assert_eq!(
        routes.of(&Verdict::OutOfScope).map(|route| &route.verdict),
        Some(&Verdict::Fail),
        "as always"
    );
    for missing in ["pass", "fail", "stale"] {
        let lines = source.lines().filter(|line| !line.starts_with(&format!("then.{missing} ")));
        let parsed = parse("x", &lines.collect::<Vec<_>>().join("\n"), &|_| None);
        let told: Vec<&str> = parsed.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(told, [format!("phase `p` does not say where then.{missing} leads")]);
    }
}
