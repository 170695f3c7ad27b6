//! Running a test suite: a short answer for whoever reads it, the whole output in a file, and which failures are ours.

use std::path::Path;
use std::time::Duration;

use holdpoint_checks::test_report::{self, Outcome, TestReport};
use holdpoint_core::path::tidy;
use holdpoint_core::phase::{Request, Tests};
use holdpoint_core::verdict::Verdict;
use holdpoint_core::workflow::grants::Grants;
use serde_json::{Value as Json, json};

use super::place::{Place, no_bench};
use super::{Failure, Performed, keep_log};
use crate::confinement::{self, Child, Role};
use crate::env::Env;
use crate::error::in_full;
use crate::program::{self, Channels, Ended, How, millis};
use crate::project::Run;
use crate::store::evidence::{self, Evidence};
use crate::worktree;

/// Runs the tests. With `fails_on`, a tree: they must fail there, with the files of `adding`, and pass here.
pub(super) fn perform(
    tests: &Tests,
    request: &Request,
    run: &Run,
    place: Place<'_>,
    env: &dyn Env,
) -> Result<Performed, Failure> {
    if let Some(tree) = &tests.fails_on
        && passes_on(tests, request, run, place, env, tree)?
    {
        let output = "It passes without the change too, so it proves nothing.".to_owned();
        return Ok(Performed { output, ..Performed::of(Verdict::Fail) });
    }
    let ran = run_in(&tests.command, place.folder, &request.grants, env, timeout(request))?;
    let (log, log_digest) = keep_log(&run.home, &request.phase, &ran.output).unzip();
    let mut doubts = doubts(&request.phase, run, &ran);
    let remark = confinement::remark(&ran.output, &request.grants);
    doubts.extend(remark.filter(|_| !matches!(ran.outcome, Outcome::Passed)).map(str::to_owned));
    let summary = test_report::summary(&ran.report, &ran.outcome, ran.took.as_secs_f64(), log.as_deref());
    let output =
        std::iter::once(summary).chain(known_failures(&ran.report, tests)).collect::<Vec<_>>().join("\n");
    let (exit, took_ms, details) = (ran.exit, millis(ran.took), details(&ran, tests));
    let evidence = Evidence { exit, took_ms, log, log_digest, doubts, details, ..Evidence::default() };
    let mut performed = Performed { output, evidence, ..Performed::of(verdict(&ran, tests)) };
    if is_short(&ran, tests) {
        performed.verdict = Verdict::Fail;
        let ran = count(&ran);
        let plural = if ran == 1 { "" } else { "s" };
        performed.output = format!(
            "FAIL: only {ran} test{plural} ran, and there must be {}: none may be deleted or skipped\n{}",
            tests.least, performed.output
        );
    }
    Ok(performed)
}

fn timeout(request: &Request) -> Duration {
    Duration::from_secs(u64::from(request.timeout_s))
}

fn details(ran: &Ran, tests: &Tests) -> Json {
    let failed: Vec<String> = ran.report.failures.iter().map(id).collect();
    let broken = match ran.outcome {
        Outcome::Broken(why) => Some(why),
        Outcome::Failed { .. } if is_unseen(ran, tests) => Some(UNSEEN),
        Outcome::Failed { .. } | Outcome::Passed => None,
    };
    json!({
        "failed": failed,
        "passed": ran.report.passed,
        "skipped": ran.report.skipped,
        "count": count(ran),
        "runner": ran.report.runner,
        "broken": broken,
        "cut": ran.report.is_cut_short,
    })
}

/// What a failure is called among all: by its file as well, where the name alone could be another one's.
fn id(failure: &test_report::Failure) -> String {
    match &failure.file {
        Some(file) if !failure.name.contains(file.as_str()) => format!("{file}::{}", failure.name),
        _ => failure.name.clone(),
    }
}

/// How many tests really ran.
fn count(ran: &Ran) -> u64 {
    ran.report.count()
}

/// Whether fewer tests ran than must: one that was deleted or skipped cannot fail. A run that no longer says how many
/// there were counts as none.
fn is_short(ran: &Ran, tests: &Tests) -> bool {
    matches!(verdict(ran, tests), Verdict::Pass | Verdict::OutOfScope) && count(ran) < tests.least
}

/// A test suite that has ended.
pub struct Ran {
    /// What its runner said.
    pub report: TestReport,
    /// What it came to.
    pub outcome: Outcome,
    /// Its exit code, if it ended by itself.
    pub exit: Option<i32>,
    /// How long it took.
    pub took: Duration,
    /// All that it printed.
    pub output: Vec<u8>,
}

