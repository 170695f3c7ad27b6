//! The tasks of a spec's plan: `### Task 1: name` under its heading, with the files that each names.

use holdpoint_core::document::outline::{self, Heading};
use holdpoint_core::document::prose;
use serde::Serialize;

use crate::allowed_files::{listed, paths_in};
use crate::reader::Reader;

/// A reader of plans, by the titles they have. The first that has tasks counts, wherever it stands: so a detailed plan
/// can replace the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The titles.
    pub titles: Vec<String>,
}

impl Reader for Plan {
    type Found = Vec<PlanTask>;

    /// Reads the tasks. None if two share an id or they are out of order: whoever works through them could not tell
    /// which is due.
    fn read(&self, document: &str) -> Option<Vec<PlanTask>> {
        let tasks = tasks(document, &self.titles);
        let is_in_order = tasks.iter().zip(1..).all(|(task, number)| task.id == number);
        Some(if is_in_order { tasks } else { Vec::new() })
    }
}

/// A task. Its id is as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlanTask {
    /// Its number.
    pub id: u64,
    /// Its name; empty if it has none.
    pub name: String,
    /// The files it says it is about.
    pub files: Vec<String>,
}

/// A spec's tasks, in the order of the document.
fn tasks(spec: &str, titles: &[String]) -> Vec<PlanTask> {
    let headings = outline::headings(spec);
    let plans = titles.iter().filter_map(|title| headings.iter().find(|heading| heading.is(title)));
    plans.map(|plan| tasks_of(spec, plan, &headings)).find(|tasks| !tasks.is_empty()).unwrap_or_default()
}

fn tasks_of(spec: &str, plan: &Heading, headings: &[Heading]) -> Vec<PlanTask> {
    let below = headings.iter().filter(|heading| plan.body.contains(&heading.span.start));
    let task = |heading: &Heading| {
        let (id, name) = numbered(&heading.title)?;
        Some(PlanTask { id, name, files: files(spec.get(heading.body.clone()).unwrap_or_default()) })
    };
    below.filter_map(task).collect()
}

/// The number and the name in `Task 1: name`, `Task 1/3 — name`, `Task 1`. `Task 1.2` is a part of a task.
fn numbered(title: &str) -> Option<(u64, String)> {
    let title = title.trim_start_matches(|c: char| !c.is_alphanumeric());
    let after = title.get(..4).filter(|word| word.eq_ignore_ascii_case("task")).map(|_| &title[4..])?;
    let (id, rest) = number(after.strip_prefix(char::is_whitespace)?.trim_start_matches([' ', '#']))?;
    let rest =
        match rest.trim_start().strip_prefix(['/', 'o']).map(|rest| rest.trim_start_matches(['f', ' '])) {
            Some(total) => number(total)?.1,
            None => rest,
        };
    let is_part = rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let goes_on = rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let name = rest.trim_start_matches([' ', ':', '-', '—', '–', '.', ')', '\t']).trim();
    (!is_part && !goes_on).then(|| (id, name.to_owned()))
}

fn number(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text[..digits].parse().ok()?, &text[digits..]))
}

/// The files that stand after `Files:` on the same line, or in the list or table below it.
fn files(task: &str) -> Vec<String> {
    let text = prose::without_blocks(task);
    let mut found: Vec<String> = Vec::new();
    let mut below: Option<Vec<&str>> = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(rest) = after_label(line) {
            found.extend(paths_in(rest));
            below.get_or_insert_default();
        } else if let Some(list) = below.as_mut() {
            if ends_list(line) {
                break;
            }
            list.push(line);
        }
    }
    found.extend(listed(&below.unwrap_or_default().join("\n")));
    let mut seen = std::collections::HashSet::new();
    found.retain(|path| seen.insert(path.clone()));
    found
}

/// What follows `**Files:**`, `Files:` or `**File**:`.
fn after_label(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let word = ["files", "file"]
        .into_iter()
        .find(|word| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))?;
    let rest = text[word.len()..].trim_start_matches(['*', '_']).strip_prefix(':')?;
    Some(rest.trim_start_matches(['*', '_', ' ']))
}

