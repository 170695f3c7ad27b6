//! The few lines of an output that are shown.

/// The most lines of an excerpt.
pub(super) const LINES_MAX: usize = 5;

/// The most letters of a line.
pub(super) const WIDTH_MAX: usize = 200;

/// The first lines that are not blank, cut where they are too long, without the indentation that all of them have.
pub(super) fn first<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    shown(&lines.into_iter().filter(|line| !line.trim().is_empty()).take(LINES_MAX).collect::<Vec<_>>())
}

/// The last lines that are not blank, in the same form.
pub(super) fn last(lines: &[&str], count: usize) -> Vec<String> {
    let mut found: Vec<&str> =
        lines.iter().rev().filter(|line| !line.trim().is_empty()).take(count).copied().collect();
    found.reverse();
    shown(&found)
}

fn shown(lines: &[&str]) -> Vec<String> {
    let indentation = |line: &&str| line.len() - line.trim_start_matches(' ').len();
    let shared = lines.iter().map(indentation).min().unwrap_or_default();
    lines.iter().map(|line| cut(line[shared..].trim_end())).collect()
}

/// Whether a line shows code around the place, `  12 | let x = 1;`; the one that is marked with `>` is none of them.
pub(super) fn is_code(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches(|letter: char| letter.is_ascii_digit());
    line.trim_start().starts_with('|')
}

/// A line that is not too long.
pub(super) fn cut(line: &str) -> String {
    match line.char_indices().nth(WIDTH_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_and_shared_indentation_go() {
        assert_eq!(first(["", "    a", "  ", "      b  ", "\tc"]), ["    a", "      b", "\tc"]);
        assert_eq!(first(["    a", "      b"]), ["a", "  b"]);
        assert_eq!(first(["1", "2", "3", "4", "5", "6"]).len(), LINES_MAX);
        assert_eq!(last(&["1", "", "2", "3", ""], 2), ["2", "3"]);
        assert_eq!(first(["ä".repeat(201).as_str()]), [format!("{}…", "ä".repeat(200))]);
        assert!(first([]).is_empty());
    }
}
