//! `names`: files beside the workflow's own that have further names. All of them are read as one text, so that every place in
//! it is one number; [`placed`] says which file that is in.

use std::borrow::Cow;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::FILE;
use crate::diagnostic::Diagnostic;

/// The tables that such a file can have.
const TABLES: [&str; 4] = ["let", "data", "paths", "patterns"];

/// A workflow's file with the others that it names.
pub(super) struct Whole {
    /// All of them, one after the other.
    pub(super) source: String,
    /// Each further file, and where it begins.
    pub(super) places: Vec<(String, usize)>,
    /// Each of them after as many blanks as there is text before it.
    moved: Vec<String>,
    /// What is wrong with the list.
    pub(super) problems: Vec<Diagnostic>,
}

impl Whole {
    pub(super) fn of(source: &str, read: &dyn Fn(&str) -> Option<String>) -> Whole {
        let mut whole =
            Whole { source: source.to_owned(), places: Vec::new(), moved: Vec::new(), problems: Vec::new() };
        for (name, span) in listed(source) {
            let Some(text) = read(&name).filter(|_| name.ends_with(".toml") && name != FILE) else {
                let message = format!("there is no file `{name}` with names");
                let hint =
                    "name a .toml file of the workflow's folder, with [let], [data], [paths] or [patterns]";
                whole.problems.push(Diagnostic::error(FILE, span, message).hinted(hint));
                continue;
            };
            whole.source.push('\n');
            whole.places.push((name, whole.source.len()));
            whole.moved.push(" ".repeat(whole.source.len()) + &text);
            whole.source.push_str(&text);
        }
        whole
    }

    /// The tables of all files as those of one, and what is wrong with the further ones.
    pub(super) fn document<'a>(
        &'a self,
        source: &'a str,
    ) -> Result<(DeTable<'a>, Vec<Diagnostic>), toml::de::Error> {
        let mut document = DeTable::parse(source)?.into_inner();
        let mut problems = self.problems.clone();
        for moved in &self.moved {
            for (key, value) in DeTable::parse(moved)?.into_inner() {
                let is_known = TABLES.contains(&key.get_ref().as_ref());
                match value.into_inner() {
                    DeValue::Table(names) if is_known => add(&mut document, key, names, &mut problems),
                    _ => problems.push(misplaced(key.get_ref(), key.span())),
                }
            }
        }
        Ok((document, problems))
    }
}

/// Adds the names of a table to the one of that key.
fn add<'a>(
    document: &mut DeTable<'a>,
    key: toml::Spanned<Cow<'a, str>>,
    names: DeTable<'a>,
    problems: &mut Vec<Diagnostic>,
) {
    let there = document.iter_mut().find(|(known, _)| known.get_ref() == key.get_ref());
    let Some((_, there)) = there else {
        let span = key.span();
        document.insert(key, toml::Spanned::new(span, DeValue::Table(names)));
        return;
    };
    let DeValue::Table(there) = there.get_mut() else { return };
    for (name, source) in names {
        if there.iter().any(|(known, _)| known.get_ref() == name.get_ref()) {
            let message = format!("`{}` has its meaning already", name.get_ref());
            let problem = Diagnostic::error(FILE, name.span(), message);
            problems.push(problem.hinted("give it another name, or delete it"));
        } else {
            there.insert(name, source);
        }
    }
}

fn misplaced(key: &str, span: Range<usize>) -> Diagnostic {
    Diagnostic::error(FILE, span, format!("`{key}` does not belong in a file of names"))
        .hinted("it has [let], [data], [paths] and [patterns]; all else is in workflow.toml")
}

/// The files that `names` lists, with their places.
fn listed(source: &str) -> Vec<(String, Range<usize>)> {
    let Ok(document) = DeTable::parse(source) else { return Vec::new() };
    let list = document.get_ref().iter().find(|(key, _)| key.get_ref() == "names");
    let items =
        list.and_then(|(_, value)| value.get_ref().as_array()).into_iter().flat_map(|list| list.iter());
    items.filter_map(|item| Some((item.get_ref().as_str()?.to_owned(), item.span()))).collect()
}

/// A problem in the file that its place is in.
pub(in super::super) fn placed(problem: Diagnostic, places: &[(String, usize)]) -> Diagnostic {
    let is_after = |(_, start): &&(String, usize)| problem.file == FILE && problem.span.start >= *start;
    match places.iter().rfind(is_after) {
        Some((file, start)) => Diagnostic {
            file: file.clone(),
            span: problem.span.start - start..problem.span.end.saturating_sub(*start),
            ..problem
        },
        None => problem,
    }
}
