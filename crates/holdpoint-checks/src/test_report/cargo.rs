//! What `cargo test` prints: one result for each binary, or what the compiler says.

use super::tally::Tally;
use super::{FAILURES_MAX, Failure, excerpt, nextest, place};

pub(super) fn read(lines: &[&str]) -> Option<Tally> {
    let lines = outside_nextest(lines);
    let mut reader = Reader::default();
    for line in &lines {
        reader.line(line);
    }
    reader.tally.is_cut_short = is_cut_short(&lines);
    reader.is_ours.then_some(reader.tally)
}

/// After a target that failed, cargo says how to run that one again, and runs no other; with `--no-fail-fast` it goes on, and
/// says in the end how many have failed. What does not compile is not run at all.
fn is_cut_short(lines: &[&str]) -> bool {
    if lines.iter().any(|line| line.starts_with("error: could not compile ")) {
        return true;
    }
    let is_summary = |line: &&str| {
        let rest = line.strip_prefix("error: ").unwrap_or_default();
        rest.ends_with(" target failed:") || rest.ends_with(" targets failed:")
    };
    lines.iter().any(|line| line.starts_with("error: ") && line.contains("test failed, to rerun pass"))
        && !lines.iter().any(is_summary)
}

/// nextest lets each test's own result through: those are counted in its summary already.
fn outside_nextest<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let mut is_inside = false;
    let mut kept = Vec::new();
    for line in lines {
        is_inside = (is_inside || nextest::is_start(line)) && nextest::summary(line).is_none();
        if !is_inside {
            kept.push(*line);
        }
    }
    kept
}

#[derive(Default, PartialEq)]
enum Part {
    #[default]
    Other,
    /// What a test printed.
    Output,
    /// The names of those that failed.
    Names,
}

#[derive(Default)]
struct Reader<'a> {
    tally: Tally,
    is_ours: bool,
    target: Target<'a>,
    part: Part,
    /// Everything since the last result.
    lines: Vec<&'a str>,
    outputs: Vec<(&'a str, Vec<&'a str>)>,
    names: Vec<&'a str>,
    /// What the compiler said, from its first error.
    errors: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a str) {
        self.target.line(line);
        self.lines.push(line);
        if let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". ")) {
            self.result(counts);
        } else if let Some(krate) = line.strip_prefix("error: could not compile `") {
            self.not_compiled(krate.split('`').next().unwrap_or(krate));
        } else if let Some(end) = line.strip_prefix("  process didn't exit successfully: ") {
            self.crashed(end);
        } else if line == "failures:" {
            self.part = Part::Names;
            self.names.clear();
        } else if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" ----")) {
            self.part = Part::Output;
            self.outputs.push((name.trim_end_matches(" stdout").trim_end_matches(" stderr"), Vec::new()));
        } else if self.part == Part::Output {
            self.outputs.last_mut().into_iter().for_each(|(_, output)| output.push(line));
        } else if self.part == Part::Names && line.starts_with("    ") {
            self.names.push(line.trim());
        } else if !self.errors.is_empty() || line.starts_with("error[") || line.starts_with("error: ") {
            self.errors.push(line);
        }
    }

    fn result(&mut self, counts: &str) {
        self.is_ours = true;
        self.tally.count_list(counts, ";");
        for name in std::mem::take(&mut self.names).into_iter().take(FAILURES_MAX) {
            let failure = self.failure(name);
            self.tally.name(failure);
        }
        self.outputs.clear();
        self.lines.clear();
        self.errors.clear();
        self.part = Part::Other;
    }

    fn failure(&self, name: &str) -> Failure {
        let output = self.outputs.iter().find(|(of, _)| *of == name).map(|(_, output)| output.as_slice());
        let (file, excerpt) = failure_text(output.unwrap_or_default(), name)
            .or_else(|| own_panic(&self.lines, name))
            .unwrap_or_default();
        // A documentation test's name begins with its file.
        let document = name.split(" - ").next().filter(|path| place::is_source(path)).map(place::tidy);
        Failure { name: name.to_owned(), file: document.or(file).or_else(|| self.target.file()), excerpt }
    }

    fn not_compiled(&mut self, krate: &str) {
        self.is_ours = true;
        let errors = std::mem::take(&mut self.errors);
        let pointer = errors.iter().find(|line| line.trim_start().starts_with("--> "));
        self.tally.could_not_run(Failure {
            name: format!("could not compile `{krate}`"),
            file: pointer.and_then(|line| place::in_line(line)),
            excerpt: excerpt::first(errors.iter().copied()),
        });
    }

    /// A test binary that ended with a signal, or with a code of its own, has no result.
    fn crashed(&mut self, end: &str) {
        self.is_ours = true;
        let target = self.target.file();
        let name = target.as_ref().map_or("a test binary".to_owned(), |file| format!("the tests of {file}"));
        let why = end.rsplit_once("` (").map_or(end, |(_, why)| why.trim_end_matches(')'));
        self.tally.could_not_run(Failure { name, file: target, excerpt: excerpt::first([why]) });
        self.errors.clear();
    }
}

