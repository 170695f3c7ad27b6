//! What the blueprint says of money, in a row, an item or a sentence of its document.

use holdpoint_core::document::cells::{self, Cell};
use holdpoint_core::document::{outline, prose};
use holdpoint_core::workflow::performer::MoneyWords;

/// Types that are whole numbers, types that are exact decimals, and types that are neither, in lower case. They are the
/// types of programming languages and databases, the same for every workflow.
const WHOLE: [&str; 8] = ["int", "integer", "integers", "ints", "int64", "i64", "u64", "bigint"];
const EXACT: [&str; 4] = ["decimal", "decimals", "numeric", "bigdecimal"];
const EXACT_FIELDS: [&str; 2] = ["decimalfield", "condecimal"];
const INEXACT: [&str; 4] = ["float", "floats", "double", "doubles"];
const INEXACT_FIELDS: [&str; 6] = ["f32", "f64", "float32", "float64", "floatfield", "parsefloat"];
/// English words that deny what comes soon after them.
const DENYING: [&str; 8] = ["not", "never", "no", "instead", "avoid", "don't", "than", "without"];
/// How far before a word they stand.
const DENIED_WITHIN: usize = 3;

/// What money must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Money {
    /// A whole number.
    Whole,
    /// Anything that does not round: no binary fraction.
    Exact,
}

/// What a blueprint says of money, in a workflow's words for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::blueprint) struct MoneyRule {
    pub(super) money: Money,
    words: MoneyWords,
}

impl MoneyRule {
    /// Reads a document. A whole number anywhere in it wins over a decimal.
    pub(in crate::blueprint) fn read(markdown: &str, words: &MoneyWords) -> Option<MoneyRule> {
        Money::read(markdown, words).map(|money| MoneyRule { money, words: words.clone() })
    }

    /// Whether a name is that of an amount of money.
    pub(super) fn is_amount(&self, name: &str) -> bool {
        let words = super::words(name);
        let is_meant = |name: &str| match name.strip_prefix('*') {
            Some(last) => words.last().is_some_and(|word| word == last),
            None => words.iter().any(|word| word == name),
        };
        let is_other = |except: &str| words.iter().any(|word| word == except);
        self.words.names.iter().any(|name| is_meant(name))
            && !self.words.except.iter().any(|except| is_other(except))
    }

    /// Whether a word names a type that money must not have.
    pub(super) fn is_wrong(&self, word: &str) -> bool {
        let word = word.to_ascii_lowercase();
        let is_one = |types: &[&str]| types.contains(&word.as_str());
        is_one(&INEXACT)
            || is_one(&INEXACT_FIELDS)
            || (self.money == Money::Whole && (is_one(&EXACT) || is_one(&EXACT_FIELDS)))
    }
}

impl Money {
    fn read(markdown: &str, money: &MoneyWords) -> Option<Money> {
        let headings = outline::headings(markdown);
        let text = prose::without_comments(markdown);
        let is_about =
            |text: &str| words(text).iter().any(|word| money.about.iter().any(|about| about == word));
        let mut found = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let is_under =
                headings.iter().any(|heading| heading.body.contains(&at) && is_about(&heading.title));
            at += line.len();
            let line = plain(line);
            if is_under || is_about(&line) {
                match said(&words(&line), money) {
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

fn said(words: &[String], money: &MoneyWords) -> Option<Money> {
    let is_denied = |place: usize| {
        let before = &words[place.saturating_sub(DENIED_WITHIN)..place];
        before.iter().any(|word| DENYING.contains(&word.as_str()))
    };
    let says = |form: &str, denied: bool| {
        let form: Vec<&str> = form.split_whitespace().collect();
        let is_there = |place: usize| {
            words[place..].iter().map(String::as_str).take(form.len()).eq(form.iter().copied())
        };
        !form.is_empty() && (0..words.len()).any(|place| is_there(place) && is_denied(place) == denied)
    };
    let is_whole =
        WHOLE.iter().any(|form| says(form, false)) || money.units.iter().any(|unit| says(unit, false));
    let is_exact = EXACT.iter().any(|form| says(form, false)) || INEXACT.iter().any(|form| says(form, true));
    if is_whole { Some(Money::Whole) } else { is_exact.then_some(Money::Exact) }
}
