//! Declarations in the text of a spec: `price: float`, `| amount | decimal |`, "float price".

use super::{Declared, MoneyRule};
use holdpoint_core::document::prose;

/// English words that may stand between a name and its type.
const BETWEEN: [&str; 9] = ["a", "an", "as", "is", "are", "of", "type", "stored", "be"];
/// English words of a line that speaks of what not to do, or of what was.
const DENYING: [&str; 12] = [
    "not",
    "never",
    "no",
    "instead",
    "avoid",
    "don't",
    "without",
    "forbidden",
    "wrong",
    "than",
    "replace",
    "from",
];

pub(super) fn find(spec: &str, rule: &MoneyRule) -> Vec<Declared> {
    let text = prose::without_comments(spec);
    let lines = text.lines().enumerate();
    lines
        .filter_map(|(place, line)| in_line(line, rule).map(|(name, wrong)| (place + 1, name, wrong)))
        .collect()
}

fn in_line(line: &str, rule: &MoneyRule) -> Option<(String, String)> {
    let words: Vec<&str> = line
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'')))
        .filter(|word| !word.is_empty())
        .collect();
    if words.iter().any(|word| DENYING.contains(&word.to_lowercase().as_str())) {
        return None;
    }
    let meant: Vec<&str> =
        words.into_iter().filter(|word| !BETWEEN.contains(&word.to_lowercase().as_str())).collect();
    let declares = |name: &str, wrong: &str| {
        (rule.is_amount(name) && rule.is_wrong(wrong)).then(|| (name.to_owned(), wrong.to_owned()))
    };
    let pair = |pair: &[&str]| declares(pair[0], pair[1]).or_else(|| declares(pair[1], pair[0]));
    meant.windows(2).find_map(pair)
}
