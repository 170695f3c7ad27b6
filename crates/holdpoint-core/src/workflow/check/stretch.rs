//! A text by its stretches: what stands in code marks, and the prose around it, each with its place in the source.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, TagEnd};

/// Stands for a value that is filled in when the text is said.
pub(super) const FILLED: char = '\u{1}';
/// Stands for what cannot be known here: a part that is said or not, or code in the midst of prose.
pub(super) const UNKNOWN: char = '\u{2}';
/// Stands where emphasis or a line ends: what was named before it is over.
pub(super) const END: char = '\u{3}';

/// A stretch of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Stretch {
    /// Whether it is a line of code.
    pub(super) is_code: bool,
    /// What it says, with the marks above.
    pub(super) text: String,
    /// Where its parts stand: in the text, and in the source.
    places: Vec<(usize, usize)>,
    /// Where all of it stands, if the source spells it in another way.
    whole: Option<Range<usize>>,
}

impl Stretch {
    /// A place in it as a place in the source.
    pub(super) fn place(&self, span: Range<usize>) -> Range<usize> {
        let parts = || self.at(span.start)..self.at(span.end.saturating_sub(1)) + 1;
        self.whole.clone().unwrap_or_else(parts)
    }

    fn at(&self, at: usize) -> usize {
        let part = self.places.iter().rev().find(|(start, _)| *start <= at);
        part.map_or(0, |(start, place)| place + at - start)
    }

    fn push(&mut self, text: &str, place: usize) {
        self.places.push((self.text.len(), place));
        self.text.push_str(text);
    }
}

/// The stretches of a template that is Markdown, or can be read as such.
pub(super) fn stretches(source: &str) -> Vec<Stretch> {
    let plain = without_templates(source);
    let mut reader = Reader::default();
    for (event, span) in Parser::new_ext(&plain, Options::ENABLE_TABLES).into_offset_iter() {
        reader.take(&event, span, &plain);
    }
    reader.flush();
    reader.found
}

#[derive(Default)]
struct Reader {
    found: Vec<Stretch>,
    prose: Stretch,
    in_code: bool,
}

impl Reader {
    fn take(&mut self, event: &Event<'_>, span: Range<usize>, source: &str) {
        match event {
            Event::Start(tag) if is_inline(tag.to_end()) => {}
            Event::End(tag) if is_inline(*tag) => self.prose.push(END.encode_utf8(&mut [0; 4]), span.start),
            Event::Start(_) | Event::End(_) => {
                self.flush();
                self.in_code = matches!(event, Event::Start(tag) if tag.to_end() == TagEnd::CodeBlock);
            }
            Event::Text(code) if self.in_code => self.code(code, span, source),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.prose.push(text, span.start);
            }
            Event::Code(code) => {
                self.prose.push(UNKNOWN.encode_utf8(&mut [0; 4]), span.start);
                self.code(code, span, source);
            }
            Event::SoftBreak => self.prose.push("\n", span.start),
            Event::HardBreak => self.prose.push(&format!("{END}\n"), span.start),
            _ => {}
        }
    }

    fn code(&mut self, text: &str, span: Range<usize>, source: &str) {
        let start = source.get(span.clone()).and_then(|raw| raw.find(text)).map(|at| span.start + at);
        let mut place = start.unwrap_or(span.start);
        for line in text.split_inclusive('\n') {
            let whole = if start.is_none() { Some(span.clone()) } else { None };
            let mut stretch = Stretch { is_code: true, whole, ..Stretch::default() };
            stretch.push(line.trim_end(), place);
            self.found.push(stretch);
            place += line.len();
        }
    }

    fn flush(&mut self) {
        let prose = std::mem::take(&mut self.prose);
        if !prose.text.is_empty() {
            self.found.push(prose);
        }
    }
}

fn is_inline(tag: TagEnd) -> bool {
    matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

/// The source with its template parts replaced, byte for byte.
fn without_templates(source: &str) -> String {
    const PARTS: [(&str, &str, char); 3] =
        [("{{", "}}", FILLED), ("{%", "%}", UNKNOWN), ("{#", "#}", UNKNOWN)];
    let mut plain = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find('{') {
        let part = PARTS.iter().find_map(|(open, close, mark)| {
            let inner = rest[at..].strip_prefix(open)?;
            Some((open.len() + inner.find(close)? + close.len(), *mark))
        });
        let (length, mark) = part.unwrap_or((1, '{'));
        plain.push_str(&rest[..at]);
        plain.extend(std::iter::repeat_n(mark, length));
        rest = &rest[at + length..];
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(source: &str) -> Vec<(bool, String)> {
        stretches(source).into_iter().map(|stretch| (stretch.is_code, stretch.text)).collect()
    }

    #[test]
    fn code_and_prose_are_told_apart() {
        let found =
            told("1. Run `a b` **now**\nand\n   ```\n   c\n   d\n   ```\n\n| `e\\|f` |\n|---|\n| g |\n");
        let prose = |text: &str| (false, text.to_owned());
        let code = |text: &str| (true, text.to_owned());
        let expected = [
            code("a b"),
            prose("Run \u{2} now\u{3}\nand"),
            code("c"),
            code("d"),
            code("e|f"),
            prose("\u{2}"),
            prose("g"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn placeholders_and_template_parts_are_kept() {
        let marks = |mark: &str, text: &str| mark.repeat(text.len());
        let filled = format!("a <B> {}", marks("\u{1}", "{{ c | d }}"));
        assert_eq!(told("a <B> {{ c | d }}"), [(false, filled)]);
        let unknown = format!("{}a{}c{{", marks("\u{2}", "{# x #}"), marks("\u{2}", "{% if b %}"));
        assert_eq!(told("{# x #}a{% if b %}c{"), [(false, unknown)]);
        assert_eq!(told("<b>\nc\n</b>\n"), [(false, "<b>\nc\n</b>\n".to_owned())]);
    }

    #[test]
    fn every_stretch_knows_its_place() {
        let source = "é `one two` &lt;x\nthree\n\n    four\n";
        for stretch in stretches(source) {
            for word in ["one", "two", "three", "four", "x"] {
                if let Some(at) = stretch.text.find(word) {
                    assert_eq!(&source[stretch.place(at..at + word.len())], word, "{stretch:?}");
                }
            }
        }
    }
}
