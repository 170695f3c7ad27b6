//! What pytest prints.

use super::tally::{Tally, items};
use super::{Failure, excerpt, place};

/// Words of the last line, `1 failed, 2 passed in 0.12s`, that are pytest's.
const WORDS: [&str; 8] =
    ["passed", "failed", "skipped", "deselected", "xfailed", "xpassed", "error", "errors"];

pub(super) fn read(lines: &[&str]) -> Option<Tally> {
    let ends: Vec<Tally> = lines.iter().filter_map(|line| last_line(line)).collect();
    let mut tally = if ends.is_empty() { progress(lines)? } else { sum(&ends) };
    let mut blocks = blocks(lines);
    let listed = listed(lines);
    let failures: Vec<Failure> = if listed.is_empty() {
        blocks.iter().map(Block::failure).collect()
    } else {
        listed.iter().map(|(id, message)| failure(id, message, &mut blocks)).collect()
    };
    for failure in failures {
        tally.name(failure);
    }
    tally.is_cut_short = lines.iter().any(|line| is_stop(line));
    Some(tally)
}

/// `!!!! stopping after 1 failures !!!!`, with or without processes of its own; `!!!! Interrupted: 1 error during collection !!!!`,
/// where no test has run at all.
fn is_stop(line: &str) -> bool {
    line.starts_with("!!") && (line.contains("stopping after ") || line.contains("Interrupted: "))
}

fn sum(ends: &[Tally]) -> Tally {
    ends.iter().fold(Tally::default(), |mut all, end| {
        all.count(end.passed, "passed");
        all.count(end.failed, "failed");
        all.count(end.skipped, "skipped");
        all
    })
}

/// `== 1 failed, 2 passed in 0.12s ==`, or without the rule under `-q`.
fn last_line(line: &str) -> Option<Tally> {
    let bare = if line.starts_with('=') { line.trim_matches('=').trim() } else { line };
    let (list, time) = bare.rsplit_once(" in ")?;
    time.split(' ').next()?.strip_suffix('s')?.parse::<f64>().ok()?;
    let is_list = list.split(", ").all(|item| item.starts_with(|letter: char| letter.is_ascii_digit()));
    let is_ours = is_list && items(list, ", ").any(|(_, word)| WORDS.contains(&word));
    (is_ours || list == "no tests ran").then(|| {
        let mut tally = Tally::default();
        tally.count_list(list, ", ");
        tally
    })
}

/// `tests/test_a.py ..Fs   [ 50%]`: all there is under `-qq`.
fn progress(lines: &[&str]) -> Option<Tally> {
    let marks = |line: &&str| -> Option<String> {
        let (marks, percent) = line.rsplit_once(" [")?;
        percent.strip_suffix("%]")?.trim().parse::<u8>().ok()?;
        let marks = marks.split_whitespace().last()?;
        marks.chars().all(|mark| ".FEsxX".contains(mark)).then(|| marks.to_owned())
    };
    let all: String = lines.iter().filter_map(marks).collect();
    let count = |of: &str| all.chars().filter(|mark| of.contains(*mark)).count() as u64;
    let tally = Tally { passed: count(".X"), failed: count("FE"), skipped: count("sx"), ..Tally::default() };
    (!all.is_empty()).then_some(tally)
}

/// The failures of the short summary: node ids, and what is said of them.
fn listed<'a>(lines: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    let mut is_inside = false;
    let mut found = Vec::new();
    for line in lines {
        if let Some(title) = rule(line, '=') {
            is_inside = title == "short test summary info";
        } else if is_inside
            && let Some(rest) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR "))
        {
            found.push(id_and_message(rest));
        }
    }
    found
}

/// Parameters may hold what else ends an id: `test_words[x - y] - AssertionError`.
fn id_and_message(text: &str) -> (&str, &str) {
    let (id, message) = text.split_once(" - ").unwrap_or((text, ""));
    if id.contains('[') && !id.ends_with(']') {
        return match text.find("] - ") {
            Some(end) => (&text[..=end], &text[end + "] - ".len()..]),
            None => (text, ""),
        };
    }
    (id, message)
}

/// What stands under a heading of the sections for failures and errors.
#[derive(Default)]
struct Block<'a> {
    title: &'a str,
    lines: Vec<&'a str>,
    is_taken: bool,
}

fn blocks<'a>(lines: &[&'a str]) -> Vec<Block<'a>> {
    let mut is_inside = false;
    let mut found: Vec<Block> = Vec::new();
    for line in lines {
        if let Some(title) = rule(line, '=') {
            is_inside = matches!(title, "FAILURES" | "ERRORS");
        } else if is_inside && let Some(title) = rule(line, '_') {
            found.push(Block { title: bare_title(title), ..Block::default() });
        } else if is_inside && let Some(block) = found.last_mut() {
            block.lines.push(line);
        }
    }
    found
}

/// The title in `____ title ____`.
fn rule(line: &str, mark: char) -> Option<&str> {
    let title = line.strip_prefix(mark)?.strip_suffix(mark)?.trim_matches(mark).trim();
    title.contains(|letter: char| letter != mark && letter != ' ').then_some(title)
}

fn bare_title(title: &str) -> &str {
    let prefixes = ["ERROR at setup of ", "ERROR at teardown of ", "ERROR collecting "];
    prefixes.iter().find_map(|prefix| title.strip_prefix(prefix)).unwrap_or(title)
}

fn failure(id: &str, message: &str, blocks: &mut [Block]) -> Failure {
    let file = id.split("::").next().unwrap_or(id);
    let title = id.split_once("::").map_or(id.to_owned(), |(_, name)| name.replace("::", "."));
    // The same name may stand in several files.
    let fits = |block: &&mut Block| !block.is_taken && block.title == title;
    let names_file = |block: &&mut Block| block.lines.iter().any(|line| line.contains(file));
    let at = blocks.iter_mut().filter(fits).find(names_file).map(Block::take);
    let text = at.or_else(|| blocks.iter_mut().find(fits).map(Block::take)).unwrap_or_default();
    let text = if text.is_empty() { excerpt::first([message]) } else { text };
    Failure { name: id.to_owned(), file: Some(place::tidy(file)), excerpt: text }
}

impl Block<'_> {
    fn take(&mut self) -> Vec<String> {
        self.is_taken = true;
        self.excerpt()
    }

    fn failure(&self) -> Failure {
        let file = place::first(&self.lines).or_else(|| place::named_in(self.title));
        Failure { name: self.title.to_owned(), file, excerpt: self.excerpt() }
    }

    /// The lines that pytest marks as the error, and where it was raised.
    fn excerpt(&self) -> Vec<String> {
        let errors = || self.lines.iter().filter_map(|line| line.strip_prefix("E  "));
        if errors().next().is_none() {
            return excerpt::first(self.lines.iter().copied());
        }
        let mut text =
            excerpt::first(errors().filter(|line| !line.trim().is_empty()).take(excerpt::LINES_MAX - 1));
        let is_place = |line: &&&str| !line.starts_with(['E', '>', ' ']) && place::in_line(line).is_some();
        text.extend(self.lines.iter().rfind(is_place).map(|line| excerpt::cut(line)));
        text
    }
}