/// Runs a test command in a folder, confined as every check.
pub fn run_in(
    command: &[String],
    folder: &Path,
    grants: &Grants,
    env: &dyn Env,
    timeout: Duration,
) -> Result<Ran, Failure> {
    let Some((name, args)) = command.split_first() else {
        return Err(Failure::Start("its command line is empty".into()));
    };
    let child = Child { name, role: Role::Check, folder, report: None, grants, env };
    let started = child.start(|mut command| program::run(command.args(args), None, timeout, Channels::Both));
    let (exit, took, output) = match started {
        Ok(Ended { how: How::Interrupted, .. }) => return Err(Failure::Interrupted),
        Ok(Ended { how: How::Exit(status), took, output }) => (status.code(), took, output),
        Ok(Ended { how: How::Late, took, output }) => (None, took, output),
        // As a shell would say it.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            (Some(127), Duration::ZERO, format!("{name}: not found").into_bytes())
        }
        Err(error) => return Err(Failure::Start(error.to_string())),
    };
    let mut report = test_report::read(&String::from_utf8_lossy(&output));
    name_from(folder, &mut report);
    let outcome = test_report::outcome(&report, exit);
    Ok(Ran { report, outcome, exit, took, output })
}

/// Names the files of failures from the folder that the tests ran in: where that lies is nobody's business.
fn name_from(folder: &Path, report: &mut TestReport) {
    let real = folder.canonicalize();
    let folders = [Some(folder), real.as_deref().ok()];
    for file in report.failures.iter_mut().filter_map(|failure| failure.file.as_mut()) {
        let inside = folders
            .into_iter()
            .flatten()
            .find_map(|folder| Path::new(file.as_str()).strip_prefix(folder).ok());
        if let Some(inside) = inside.and_then(Path::to_str).map(str::to_owned) {
            *file = inside;
        }
    }
}

/// Whether the tests pass on a tree from before, with some of today's files added.
fn passes_on(
    tests: &Tests,
    request: &Request,
    run: &Run,
    place: Place<'_>,
    env: &dyn Env,
    tree: &str,
) -> Result<bool, Failure> {
    let told = |why: String| Failure::Lacks(format!("the tree from before cannot be tried: {why}"));
    if let Some((bench, now)) = place.bench {
        let before = worktree::tree_with(&run.home, tree, now, &tests.adding, env);
        let before = before.map_err(|error| told(in_full(&error)))?;
        bench.lay(&before, env).map_err(|error| no_bench(&error))?;
        let ran = run_in(&tests.command, place.folder, &request.grants, env, timeout(request))?;
        bench.lay(now, env).map_err(|error| no_bench(&error))?;
        return Ok(matches!(ran.outcome, Outcome::Passed));
    }
    let folder = tempfile::tempdir().map_err(|error| told(error.to_string()))?;
    let adding: Vec<_> = tests.adding.iter().map(std::path::PathBuf::from).collect();
    worktree::materialise(&run.home, tree, folder.path(), &adding, env)
        .map_err(|error| told(in_full(&error)))?;
    let ran = run_in(&tests.command, folder.path(), &request.grants, env, timeout(request))?;
    Ok(matches!(ran.outcome, Outcome::Passed))
}

/// `pass`, `fail`, `broken`, or `out-of-scope` if every failure is somebody else's.
fn verdict(ran: &Ran, tests: &Tests) -> Verdict {
    match &ran.outcome {
        Outcome::Passed => Verdict::Pass,
        Outcome::Failed { .. } if is_unseen(ran, tests) => Verdict::Broken,
        Outcome::Broken(_) => Verdict::Broken,
        Outcome::Failed { .. } if is_out_of_scope(&ran.report, tests) => Verdict::OutOfScope,
        Outcome::Failed { .. } => Verdict::Fail,
    }
}

/// Whether no runner said that it ran the one test that was asked for: it could not be run, and nothing is known of it.
fn is_unseen(ran: &Ran, tests: &Tests) -> bool {
    tests.is_one && !ran.report.is_counted
}

/// What is said of such a test.
const UNSEEN: &str = "the test could not be run";

/// How a failure stands to what failed before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It failed before, and the work did not change its file: it is somebody else's.
    Old,
    /// It failed before, but nobody can tell in which file it is, so it counts.
    Doubtful,
    /// It did not fail before, or the work changed its file.
    Ours,
}

fn standing(failure: &test_report::Failure, tests: &Tests) -> Standing {
    if !tests.known.contains(&id(failure)) {
        return Standing::Ours;
    }
    let Some(file) = failure.file.as_deref().map(tidy) else { return Standing::Doubtful };
    // Runners name files from the project, from a package's folder or by an import path.
    let is_it = |path: &String| {
        let path = tidy(path);
        path == file || path.ends_with(&format!("/{file}")) || file.ends_with(&format!("/{path}"))
    };
    if tests.scope.iter().any(is_it) { Standing::Ours } else { Standing::Old }
}

/// Whether every failure is somebody else's: all tests had their turn, all failures are named, and each was there before, in a
/// file that was not changed.
fn is_out_of_scope(report: &TestReport, tests: &Tests) -> bool {
    let all_are_named = u64::try_from(report.failures.len()).is_ok_and(|named| named == report.failed);
    let is_old = |failure| standing(failure, tests) == Standing::Old;
    let are_old = !report.failures.is_empty() && report.failures.iter().all(is_old);
    are_old && all_are_named && !report.is_cut_short
}

