//! What jest prints.

use super::tally::Tally;
use super::{Failure, excerpt, place};

/// The heading of a file whose tests could not be run.
const NOT_RUN: &str = "Test suite failed to run";

pub(super) fn read(lines: &[&str]) -> Option<Tally> {
    let mut tally = Tally::default();
    let mut is_ours = false;
    for line in lines {
        let counts = line.strip_prefix("Tests: ").filter(|counts| counts.ends_with(" total"));
        is_ours |= counts.is_some() || line.starts_with("No tests found");
        tally.count_list(counts.unwrap_or_default(), ",");
    }
    if !is_ours {
        return None;
    }
    for (file, name, body) in blocks(lines) {
        let failure = Failure { name: name.to_owned(), file: Some(file.clone()), excerpt: message(&body) };
        if name == NOT_RUN {
            tally.could_not_run(Failure { name: file, ..failure });
        } else {
            tally.name(failure);
        }
    }
    Some(tally)
}

/// The failures: file, name and what stands under it. A long run repeats them at its end.
fn blocks<'a>(lines: &[&'a str]) -> Vec<(String, &'a str, Vec<&'a str>)> {
    let mut file = None;
    let mut is_inside = false;
    let mut found: Vec<(String, &str, Vec<&str>)> = Vec::new();
    for line in lines {
        // In colour a space comes first.
        let line_start = line.strip_prefix(' ').unwrap_or(line);
        if ["PASS ", "FAIL ", "Test Suites: "].iter().any(|start| line_start.starts_with(start)) {
            (file, is_inside) = (line_start.strip_prefix("FAIL ").and_then(file_of), false);
        } else if let Some(name) = line.strip_prefix("  ● ") {
            is_inside = name != "Console" && file.is_some();
            if is_inside && let Some(file) = &file {
                found.push((file.clone(), name.trim(), Vec::new()));
            }
        } else if is_inside && let Some((_, _, body)) = found.last_mut() {
            body.push(line);
        }
    }
    found
}

/// The path after `FAIL`, where a project's name may come before it and a time after it.
fn file_of(rest: &str) -> Option<String> {
    rest.split(' ').find(|word| place::is_source(word)).map(place::tidy)
}

/// The message, of the code around only the line that is marked, and of the stack only what is the project's own.
fn message(body: &[&str]) -> Vec<String> {
    let is_shown = |line: &&str| !excerpt::is_code(line) && !line.contains("node_modules/");
    excerpt::first(body.iter().copied().filter(is_shown))
}
