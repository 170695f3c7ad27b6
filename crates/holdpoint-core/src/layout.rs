//! The files that a run's folder may contain, and the faults of a folder that contains others.

mod pattern;

use std::collections::BTreeSet;

use self::pattern::Pattern;
use crate::workflow::{List, Text};

/// The `[layout]` table: the files of a run's folder.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::layout))]
pub struct Layout {
    /// The file extension that the layout covers. Hidden files and other extensions are ignored.
    pub ending: Text,
    /// Whether subfolders may contain such files.
    pub nested: bool,
    /// The allowed names. The first that matches counts.
    pub names: List<Name>,
}

/// An allowed file name. `{id}` stands for letters, digits, `-` and `_`; `{n}` for a number.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::layout))]
pub struct Name {
    /// The name, with its placeholders.
    pub name: Text,
    /// Whether the file must exist.
    pub required: bool,
    /// Another file that must exist alongside it.
    pub with: Option<Text>,
    /// Whether the file contains one table and nothing else.
    pub table: bool,
}

/// Returns what is wrong with the files (relative paths with forward slashes). `read` returns a file's text.
pub(crate) fn faults(
    layout: &Layout,
    files: &[String],
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut faults = Vec::new();
    let ours = |path: &&String| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.ends_with(layout.ending.as_ref()) && !name.starts_with('.')
    };
    let (nested, top): (Vec<&String>, Vec<&String>) =
        files.iter().filter(ours).partition(|path| path.contains('/'));
    let there: BTreeSet<&str> = top.iter().map(|name| name.as_str()).collect();
    for name in layout.names.iter().filter(|name| name.required && !there.contains(name.name.as_ref())) {
        faults.push(format!("Missing required file: {}", name.name));
    }
    let known: Vec<Known<'_>> = layout.names.iter().map(Known::new).collect();
    for file in &there {
        faults.extend(fault_of(&known, file, &there, read));
    }
    if !layout.nested
        && let Some(first) = nested.first()
    {
        faults.push(format!("Files found in nested directories: {first}"));
    }
    faults
}

/// The highest number that `{n}` of a name stands for in these files.
pub(crate) fn highest(name: &str, files: &[String]) -> Option<u64> {
    let pattern = Pattern::new(name);
    let number = |file: &String| {
        let values = pattern.fit(file)?;
        values.iter().find(|(written, _)| *written == "{n}")?.1.parse().ok()
    };
    files.iter().filter_map(number).max()
}

/// A name with its patterns parsed.
struct Known<'l> {
    name: &'l Name,
    pattern: Pattern<'l>,
    with: Option<Pattern<'l>>,
}

impl<'l> Known<'l> {
    fn new(name: &'l Name) -> Known<'l> {
        Known { name, pattern: Pattern::new(&name.name), with: name.with.as_deref().map(Pattern::new) }
    }
}

fn fault_of(
    known: &[Known<'_>],
    file: &str,
    there: &BTreeSet<&str>,
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let fitting = known.iter().find_map(|known| Some((known, known.pattern.fit(file)?)));
    let Some((known, values)) = fitting else { return Some(format!("Invalid filename: {file}")) };
    if let Some(with) = &known.with {
        let other = with.fill(&values);
        if !there.contains(other.as_str()) {
            return Some(format!("{file} requires {other}"));
        }
    }
    known.name.table.then(|| read(file)).flatten().and_then(|text| table_fault(file, &text))
}

fn table_fault(file: &str, text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return Some(format!("{file} has no table rows"));
    }
    let is_row = |line: &&&str| line.starts_with('|') && line.len() > 1 && line.ends_with('|');
    (lines.iter().filter(is_row).count() < lines.len()).then(|| format!("{file} contains non-table content"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    fn name(name: &'static str, required: bool, with: Option<&'static str>, table: bool) -> Name {
        Name { name: name.into(), required, with: with.map(Cow::Borrowed), table }
    }

    fn check(files: &[&str]) -> Vec<String> {
        let names = vec![
            name("plan.md", true, None, false),
            name("tasks.md", false, None, true),
            name("task-{id}-post-review-{n}.md", false, Some("task-{id}-review-{n}.md"), false),
            name("task-{id}-review-{n}.md", false, None, false),
            name("plan-review-{n}.md", false, Some("plan.md"), false),
            name("task-{id}.md", false, Some("tasks.md"), false),
        ];
        let layout = Layout { ending: ".md".into(), nested: false, names: names.into() };
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        faults(&layout, &files, &|file| {
            (file == "tasks.md").then(|| "| Id |\n|---|\n\n| 1 | \r\n".to_owned())
        })
    }

    #[test]
    fn the_highest_number_of_files_named_so() {
        let files = ["a-2.md", "a-10.md", "a-b.md", "sub/a-99.md", "x-a-77.md"].map(str::to_owned);
        assert_eq!(highest("a-{n}.md", &files), Some(10));
        assert_eq!(highest("b-{n}.md", &files), None);
        assert_eq!(highest("a-2.md", &files), None);
    }

    #[test]
    fn a_valid_folder_has_no_faults() {
        assert_eq!(
            check(&[
                "plan.md",
                "tasks.md",
                "task-1.md",
                "task-1-review-2.md",
                "task-1-post-review-2.md",
                "plan-review-1.md",
                ".hidden.md",
                "state.json",
                "logs/x.txt"
            ]),
            [""; 0]
        );
    }

    #[test]
    fn every_fault_names_its_file() {
        assert_eq!(
            check(&["odd.md", "nested/extra.md"]),
            [
                "Missing required file: plan.md",
                "Invalid filename: odd.md",
                "Files found in nested directories: nested/extra.md",
            ]
        );
        assert_eq!(
            check(&["plan.md", "task-a-b.md", "task-1-post-review-1.md"]),
            ["task-1-post-review-1.md requires task-1-review-1.md", "task-a-b.md requires tasks.md",]
        );
    }

    #[test]
    fn a_table_is_a_table() {
        assert_eq!(table_fault("t", "").as_deref(), Some("t has no table rows"));
        assert_eq!(table_fault("t", "| a |\nprose").as_deref(), Some("t contains non-table content"));
        assert_eq!(table_fault("t", "| a |\r\n|---|\r\n  \r\n"), None);
    }
}
