//! Questions to git, each one short process with a deadline. Names are arguments, never shell text.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use holdpoint_core::world::{Answer, GitQuestion};

/// How long git may take.
const DEADLINE: Duration = Duration::from_secs(3);

/// Answers a question about the repository that `dir` lies in.
pub fn ask(dir: &str, question: &GitQuestion) -> Answer<String> {
    match question {
        GitQuestion::Repository => run(dir, &["rev-parse", "--absolute-git-dir"]),
        GitQuestion::Branch => run(dir, &["symbolic-ref", "--quiet", "--short", "HEAD"]),
        GitQuestion::Alias(name) => run(dir, &["config", "--get", &format!("alias.{name}")]),
        GitQuestion::Switch(name) => switch(dir, name),
    }
}

/// The branch that `git checkout NAME` would end on: empty for a commit that is no branch, none for anything else.
fn switch(dir: &str, name: &str) -> Answer<String> {
    if name == "-" {
        return match run(dir, &["rev-parse", "--symbolic-full-name", "@{-1}"]) {
            Answer::Is(full) => Answer::Is(full.strip_prefix("refs/heads/").unwrap_or_default().to_owned()),
            other => other,
        };
    }
    if name == "HEAD" || name.starts_with('-') {
        return Answer::None;
    }
    let local = run(dir, &["rev-parse", "--verify", "--quiet", &format!("refs/heads/{name}")]);
    if local != Answer::None {
        return named(local, name);
    }
    let remote =
        run(dir, &["for-each-ref", "--count=1", "--format=%(refname)", &format!("refs/remotes/*/{name}")]);
    if matches!(&remote, Answer::Is(full) if !full.is_empty()) {
        return named(remote, name);
    }
    named(run(dir, &["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")]), "")
}

fn named(answer: Answer<String>, name: &str) -> Answer<String> {
    match answer {
        Answer::Is(_) => Answer::Is(name.to_owned()),
        other => other,
    }
}

/// What git prints; none if it says no.
fn run(dir: &str, args: &[&str]) -> Answer<String> {
    let spawned = Command::new("git")
        .arg("-C")
        .arg(dir)
        .args(args)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => return Answer::Fault(format!("git could not be started: {error}")),
    };
    let started = Instant::now();
    let mut pause = Duration::from_micros(200);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if started.elapsed() < DEADLINE => std::thread::sleep(pause),
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                return Answer::Fault(format!("git did not answer within {} seconds", DEADLINE.as_secs()));
            }
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    let mut text = String::new();
    let read = child.stdout.take().map(|out| out.take(64 * 1024).read_to_string(&mut text));
    match (status.success(), read) {
        (true, Some(Ok(_))) => Answer::Is(text.trim().to_owned()),
        _ => Answer::None,
    }
}
