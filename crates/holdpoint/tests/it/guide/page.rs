//! A page of the guide. What its blocks are:
//!
//! - `console`: lines that begin with `$ ` are run (`> ` goes on with one), the others are what they print;
//! - below `<!-- file PATH -->` or `<!-- add PATH -->`: a file that is written, or added to;
//! - below `<!-- $ COMMAND -->`: what the command prints.
//!
//! In what is printed `…` stands for lines, or for the end of a line, that are left out.

use regex_lite::Regex;

use super::reader::Reader;

const GAP: &str = "…";

pub(crate) struct Page<'a> {
    lines: std::iter::Peekable<std::str::Lines<'a>>,
    reader: &'a Reader,
    followed: String,
}

impl<'a> Page<'a> {
    pub(crate) fn new(text: &'a str, reader: &'a Reader) -> Page<'a> {
        Page { lines: text.lines().peekable(), reader, followed: String::new() }
    }

    /// The page as it is after everything in it was done: what is not true any more is replaced.
    pub(crate) fn followed(mut self) -> String {
        let mut note = None;
        while let Some(line) = self.lines.next() {
            self.keep(line);
            match (note.take(), line.strip_prefix("```")) {
                (Some(note), Some(_)) => self.noted(note),
                (None, Some("console")) => self.console(),
                (None, Some(_)) => drop(self.block()),
                (_, None) => {
                    note = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
                }
            }
        }
        self.followed
    }

    fn keep(&mut self, line: &str) {
        self.followed.push_str(line);
        self.followed.push('\n');
    }

    /// The rest of a block, which stays as it is.
    fn block(&mut self) -> String {
        let start = self.followed.len();
        while let Some(line) = self.lines.next() {
            self.keep(line);
            if line == "```" {
                break;
            }
        }
        self.followed[start..].trim_end_matches("```\n").to_owned()
    }

    fn noted(&mut self, note: &str) {
        match note.split_once(' ') {
            Some(("file", path)) => self.reader.write(path, &self.block()),
            Some(("add", path)) => {
                let text = format!("{}{}", self.reader.read(path), self.block());
                self.reader.write(path, &text);
            }
            Some(("$", command)) => {
                self.ran(command);
                self.block();
            }
            _ => panic!("what is <!-- {note} -->?"),
        }
    }

    fn console(&mut self) {
        while let Some(line) = self.lines.next() {
            self.keep(line);
            let Some(command) = line.strip_prefix("$ ") else {
                assert_eq!(line, "```", "a console begins with a command");
                return;
            };
            let mut command = command.to_owned();
            while let Some(more) = self.lines.next_if(|line| line.starts_with("> ")) {
                self.keep(more);
                command = format!("{command}\n{}", &more[2..]);
            }
            self.ran(&command);
        }
    }

    /// What is shown of a command, up to the next one or the block's end.
    fn ran(&mut self, command: &str) {
        let mut shown = Vec::new();
        while let Some(line) = self.lines.next_if(|line| *line != "```" && !line.starts_with("$ ")) {
            shown.push(line);
        }
        let printed = self.reader.run(command);
        let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
        let is_true = shows(&shown, &printed);
        for line in if is_true { shown } else { printed } {
            self.keep(line);
        }
    }
}

fn shows(shown: &[&str], printed: &[&str]) -> bool {
    match (shown, printed) {
        ([], rest) => rest.is_empty(),
        ([GAP, after @ ..], _) => (0..=printed.len()).any(|left_out| shows(after, &printed[left_out..])),
        ([one, after @ ..], [line, rest @ ..]) => is_same(one, line) && shows(after, rest),
        _ => false,
    }
}

fn is_same(shown: &str, printed: &str) -> bool {
    match shown.strip_suffix(GAP) {
        Some(start) => steady(printed).starts_with(&steady(start)),
        None => steady(shown) == steady(printed),
    }
}

/// A line without what differs from run to run: times, and ids made from them.
fn steady(line: &str) -> String {
    let patterns = [
        r"\d{8}-\d{6}-[0-9a-f]{6}",
        r"\d{4}-\d\d-\d\d([T ]\d\d[:-]\d\d([:-]\d\d)?([-.]\d+)?Z?)?",
        r"\b\d\d:\d\d:\d\d\b",
        r"\b[0-9a-f]{7,64}\b",
        r"\b\d+(\.\d+)? ?(ms|s|µs)\b",
        r"just now|\d+ seconds? ago",
    ];
    patterns.iter().fold(line.to_owned(), |line, pattern| {
        Regex::new(pattern).unwrap().replace_all(&line, "#").into_owned()
    })
}

#[test]
fn a_page_that_is_not_true_is_told() {
    let text = "<!-- $ cat x -->\n```text\n1\n…\n```\n```console\n$ echo a\n> echo b; echo 7 s\na\nb\n5 s\n$ cat x\n…\n2…\n```\n";
    let page = |text: &str| {
        let reader = Reader::new();
        reader.write("x", "1\n1\n22\n");
        Page::new(text, &reader).followed()
    };
    assert_eq!(page(text), text);
    let other = text.replace("\nb\n", "\nc\n").replace("2…", "3…");
    assert_eq!(page(&other), text.replace("5 s", "7 s").replace("…\n2…", "1\n1\n22"));
}
