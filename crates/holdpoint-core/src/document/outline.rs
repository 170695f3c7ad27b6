//! A document's headings, and the Markdown source under them.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A heading. Headings in lists, quotations and code are not included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The level, from 1 to 6.
    pub level: u8,
    /// The text without markup.
    pub title: String,
    /// The heading's own byte range.
    pub span: Range<usize>,
    /// The byte range of the content under it, up to the next heading of the same or a higher level.
    pub body: Range<usize>,
}

impl Heading {
    /// Returns whether the heading has this title, ignoring case and any punctuation around it.
    pub fn is(&self, title: &str) -> bool {
        let plain = self.title.trim_matches(|c: char| !c.is_alphanumeric());
        plain.eq_ignore_ascii_case(title)
    }
}

/// Returns a document's headings, in order.
pub fn headings(markdown: &str) -> Vec<Heading> {
    let mut found: Vec<Heading> = Vec::new();
    let (mut depth, mut is_open) = (0usize, false);
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    for (event, span) in Parser::new_ext(markdown, options).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_) | Tag::Item) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::Item) => depth = depth.saturating_sub(1),
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                let body = span.end..markdown.len();
                found.push(Heading { level: level as u8, title: String::new(), span, body });
                is_open = true;
            }
            Event::End(TagEnd::Heading(_)) => is_open = false,
            Event::Text(text) | Event::Code(text) if is_open => {
                found.iter_mut().last().into_iter().for_each(|heading| heading.title.push_str(&text));
            }
            _ => {}
        }
    }
    for place in 0..found.len() {
        let level = found[place].level;
        let next = found[place + 1..].iter().find(|heading| heading.level <= level);
        if let Some(end) = next.map(|heading| heading.span.start) {
            found[place].body.end = end;
        }
    }
    found
}

/// Returns the Markdown under the first heading of this title, including its subheadings.
pub fn under<'a>(markdown: &'a str, title: &str) -> Option<&'a str> {
    let heading = headings(markdown).into_iter().find(|heading| heading.is(title))?;
    markdown.get(heading.body)
}

/// Removes the first section of this title, its subheadings, and the blank lines around it.
pub(crate) fn without_first(markdown: &str, title: &str) -> String {
    let Some(heading) = headings(markdown).into_iter().find(|heading| heading.is(title)) else {
        return markdown.trim_end().to_owned();
    };
    let before = markdown.get(..heading.span.start).unwrap_or_default().trim_end();
    let after = markdown.get(heading.body.end..).unwrap_or_default().trim();
    format!("{before}\n{after}").trim_end().to_owned()
}

/// Returns the line that contains a byte, counted from 1.
pub fn line_at(text: &str, byte: usize) -> usize {
    1 + text.bytes().take(byte).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\ntitle: x\n---\n# A\n\n## B `c` **d**\none\n### E\ntwo\n\n```\n## F\n```\n> ## G\n\n- ## H\n\n## I\nlast";

    #[test]
    fn a_heading_includes_its_subheadings() {
        let found = headings(TEXT);
        let titles: Vec<_> = found.iter().map(|heading| (heading.level, heading.title.as_str())).collect();
        assert_eq!(titles, [(1, "A"), (2, "B c d"), (3, "E"), (2, "I")]);
        assert!(TEXT[found[1].body.clone()].contains("two") && !TEXT[found[1].body.clone()].contains("last"));
        assert_eq!(under(TEXT, "i"), Some("last"));
        assert_eq!(under(TEXT, "F"), None);
        assert_eq!(line_at(TEXT, found[1].span.start), 6);
    }

    #[test]
    fn removing_a_section_leaves_the_rest_unchanged() {
        let rest = without_first("# A\none\n## I\nx\n", "Log");
        for text in [
            "# A\none\n\n## Log\n## I\nx",
            "# A\none\n## Log\n\n### Task 1\n- y\n\n## I\nx\n",
            "# A\none\n## I\nx\n\n\n## Log\n- z\n",
        ] {
            assert_eq!(without_first(text, "Log"), rest, "{text}");
        }
        assert_ne!(without_first("# A\ntwo\n## I\nx\n", "Log"), rest);
    }

    #[test]
    fn titles_may_have_marks_around_them() {
        for title in ["## I", "## I:", "## ✅ I", "##   i  ##", "I\n---"] {
            assert_eq!(under(&format!("{title}\nx"), "I"), Some("x"), "{title}");
        }
        assert_eq!(under("## I J\nx", "I"), None);
    }
}
