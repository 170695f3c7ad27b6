//! A document's lines without its comments and, on request, without its code blocks.
//!
//! Invariant: omitted text is replaced by blanks, so that line numbers stay the same.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// Blanks out the HTML comments of a document. Comment marks inside code do not count.
pub fn without_comments(markdown: &str) -> String {
    let (blocks, spans) = code(markdown);
    let comments = comments(markdown, &[blocks, spans].concat());
    blank_out(markdown, &comments)
}

/// Blanks out the HTML comments and the code blocks of a document.
pub fn without_blocks(markdown: &str) -> String {
    let (blocks, spans) = code(markdown);
    let comments = comments(markdown, &[blocks.clone(), spans].concat());
    blank_out(markdown, &[comments, blocks].concat())
}

/// Returns the byte ranges of the code blocks and of the code spans.
fn code(markdown: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (mut blocks, mut spans) = (Vec::new(), Vec::new());
    for (event, span) in Parser::new_ext(markdown, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => blocks.push(span),
            Event::Code(_) => spans.push(span),
            _ => {}
        }
    }
    (blocks, spans)
}

fn comments(markdown: &str, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut code = code.to_vec();
    code.sort_by_key(|span| span.start);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (start, _) in markdown.match_indices("<!--") {
        let is_inside = |span: &Range<usize>| span.contains(&start);
        let before = code[..code.partition_point(|span| span.start <= start)].last();
        if !before.is_some_and(is_inside) && !found.last().is_some_and(is_inside) {
            let end = markdown[start..].find("-->").map_or(markdown.len(), |end| start + end + 3);
            found.push(start..end);
        }
    }
    found
}

fn blank_out(markdown: &str, spans: &[Range<usize>]) -> String {
    let mut bytes = markdown.as_bytes().to_vec();
    for span in spans {
        for byte in bytes.get_mut(span.clone()).into_iter().flatten() {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    // Spans begin and end between characters, so the rest is still valid UTF-8.
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_where_they_are() {
        let text = "a <!-- b\nc --> d `<!-- e` f\n\n```\n<!-- g\n```\n\nh <!-- é";
        let prose = without_blocks(text);
        assert_eq!(prose.lines().count(), text.lines().count());
        let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        assert_eq!(words(prose), "a d `<!-- e` f h");
        assert_eq!(words(without_comments(text)), "a d `<!-- e` f ``` <!-- g ``` h");
    }
}
