//! A walk through a workflow in a real client, written down as it goes: what the user types, what the agent does, and what each
//! is told. Only lines that were really shown get into it.

use super::seat::{Puppet, Seat};

/// How wide a line of the page is at most.
const WIDTH: usize = 110;
/// What stands for lines that are left out.
const GAP: &str = "…";

/// What was written down.
pub(super) struct Walk {
    text: String,
    /// What differs from run to run, and what stands for it.
    names: Vec<(String, &'static str)>,
}

impl Walk {
    pub(super) fn new() -> Walk {
        Walk { text: String::new(), names: Vec::new() }
    }

    /// From now on this is written for that.
    pub(super) fn writes(&mut self, name: &'static str, of: &str) {
        self.names.push((of.to_owned(), name));
    }

    /// The user types something to the agent. Returns what the model is shown.
    pub(super) fn types(&mut self, seat: &mut Seat, puppet: &Puppet, line: &str) -> String {
        self.line("you    > ", line);
        seat.types(line);
        puppet.hears()
    }

    /// The user does something in a shell of their own, and is told this.
    pub(super) fn user_runs(&mut self, line: &str, told: &str, lines: &[&str]) {
        self.line("you    $ ", line);
        self.shows(told, lines);
    }

    /// The agent runs a command, and is shown lines with these words in them.
    pub(super) fn runs(&mut self, puppet: &Puppet, command: &str, lines: &[&str]) -> String {
        let told = puppet.runs(command);
        self.ran(command, &told, lines);
        told
    }

    /// The agent has run a command, and was shown this.
    pub(super) fn ran(&mut self, command: &str, told: &str, lines: &[&str]) {
        self.line("agent  $ ", command);
        self.shows(told, lines);
    }

    /// The agent does something else, and is shown this.
    pub(super) fn acts(&mut self, what: &str, told: &str, lines: &[&str]) {
        self.line("agent  : ", what);
        self.shows(told, lines);
    }

    /// The agent says something and ends its turn.
    pub(super) fn says(&mut self, puppet: &Puppet, words: &'static str) {
        self.line("agent  > ", words);
        puppet.says(words);
    }

    /// What becomes of a turn that ended.
    pub(super) fn ends(&mut self, what: &str, told: &str, lines: &[&str]) {
        self.line("stop   : ", what);
        self.shows(told, lines);
    }

    /// Paragraphs of what was told, each of which begins with a line that has these words in it.
    fn shows(&mut self, told: &str, lines: &[&str]) {
        let all: Vec<&str> = told.lines().collect();
        let mut next = 0;
        for words in lines {
            let found = all.iter().skip(next).position(|line| line.contains(words));
            let place = next + found.unwrap_or_else(|| panic!("no line with {words:?} in its turn: {told}"));
            if next > 0 && place > next {
                self.line("         ", GAP);
            }
            next = place
                + 1
                + all[place + 1..]
                    .iter()
                    .zip(&all[place..])
                    .take_while(|(line, last)| goes_on(last, line))
                    .count();
            self.line(
                "         ",
                &all[place..next].iter().map(|line| line.trim()).collect::<Vec<_>>().join(" "),
            );
        }
    }

    /// Writes a line, folded.
    fn line(&mut self, begin: &str, line: &str) {
        let line = self.names.iter().fold(steady(line), |line, (of, name)| line.replace(of, name));
        let mut begin = begin.to_owned();
        let mut now = String::new();
        for word in line.split(' ') {
            if !now.is_empty() && begin.len() + now.chars().count() + 1 + word.chars().count() > WIDTH {
                self.text.extend([begin.as_str(), &now, "\n"]);
                (begin, now) = (" ".repeat(9), String::new());
            }
            now = if now.is_empty() { word.to_owned() } else { format!("{now} {word}") };
        }
        self.text += format!("{begin}{now}").trim_end();
        self.text += "\n";
    }

    /// A page of it.
    pub(super) fn page(&self, title: &str, about: &str) -> String {
        format!("# {title}\n\n{about}\n\n```text\n{}```\n", self.text)
    }
}

/// Whether a line is the rest of the one before, which was folded for a terminal; a call's id is not.
fn goes_on(before: &str, line: &str) -> bool {
    let text = line.trim_start();
    let is_item = text.starts_with(['-', '#', '`', '*'])
        || text.starts_with("toolu_")
        || text.split_once(". ").is_some_and(|(number, _)| number.parse::<u8>().is_ok());
    let is_full = (67..=80).contains(&before.chars().count()) && !before.ends_with(['.', ':']);
    is_full && !text.is_empty() && !is_item
}

/// A line without how long something took: `(0.4s)`.
fn steady(line: &str) -> String {
    match line.rsplit_once(" (") {
        Some((before, time)) if time.strip_suffix("s)").is_some_and(|time| time.parse::<f64>().is_ok()) => {
            before.to_owned()
        }
        _ => line.to_owned(),
    }
}
