//! Every kind of check, performed until it has given every verdict that it can give: each takes its route, and the
//! evidence says `passed` where that was the passing one.

use super::{ROUTES, phase, project, proof};
use crate::project::Project;

/// The checks, by their kind.
const RUN: &str = "run = [\"test\", \"-f\", \"ok\"]";
const THAT: &str = "that = \"file('ok').exists\"";
const TESTS: &str =
    "tests = [\"sh\", \"suite.sh\"]\nscope = \"['src/a.py']\"\nknown = \"['tests/test_old.py::test_old']\"";
const SCAN: &str = "scan = \"['src/a.py']\"";
const BLUEPRINT: &str =
    "blueprint = \"plans\"\ndomains = \"domains*\"\nfiles = \"['src/users/a.py']\"\nspec = \"'spec.md'\"";
const ACCEPTANCE: &str = "acceptance = \"T-*\"\nspec = \"'spec.md'\"\nsection = \"Acceptance\"";
const COMMIT: &str =
    "commit = \"['src/a.py']\"\nmessage = \"'feat(a): b'\"\nlanded = \"git.head.subject == 'feat(a): b'\"";

const OLD: &str = "echo '=== short test summary info ==='; echo 'FAILED tests/test_old.py::test_old - x'; echo '1 failed, 2 passed in 0.1s'; exit 1";
const DOMAINS: (&str, &str) = (
    "plans/domains.md",
    "| Domain | Path | May import |\n|---|---|---|\n| users | `src/users/**` | none |\n| billing | `src/billing/**` | none |\n",
);
const TABLE: &str =
    "## Acceptance\n\n| ID | Check | Command / Action | Expected | Timeout |\n|---|---|---|---|---|\n";

/// A check, files that lead to a verdict, the verdict, and whether it goes the way of a pass.
type Row = (&'static str, &'static [(&'static str, &'static str)], &'static str, bool);

const ROWS: [Row; 18] = [
    (RUN, &[("ok", "")], "pass", true),
    (RUN, &[], "fail", false),
    (THAT, &[("ok", "")], "pass", true),
    (THAT, &[], "fail", false),
    (TESTS, &[("suite.sh", "echo '3 passed in 0.1s'")], "pass", true),
    (TESTS, &[("suite.sh", "echo '1 failed, 2 passed in 0.1s'; exit 1")], "fail", false),
    (TESTS, &[("suite.sh", "echo 'no tests ran in 0.1s'; exit 5")], "broken", false),
    (TESTS, &[("suite.sh", OLD)], "out-of-scope", false),
    (SCAN, &[("src/a.py", "x = 1\n")], "pass", true),
    (SCAN, &[("src/a.py", "x = 1  # TODO: y\n")], "fail", false),
    (BLUEPRINT, &[DOMAINS, ("spec.md", "# S\n"), ("src/users/a.py", "x = 1\n")], "pass", true),
    (
        BLUEPRINT,
        &[DOMAINS, ("spec.md", "# S\n"), ("src/users/a.py", "from billing import b\n")],
        "fail",
        false,
    ),
    (ACCEPTANCE, &[("spec.md", "T-1 | it works | `true` | exit 0 | 5s")], "pass", true),
    (ACCEPTANCE, &[("spec.md", "T-1 | it works | `false` | exit 0 | 5s")], "fail", false),
    (ACCEPTANCE, &[("spec.md", "T-1 | it works | look at it | it is nice | ")], "warn", true),
    (ACCEPTANCE, &[("spec.md", "B-1 | it works | `true` | exit 0 | 5s")], "skip", true),
    (COMMIT, &[("src/a.py", "x = 2\n")], "pass", true),
    (COMMIT, &[], "fail", false),
];

/// A project with the check, these routes, and the files. The row of a table stands in the spec without its head.
fn prepared((check, files, _, _): Row, routes: &str, more: &str) -> Project {
    let phase_text = format!("by = \"check\"\ncheck = \"named\"\n{routes}");
    let project = project(&phase_text, &format!("[checks.named]\n{check}\n{more}\n"));
    if check == COMMIT {
        project.write("src/a.py", "x = 1\n").git(&["init", "--quiet", "--initial-branch", "main"]);
        project.git(&["config", "user.name", "T"]);
        project.git(&["config", "user.email", "t@example.invalid"]);
        project.git(&["add", "src"]);
        project.git(&["commit", "--quiet", "--message", "first"]);
    }
    for (path, text) in files {
        let row = || format!("{TABLE}| {text} |\n");
        project.write(path, if check == ACCEPTANCE { row() } else { (*text).to_owned() });
    }
    project
}

#[test]
fn every_kind_of_check_gives_every_verdict_that_it_can_give() {
    for row in ROWS {
        let (check, files, verdict, is_passing) = row;
        let project = prepared(row, ROUTES, "");
        let printed = project.run(&["mini", "next"]);
        let told = format!("{check} {files:?}: {}{}", printed.stdout, printed.stderr);
        assert_eq!(proof(&project), format!("{verdict} {is_passing}"), "{told}");
        assert_eq!(phase(&project), if is_passing { "begin" } else { "mend" }, "{told}");
    }
}

/// With its own route a verdict takes that one, and has then not passed.
#[test]
fn every_verdict_beside_pass_and_fail_can_have_a_route_of_its_own() {
    for row in ROWS.into_iter().filter(|(_, _, verdict, _)| !["pass", "fail"].contains(verdict)) {
        let (check, _, verdict, _) = row;
        let own = format!("{ROUTES}then.{verdict} = {{ go = \"begin\", tell = \"OWN\" }}\n");
        let project = prepared(row, &own, "");
        let printed = project.run(&["mini", "next"]);
        assert!(printed.stdout.contains("OWN"), "{check}: {}{}", printed.stdout, printed.stderr);
        assert_eq!(proof(&project), format!("{verdict} false"), "{check}");
    }
}

#[test]
fn every_kind_of_check_with_nothing_to_look_at_is_skipped_like_a_pass() {
    for row in ROWS.into_iter().filter(|(_, _, verdict, _)| *verdict == "fail") {
        let (check, ..) = row;
        let project = prepared(row, ROUTES, "if = \"false\"");
        let printed = project.run(&["mini", "next"]);
        assert_eq!(phase(&project), "begin", "{check}: {}{}", printed.stdout, printed.stderr);
    }
}
