//! Performing a review: a program of its own, in a process group of its own, within a deadline, with nothing of it
//! left behind.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant, SystemTime};

use holdpoint_core::phase::Review;
use holdpoint_core::workflow::phase::PASSED;

use crate::env_vars::{Env, PATH, REVIEWER};
use crate::process_group;

/// The most that is kept of what a reviewer prints; the rest is read and dropped.
const OUTPUT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How long to wait for the last of its output once it is gone.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How much of the end of what it prints is at hand for texts.
const TAIL_CHARS: usize = 2_000;
/// How long a program may take to say its version.
const VERSION_DEADLINE: Duration = Duration::from_secs(5);

/// A review that was done.
#[derive(Debug)]
pub struct Performed {
    /// Its verdict; none if it gave none that can be read.
    pub verdict: Option<String>,
    /// How long it took.
    pub took: Duration,
    /// What it cost, if it said so.
    pub cost_usd: Option<f64>,
    /// The last of what it printed.
    pub output: String,
}

/// Why a review was not done.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// The program is not there.
    Missing(String),
    /// It could not be started.
    Start(String),
    /// It ended with an error.
    Exit(String),
    /// It took too long.
    Timeout(u32),
    /// It left no new report.
    NoReport(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Missing(program) => write!(f, "the reviewer's program `{program}` is not installed"),
            Failure::Start(why) => write!(f, "the reviewer could not be started: {why}"),
            Failure::Exit(how) => write!(f, "the reviewer ended with {how}"),
            Failure::Timeout(seconds) => write!(f, "the reviewer did not finish within {seconds} seconds"),
            Failure::NoReport(path) => write!(f, "the reviewer left no new report at {path}"),
        }
    }
}

/// Performs a review: the program runs in `root`, its report and log are below `folder`.
///
/// Its log stays if it failed and is removed if it worked. Whatever it started is killed with it.
pub fn perform(review: &Review, root: &Path, folder: &Path, env: &dyn Env) -> Result<Performed, Failure> {
    let report = review.report.as_ref().map(|report| folder.join(report));
    let before = report.as_deref().and_then(trace);
    let log = review.log.as_ref().map(|log| folder.join(log));
    let started = Instant::now();
    let mut child = start(review, root, log.as_deref(), env.var(PATH))?;
    let output = listen(&mut child);
    let ended = wait(&mut child, Duration::from_secs(u64::from(review.timeout_s)));
    process_group::kill(&child);
    let _ = child.wait();
    let status = ended.ok_or(Failure::Timeout(review.timeout_s))?;
    if !status.success() && !review.is_check {
        return Err(Failure::Exit(status.to_string()));
    }
    if let Some(report) = &report
        && (trace(report).is_none() || trace(report) == before)
    {
        return Err(Failure::NoReport(report.display().to_string()));
    }
    if let Some(log) = log.filter(|_| status.success()) {
        let _ = std::fs::remove_file(log);
    }
    let output = printed(&output);
    let answer: serde_json::Value = holdpoint_core::json::first(&output).unwrap_or_default();
    Ok(Performed {
        verdict: if review.is_check {
            Some(if status.success() { PASSED } else { "failed" }.to_owned())
        } else {
            holdpoint_core::verdict::find(&output, &review.verdict)
        },
        output: tail(&output),
        took: started.elapsed(),
        cost_usd: answer.get("total_cost_usd").and_then(serde_json::Value::as_f64),
    })
}

/// The end of what a program printed.
fn tail(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let skipped = text.chars().count().saturating_sub(TAIL_CHARS);
    text.chars().skip(skipped).collect::<String>().trim().to_owned()
}

/// The first line that a program prints, if it does so soon.
pub fn first_line(command: &[&str], folder: &Path) -> Option<String> {
    let mut started = Command::new(command.first()?);
    started.args(command.iter().skip(1)).current_dir(folder).env(REVIEWER, "1");
    started.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    process_group::own(&mut started);
    let mut child = started.spawn().ok()?;
    let output = listen(&mut child);
    let ended = wait(&mut child, VERSION_DEADLINE);
    process_group::kill(&child);
    let _ = child.wait();
    ended.filter(ExitStatus::success)?;
    let output = output.recv_timeout(LAST_WORDS).ok()?;
    String::from_utf8_lossy(&output).lines().next().map(|line| line.trim().to_owned())
}

/// What tells one version of a file from another.
fn trace(path: &Path) -> Option<(SystemTime, Vec<u8>)> {
    let metadata = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((metadata.modified().ok()?, std::fs::read(path).ok()?))
}

fn start(review: &Review, root: &Path, log: Option<&Path>, path: Option<String>) -> Result<Child, Failure> {
    let Some((program, args)) = review.command.split_first() else {
        return Err(Failure::Start("its command line is empty".into()));
    };
    let stderr = log.and_then(|log| File::create(log).ok()).map_or_else(Stdio::null, Stdio::from);
    let mut command = Command::new(program);
    command.args(args).current_dir(root).env(REVIEWER, "1").stdout(Stdio::piped()).stderr(stderr);
    command.stdin(if review.input.is_some() { Stdio::piped() } else { Stdio::null() });
    if let Some(path) = path {
        command.env(PATH, path);
    }
    process_group::own(&mut command);
    let mut child = command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::Missing(program.clone()),
        _ => Failure::Start(error.to_string()),
    })?;
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), review.input.clone()) {
        std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    }
    Ok(child)
}

/// Reads all that a child prints and sends what is kept of it, as it comes.
fn listen(child: &mut Child) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    if let Some(mut stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut room = OUTPUT_BYTES_MAX;
            let mut part = vec![0; 64 * 1024];
            while let Ok(length) = stdout.read(&mut part) {
                if length == 0 {
                    break;
                }
                let kept = room.min(length);
                room -= kept;
                if kept > 0 {
                    let _ = send.send(part[..kept].to_vec());
                }
            }
        });
    }
    receive
}

/// What a child that is gone has printed. A process that it left behind may keep its output open: that one is not
/// waited for, and what was printed before counts.
fn printed(output: &Receiver<Vec<u8>>) -> Vec<u8> {
    let gone = Instant::now();
    let mut text = Vec::new();
    while let Ok(part) = output.recv_timeout(LAST_WORDS.saturating_sub(gone.elapsed())) {
        text.extend(part);
    }
    text
}

/// How the child ended; none if it did not in time.
fn wait(child: &mut Child, deadline: Duration) -> Option<ExitStatus> {
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if started.elapsed() < deadline => std::thread::sleep(pause),
            Ok(None) | Err(_) => return None,
        }
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}
