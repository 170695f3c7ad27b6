//! The findings of a reviewer's report, by severity.

use crate::document::{self, Section};

/// The severities, in lower case, as facts spell them.
pub(crate) const SEVERITIES: [&str; 3] = ["high", "medium", "low"];

/// The findings of one report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// Pairs of severity and text, in the report's order.
    pub(crate) list: Vec<(&'static str, String)>,
    /// Whether the report has the expected form: it has sections by severity, or says that there are no findings.
    pub(crate) is_readable: bool,
}

impl Findings {
    /// Returns the number of findings of a severity.
    pub(crate) fn count(&self, severity: &str) -> usize {
        self.list.iter().filter(|(name, _)| *name == severity).count()
    }
}

/// Reads a report: every list item under a heading that is a severity's name, whatever the bullet or the depth. One
/// without findings says so in the words of `nothing`, in upper or lower case.
pub(crate) fn read(markdown: &str, nothing: &str) -> Findings {
    let sections = document::sections(markdown);
    let nothing = nothing.to_lowercase();
    let is_nothing = |item: &str| is_nothing(item, &nothing);
    let says_nothing = |section: &Section| section.text.to_lowercase().contains(&nothing);
    let says_nothing = !nothing.is_empty() && sections.iter().any(says_nothing);
    let rated: Vec<(&'static str, &Section)> =
        sections.iter().filter_map(|section| Some((severity(&section.title)?, section))).collect();
    let items = |(name, section): &(&'static str, &Section)| {
        let items = section.items.iter().filter(|item| !is_nothing(item));
        items.map(|item| (*name, item.clone())).collect::<Vec<_>>()
    };
    // A section with text but no list would otherwise count as empty.
    let is_listed = |(_, section): &(&str, &Section)| !section.items.is_empty() || is_nothing(&section.text);
    Findings {
        list: rated.iter().flat_map(items).collect(),
        is_readable: says_nothing || (!rated.is_empty() && rated.iter().all(is_listed)),
    }
}

/// Returns the severity that a heading names, alone or next to a word such as `severity`.
fn severity(title: &str) -> Option<&'static str> {
    const EXTRA_WORDS: [&str; 6] = ["severity", "priority", "risk", "impact", "findings", "issues"];
    let title = title.to_lowercase();
    let mut words = title.split_whitespace().map(|word| word.trim_matches([':', '*', '(', ')']));
    let first = words.next()?;
    let is_plain = words.all(|word| word.is_empty() || EXTRA_WORDS.contains(&word));
    SEVERITIES.into_iter().find(|name| *name == first && is_plain)
}

/// Returns whether an item only says that there are no findings.
fn is_nothing(item: &str, nothing: &str) -> bool {
    let plain = item.trim().trim_matches(['.', '!', '*', '_', '(', ')', '-']).to_lowercase();
    matches!(plain.as_str(), "" | "none" | "n/a" | "nothing" | "no findings") || plain == nothing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Findings {
        super::read(text, "No substantive findings")
    }

    fn counts(text: &str) -> [usize; 3] {
        let found = read(text);
        SEVERITIES.map(|name| found.count(name))
    }

    #[test]
    fn any_bullet_and_any_depth_counts() {
        let text = "# Round 1 findings\n\n## High\n- a (b)\n* c\n\n1. d\n2. e\n\n## Medium\n- outer\n  - inner\n\n## Low\n- None\n";
        assert_eq!(counts(text), [4, 2, 0]);
        assert_eq!(read(text).list[4..], [("medium", "outer".to_owned()), ("medium", "inner".to_owned())]);
    }

    #[test]
    fn headings_are_whole_words_in_any_case() {
        assert_eq!(
            counts("## high\n- a\n## LOW:\n- b\n## Lowest priority\n- c\n## Medium\n\ntext"),
            [1, 0, 1]
        );
    }

    #[test]
    fn an_empty_report_differs_from_an_unreadable_one() {
        assert_eq!(
            read("# Round 1 findings\n\nNo substantive findings.\n"),
            Findings { list: vec![], is_readable: true }
        );
        assert!(read("## High\n- none.\n").is_readable);
        assert!(!read("## High\nThe lock is missing.\n## Medium\n- a\n").is_readable, "no list");
        assert_eq!(
            counts("## High severity\n- a\n## Low-hanging fruit\n- b\n## High level view\n- c\n"),
            [1, 0, 0]
        );
        for text in ["", "LGTM", "- a finding without a severity"] {
            assert!(!read(text).is_readable, "{text}");
        }
    }
}
