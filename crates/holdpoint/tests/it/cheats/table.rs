//! The table of docs/reference/cheats.md, made of what the tests try out.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::{Cheat, Mechanism, autopilot, claudex, isdlc, taskie};

/// Every spelling of every mechanism, by workflow.
fn all() -> Vec<&'static [Cheat]> {
    [autopilot::ALL, isdlc::ALL, taskie::ALL, claudex::ALL].concat()
}

/// What holds a cheat, for the table.
fn before(cheat: &Cheat) -> String {
    match cheat.before {
        "" => "—".to_owned(),
        "Stop" => "held at Stop".to_owned(),
        rule => format!("held by `{rule}`"),
    }
}

/// Counts equal texts, in the order of their first.
fn counted(texts: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for text in texts {
        match counts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => counts.push((text, 1)),
        }
    }
    counts
}

/// The texts with how many spellings each is about, unless it is about all.
fn told(texts: impl Iterator<Item = String>) -> String {
    let counts = counted(texts);
    let all = counts.len() == 1;
    let shown =
        counts.iter().map(|(text, count)| if all { text.clone() } else { format!("{text} ({count})") });
    shown.collect::<Vec<_>>().join("; ")
}

/// At which level the spellings are closed.
fn level(group: &[Cheat]) -> String {
    let is_closed = |cheat: &&Cheat| !cheat.before.is_empty() || cheat.after.is_closed();
    let closed = group.iter().filter(is_closed).count();
    match group.len() - closed {
        0 => "`kept`".to_owned(),
        open if closed == 0 => format!("none yet ({open})"),
        open => format!("`kept` ({closed}); none yet ({open})"),
    }
}

/// A text with a capital letter.
fn capital(text: &str) -> String {
    format!("{}{}", text[..1].to_uppercase(), &text[1..])
}

/// A row for each mechanism and workflow.
fn rows() -> String {
    let mut rows = String::new();
    for group in all() {
        let [first, ..] = group else { continue };
        let (mechanism, workflow) = (first.mechanism.words(), first.at.workflow());
        let (befores, afters) =
            (told(group.iter().map(before)), told(group.iter().map(|cheat| cheat.after.sentence())));
        let example = capital(first.name);
        writeln!(
            rows,
            "| {mechanism} | {workflow} | {}: {example} | {befores} | {afters} | {} |",
            group.len(),
            level(group)
        )
        .unwrap();
    }
    rows
}

/// Every spelling, below a heading for its mechanism.
fn spellings() -> String {
    let mut by_mechanism: Vec<(Mechanism, String)> = Vec::new();
    for cheat in all().into_iter().flatten() {
        let row = format!(
            "| {} | {} | {} | {} |\n",
            capital(cheat.name),
            cheat.at.workflow(),
            before(cheat),
            cheat.after.sentence()
        );
        match by_mechanism.iter_mut().find(|(mechanism, _)| *mechanism == cheat.mechanism) {
            Some((_, rows)) => rows.push_str(&row),
            None => by_mechanism.push((cheat.mechanism, row)),
        }
    }
    let mut text = String::new();
    for (mechanism, rows) in by_mechanism {
        let heading = capital(mechanism.words());
        write!(
            text,
            "\n### {heading}\n\n| what the agent does | workflow | before | after |\n| --- | --- | --- | --- |\n{rows}"
        )
        .unwrap();
    }
    text
}

const ROWS: &str = "| --- | --- | --- | --- | --- | --- |\n";
const SPELLINGS: &str = "\n## Every spelling\n";
const REST: &str = "\n## What is not caught\n";

/// The document is made of the lists that the tests run; `HOLDPOINT_BLESS=1` writes it.
#[test]
#[expect(clippy::print_stdout, reason = "the table is to be seen")]
fn the_table_of_cheats_is_the_one_that_is_tried() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/cheats.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let (head, _) = written.split_once(ROWS).unwrap();
    let (_, tail) = written.split_once(REST).unwrap();
    let (rows, spellings) = (rows(), spellings());
    println!("{rows}");
    let now = format!("{head}{ROWS}{rows}{SPELLINGS}{spellings}{REST}{tail}");
    if std::env::var_os("HOLDPOINT_BLESS").is_some() {
        std::fs::write(&path, &now).unwrap();
    } else {
        assert_eq!(now, written, "run this test with HOLDPOINT_BLESS=1");
    }
}

/// A mechanism is no spelling: each is tried in three at least, whatever the workflow, and none is in two lists.
#[test]
fn every_mechanism_has_three_spellings_and_every_list_one_mechanism() {
    let mut names = BTreeMap::new();
    for group in all() {
        let first = &group[0];
        let what = (first.mechanism.words(), first.at.workflow());
        assert!(group.len() >= 3, "{what:?} has {} spellings", group.len());
        for cheat in group {
            assert_eq!((cheat.mechanism.words(), cheat.at.workflow()), what, "{}", cheat.name);
            let earlier = names.insert((cheat.name, what.1), what.0);
            assert_eq!(earlier, None, "{} is there twice", cheat.name);
        }
    }
}

/// A list that the table does not have would be tried in silence.
#[test]
fn every_list_is_in_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cheats");
    let folders = ["autopilot", "isdlc", "taskie", "claudex"].map(|name| folder.join(name));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    let lists = texts.filter(|text| text.contains("\ncheats! {")).count();
    assert_eq!(lists, all().len());
}
