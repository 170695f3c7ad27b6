//! What `node --test` prints: TAP up to version 22 where no terminal is, its own form after.

use super::tally::Tally;
use super::{Failure, excerpt, place};

/// What the counts at the end begin with, in TAP and in the other form.
const MARKS: [&str; 2] = ["# ", "ℹ "];

/// The most lines of a failure's block that are looked at.
const BLOCK_MAX: usize = 200;

pub(super) fn read(lines: &[&str]) -> Option<Tally> {
    let mut tally = Tally::default();
    let mut is_ours = false;
    for (at, line) in lines.iter().enumerate() {
        if let Some(("tests", _)) = count(line) {
            is_ours |= counts(&mut tally, &lines[at + 1..]);
        }
    }
    if !is_ours {
        return None;
    }
    tap_failures(&mut tally, lines);
    listed_failures(&mut tally, lines);
    Some(tally)
}

/// `# pass 2`.
fn count(line: &str) -> Option<(&str, u64)> {
    let rest = MARKS.iter().find_map(|mark| line.strip_prefix(mark))?;
    let (word, number) = rest.split_once(' ')?;
    Some((word, number.trim().parse().ok()?))
}

/// Counts what follows on the number of tests, if anything does. A test's own words stand in comments too, but never
/// between these.
fn counts(tally: &mut Tally, lines: &[&str]) -> bool {
    let mut has_any = false;
    let is_next = |(word, _): &(&str, u64)| *word != "tests";
    for (word, number) in lines.iter().map_while(|line| count(line).filter(is_next)) {
        has_any |= word == "pass";
        tally.count(number, word);
    }
    has_any
}

/// `not ok 1 - adds up`, with a block of YAML under it.
fn tap_failures(tally: &mut Tally, lines: &[&str]) {
    for (at, line) in lines.iter().enumerate() {
        let Some((_, name)) =
            line.trim_start().strip_prefix("not ok ").and_then(|rest| rest.split_once(" - "))
        else {
            continue;
        };
        let is_end = |line: &&&str| line.trim() != "...";
        let block: Vec<&str> = lines[at + 1..].iter().take(BLOCK_MAX).take_while(is_end).copied().collect();
        let is_excused = name.contains(" # TODO") || name.contains(" # SKIP");
        // A suite or a test fails with its subtests, which have lines of their own.
        if !is_excused && value(&block, "failureType").as_deref() != Some("subtestsFailed") {
            let file = value(&block, "location").and_then(|location| place::in_line(&location));
            tally.name(Failure { name: name.to_owned(), file, excerpt: excerpt::first(error(&block)) });
        }
    }
}

/// The text after a key of the block, without its quotes.
fn value(block: &[&str], key: &str) -> Option<String> {
    let rest = |line: &&str| line.trim_start().strip_prefix(key)?.strip_prefix(": ").map(str::to_owned);
    block.iter().find_map(rest).map(|text| text.trim_matches('\'').to_owned())
}

/// The lines of `error: 'text'`, or those below `error: |-`.
fn error<'a>(block: &[&'a str]) -> Vec<&'a str> {
    let Some(at) = block.iter().position(|line| line.trim_start().starts_with("error: ")) else {
        return Vec::new();
    };
    let text = block[at].trim_start().trim_start_matches("error: ");
    if !text.starts_with('|') {
        return vec![text.trim_matches('\'')];
    }
    let depth = |line: &str| line.len() - line.trim_start().len();
    let own = depth(block[at]);
    block[at + 1..].iter().copied().take_while(|line| line.trim().is_empty() || depth(line) > own).collect()
}

/// `test at test/cart.test.js:5:3`, `✖ adds up (1.5ms)`, and what was wrong.
fn listed_failures(tally: &mut Tally, lines: &[&str]) {
    for (at, line) in lines.iter().enumerate() {
        let Some(file) = line.strip_prefix("test at ").and_then(place::in_line) else { continue };
        let Some(name) = lines.get(at + 1).and_then(|line| line.strip_prefix("✖ ")) else { continue };
        let is_body = |line: &&&str| !line.starts_with("test at ") && !line.trim_start().starts_with("at ");
        let body = lines[at + 2..].iter().take_while(is_body).copied();
        let name =
            name.rsplit_once(" (").filter(|(_, time)| time.ends_with("ms)")).map_or(name, |(name, _)| name);
        tally.name(Failure { name: name.to_owned(), file: Some(file), excerpt: excerpt::first(body) });
    }
}
