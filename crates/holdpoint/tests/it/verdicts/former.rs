//! The spellings of the language's first edition: each is refused, with the one to write instead.

use serde_json::Value as Json;

use crate::project::Project;

/// A workflow of the second edition, with a place for a spelling of the first in each of its tables.
const SECOND: &str = r#"
about = "A workflow."
[run]
home  = ".old"
state = ".old/state.json"
due   = "phase"
@run
[phases.begin]
by   = "user"
then = "work"
[phases.work]
by    = "agent"
until = "state.done"
then  = "review"
@agent
[phases.review]
by     = "reviewer"
prompt = "LOOK"
limit  = "rounds"
@review
[phases.lint]
by    = "check"
check = "lint"
@lint
[limits]
@limits
[reviewers.it]
command = ["true"]
@reviewers
[checks.lint]
@checks
[fields]
done = false
most = 3
@fields
@top
"#;

/// What stands in those places where the first edition does not.
const PLACES: [(&str, &str); 9] = [
    ("@run", ""),
    ("@agent", ""),
    ("@reviewers", ""),
    ("@review", "then.pass = \"lint\"\nthen.fail = \"work\""),
    ("@lint", "then.pass = \"begin\"\nthen.fail = \"begin\""),
    ("@limits", "rounds = { most = 3, then = \"begin\" }"),
    ("@checks", "run = [\"true\"]"),
    ("@fields", ""),
    ("@top", ""),
];

/// The messages and hints of `check` about the workflow with this spelling in it.
fn complaints(project: &Project, place: &str, spelling: &str) -> Vec<(String, String)> {
    let fill = |text: String, (at, usual): (&str, &str)| {
        text.replace(&format!("{at}\n"), &format!("{}\n", if at == place { spelling } else { usual }))
    };
    project.workflow("old", &PLACES.into_iter().fold(SECOND.to_owned(), fill));
    let rows = project.run(&["check", "old", "--json"]).json();
    let text = |row: &Json, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    rows.as_array().unwrap().iter().map(|row| (text(row, "message"), text(row, "hint"))).collect()
}

