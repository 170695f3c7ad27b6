//! Remarks in comments that something is left to do.

use super::Found;
use crate::source::{Code, line};

/// The words, as codes too. The second is put together because no file here may have it.
const WORDS: [&str; 2] = ["TODO", concat!("FIX", "ME")];

pub(super) fn find(code: &Code<'_>) -> Vec<Found> {
    code.comments().flat_map(|comment| in_comment(line(comment), code.text(comment))).collect()
}

fn in_comment(first: usize, text: &str) -> Vec<Found> {
    let lines = text.lines().enumerate();
    let in_line = |(offset, line): (usize, &str)| {
        let words = WORDS.into_iter().filter(|word| has_whole(line, word));
        let message = |word| format!("`{}`: do it, or leave the remark out", excerpt(line, word));
        words.map(|word| (first + offset, word, message(word))).collect::<Vec<_>>()
    };
    lines.flat_map(in_line).collect()
}

/// Whether the word stands there as such, and not as a part of a name.
fn has_whole(line: &str, word: &str) -> bool {
    let in_name = |char: char| char.is_alphanumeric() || char == '_';
    line.match_indices(word).any(|(start, _)| {
        !line[..start].ends_with(in_name) && !line[start + word.len()..].starts_with(in_name)
    })
}

/// The line from the word on, as far as it fits into a message.
fn excerpt<'a>(line: &'a str, word: &str) -> &'a str {
    let from = &line[line.find(word).unwrap_or(0)..];
    let end = from.char_indices().nth(60).map_or(from.len(), |(end, _)| end);
    from[..end].trim_end().trim_end_matches("*/").trim_end()
}
