//! Money as the blueprint wants it: where it says that amounts are whole numbers or decimals, what declares them
//! otherwise is found.

mod declared;
mod rule;
mod spec;

use rule::Money;
pub(super) use rule::MoneyRule;

use super::TYPE;
use crate::lint::Finding;
use crate::source::Code;

/// What a file declares against the rule.
pub(super) fn in_file(path: &str, text: &str, rule: &MoneyRule) -> Vec<Finding> {
    let found = Code::read(path, text).map(|code| declared::find(&code, rule));
    findings(path, found.unwrap_or_default(), rule)
}

/// What a spec declares against the rule.
pub(super) fn in_spec(text: &str, rule: &MoneyRule) -> Vec<Finding> {
    findings(super::SPEC, spec::find(text, rule), rule)
}

/// A declaration: its line, the name, and as what.
type Declared = (usize, String, String);

fn findings(path: &str, mut found: Vec<Declared>, rule: &MoneyRule) -> Vec<Finding> {
    found.sort();
    found.dedup_by_key(|(line, name, _)| (*line, name.clone()));
    let wanted = match rule.money {
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

#[cfg(test)]
#[path = "money_tests.rs"]
mod money_tests;