/// Where something of the first edition stood, how it was spelled, and what is said of it.
const FIRST: [(&str, &str, &str, &str); 53] = [
    (
        "@top",
        "[[hold]]\nname = 'h'\non = 'stop'\nsay = 'x'",
        "unknown key `hold` in a workflow file",
        "write [holds.NAME], one table each",
    ),
    (
        "@top",
        "[[witness]]\nname = 'w'\non = 'stop'\nsay = 'x'",
        "unknown key `witness` in a workflow file",
        "write [witnesses.NAME], one table each",
    ),
    (
        "@top",
        "[holds.h]\nname = 'h'\non = 'stop'\nsay = 'x'",
        "unknown key `name` in [holds.h]",
        "the table's name is the rule's: [holds.NAME]",
    ),
    (
        "@top",
        "[witnesses.w]\nname = 'w'\non = 'stop'\nsay = 'x'",
        "unknown key `name` in [witnesses.w]",
        "the table's name is the rule's: [witnesses.NAME]",
    ),
    ("@run", "phase = 'state.phase'", "unknown key `phase` in [run]", "write `shows`"),
    (
        "@review",
        "passed = { go = 'lint' }\nissues = { go = 'work' }",
        "unknown key `passed` in [phases.review]",
        "write `then.pass`",
    ),
    (
        "@review",
        "passed = { go = 'lint' }\nissues = { go = 'work' }",
        "unknown key `issues` in [phases.review]",
        "write `then.fail`",
    ),
    ("@review", "failed = { tell = 'x' }", "unknown key `failed` in [phases.review]", "write `then.fault`"),
    (
        "@lint",
        "passed = { go = 'begin' }\nissues = { go = 'begin' }",
        "unknown key `passed` in [phases.lint]",
        "write `then.pass`",
    ),
    (
        "@lint",
        "passed = { go = 'begin' }\nissues = { go = 'begin' }",
        "unknown key `issues` in [phases.lint]",
        "write `then.fail`",
    ),
    (
        "@lint",
        "then.passed = 'begin'\nthen.failed = 'begin'",
        "nothing can answer `passed` here",
        "did you mean `pass`?",
    ),
    (
        "@lint",
        "then.passed = 'begin'\nthen.failed = 'begin'",
        "nothing can answer `failed` here",
        "did you mean `fail`?",
    ),
    (
        "@lint",
        "then.pass = 'begin'\nthen.issues = 'begin'",
        "nothing can answer `issues` here",
        "did you mean `fail`?",
    ),
    (
        "@lint",
        "then = { go = 'begin' }",
        "`then` must say where each verdict leads",
        "then.pass = \"PHASE\", then.fail = \"PHASE\"",
    ),
    (
        "@review",
        "then.approved = 'lint'\nthen.fail = 'work'",
        "nothing can answer `approved` here",
        "it can be `pass` and `fail`; a review with words of its own has `verdicts`",
    ),
    (
        "@review",
        "rounds = { count = 'n', limit = 3 }",
        "unknown key `rounds` in [phases.review]",
        "write limit = \"NAME\", and the limit under [limits]",
    ),
    (
        "@review",
        "models = { field = 'm', rotate = ['a', 'b'] }",
        "unknown key `models` in [phases.review]",
        "write `models` in [reviewers.NAME]",
    ),
    (
        "@agent",
        "rounds = { limit = 0 }",
        "unknown key `rounds` in [phases.work]",
        "write limit = \"NAME\", and the limit under [limits]",
    ),
    (
        "@agent",
        "reviewer = 'it'",
        "phase `work` is by = \"agent\" and has no `reviewer`",
        "to show the agent a review: shown = { reviewer = \"NAME\", prompt = \"…\" }",
    ),
    (
        "@agent",
        "prompt = 'LOOK'",
        "phase `work` is by = \"agent\" and has no `prompt`",
        "to show the agent a review: shown = { reviewer = \"NAME\", prompt = \"…\" }",
    ),
    (
        "@top",
        "[defaults.reviewer]\nrounds = { count = 'n', limit = 3 }",
        "unknown key `rounds` in [defaults.reviewer]",
        "write limit = \"NAME\", and the limit under [limits]",
    ),
    (
        "@top",
        "[defaults.reviewer]\nfailed = { tell = 'x' }",
        "unknown key `failed` in [defaults.reviewer]",
        "write `then.fault`",
    ),
    (
        "@top",
        "[defaults.reviewer]\nmodels = { field = 'm', rotate = ['a'] }",
        "unknown key `models` in [defaults.reviewer]",
        "write `models` in [reviewers.NAME]",
    ),
    (
        "@top",
        "[defaults.check]\npassed = { go = 'begin' }",
        "unknown key `passed` in [defaults.check]",
        "write `then.pass`",
    ),
    (
        "@top",
        "[defaults.check]\nissues = { go = 'begin' }",
        "unknown key `issues` in [defaults.check]",
        "write `then.fail`",
    ),
    ("@reviewers", "verdict = ['verdict']", "unknown key `verdict` in [reviewers.it]", "write `verdict_at`"),
    (
        "@reviewers",
        "clean = 'PASS'",
        "unknown key `clean` in [reviewers.it]",
        "write answers = { PASS = \"pass\", FAIL = \"fail\" }",
    ),
    ("@checks", "kind = 'tests'\nrun = ['true']", "unknown key `kind` in [checks.lint]", KIND),
    ("@checks", "kind = 'condition'\npass = 'true'", "[checks.lint] does not say what it checks", KIND),
    ("@checks", "kind = 'scan'\ntold = { files = '[]' }", "[checks.lint] does not say what it checks", KIND),
    (
        "@checks",
        "tests = ['true']\ntold = { least = '1' }",
        "unknown key `told` in [checks.lint]",
        "write its inputs beside it, as keys of the check",
    ),
    (
        "@checks",
        "run = ['true']\npass = 'true'",
        "`pass` is a list",
        "name variables: pass = [\"DATABASE_URL\"]; a condition is `that`, or `landed` in a check that commits",
    ),
    (
        "@checks",
        "scan = '[]'\npass = 'true'",
        "unknown key `pass` in [checks.lint]",
        "write `that`, or `landed` in a check that commits",
    ),
    (
        "@checks",
        "commit = '[]'\nmessage = 'x'\ndone = 'false'",
        "unknown key `done` in [checks.lint]",
        "write `landed`",
    ),
    (
        "@top",
        "[rounds]\nr = { count = 'n', limit = 3, exhausted = { go = 'begin' } }",
        "unknown key `rounds` in a workflow file",
        "write [limits] NAME = { most = 3, then = \"PHASE\" }",
    ),
    (
        "@limits",
        "rounds = { limit = 3, then = 'begin' }",
        "unknown key `limit` in [limits] rounds",
        "write `most`",
    ),
    (
        "@limits",
        "rounds = { most = 3, exhausted = { go = 'begin' } }",
        "unknown key `exhausted` in [limits] rounds",
        "write `then`",
    ),
    (
        "@limits",
        "rounds = { most = '{{ 3 }}', then = 'begin' }",
        "`most` is a number or an expression",
        "without quotes or brackets: most = 3, or most = \"state.max_reviews\"",
    ),
    (
        "@limits",
        "rounds = { most = 'most', then = 'begin' }",
        "`most` is a field of the state",
        "most = \"state.most\"",
    ),
    (
        "@review",
        "then.pass = { go = 'lint', afresh = true }\nthen.fail = 'work'",
        "unknown key `afresh` in a step",
        "write renew = \"LIMIT\"",
    ),
    (
        "@review",
        "then.pass = { go = 'lint', set = { n = '{{ 0 }}' } }\nthen.fail = 'work'",
        "`{{ 0 }}` is a value in disguise",
        "write the value itself: 0",
    ),
    (
        "@review",
        "then.pass = { go = 'lint', set = { n = '{{ none }}' } }\nthen.fail = 'work'",
        "`{{ none }}` is a value in disguise",
        "to make a field null: clear = [\"field\"]",
    ),
    (
        "@review",
        "then.pass = { go = 'lint', set = { 'a.{{ state.n }}' = 'x' } }\nthen.fail = 'work'",
        "the name of a field is no template",
        "only values are templates: set = { field = \"{{ … }}\" }",
    ),
    (
        "@review",
        "then.pass = { go = 'lint', tell = '{{ outcome }}' }\nthen.fail = 'work'",
        "unknown name `outcome`",
        "write `verdict`",
    ),
    (
        "@review",
        "then.pass = { go = 'lint', tell = '{{ evidence.review.outcome }}' }\nthen.fail = 'work'",
        "`evidence.review` has no `outcome`",
        "write `verdict`",
    ),
    (
        "@review",
        "then.pass = { go = 'lint', tell = '{{ phase }}' }\nthen.fail = 'work'",
        "`phase` is not a text",
        "it has parts: write one of them, such as phase.name",
    ),
    (
        "@top",
        "[holds.h]\non = 'stop'\nwhen = \"phase == 'work'\"\nsay = 'x'",
        "`phase` is never `'work'`",
        "it has parts: write one of them, such as phase.name",
    ),
    (
        "@top",
        "[holds.h]\non = 'stop'\nwhen = \"phase in ['work', 'lint']\"\nsay = 'x'",
        "`phase` is never `['work', 'lint']`",
        "it has parts: write one of them, such as phase.name",
    ),
    (
        "@top",
        "[holds.h]\non = 'stop'\nwhen = \"digest(['a']) != 'x'\"\nsay = 'x'",
        "unknown name `digest`",
        CHANGES,
    ),
    (
        "@top",
        "[holds.h]\non = 'stop'\nwhen = \"text_digest(without('a.md', ['Log'])) != 'x'\"\nsay = 'x'",
        "unknown name `text_digest`",
        CHANGES,
    ),
    (
        "@top",
        "[holds.h]\non = 'stop'\nwhen = \"without('a.md', ['Log']) != 'x'\"\nsay = 'x'",
        "unknown name `without`",
        CHANGES,
    ),
    (
        "@checks",
        "tests = ['true']\nleast = '1'",
        "unknown key `least` in [checks.lint]",
        "write never_fewer = true",
    ),
    (
        "@top",
        "[[mirror]]\nfield = 'done'\nfile = 'a.md'\nfind = 'x'",
        "`mirror` must be a table",
        "write [mirror] FIELD = { file = \"…\", find = \"…\" }",
    ),
];

/// What is said of facts that compared files.
const CHANGES: &str =
    "the engine notices changes itself: freeze = [\"FILE\"] in a step, and `breaches` in a condition";

/// What is said of a check's `kind`.
const KIND: &str = "write the kind as the key: tests = [\"cargo\", \"test\"], that = \"…\", scan = \"…\"";

#[test]
fn the_first_editions_spellings_are_refused_with_the_new_ones() {
    let project = Project::new();
    assert_eq!(complaints(&project, "", ""), []);
    for (place, spelling, message, hint) in FIRST {
        let found = complaints(&project, place, spelling);
        let wanted = (message.to_owned(), hint.to_owned());
        assert!(
            found.contains(&wanted),
            "{spelling}\nshould be answered by {wanted:?}, and is by {found:#?}"
        );
    }
}
