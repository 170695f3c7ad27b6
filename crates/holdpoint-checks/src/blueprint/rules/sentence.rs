//! Rules in words: "`billing` may import `shared` and `infra`", "domains must not import each other".
//!
//! The words here are no workflow's: they are the English of a rule ("may", "never", "each other"), and "domain", "layer"
//! and "import", which are what the check itself is about. The names of the parts come from the documents.

use super::read::{Names, Says};
use crate::blueprint::map::{Map, key};
use holdpoint_core::document::cells::Cell;

/// Stands before and after a name in code marks.
const MARK: char = '\u{1}';

/// What may stand between names.
const JOINING: [&str; 6] = [",", "and", "or", "nor", "the", "from"];

/// Reads a line. Where the section `is_meant` to be about imports, "billing imports shared" is a rule; elsewhere it may
/// only tell what is, and a "may", "must" or "never" is wanted.
pub(super) fn read(line: &str, map: &Map, is_meant: bool) -> Option<(Names, Says, Names)> {
    let words = words(line);
    let verb =
        words.iter().position(|word| matches!(word.as_str(), "import" | "imports" | "depend" | "depends"))?;
    let before: Vec<&str> = words[..verb].iter().map(String::as_str).collect();
    let told = |word: &&str| {
        matches!(
            *word,
            "may" | "can" | "must" | "should" | "not" | "never" | "only" | "cannot" | "mustn't" | "can't"
        )
    };
    let start = before.iter().position(&told).unwrap_or(before.len());
    let (subject, modal) = before.split_at(start);
    if !modal.iter().all(told) || (modal.is_empty() && !is_meant) {
        return None;
    }
    let is_nobody = subject.first() == Some(&"no") || subject.first() == Some(&"nothing");
    let is_not = is_nobody
        || modal.iter().any(|word| matches!(*word, "not" | "never" | "cannot" | "mustn't" | "can't"));
    let from = subject_names(subject, map)?;
    let after = words[verb + 1..]
        .iter()
        .map(String::as_str)
        .skip_while(|word| matches!(*word, "from" | "on" | "only"));
    let (to, is_nothing) = object_names(after, map)?;
    let says = if is_not || is_nothing { Says::MayNot } else { Says::May };
    Some((from, says, to))
}

/// A line's words in lower case; names in code marks keep their marks, and what ends a sentence is a word.
fn words(line: &str) -> Vec<String> {
    let item = line.trim().trim_start_matches(['-', '*', '+', '>', ' ']);
    let cell = Cell::read(item);
    let mut text = cell.text.clone();
    for code in &cell.codes {
        if !code.contains(char::is_whitespace) && !text.contains(&format!("{MARK}{code}{MARK}")) {
            text = text.replace(code.as_str(), &format!("{MARK}{code}{MARK}"));
        }
    }
    let spaced = text.replace(',', " , ").replace(';', " . ").replace(". ", " . ").replace(':', " . ");
    spaced
        .split_whitespace()
        .map(|word| word.trim_end_matches('.').to_lowercase())
        .map(|word| if word.is_empty() { ".".to_owned() } else { word })
        .collect()
}

fn subject_names(words: &[&str], map: &Map) -> Option<Names> {
    let text = words.join(" ");
    let general = text.trim_start_matches("no ").trim_start_matches("the ");
    if matches!(
        general,
        "all"
            | "any"
            | "all domains"
            | "any domain"
            | "every domain"
            | "each domain"
            | "domain"
            | "*"
            | "domains"
            | "nothing"
            | "everyone"
            | "everything"
            | "all layers"
            | "any layer"
            | "every layer"
            | "layer"
    ) && !map.has_part(&key(general))
    {
        return Some(Names::All);
    }
    let names = names(words.iter().copied().filter(|word| !matches!(*word, "no" | "the")), map)?;
    (!names.is_empty()).then_some(Names::Parts(names))
}

/// What is imported, and whether that is nothing.
fn object_names<'w>(words: impl Iterator<Item = &'w str>, map: &Map) -> Option<(Names, bool)> {
    let words: Vec<&str> = words.take_while(|word| *word != ".").collect();
    match words[..] {
        ["nothing" | "none", ..] => return Some((Names::All, true)),
        ["anything" | "everything" | "all"] | ["any", ..] => return Some((Names::All, false)),
        ["each", "other", ..]
        | ["one", "another", ..]
        | ["other", "domains", ..]
        | ["another", "domain", ..] => {
            return Some((Names::EachOther, false));
        }
        _ => {}
    }
    let is_end = |word: &&&str| !JOINING.contains(*word) && names(std::iter::once(**word), map).is_none();
    let end = words.iter().position(|word| is_end(&word)).unwrap_or(words.len());
    let names = names(words[..end].iter().copied(), map)?;
    (!names.is_empty()).then_some((Names::Parts(names), false))
}

/// The names among words that join them; nothing if another word is there.
fn names<'w>(words: impl Iterator<Item = &'w str>, map: &Map) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for word in words {
        if JOINING.contains(&word) {
            continue;
        }
        let is_marked = word.starts_with(MARK);
        let name = key(word.trim_matches(|c: char| c == MARK || matches!(c, '(' | ')')));
        if !(is_marked || map.has_part(&name)) || !name.starts_with(char::is_alphabetic) {
            return None;
        }
        found.push(name);
    }
    Some(found)
}