/// The file whose tests are running. cargo says so on another channel than the tests use: where the two are not in
/// step, nothing is known.
#[derive(Default)]
struct Target<'a> {
    file: Option<&'a str>,
    is_started: bool,
    is_out_of_step: bool,
}

impl<'a> Target<'a> {
    fn line(&mut self, line: &'a str) {
        let target = line.trim_start().strip_prefix("Running ").and_then(|rest| rest.split_once(" ("));
        if let Some((target, _)) = target.filter(|_| line.starts_with("     ")) {
            self.is_out_of_step |= self.file.is_some() && !self.is_started;
            (self.file, self.is_started) = (target.split(' ').next_back(), false);
        } else if line.starts_with("   Doc-tests ") {
            (self.file, self.is_started) = (None, false);
        } else if line.starts_with("running ") && (line.ends_with(" tests") || line.ends_with(" test")) {
            self.is_out_of_step |= self.is_started;
            self.is_started = true;
        }
    }

    fn file(&self) -> Option<String> {
        self.file.filter(|_| !self.is_out_of_step).map(place::tidy)
    }
}

/// Where and how a test failed: its panic, or whatever else it printed.
pub(super) fn failure_text(output: &[&str], test: &str) -> Option<(Option<String>, Vec<String>)> {
    let is_empty = output.iter().all(|line| line.trim().is_empty());
    let other = || output.iter().position(|line| is_panic(line)).map(|at| panic_at(output, at));
    let rest = || (!is_empty).then(|| (place::first(output), story(output)));
    own_panic(output, test).or_else(other).or_else(rest)
}

/// The same for a panic in the test's own thread, among what several tests printed.
fn own_panic(output: &[&str], test: &str) -> Option<(Option<String>, Vec<String>)> {
    let own = format!("thread '{test}' ");
    let at = output.iter().rposition(|line| is_panic(line) && line.trim_start().starts_with(&own))?;
    Some(panic_at(output, at))
}

fn is_panic(line: &str) -> bool {
    line.trim_start().starts_with("thread '") && line.contains(" panicked at ")
}

fn panic_at(output: &[&str], at: usize) -> (Option<String>, Vec<String>) {
    let end =
        output[at + 1..].iter().position(|line| is_panic(line)).map_or(output.len(), |next| at + 1 + next);
    (place::in_line(output[at]), story(&output[at..end]))
}

/// The lines up to the backtrace or the hint at one, or to the test's result.
fn story(lines: &[&str]) -> Vec<String> {
    let is_hint = |line: &str| line.starts_with("note: run with `RUST_BACKTRACE");
    let is_result = |line: &str| line.starts_with("test ") && line.contains(" ... ");
    let is_end = |line: &str| is_hint(line) || is_result(line) || line.starts_with("stack backtrace:");
    excerpt::first(lines.iter().copied().take_while(|line| !is_end(line.trim_start())))
}
