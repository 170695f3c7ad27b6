//! Performing a review or a check: its program, the report it must leave, its verdict, its log.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use holdpoint_core::phase::{Request, Task};
use holdpoint_core::verdict::Verdict;

use crate::check::{Failure, Performed};
use crate::env::Env;
use crate::env_vars::REVIEWER;
use crate::program::{self, Channels, Ended, How};
use crate::store::report;

/// How much of the end of what it prints is at hand for texts.
const TAIL_CHARS: usize = 2_000;
/// How long a program may take to say its version.
const VERSION_DEADLINE: Duration = Duration::from_secs(5);

/// Performs a review: the program runs in `root`, its report and log are below `folder`.
///
/// Its log stays if it failed and is removed if it worked. Whatever it started is killed with it.
pub fn perform(request: &Request, root: &Path, folder: &Path, env: &dyn Env) -> Result<Performed, Failure> {
    let report = request.report.as_ref().map(|report| folder.join(report));
    let before = report.as_deref().and_then(report::trace);
    let log = request.log.as_ref().map(|log| folder.join(log));
    let ended = start(request, root, log.as_deref(), env)?;
    let status = match ended.how {
        How::Exit(status) => status,
        How::Late => return Err(Failure::Timeout(request.timeout_s)),
        How::Interrupted => return Err(Failure::Interrupted),
    };
    if !status.success() && request.is_review() {
        return Err(Failure::Exit(status.to_string()));
    }
    if let Some(report) = &report
        && (report::trace(report).is_none() || report::trace(report) == before)
    {
        return Err(Failure::NoReport(report.display().to_string()));
    }
    if let Some(log) = log.filter(|_| status.success()) {
        let _ = std::fs::remove_file(log);
    }
    let answer: serde_json::Value = holdpoint_core::json::first(&ended.output).unwrap_or_default();
    let verdict = match &request.task {
        Task::Review { answer, .. } => answer.read(&ended.output).map_err(Failure::Unreadable)?,
        _ if status.success() => Verdict::Pass,
        _ => Verdict::Fail,
    };
    Ok(Performed {
        output: tail(&ended.output),
        exit: status.code(),
        details: details(&answer),
        took: ended.took,
        cost_usd: answer.get("total_cost_usd").and_then(serde_json::Value::as_f64),
        ..Performed::of(verdict)
    })
}

/// What a reviewer said beside its verdict: the object it was asked for, wherever its program puts it.
fn details(answer: &serde_json::Value) -> serde_json::Value {
    let structured = answer.get("structured_output").filter(|object| object.is_object()).cloned();
    let result = answer.get("result");
    let in_text = result.and_then(serde_json::Value::as_str);
    structured
        .or_else(|| result.filter(|object| object.is_object()).cloned())
        .or_else(|| holdpoint_core::json::first(in_text?.as_bytes()).ok())
        .unwrap_or_else(|| answer.clone())
}

/// The end of what a program printed.
fn tail(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let skipped = text.chars().count().saturating_sub(TAIL_CHARS);
    text.chars().skip(skipped).collect::<String>().trim().to_owned()
}

/// The first line that a program prints, if it does so soon.
pub fn first_line(words: &[&str], folder: &Path) -> Option<String> {
    let mut command = Command::new(words.first()?);
    command.args(words.iter().skip(1)).current_dir(folder).env(REVIEWER, "1").stderr(Stdio::null());
    let ended = program::run(&mut command, None, VERSION_DEADLINE, Channels::Output).ok()?;
    let is_well = matches!(ended.how, How::Exit(status) if status.success());
    let text = String::from_utf8_lossy(&ended.output);
    text.lines().next().filter(|_| is_well).map(|line| line.trim().to_owned())
}

fn start(request: &Request, root: &Path, log: Option<&Path>, env: &dyn Env) -> Result<Ended, Failure> {
    let Some((name, args)) = request.command().split_first() else {
        return Err(Failure::Start("the command line is empty".into()));
    };
    let stderr = log.and_then(|log| File::create(log).ok()).map_or_else(Stdio::null, Stdio::from);
    let mut command = program::in_project(name, root, env);
    command.args(args).stderr(stderr);
    let input = match &request.task {
        Task::Review { input, .. } => input.clone(),
        _ => None,
    };
    let deadline = Duration::from_secs(u64::from(request.timeout_s));
    program::run(&mut command, input, deadline, Channels::Output).map_err(|error| {
        // What was never started has nothing to say.
        log.map(std::fs::remove_file);
        match error.kind() {
            std::io::ErrorKind::NotFound => Failure::Missing(name.clone()),
            _ => Failure::Start(error.to_string()),
        }
    })
}