/// Whether prose begins here, a heading, or another label such as `**Acceptance:**`.
fn ends_list(line: &str) -> bool {
    let text = line.trim_start();
    let bare = text.trim_start_matches(['-', '*', '+', ' ']);
    let is_label = text.contains("**") && (bare.contains(":**") || bare.contains("**:"));
    let names_no_file = paths_in(text).is_empty();
    text.starts_with('#') || text.starts_with(char::is_alphabetic) || (is_label && names_no_file)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tasks(spec: &str) -> Vec<PlanTask> {
        let titles = ["Detailed Implementation Plan", "Implementation Plan"].map(str::to_owned);
        super::tasks(spec, &titles)
    }

    fn shown(spec: &str) -> Vec<String> {
        tasks(spec)
            .iter()
            .map(|task| format!("{} {} [{}]", task.id, task.name, task.files.join(" ")))
            .collect()
    }

    #[test]
    fn titles() {
        for (title, expect) in [
            ("### Task 1: Add x", "1 Add x []"),
            ("### Task 2/3 — Add x", "2 Add x []"),
            ("### Task 2 of 3: Add x", "2 Add x []"),
            ("### Task 3 - Add `x`", "3 Add x []"),
            ("### Task 4. Add x", "4 Add x []"),
            ("### Task 5) Add x", "5 Add x []"),
            ("### Task 6", "6  []"),
            ("### task 7: x", "7 x []"),
            ("### ✅ Task 8: x", "8 x []"),
            ("#### Task 9: x", "9 x []"),
            ("### Task #10: x", "10 x []"),
            ("### **Task 11:** x", "11 x []"),
        ] {
            assert_eq!(shown(&format!("## Implementation Plan\n{title}\ntext")), [expect], "{title}");
        }
        for title in [
            "### Task: x",
            "### Task 1.2: x",
            "### Task one",
            "### Tasks 1",
            "### Task 1x",
            "### Subtask 1: x",
            "## Task 1: x",
            "```\n### Task 1: x\n```",
            "> ### Task 1: x",
            "    ### Task 1: x",
            "Task 1: x",
            "### Task 99999999999999999999999: x",
        ] {
            assert_eq!(shown(&format!("## Implementation Plan\n{title}\ntext")), [""; 0], "{title}");
        }
    }

    #[test]
    fn the_detailed_plan_counts_where_there_are_two() {
        let old = "## Implementation Plan\n### Task 1: old\n";
        let new = "## Detailed Implementation Plan\n### Task 1: new\n### Task 2: more\n";
        for spec in [format!("{old}{new}"), format!("{new}{old}")] {
            assert_eq!(shown(&spec), ["1 new []", "2 more []"]);
        }
        assert_eq!(shown(&format!("{old}## Detailed Implementation Plan\nnothing yet\n")), ["1 old []"]);
        assert_eq!(shown("## Notes\n### Task 1: x"), [""; 0]);
        assert_eq!(shown(&format!("```\n{new}```\n{old}")), ["1 old []"]);
    }

    #[test]
    fn tasks_that_nobody_could_work_through_in_order_are_none() {
        let plan = Plan { titles: vec!["Steps".to_owned()] };
        let count = |ids: &[u32]| {
            let tasks: String = ids.iter().map(|id| format!("### Task {id}: x\n")).collect();
            plan.read(&format!("## Steps\n{tasks}")).unwrap().len()
        };
        assert_eq!(count(&[1, 2, 3]), 3);
        for ids in [&[2, 3][..], &[1, 3], &[2, 1], &[1, 1]] {
            assert_eq!(count(ids), 0, "{ids:?}");
        }
    }

    #[test]
    fn files_of_a_task() {
        for (body, expect) in [
            (
                "**Type:** code\n**Files:**\n- Create: `src/a.py`\n- Modify: `src/b.py:10-20`\n\n**Pattern:** `src/c.py`",
                "src/a.py src/b.py",
            ),
            ("**Files:** `src/a.py`, `src/b.py`\n**Acceptance:** `c.py`", "src/a.py src/b.py"),
            ("Files:\n  1. src/a.py — new\n\ntext\n- `src/b.py`", "src/a.py"),
            ("- **Files:** `a.py`\n- **Acceptance:** x `b.py`", "a.py"),
            ("**Files:**\n| File |\n|---|\n| `a.py` |", "a.py"),
            ("**Files:**\n- **Modify:** `a.py`\n- **Test:** `b.py`\n**Steps:**\n- `c.py`", "a.py b.py"),
            ("no files `a.py`", ""),
            ("```\nFiles: `a.py`\n```", ""),
            ("**Files:**\n- `a.py`\n- `a.py`\n#### Steps\n- `b.py`", "a.py"),
        ] {
            let spec = format!("## Implementation Plan\n### Task 1: x\n{body}\n### Task 2: y\n- `z.py`");
            assert_eq!(tasks(&spec)[0].files.join(" "), expect, "{body}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(#+ |Task|Files:| |1|/|—|:|\\*\\*|`a.py`|- |\n|é|```|Implementation Plan|of|\\.){0,40}") {
            tasks(&text);
            tasks(&format!("## Implementation Plan\n### Task {text}"));
        }
    }
}
