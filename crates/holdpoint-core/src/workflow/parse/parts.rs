//! `names`: files beside the workflow's own that have further names. All of them are read as one text, so that every place in
//! it is one number; [`placed`] says which file that is in.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
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
    /// What is wrong with the list.
    pub(super) problems: Vec<Diagnostic>,
}

/// A file that is no TOML.
pub(super) struct Broken {
    pub(super) span: Range<usize>,
    pub(super) message: String,
}

impl Broken {
    /// The same error, in the file that begins there.
    pub(super) fn at(start: usize, error: &toml::de::Error) -> Broken {
        let span = error.span().unwrap_or(0..0);
        Broken { span: span.start + start..span.end + start, message: error.message().to_owned() }
    }
}

impl Whole {
    /// The whole of a workflow's file and of those that `document`, which is what it says, lists.
    pub(super) fn of(
        source: &str,
        document: Option<&DeTable<'_>>,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> Whole {
        let mut whole = Whole { source: source.to_owned(), places: Vec::new(), problems: Vec::new() };
        for (name, span) in document.map(listed).unwrap_or_default() {
            let Some(text) = read(&name).filter(|_| name.ends_with(".toml") && name != FILE) else {
                let message = format!("there is no file `{name}` with names");
                let hint =
                    "name a .toml file of the workflow's folder, with [let], [data], [paths] or [patterns]";
                whole.problems.push(Diagnostic::error(FILE, span, message).hinted(hint));
                continue;
            };
            whole.source.push('\n');
            whole.places.push((name, whole.source.len()));
            whole.source.push_str(&text);
        }
        whole
    }

    /// The tables of all files as those of one, and what is wrong with the further ones.
    pub(super) fn document<'a>(
        &'a self,
        mut document: DeTable<'a>,
    ) -> Result<(DeTable<'a>, Vec<Diagnostic>), Broken> {
        let mut problems = self.problems.clone();
        let ends = self.places.iter().skip(1).map(|(_, start)| start - 1).chain([self.source.len()]);
        for ((_, start), end) in self.places.iter().zip(ends) {
            let parsed =
                DeTable::parse(&self.source[*start..end]).map_err(|error| Broken::at(*start, &error))?;
            for (key, value) in moved_table(parsed.into_inner(), *start) {
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

/// A table with every place in it moved.
fn moved_table(table: DeTable<'_>, by: usize) -> DeTable<'_> {
    let moved_pair = |(key, value): (Spanned<_>, _)| {
        let span = key.span();
        (Spanned::new(span.start + by..span.end + by, key.into_inner()), moved(value, by))
    };
    table.into_iter().map(moved_pair).collect()
}

fn moved(value: Spanned<DeValue<'_>>, by: usize) -> Spanned<DeValue<'_>> {
    let span = value.span();
    let value = match value.into_inner() {
        DeValue::Table(table) => DeValue::Table(moved_table(table, by)),
        DeValue::Array(list) => DeValue::Array(list.into_iter().map(|item| moved(item, by)).collect()),
        plain => plain,
    };
    Spanned::new(span.start + by..span.end + by, value)
}

/// Adds the names of a table to the one of that key.
fn add<'a>(
    document: &mut DeTable<'a>,
    key: Spanned<Cow<'a, str>>,
    names: DeTable<'a>,
    problems: &mut Vec<Diagnostic>,
) {
    let there = document.iter_mut().find(|(known, _)| known.get_ref() == key.get_ref());
    let Some((_, there)) = there else {
        let span = key.span();
        document.insert(key, Spanned::new(span, DeValue::Table(names)));
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
fn listed(document: &DeTable<'_>) -> Vec<(String, Range<usize>)> {
    let list = document.iter().find(|(key, _)| key.get_ref() == "names");
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

#[cfg(test)]
mod tests {
    use crate::workflow::parse::parse;

    /// What is wrong with a workflow that names `a.toml` and `b.toml`, by file and by the text that is meant.
    fn wrong(source: &str, a: &str, b: &str) -> Vec<(String, String, String)> {
        let text = |name: &str| match name {
            "a.toml" => Some(a.to_owned()),
            "b.toml" => Some(b.to_owned()),
            _ => None,
        };
        let source = format!("about = \"\"\n{source}\n[run]\nhome = \".x\"\n");
        let problems = parse("x", &source, &text).problems;
        let meant = |file: &str| text(file).unwrap_or_else(|| source.clone());
        let told = problems.into_iter().map(|problem| {
            let place = meant(&problem.file).get(problem.span).unwrap_or_default().to_owned();
            (problem.file, place, problem.message)
        });
        told.collect()
    }

    #[test]
    fn what_is_wrong_with_a_further_file_is_placed_there() {
        let names = "names = [\"a.toml\", \"b.toml\"]";
        assert_eq!(wrong(names, "[let]\none = \"1\"", "[data]\nlist = [\"é\", { x = 1 }]"), []);
        let first = |found: Vec<(String, String, String)>| {
            let (file, place, message) = found.into_iter().next().unwrap();
            format!("{file} {place}: {message}")
        };
        let twice = wrong(names, "# é\n[let]\none = \"1\"", "[let]\none = \"2\"");
        assert_eq!(first(twice), "b.toml one: `one` has its meaning already");
        let other = wrong(names, "[let]\none = \"1\"", "# é\n[holds.x]\non = \"stop\"");
        assert_eq!(first(other), "b.toml holds: `holds` does not belong in a file of names");
        assert!(first(wrong(names, "[let]\n", "# é\none = = 1")).starts_with("b.toml "));
        let missing = wrong("names = [\"a.toml\", \"c.toml\"]", "[let]", "");
        assert_eq!(first(missing), "workflow.toml \"c.toml\": there is no file `c.toml` with names");
    }
}
