//! Regular expressions and globs of workflow files: applied within a budget, and checked.

use minijinja::Error;
use minijinja::value::Value;
use regex_lite::{Regex, RegexBuilder};

use crate::budget::Budget;
use crate::facts::FactError;

/// The largest compiled pattern, in bytes.
const COMPILED_MAX: usize = 256 * 1024;
/// The most states that a pattern of this size has.
const STATES_MAX: usize = 4 * 1024;

/// Implements `x | match(pattern)`: returns the pattern's first group, or the whole match; undefined if nothing
/// matches. Ignores case.
pub(super) fn find(value: &Value, pattern: &str, budget: &Budget) -> Result<Value, Error> {
    let Some(text) = value.as_str() else { return Ok(Value::UNDEFINED) };
    budget.spend(work(pattern, text))?;
    let Some(captures) = self::pattern(pattern)?.captures(text) else { return Ok(Value::UNDEFINED) };
    let group = captures.iter().skip(1).flatten().next().or_else(|| captures.get(0));
    Ok(group.map_or(Value::UNDEFINED, |group| Value::from(group.as_str())))
}

/// Implements `pattern is found_in(text)`: returns whether the pattern matches anywhere. Ignores case.
pub(super) fn found_in(pattern: &str, value: &Value, budget: &Budget) -> Result<bool, Error> {
    let Some(text) = value.as_str() else { return Ok(false) };
    budget.spend(work(pattern, text))?;
    Ok(self::pattern(pattern)?.is_match(text))
}

/// The work of looking for a pattern: each byte of the text meets each state of the pattern at worst. Counted
/// repetitions multiply the states.
fn work(pattern: &str, text: &str) -> usize {
    const STATES_A_UNIT: usize = 4;
    let counts = pattern.split('{').skip(1).map(|rest| {
        let most =
            rest.split('}').next().unwrap_or_default().rsplit(',').find_map(|word| word.trim().parse().ok());
        most.unwrap_or(1).max(1)
    });
    let states = counts.fold(pattern.len(), usize::saturating_mul).min(STATES_MAX);
    text.len().saturating_mul(states.div_ceil(STATES_A_UNIT))
}

/// Compiles a pattern.
pub(crate) fn pattern(pattern: &str) -> Result<Regex, FactError> {
    built(pattern).map_err(|error| FactError::malformed(format!("pattern `{pattern}`"), error))
}

/// Why a text is not a regular expression, if it is not.
pub(crate) fn pattern_fault(pattern: &str) -> Option<String> {
    built(pattern).err().map(|error| error.to_string())
}

fn built(pattern: &str) -> Result<Regex, regex_lite::Error> {
    RegexBuilder::new(pattern).case_insensitive(true).size_limit(COMPILED_MAX).build()
}

/// Why a text is not a glob, if it is not: a bracket without its partner matches nothing, and silently so.
pub(crate) fn glob_fault(glob: &str) -> Option<String> {
    let mut open = Vec::new();
    let mut signs = glob.chars();
    while let Some(sign) = signs.next() {
        match (sign, open.last()) {
            ('\\', _) => drop(signs.next()),
            (']', Some('[')) | ('}', Some('{')) => drop(open.pop()),
            (_, Some('[')) => {}
            ('[' | '{', _) => open.push(sign),
            ('}' | ']', _) => return Some(format!("`{sign}` closes nothing")),
            _ => {}
        }
    }
    open.pop().map(|sign| format!("`{sign}` is never closed"))
}
