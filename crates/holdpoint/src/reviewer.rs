//! Performing a review or a check: its program, the report it must leave, its verdict, its log.

mod orphan;

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use holdpoint_core::effects::FileChange;
use holdpoint_core::phase::{AnswerError, AnswerForm, Request, Task};
use holdpoint_core::secret;
use holdpoint_core::verdict::Verdict;
use serde_json::json;

use crate::check::{Failure, Performed};
use crate::confinement::{self, Child, Role, variables};
use crate::env::Env;
use crate::program::{self, Channels, Ended, How, millis};
use crate::project::Run;
use crate::store::evidence::Evidence;
use crate::store::folder::{Access, FileError, Folder};
use crate::store::{files, report};
use crate::ui;

/// How much of the end of what it prints is at hand for texts.
const TAIL_CHARS: usize = 2_000;
/// How much of a program's last words is told.
const WORDS_CHARS_MAX: usize = 200;
/// How far a log is looked into.
const LOG_BYTES_MAX: u64 = 1024 * 1024;
/// How long a program may take to say its version.
const VERSION_DEADLINE: Duration = Duration::from_secs(5);

/// Performs a review. A reviewer whose answer cannot be read is asked once more, in the time that is left.
pub fn perform(request: &Request, at: &Path, run: &Run, env: &dyn Env) -> Result<Performed, Failure> {
    let started = Instant::now();
    if request.is_review() {
        orphan::end_all(at, env);
    }
    let mut first = perform_once(request, at, run, env, false)?;
    let Some(unread) = first.unread.clone() else { return Ok(first) };
    let spent = u32::try_from(started.elapsed().as_secs()).unwrap_or(u32::MAX);
    let rest = Request { timeout_s: request.timeout_s.saturating_sub(spent).max(1), ..request.clone() };
    match perform_once(&rest, at, run, env, true) {
        Ok(mut second) => {
            second.cost_usd =
                [first.cost_usd, second.cost_usd].into_iter().flatten().reduce(|one, two| one + two);
            Ok(second)
        }
        Err(Failure::Interrupted) => Err(Failure::Interrupted),
        Err(why) => {
            first.unread = Some(format!("{unread}; asked again, it failed: {why}"));
            Ok(first)
        }
    }
}

/// Performs it once: the program runs in `at`, its report and log are below the run's folder. One that is asked again may have
/// left its report as it is.
///
/// Its log stays if it failed and is removed if it worked. Whatever it started is killed with it.
fn perform_once(
    request: &Request,
    at: &Path,
    run: &Run,
    env: &dyn Env,
    is_again: bool,
) -> Result<Performed, Failure> {
    let (root, folder) = (run.home.as_path(), run.folder.as_path());
    let report = request.report.as_ref().map(|report| folder.join(report));
    if let Some(report) = &report {
        report::expect(root, report).map_err(|error| Failure::Lacks(error.to_string()))?;
    }
    let trace = || report.as_deref().and_then(|report| report::trace(root, report));
    let before = trace().filter(|_| !is_again);
    let log = request.log.as_ref().and_then(|log| Log::create(root, &folder.join(log)).ok());
    let answer_form = match &request.task {
        Task::Review { answer, .. } if !answer.report_at.is_empty() => Some(answer),
        _ => None,
    };
    // A report that comes with the answer is written by the engine, not by the reviewer.
    let own = report.as_deref().filter(|_| answer_form.is_none());
    let ended = start(request, (at, root), own, log.as_ref(), env)?;
    let status = match ended.how {
        How::Exit(status) => status,
        How::Late => return Err(Failure::Timeout(request.timeout_s)),
        How::Interrupted => return Err(Failure::Interrupted),
    };
    if !status.success() && request.is_review() {
        let remark = refused(&ended.output, log.as_ref(), request);
        let words = last_words(&ended.output, log.as_ref()).map(|words| format!(": {words}"));
        return Err(Failure::Exit(format!("{status}{}{remark}", words.unwrap_or_default())));
    }
    if let (Some(form), Some(name)) = (answer_form, &request.report) {
        let text = form
            .report(&ended.output)
            .ok_or_else(|| Failure::NoReport("the place that it was asked for".into()))?;
        let write = FileChange::Write { path: name.clone(), text: format!("{}\n", text.trim_end()) };
        files::change(folder, &[write]).map_err(|error| Failure::Lacks(error.to_string()))?;
    } else if let Some(report) = &report
        && trace().is_none_or(|now| Some(now) == before)
    {
        return Err(Failure::NoReport(report.display().to_string()));
    }
    let (verdict, unread) = match &request.task {
        Task::Review { answer, .. } => read(answer, &ended.output)?,
        _ if status.success() => (Verdict::Pass, None),
        _ => (Verdict::Fail, None),
    };
    match (&log, &unread) {
        (Some(log), Some(_)) => log.add(&ended.output),
        (Some(log), None) if status.success() => log.remove(),
        _ => {}
    }
    let answer: serde_json::Value = holdpoint_core::json::first(&ended.output).unwrap_or_default();
    let remark = confinement::remark(&ended.output, &request.grants);
    Ok(Performed {
        output: tail(&ended.output),
        cost_usd: answer.get("total_cost_usd").and_then(serde_json::Value::as_f64),
        evidence: Evidence {
            exit: status.code(),
            took_ms: millis(ended.took),
            doubts: remark.filter(|_| !status.success()).map(str::to_owned).into_iter().collect(),
            details: match &unread {
                Some(why) => json!({ "unread": why }),
                None => details(&answer),
            },
            ..Evidence::default()
        },
        unread,
        ..Performed::of(verdict)
    })
}

