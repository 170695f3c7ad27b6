//! A good workflow, and deliberate mistakes in it: each gives one message, at its place, with what to write instead.

use toml::de::{DeTable, DeValue};

use super::*;
use crate::workflow::parse::parse;

const GOOD: &str = include_str!("mistakes/workflow.toml");
const MISTAKES: &str = include_str!("mistakes/mistakes.toml");

const TEXTS: [(&str, &str); 7] = [
    ("texts/started.md", "A release of {{ args.version }} has begun. Write NOTES.md, then end your turn.\n"),
    ("texts/tag-waits.md", "No tag yet. The phase is {{ phase.name }}.\nEnd your turn.\n"),
    ("texts/ready.md", "It can be tagged.\n"),
    ("texts/stuck.md", "Three rounds were not enough. The last remark: {{ state.remark }}\n"),
    ("asks/note.md", "NOTES.md is missing or empty. Write what changes for users.\n"),
    ("asks/fix.md", "The release came back (round {{ rounds.fixes }} of 3):\n\n{{ state.remark }}\n"),
    ("prompts/review.md", "Does NOTES.md tell users the truth? Change nothing.\n"),
];

/// The complaints about a workflow's files, each as `file:line: message (hint)`.
fn complaints(name: &str, files: &[(String, String)]) -> Vec<String> {
    let read = |name: &str| files.iter().find(|(file, _)| file == name).map(|(_, text)| text.clone());
    let commands = ["check".to_owned(), "status".to_owned()];
    let workflows = [name.to_owned()];
    let source = read(FILE).unwrap_or_default();
    let texts: Vec<(String, String)> = files.iter().filter(|(file, _)| file != FILE).cloned().collect();
    let around = Surroundings {
        files: &texts,
        commands: Some(&commands),
        workflows: &workflows,
        variables: Some(&["RELEASE"]),
    };
    let told = |problem: &Diagnostic| {
        let (line, _) = problem.position(&read(&problem.file).unwrap_or_default());
        let hint = problem.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{}:{line}: {}{hint}", problem.file, problem.message)
    };
    check(&parse(name, &source, &read), &around).iter().map(told).collect()
}

fn good() -> Vec<(String, String)> {
    let own = [(FILE, GOOD)];
    own.iter().chain(&TEXTS).map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect()
}

/// A deliberate mistake.
struct Mistake {
    about: String,
    file: String,
    instead_of: String,
    written: String,
    says: String,
}

fn mistakes() -> Vec<Mistake> {
    let document = DeTable::parse(MISTAKES).unwrap();
    let rows = document.get_ref().iter().find(|(key, _)| key.get_ref() == "mistake").unwrap().1;
    let row = |row: &toml::Spanned<DeValue<'_>>| {
        let table = row.get_ref().as_table().unwrap().clone();
        let text = |key: &str| {
            let value = table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value);
            value.and_then(|value| value.get_ref().as_str()).unwrap_or_default().to_owned()
        };
        let file = Some(text("file")).filter(|file| !file.is_empty()).unwrap_or_else(|| FILE.to_owned());
        Mistake {
            about: text("about"),
            file,
            instead_of: text("for"),
            written: text("write"),
            says: text("says"),
        }
    };
    rows.get_ref().as_array().unwrap().iter().map(row).collect()
}

#[test]
fn the_good_workflow_is_good() {
    assert_eq!(complaints("release", &good()), [""; 0]);
}

#[test]
fn each_mistake_gives_one_message() {
    let mistakes = mistakes();
    let mut wrong = Vec::new();
    for mistake in &mistakes {
        let mut files = good();
        let file = files.iter_mut().find(|(file, _)| *file == mistake.file).unwrap();
        let before = file.1.clone();
        file.1 = if mistake.instead_of.is_empty() {
            mistake.written.clone()
        } else {
            before.replacen(&mistake.instead_of, &mistake.written, 1)
        };
        assert_ne!(file.1, before, "{}: nothing is replaced", mistake.about);
        let found = complaints("release", &files);
        if found != [mistake.says.clone()] {
            wrong.push(format!("{}\n    expected {}\n    got {found:#?}", mistake.about, mistake.says));
        }
    }
    assert!(mistakes.len() >= 60, "only {} mistakes", mistakes.len());
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), mistakes.len(), wrong.join("\n"));
}

#[test]
fn a_workflow_is_not_called_like_a_command() {
    let expected = "workflow.toml:1: `status` is a command of holdpoint, and no name for a workflow (rename the workflow's folder)";
    let found = complaints("status", &good());
    assert_eq!(found[0], expected);
}
