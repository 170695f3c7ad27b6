//! Money as the blueprint wants it: where it says that amounts are whole numbers or decimals, what declares them
//! otherwise is found.

mod declared;
mod rule;
mod spec;

pub(super) use rule::Money;

use super::TYPE;
use crate::lint::Finding;
use crate::source::Code;

/// What a file declares against the rule.
pub(super) fn in_file(path: &str, text: &str, money: Money) -> Vec<Finding> {
    let found = Code::read(path, text).map(|code| declared::find(&code, money));
    findings(path, found.unwrap_or_default(), money)
}

/// What a spec declares against the rule.
pub(super) fn in_spec(text: &str, money: Money) -> Vec<Finding> {
    findings(super::SPEC, spec::find(text, money), money)
}

/// A declaration: its line, the name, and as what.
type Declared = (usize, String, String);

fn findings(path: &str, mut found: Vec<Declared>, money: Money) -> Vec<Finding> {
    found.sort();
    found.dedup_by_key(|(line, name, _)| (*line, name.clone()));
    let wanted = match money {
        Money::Whole => "a whole number, in the smallest unit",
        Money::Exact => "an exact decimal",
    };
    let finding = |(line, name, as_what): Declared| Finding {
        path: path.to_owned(),
        line,
        code: TYPE,
        message: format!("`{name}` is `{as_what}`: money is {wanted}, says the blueprint"),
    };
    found.into_iter().map(finding).collect()
}

/// Words for money in names. The last ones mean money only where a name ends with them.
const WORDS: [&str; 21] = [
    "amount",
    "amounts",
    "balance",
    "balances",
    "cost",
    "costs",
    "deposit",
    "fee",
    "fees",
    "money",
    "payout",
    "price",
    "prices",
    "revenue",
    "salary",
    "wage",
    "wages",
    "subtotal",
    "subtotals",
    "total",
    "totals",
];
const LAST_ONLY: [&str; 2] = ["total", "totals"];

/// Words of names that measure something else, even next to a word for money.
const OTHERS: [&str; 36] = [
    "bytes",
    "count",
    "distance",
    "duration",
    "elasticity",
    "epoch",
    "epochs",
    "factor",
    "function",
    "height",
    "hours",
    "id",
    "ids",
    "index",
    "latency",
    "length",
    "loss",
    "memory",
    "millis",
    "minutes",
    "ms",
    "multiplier",
    "pct",
    "percent",
    "percentage",
    "rate",
    "ratio",
    "score",
    "seconds",
    "secs",
    "size",
    "time",
    "tokens",
    "version",
    "weight",
    "width",
];

/// Whether a name is that of an amount of money.
fn is_money(name: &str) -> bool {
    let words = words(name);
    let is_last = |place: usize| place + 1 == words.len();
    let means = |(place, word): (usize, &String)| {
        WORDS.contains(&word.as_str()) && (is_last(place) || !LAST_ONLY.contains(&word.as_str()))
    };
    words.iter().enumerate().any(means) && !words.iter().any(|word| OTHERS.contains(&word.as_str()))
}

/// `unitPrice`, `unit_price`, `UNIT_PRICE` by their words, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for char in name.chars() {
        if !char.is_alphanumeric() || (char.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        was_lower = char.is_lowercase();
        if char.is_alphanumeric() {
            words.iter_mut().last().into_iter().for_each(|word| word.extend(char.to_lowercase()));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a word names a type that money must not have.
fn is_wrong(word: &str, money: Money) -> bool {
    let lower = word.to_ascii_lowercase();
    let is_float = matches!(
        lower.as_str(),
        "float" | "floats" | "double" | "f32" | "f64" | "float32" | "float64" | "floatfield" | "parsefloat"
    );
    let is_decimal = matches!(
        lower.as_str(),
        "decimal" | "decimals" | "decimalfield" | "bigdecimal" | "numeric" | "condecimal"
    );
    is_float || (is_decimal && money == Money::Whole)
}

#[cfg(test)]
#[path = "money_tests.rs"]
mod money_tests;
