//! What vitest prints.

use super::tally::Tally;
use super::{Failure, excerpt, place};

pub(super) fn read(lines: &[&str]) -> Option<Tally> {
    let mut tally = Tally::default();
    let mut is_ours = false;
    for line in lines {
        let counts = line.trim_start().strip_prefix("Tests  ").filter(|_| line.starts_with("  "));
        let counts = counts.filter(|counts| counts.ends_with(')') || *counts == "no tests");
        is_ours |= counts.is_some() || line.starts_with("No test files found");
        tally.count_list(counts.map(without_total).unwrap_or_default(), "|");
    }
    if !is_ours {
        return None;
    }
    for (heading, body) in blocks(lines) {
        let (path, name) = heading.split_once(" > ").unwrap_or((heading, ""));
        let path = path.split(" [ ").next().unwrap_or(path);
        let failure = Failure { name: heading.to_owned(), file: Some(place::tidy(path)), excerpt: body };
        if name.is_empty() {
            tally.could_not_run(Failure { name: path.to_owned(), ..failure });
        } else {
            tally.name(failure);
        }
    }
    Some(tally)
}

fn without_total(counts: &str) -> &str {
    counts.rsplit_once(" (").map_or(counts, |(counts, _)| counts)
}

/// What stands under ` FAIL  tests/a.test.js > cart > adds up`, up to the rule that ends it. Tests that failed alike
/// stand together over one text.
fn blocks<'a>(lines: &[&'a str]) -> Vec<(&'a str, Vec<String>)> {
    let mut found = Vec::new();
    let mut headings: Vec<&str> = Vec::new();
    let mut body: Vec<&str> = Vec::new();
    for line in lines {
        if let Some(heading) = line.strip_prefix(" FAIL  ") {
            if !body.is_empty() {
                headings.clear();
                body.clear();
            }
            headings.push(without_project(heading.trim()));
        } else if line.starts_with('⎯') && !headings.is_empty() {
            let text = excerpt::first(body.drain(..).filter(|line| !excerpt::is_code(line)));
            found.extend(headings.drain(..).map(|heading| (heading, text.clone())));
        } else if !headings.is_empty() {
            body.push(line);
        }
    }
    found
}

/// A project's name may stand before the path: `|unit| tests/a.test.js`.
fn without_project(heading: &str) -> &str {
    heading
        .strip_prefix('|')
        .and_then(|rest| rest.split_once("| "))
        .map_or(heading, |(_, rest)| rest.trim_start())
}
