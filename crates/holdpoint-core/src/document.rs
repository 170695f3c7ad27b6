//! The sections of a Markdown document: text, tables, list items, and the paths they name.

pub mod cells;
pub mod outline;
pub mod prose;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A table's row: pairs of column title and cell, in the table's order.
pub type Row = Vec<(String, String)>;

/// The content under one heading, up to the next heading of any level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The heading's text; empty before the first heading.
    pub title: String,
    /// All text, one line per block.
    pub text: String,
    /// The rows of its tables.
    pub rows: Vec<Row>,
    /// Its list items.
    pub items: Vec<String>,
    /// The code spans that look like a path or a glob.
    pub paths: Vec<String>,
}

/// Returns a document's sections in order. The first has no title.
pub fn sections(markdown: &str) -> Vec<Section> {
    let mut reader = SectionBuilder { sections: vec![Section::default()], ..SectionBuilder::default() };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        reader.take(event);
    }
    reader.sections
}

#[derive(Default)]
struct SectionBuilder {
    sections: Vec<Section>,
    in_heading: bool,
    header: Vec<String>,
    cells: Option<Vec<String>>,
    /// The indexes, in the section, of the list items that are open.
    items: Vec<usize>,
}

impl SectionBuilder {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.write(&text),
            Event::Code(code) => {
                if looks_like_path(&code) {
                    self.section().paths.push(code.to_string());
                }
                self.write(&code);
            }
            // `Vec<String>` and `<script>` are text about code, not markup. Comments are left out.
            Event::Html(html) | Event::InlineHtml(html) if !html.starts_with("<!--") => self.write(&html),
            Event::SoftBreak | Event::HardBreak => self.write(" "),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.in_heading = true;
                self.sections.push(Section::default());
            }
            Tag::TableHead | Tag::TableRow => self.cells = Some(Vec::new()),
            Tag::TableCell => self.cells.iter_mut().for_each(|cells| cells.push(String::new())),
            Tag::Item => {
                let items = &mut self.section().items;
                items.push(String::new());
                let place = items.len() - 1;
                self.items.push(place);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.in_heading = false;
                let section = self.section();
                section.title = section.title.trim().to_owned();
            }
            TagEnd::TableHead => self.header = self.cells.take().unwrap_or_default(),
            TagEnd::TableRow => {
                let cells = self.cells.take().unwrap_or_default();
                let row =
                    self.header.iter().cloned().zip(cells.into_iter().map(|cell| cell.trim().to_owned()));
                let row = row.collect();
                self.section().rows.push(row);
            }
            TagEnd::Item => {
                let place = self.items.pop();
                if let Some(item) = place.and_then(|place| self.section().items.get_mut(place)) {
                    *item = item.trim().to_owned();
                }
            }
            TagEnd::Paragraph | TagEnd::CodeBlock => self.section().text.push('\n'),
            _ => {}
        }
    }

    fn write(&mut self, text: &str) {
        if self.in_heading {
            self.section().title.push_str(text);
            return;
        }
        if let Some(cell) = self.cells.as_mut().and_then(|cells| cells.last_mut()) {
            cell.push_str(text);
        } else if let Some(place) = self.items.last().copied()
            && let Some(item) = self.section().items.get_mut(place)
        {
            item.push_str(text);
        }
        self.section().text.push_str(text);
    }

    fn section(&mut self) -> &mut Section {
        if self.sections.is_empty() {
            self.sections.push(Section::default());
        }
        let last = self.sections.len() - 1;
        &mut self.sections[last]
    }
}

fn looks_like_path(code: &str) -> bool {
    !code.is_empty() && !code.contains(char::is_whitespace) && (code.contains('/') || code.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_by_its_sections() {
        let text = "intro\n# Plan\nwords `src/a.rs` and `x`\n\n- one\n- two `b.md`\n\n## Tasks\n\n| ID | Status |\n|---|---|\n| 1 | pending |\n| 2 | **done** |\n";
        let found = sections(text);
        assert_eq!(found.iter().map(|s| s.title.as_str()).collect::<Vec<_>>(), ["", "Plan", "Tasks"]);
        assert_eq!(found[1].paths, ["src/a.rs", "b.md"]);
        assert_eq!(found[1].items, ["one", "two b.md"]);
        assert_eq!(found[2].rows[1], [("ID".into(), "2".into()), ("Status".into(), "done".into())]);
    }

    #[test]
    fn html_like_words_are_text() {
        let found = sections("# A <!-- note -->\n- Vec<String> grows\n- <script> is not escaped\n");
        assert_eq!(found[1].title, "A");
        assert_eq!(found[1].items, ["Vec<String> grows", "<script> is not escaped"]);
    }

    #[test]
    fn malformed_markdown_has_no_rows() {
        for text in ["", "|", "|||\n|-|\n|", "# ", "```\n# no heading"] {
            assert!(sections(text).iter().all(|section| section.rows.is_empty()), "{text}");
        }
    }
}
