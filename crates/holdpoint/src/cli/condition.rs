//! A rule's condition, split into its parts for people.

/// Splits a conjunction into its parts, each in one line. Any other expression is one part.
///
/// `or` and `if` bind less tightly than `and`: an expression with one of them outside brackets is not a conjunction.
pub(super) fn conjuncts(source: &str) -> Vec<String> {
    let words = outer_words(source);
    let cuts: Vec<(usize, usize)> = words.iter().filter(|word| word.text == "and").map(Word::span).collect();
    if words.iter().any(|word| matches!(word.text, "or" | "if")) || cuts.is_empty() {
        return vec![in_one_line(source)];
    }
    let starts = std::iter::once(0).chain(cuts.iter().map(|(_, end)| *end));
    let ends = cuts.iter().map(|(start, _)| *start).chain([source.len()]);
    starts.zip(ends).map(|(start, end)| in_one_line(source.get(start..end).unwrap_or_default())).collect()
}

struct Word<'a> {
    text: &'a str,
    start: usize,
}

impl Word<'_> {
    fn span(&self) -> (usize, usize) {
        (self.start, self.start + self.text.len())
    }
}

/// Returns the words outside brackets and quotes.
fn outer_words(source: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let (mut depth, mut quote, mut escaped) = (0_u32, None, false);
    let mut word_start = None;
    for (at, c) in source.char_indices().chain([(source.len(), ' ')]) {
        let in_word = quote.is_none() && depth == 0 && (c.is_alphanumeric() || c == '_' || c == '.');
        match (in_word, word_start) {
            (true, None) => word_start = Some(at),
            (false, Some(start)) => {
                words.extend(source.get(start..at).map(|text| Word { text, start }));
                word_start = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None if matches!(c, '(' | '[' | '{') => depth += 1,
            None if matches!(c, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            Some(_) | None => {}
        }
    }
    words
}

fn in_one_line(source: &str) -> String {
    source.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::conjuncts;

    #[test]
    fn only_a_conjunction_is_taken_apart() {
        for (source, parts) in [
            ("a", &["a"][..]),
            ("a and not b", &["a", "not b"]),
            ("a.and and brand\n   and c", &["a.and", "brand", "c"]),
            (
                "a in ['x and y', \"it\\\"s and\"] and (b or c and d)",
                &["a in ['x and y', \"it\\\"s and\"]", "(b or c and d)"],
            ),
            ("a and b or c", &["a and b or c"]),
            ("a and b if c else d", &["a and b if c else d"]),
            ("(a\n  and b)", &["(a and b)"]),
            ("é and ü", &["é", "ü"]),
            ("", &[""]),
        ] {
            assert_eq!(conjuncts(source), parts, "{source}");
        }
    }
}