/// The verdict in a reviewer's answer. One that cannot be read counts as what the reviewer's `otherwise` says; then this
/// says why, too.
fn read(form: &AnswerForm, output: &[u8]) -> Result<(Verdict, Option<String>), AnswerError> {
    match (form.read(output), &form.otherwise) {
        (Ok(verdict), _) => Ok((verdict, None)),
        (Err(why), None) => Err(why),
        (Err(why), Some(verdict)) => {
            let printed = match last_words(output, None) {
                Some(words) => format!("the last that it printed is `{words}`"),
                None => "it printed nothing".to_owned(),
            };
            Ok((verdict.clone(), Some(format!("{why}; {printed}"))))
        }
    }
}

/// The file for what a program says on standard error, in the run's folder.
struct Log {
    project: Folder,
    path: PathBuf,
    file: File,
}

impl Log {
    /// Makes the file, or empties it. A link in its place is an error: what it leads to is not ours.
    fn create(root: &Path, path: &Path) -> Result<Log, FileError> {
        let project = Folder::project(root)?;
        let path = project.place(path)?;
        let file = project.rewrite(&path, Access::Users)?;
        Ok(Log { project, path, file })
    }

    fn stderr(&self) -> Option<File> {
        self.file.try_clone().ok()
    }

    /// Adds what it printed to what it said on standard error: an answer that cannot be read is all the evidence there is.
    fn add(&self, output: &[u8]) {
        let text = secret::replaced(&String::from_utf8_lossy(output)).into_owned();
        let mut file = &self.file;
        let _ = file.seek(SeekFrom::End(0)).and_then(|_| {
            writeln!(file, "-- on standard output, which has no verdict that can be read:\n{text}")
        });
    }

    fn remove(&self) {
        let _ = self.project.remove(&self.path);
    }

    /// The end of what it has so far.
    fn read(&self) -> Vec<u8> {
        self.project.read(&self.path, LOG_BYTES_MAX).ok().flatten().unwrap_or_default()
    }
}

/// A remark on a program that was refused something, by what it printed and what it left in its log.
fn refused(output: &[u8], log: Option<&Log>, request: &Request) -> String {
    let log = log.map(Log::read).unwrap_or_default();
    let remark = confinement::remark(&[output, &log].concat(), &request.grants);
    remark.map(|remark| format!(": {remark}")).unwrap_or_default()
}

/// The last line that a program said: what it died of. What it says on standard error comes first.
fn last_words(output: &[u8], log: Option<&Log>) -> Option<String> {
    let last = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
        let line: String = line.chars().map(ui::visible).take(WORDS_CHARS_MAX).collect();
        Some(secret::replaced(&line).trim_end_matches('.').to_owned())
    };
    last(&log.map(Log::read).unwrap_or_default()).or_else(|| last(output))
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
    command.args(words.iter().skip(1)).current_dir(folder).stderr(Stdio::null());
    command.env_clear().envs(variables::passed(Role::Reviewer, &[]));
    let ended = program::run(&mut command, None, VERSION_DEADLINE, Channels::Output).ok()?;
    let is_well = matches!(ended.how, How::Exit(status) if status.success());
    let text = String::from_utf8_lossy(&ended.output);
    text.lines().next().filter(|_| is_well).map(|line| line.trim().to_owned())
}

fn start(
    request: &Request,
    (at, root): (&Path, &Path),
    report: Option<&Path>,
    log: Option<&Log>,
    env: &dyn Env,
) -> Result<Ended, Failure> {
    let Some((name, args)) = request.command().split_first() else {
        return Err(Failure::Start("the command line is empty".into()));
    };
    let stderr = log.and_then(Log::stderr).map_or_else(Stdio::null, Stdio::from);
    let role = if request.is_review() { Role::Reviewer } else { Role::Check };
    let child = Child { name, role, folder: at, report, grants: &request.grants, env };
    let input = match &request.task {
        Task::Review { input, .. } => input.clone(),
        _ => None,
    };
    let reserved = report.filter(|_| child.needs_report()).map(|report| report::reserve(root, report));
    let _reserved = reserved.transpose().map_err(|error| Failure::Lacks(error.to_string()))?;
    let deadline = Duration::from_secs(u64::from(request.timeout_s));
    let started = child.start(|mut command| {
        program::run(command.args(args).stderr(stderr), input, deadline, Channels::Output)
    });
    started.map_err(|error| {
        // What was never started has nothing to say.
        log.map(Log::remove);
        match error.kind() {
            std::io::ErrorKind::NotFound => Failure::Missing(name.clone()),
            _ => Failure::Start(error.to_string()),
        }
    })
}
