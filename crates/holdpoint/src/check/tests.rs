//! Running a test suite: a short answer for whoever reads it, the whole output in a file, and which failures are ours.

use std::path::Path;
use std::time::Duration;

use holdpoint_checks::test_report::{self, Outcome, TestReport};
use holdpoint_core::path::{below, tidy};
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
    let output = test_report::summary(&ran.report, &ran.outcome, ran.took.as_secs_f64(), log.as_deref());
    let (exit, took_ms, details) = (ran.exit, millis(ran.took), details(&ran));
    let evidence = Evidence { exit, took_ms, log, log_digest, doubts, details, ..Evidence::default() };
    let mut performed = Performed { output, evidence, ..Performed::of(verdict(&ran, tests)) };
    if is_short(&ran, tests) {
        performed.verdict = Verdict::Fail;
        performed.output = format!(
            "FAIL: only {} tests ran, and there were {} of them before: none may be deleted or skipped\n{}",
            count(&ran),
            tests.least,
            performed.output
        );
    }
    Ok(performed)
}

fn timeout(request: &Request) -> Duration {
    Duration::from_secs(u64::from(request.timeout_s))
}

fn details(ran: &Ran) -> Json {
    let failed: Vec<&str> = ran.report.failures.iter().map(|failure| failure.name.as_str()).collect();
    let broken = match ran.outcome {
        Outcome::Broken(why) => Some(why),
        _ => None,
    };
    json!({
        "failed": failed,
        "passed": ran.report.passed,
        "skipped": ran.report.skipped,
        "count": count(ran),
        "runner": ran.report.runner,
        "broken": broken,
    })
}

/// How many tests really ran.
fn count(ran: &Ran) -> u64 {
    ran.report.passed + ran.report.failed
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
    let report = test_report::read(&String::from_utf8_lossy(&output));
    let outcome = test_report::outcome(&report, exit);
    Ok(Ran { report, outcome, exit, took, output })
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
        Outcome::Broken(_) => Verdict::Broken,
        Outcome::Failed { .. } if is_out_of_scope(&ran.report, tests) => Verdict::OutOfScope,
        Outcome::Failed { .. } => Verdict::Fail,
    }
}

/// A failure is somebody else's only if that can be told: it failed before we began, and it lies in no folder in which
/// something was changed.
fn is_out_of_scope(report: &TestReport, tests: &Tests) -> bool {
    let folders: Vec<String> = tests.scope.iter().map(|path| folder_of(path)).collect();
    let all_are_named = u64::try_from(report.failures.len()).is_ok_and(|named| named == report.failed);
    let is_old = |name: &str| tests.known.iter().any(|known| known == name);
    let is_elsewhere = |file: &str| {
        let file = tidy(file);
        !folders.iter().any(|folder| folder.is_empty() || below(folder, &file).is_some())
    };
    let is_others = |failure: &test_report::Failure| {
        is_old(&failure.name) && failure.file.as_deref().is_some_and(is_elsewhere)
    };
    !report.failures.is_empty() && all_are_named && report.failures.iter().all(is_others)
}

fn folder_of(path: &str) -> String {
    let path = tidy(path);
    path.rsplit_once('/').map(|(folder, _)| folder.to_owned()).unwrap_or_default()
}

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
