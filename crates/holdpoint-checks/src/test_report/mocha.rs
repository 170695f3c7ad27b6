//! What mocha prints.

use super::tally::Tally;
use super::{Failure, excerpt, place};

/// The most lines of an exception that are looked at.
const EXCEPTION_MAX: usize = 50;

pub(super) fn read(lines: &[&str]) -> Option<Tally> {
    let mut tally = Tally::default();
    let mut is_ours = false;
    for (at, line) in lines.iter().enumerate() {
        if let Some(passed) = passing(line) {
            is_ours = true;
            tally.count(passed, "passing");
            epilogue(&mut tally, &lines[at + 1..]);
        } else if line.starts_with("Error: No test files found") {
            is_ours = true;
        } else if let Some(error) = line.strip_prefix(" Exception during run: ") {
            is_ours = true;
            tally.could_not_run(exception(error, &lines[at + 1..]));
        }
    }
    is_ours.then_some(tally)
}

/// `  2 passing (5ms)`.
fn passing(line: &str) -> Option<u64> {
    let (number, time) = line.strip_prefix("  ")?.split_once(" passing (")?;
    time.ends_with(')').then_some(number.parse().ok()?)
}

/// The lines right after: how many are pending and failing, then those that failed.
fn epilogue(tally: &mut Tally, lines: &[&str]) {
    for (at, line) in lines.iter().enumerate() {
        let Some((number, word)) = line.strip_prefix("  ").and_then(|rest| rest.split_once(' ')) else {
            return;
        };
        let (Ok(number), "pending" | "failing") = (number.parse(), word) else { return };
        tally.count(number, word);
        if word == "failing" {
            failures(tally, &lines[at + 1..]);
        }
    }
}

fn failures(tally: &mut Tally, lines: &[&str]) {
    let end = lines.iter().position(|line| passing(line).is_some()).unwrap_or(lines.len());
    let mut starts = Vec::new();
    for (at, line) in lines[..end].iter().enumerate() {
        if line.starts_with(&format!("  {}) ", starts.len() + 1)) {
            starts.push(at);
        }
    }
    for (index, start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(end);
        tally.name(failure(&lines[*start..end]));
    }
}

/// The suites and the test, one below the other up to a colon; then the error, then its stack.
fn failure(lines: &[&str]) -> Failure {
    let colon = lines.iter().position(|line| line.ends_with(':')).unwrap_or(0);
    let (title, body) = lines.split_at((colon + 1).min(lines.len()));
    let name: Vec<&str> = title.iter().map(|line| line.trim().trim_end_matches(':')).collect();
    let name = name.join(" > ");
    let name = name.split_once(") ").map_or(name.as_str(), |(_, name)| name).to_owned();
    let (message, stack) = message_and_stack(body);
    // The innermost place comes first: the last one is the test's. Of a timeout, only the message has one.
    let file = place::last(stack).or_else(|| message.iter().rev().find_map(|line| place::named_in(line)));
    Failure { name, file, excerpt: excerpt::first(message.iter().copied()) }
}

fn exception(error: &str, lines: &[&str]) -> Failure {
    let (message, stack) = message_and_stack(&lines[..lines.len().min(EXCEPTION_MAX)]);
    let all = std::iter::once(error).chain(message.iter().copied());
    Failure {
        name: "the tests could not be loaded".to_owned(),
        file: place::last(stack),
        excerpt: excerpt::first(all),
    }
}

fn message_and_stack<'a, 'b>(body: &'b [&'a str]) -> (&'b [&'a str], &'b [&'a str]) {
    let is_frame = |line: &str| line.trim_start().starts_with("at ");
    let start = body.iter().position(|line| is_frame(line)).unwrap_or(body.len());
    let length = body[start..].iter().take_while(|line| is_frame(line)).count();
    (&body[..start], &body[start..start + length])
}
