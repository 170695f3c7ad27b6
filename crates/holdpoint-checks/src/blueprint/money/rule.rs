//! What the blueprint says of money, in a row, an item or a sentence of its document.

use holdpoint_core::document::cells::{self, Cell};
use holdpoint_core::document::{outline, prose};

/// What money must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::blueprint) enum Money {
    /// A whole number.
    Whole,
    /// Anything that does not round: no binary fraction.
    Exact,
}

impl Money {
    /// Reads a document. A whole number anywhere in it wins over a decimal.
    pub(in crate::blueprint) fn read(markdown: &str) -> Option<Money> {
        let headings = outline::headings(markdown);
        let text = prose::without_comments(markdown);
        let mut found = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let is_under = headings
                .iter()
                .any(|heading| heading.body.contains(&at) && is_about_money(&words(&heading.title)));
            at += line.len();
            let words = words(&plain(line));
            if is_under || is_about_money(&words) {
                match said(&words) {
                    Some(Money::Whole) => return Some(Money::Whole),
                    said => found = found.or(said),
                }
            }
        }
        found
    }
}

/// A line without its marks, a row's cells apart.
fn plain(line: &str) -> String {
    match cells::cells(line) {
        Some(cells) => cells.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" | "),
        None => Cell::read(line).text,
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn is_about_money(words: &[String]) -> bool {
    words.iter().any(|word| {
        matches!(
            word.as_str(),
            "money"
                | "monetary"
                | "price"
                | "prices"
                | "amount"
                | "amounts"
                | "currency"
                | "currencies"
                | "balances"
                | "fees"
        )
    })
}

fn said(words: &[String]) -> Option<Money> {
    let is_denied = |place: usize| {
        let before = &words[place.saturating_sub(3)..place];
        before.iter().any(|word| {
            matches!(
                word.as_str(),
                "not" | "never" | "no" | "instead" | "avoid" | "don't" | "than" | "without"
            )
        })
    };
    let says = |forms: &[&str], denied: bool| {
        (0..words.len()).any(|place| forms.contains(&words[place].as_str()) && is_denied(place) == denied)
    };
    let is_whole = says(
        &[
            "int", "integer", "integers", "ints", "int64", "i64", "u64", "bigint", "cents", "cent",
            "kopecks", "pence",
        ],
        false,
    ) || words.windows(2).any(|pair| pair[0] == "minor" && pair[1].starts_with("unit"));
    let is_exact = says(&["decimal", "decimals", "numeric", "bigdecimal"], false)
        || says(&["float", "floats", "double", "doubles"], true);
    if is_whole { Some(Money::Whole) } else { is_exact.then_some(Money::Exact) }
}