/// Says which of the failures were there before the work began, so that nobody sets out to repair them.
fn known_failures(report: &TestReport, tests: &Tests) -> Vec<String> {
    let named = |standing_is: Standing| {
        let failures = report.failures.iter().filter(|failure| standing(failure, tests) == standing_is);
        failures.map(id).take(KNOWN_NAMED_MAX).collect::<Vec<_>>().join(", ")
    };
    let cut = (report.is_cut_short && !tests.known.is_empty()).then(|| CUT_SHORT.to_owned());
    let named = [
        ("Failed before this work began, and none of it", named(Standing::Old)),
        (
            "Failed before this work began as well, but its file cannot be told, so it counts",
            named(Standing::Doubtful),
        ),
    ]
    .into_iter()
    .filter(|(_, names)| !names.is_empty())
    .map(|(what, names)| format!("{what}: {names}"));
    named.chain(cut).collect()
}

/// What is said where an old failure hides what comes after it.
const CUT_SHORT: &str = "The runner stopped at a failure, so nobody knows what else fails. A command that goes on to the end \
    tells old failures from new ones: cargo test --no-fail-fast, pytest without -x";

/// How many failures are named that were there before.
const KNOWN_NAMED_MAX: usize = 20;

/// What makes a result hard to believe, compared with the last one of the same phase.
fn doubts(phase: &str, run: &Run, ran: &Ran) -> Vec<String> {
    let all = evidence::read(&run.books, &run.workflow.name);
    let Some(last) = all.iter().rev().find(|piece| piece.phase == phase && piece.took_ms > 0) else {
        return Vec::new();
    };
    let mut doubts = Vec::new();
    let took = millis(ran.took);
    if matches!(ran.outcome, Outcome::Passed) && last.took_ms > 20_000 && took < last.took_ms / 20 {
        doubts.push(format!(
            "it took {:.1} s; the time before it took {} s",
            ran.took.as_secs_f64(),
            last.took_ms / 1000
        ));
    }
    let before = last.details.get("count").and_then(Json::as_u64).unwrap_or(0);
    if matches!(ran.outcome, Outcome::Passed) && ran.report.is_counted && count(ran) < before {
        doubts.push(format!("{} tests ran; the time before there were {before}", count(ran)));
    }
    doubts
}

#[cfg(test)]
mod scope_tests {
    use holdpoint_checks::test_report::Failure;

    use super::*;

    fn ours(known: &[&str], scope: &[&str], failed: &[(&str, &str)], is_cut_short: bool) -> bool {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let failures: Vec<Failure> = failed
            .iter()
            .map(|(file, name)| Failure {
                name: (*name).to_owned(),
                file: (!file.is_empty()).then(|| (*file).to_owned()),
                ..Failure::default()
            })
            .collect();
        let report =
            TestReport { failed: failures.len() as u64, failures, is_cut_short, ..TestReport::default() };
        let tests = Tests {
            command: Vec::new(),
            scope: owned(scope),
            known: owned(known),
            least: 0,
            is_one: false,
            fails_on: None,
            adding: Vec::new(),
        };
        !is_out_of_scope(&report, &tests)
    }

    #[test]
    fn a_failure_is_somebody_elses_by_its_file_and_its_name() {
        let old = ("tests/old.rs", "works");
        assert!(!ours(&["tests/old.rs::works"], &["src/lib.rs"], &[old], false));
        assert!(ours(&["tests/old.rs::works"], &["tests/old.rs"], &[old], false), "its file was changed");
        assert!(
            ours(&["tests/old.rs::works"], &[], &[("tests/new.rs", "works")], false),
            "another of its name"
        );
        assert!(ours(&["tests/old.rs::works"], &[], &[old, ("tests/new.rs", "works")], false), "one of two");
        assert!(ours(&["works"], &[], &[("", "works")], false), "nobody can tell where it is");
        assert!(ours(&["tests/old.rs::works"], &[], &[old], true), "what comes after it was not run");
        assert!(ours(&[], &[], &[], false), "no failure is named");
    }

    #[test]
    fn files_are_named_from_where_the_tests_ran() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path).display().to_string();
        let failure = |file: String| Failure { file: Some(file), ..Failure::default() };
        let failures =
            vec![failure(at("tests/a.js")), failure("tests/b.js".into()), failure("/elsewhere/c.js".into())];
        let mut report = TestReport { failures, ..TestReport::default() };
        name_from(folder.path(), &mut report);
        let files: Vec<_> = report.failures.iter().map(|failure| failure.file.as_deref().unwrap()).collect();
        assert_eq!(files, ["tests/a.js", "tests/b.js", "/elsewhere/c.js"]);
    }
}
