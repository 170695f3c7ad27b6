//! A run's id: creating one, and recognizing one.
//!
//! A pattern is text with `{date}` (eight digits), `{time}` (six digits) and `{hex6}` (six lower-case hexadecimal
//! digits; any other count works the same way).

/// The values of a new id's placeholders.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The date in UTC, eight digits.
    pub date: String,
    /// The time in UTC, six digits.
    pub time: String,
    /// Random hexadecimal digits, at least as many as the pattern needs.
    pub hex: String,
}

enum Piece<'a> {
    Literal(&'a str),
    Digits(usize),
    Hex(usize),
}

/// Returns whether `name` is an id of this pattern.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let mut rest = name;
    for piece in pieces(pattern) {
        let (length, is_part): (usize, fn(&u8) -> bool) = match piece {
            Piece::Literal(text) => match rest.strip_prefix(text) {
                Some(after) => {
                    rest = after;
                    continue;
                }
                None => return false,
            },
            Piece::Digits(length) => (length, u8::is_ascii_digit),
            Piece::Hex(length) => (length, |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
        };
        match rest.as_bytes().get(..length) {
            Some(part) if part.iter().all(is_part) => rest = &rest[length..],
            _ => return false,
        }
    }
    rest.is_empty()
}

/// Creates a new id.
pub fn make(pattern: &str, parts: &Parts) -> String {
    let piece = |piece: Piece<'_>| match piece {
        Piece::Literal(text) => text.to_owned(),
        Piece::Digits(8) => parts.date.clone(),
        Piece::Digits(_) => parts.time.clone(),
        Piece::Hex(length) => parts.hex.chars().take(length).collect(),
    };
    pieces(pattern).map(piece).collect()
}

/// Splits the pattern into pieces. An unknown placeholder counts as plain text.
fn pieces(pattern: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = pattern;
    std::iter::from_fn(move || {
        let end = match rest.find('{') {
            None => rest.len(),
            Some(0) => rest.find('}').map_or(rest.len(), |at| at + 1),
            Some(at) => at,
        };
        let (piece, after) = rest.split_at(end);
        rest = after;
        match piece {
            "" => None,
            "{date}" => Some(Piece::Digits(8)),
            "{time}" => Some(Piece::Digits(6)),
            other => match other.strip_prefix("{hex").and_then(|n| n.strip_suffix('}')?.parse().ok()) {
                Some(length) => Some(Piece::Hex(length)),
                None => Some(Piece::Literal(other)),
            },
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATTERN: &str = "{date}-{time}-{hex6}";

    #[test]
    fn what_is_made_fits_and_nothing_else_does() {
        let parts = Parts { date: "20261115".into(), time: "232517".into(), hex: "00ff12aa".into() };
        assert_eq!(make(PATTERN, &parts), "20261115-232517-00ff12");
        assert!(fits(PATTERN, "20261115-232517-00ff12"));
        for name in [
            "",
            "20261115-232517-00FF12",
            "20261115-232517-00ff1",
            "20261115-232517-00ff123",
            "20261115-232517-00ff12\nx",
            "../0261115-232517-00ff12",
            "20261115-232517-00ffé",
        ] {
            assert!(!fits(PATTERN, name), "{name}");
        }
    }
}
