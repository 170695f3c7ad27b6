//! Running the rows of a spec's acceptance tables. Whatever they start stays until the last of them is done, so that a
//! server that one row starts can be asked by the next, and is then ended.

use std::path::Path;

use holdpoint_checks::acceptance::{AcceptanceRows, Row};
use holdpoint_checks::reader::Reader;
use holdpoint_core::document::outline;
use holdpoint_core::phase::Request;
use holdpoint_core::verdict::Verdict;
use holdpoint_core::workflow::grants::Grants;
use serde_json::json;

use super::place::Place;
use super::{Failure, Performed, keep_log, read_text};
use crate::confinement::{self, Child, Role};
use crate::env::Env;
use crate::process_group::Group;
use crate::program::{self, Channels, How};
use crate::project::Run;
use crate::store::evidence::Evidence;

/// A line that parts what a row's setup prints from what its command prints.
const MARK: &str = "-- holdpoint: the command --";
/// How many lines of what a failed row printed are shown.
const LINES_SHOWN: usize = 5;

/// What came of a row.
enum Result {
    Passed,
    /// Nobody can run it: it has no command.
    Manual,
    Failed(String),
}

/// Which rows of which document.
pub(super) struct Rows<'a> {
    pub(super) ids: &'a str,
    pub(super) spec: &'a str,
    pub(super) section: &'a str,
    pub(super) columns: &'a [String],
}

/// Runs the rows of a section whose ids the glob fits. In tables without a head the columns are the usual ones, or
/// `columns`.
pub(super) fn perform(
    which: &Rows<'_>,
    request: &Request,
    run: &Run,
    place: Place<'_>,
    env: &dyn Env,
) -> std::result::Result<Performed, Failure> {
    let spec = read_text(run, which.spec)?.unwrap_or_default();
    let reader = AcceptanceRows { ids: which.ids.to_owned(), columns: which.columns.to_vec() };
    let section = outline::under(&spec, which.section);
    let rows = section.and_then(|section| reader.read(section)).unwrap_or_default();
    let group = Group::new().map_err(|error| Failure::Start(error.to_string()))?;
    let (mut results, mut log) = (Vec::new(), String::new());
    for row in &rows {
        let (result, printed) = try_row(row, place.folder, &request.grants, env, &group)?;
        log.extend(["== ", &row.id, ": ", &row.check, "\n", &printed, "\n"]);
        results.push((row, result));
    }
    drop(group);
    let mut performed = judged(&results, run, &request.phase, &log);
    let remark = confinement::remark(log.as_bytes(), &request.grants);
    performed
        .evidence
        .doubts
        .extend(remark.filter(|_| performed.verdict == Verdict::Fail).map(str::to_owned));
    Ok(performed)
}

fn try_row(
    row: &Row,
    folder: &Path,
    grants: &Grants,
    env: &dyn Env,
    group: &Group,
) -> std::result::Result<(Result, String), Failure> {
    let Some(action) = &row.command else { return Ok((Result::Manual, String::new())) };
    let setup = row.setup.as_ref().map(|setup| format!("{{ {setup}\n}} || exit $?\n")).unwrap_or_default();
    let child = Child { name: "sh", role: Role::Check, folder, report: None, grants, env };
    let started = child.start(|mut command| {
        command.args(["-c", &format!("{setup}echo '{MARK}'\n{action}")]);
        program::run_in(&mut command, group, row.timeout, Channels::Both)
    });
    let ended = started.map_err(|error| Failure::Start(error.to_string()))?;
    let printed = String::from_utf8_lossy(&ended.output).into_owned();
    let (before, own) = printed.split_once(&format!("{MARK}\n")).unwrap_or((&printed, ""));
    let result = match ended.how {
        How::Interrupted => return Err(Failure::Interrupted),
        How::Late => Result::Failed(format!("not done within {} s", row.timeout.as_secs())),
        How::Exit(_) if before.len() == printed.len() => Result::Failed("its setup failed".to_owned()),
        // A signal ends with no code; a shell would say 128 and more.
        How::Exit(status) => {
            let code = status.code().unwrap_or(128);
            if row.expected.is_met(code, own) { Result::Passed } else { Result::Failed(missed(row, code)) }
        }
    };
    Ok((result, printed.replace(&format!("{MARK}\n"), "")))
}

fn missed(row: &Row, code: i32) -> String {
    let expected = if row.expected.text.is_empty() { "exit 0" } else { row.expected.text.as_str() };
    format!("ended with {code}; expected: {expected}")
}

/// `pass`, `fail`, `warn` where rows are left for people, `skip` where there is none.
fn judged(results: &[(&Row, Result)], run: &Run, phase: &str, log: &str) -> Performed {
    let ids = |is_meant: &dyn Fn(&Result) -> bool| -> Vec<&str> {
        results.iter().filter(|(_, result)| is_meant(result)).map(|(row, _)| row.id.as_str()).collect()
    };
    let failed = ids(&|result| matches!(result, Result::Failed(_)));
    let manual = ids(&|result| matches!(result, Result::Manual));
    let verdict = match (results.is_empty(), failed.is_empty(), manual.is_empty()) {
        (true, _, _) => Verdict::Skip,
        (_, false, _) => Verdict::Fail,
        (_, _, false) => Verdict::Warn,
        _ => Verdict::Pass,
    };
    let kept = (!results.is_empty()).then(|| keep_log(&run.home, phase, log.as_bytes())).flatten();
    let mut output = headline(results.len(), &failed, &manual);
    for (row, result) in results {
        if let Result::Failed(why) = result {
            let lines = last_lines(log, &row.id);
            output.extend(["\n", &row.id, " (", &row.check, "): ", why, "\n", &lines]);
        }
    }
    let details = json!({ "failed": failed, "manual": manual, "rows": results.len() });
    let (log, log_digest) = kept.unzip();
    let evidence = Evidence { log, log_digest, details, ..Evidence::default() };
    Performed { output, evidence, ..Performed::of(verdict) }
}

fn headline(count: usize, failed: &[&str], manual: &[&str]) -> String {
    match (count, failed.len()) {
        (0, _) => "SKIP: there are no such rows".to_owned(),
        (count, 0) if manual.is_empty() => format!("PASS: {count} of {count} rows"),
        (_, 0) => format!("WARN: no command in {}: somebody has to look", manual.join(", ")),
        (count, bad) => format!("FAIL: {bad} of {count} rows"),
    }
}

fn last_lines(log: &str, id: &str) -> String {
    let own = log.split("== ").find(|part| part.starts_with(&format!("{id}: "))).unwrap_or_default();
    let lines: Vec<&str> = own.lines().skip(1).filter(|line| !line.trim().is_empty()).collect();
    let skipped = lines.len().saturating_sub(LINES_SHOWN);
    lines[skipped..].iter().map(|line| format!("    {line}\n")).collect()
}
