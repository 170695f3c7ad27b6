//! Brackets and their partners, found in one pass: code that is never closed must not cost a search a bracket.

use super::Token;

/// The partner of every bracket among tokens.
pub(crate) struct Brackets {
    partners: Vec<Option<usize>>,
}

impl Brackets {
    pub(crate) fn of(tokens: &[Token<'_>]) -> Brackets {
        let mut partners = vec![None; tokens.len()];
        let mut open = Vec::new();
        for (place, token) in tokens.iter().enumerate() {
            if token.opens() {
                open.push(place);
            } else if token.closes()
                && let Some(start) = open.pop()
            {
                partners[start] = Some(place);
                partners[place] = Some(start);
            }
        }
        Brackets { partners }
    }

    /// The place of the bracket that closes the one at `open`; past the end, if none does.
    pub(crate) fn closing(&self, open: usize) -> usize {
        self.partners.get(open).copied().flatten().unwrap_or(self.partners.len())
    }

    /// The place of the bracket that the one at `close` closes; the start, if it closes none.
    pub(crate) fn opening(&self, close: usize) -> usize {
        self.partners.get(close).copied().flatten().unwrap_or(0)
    }
}
