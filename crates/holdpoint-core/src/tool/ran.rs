//! What is known of a shell command that has run: its exit code, and what it printed.

use serde_json::Value as Json;

use super::{Tool, as_text, text_blocks};

/// A shell command that has run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ran {
    /// Its exit code, if somebody says it.
    pub(crate) exit: Option<i64>,
    /// What it printed, as far as the agent saw it.
    pub(crate) output: String,
}

/// How an exit code is named in a text.
const NAMED: [&str; 5] = ["exited with code", "exit code:", "exit code", "exit status:", "exit status"];

impl Tool {
    /// Returns what became of the command; none if it has not ended, was broken off, or nothing is known of it.
    pub(crate) fn ran(&self) -> Option<Ran> {
        if is_true(&self.input, "run_in_background") {
            return None;
        }
        if let Some(error) = &self.error {
            let output = as_text(error);
            let exit = first_line(&output).to_ascii_lowercase().strip_prefix("exit code").and_then(number);
            return (!is_true(error, "is_interrupt")).then_some(Ran { exit, output });
        }
        let result = self.result.as_ref().filter(|result| !result.is_null())?;
        if is_true(result, "interrupted") || result.get("backgroundTaskId").is_some_and(|id| !id.is_null()) {
            return None;
        }
        let output = output(result);
        let given = ["exitCode", "exit_code", "code"].iter().find_map(|name| result.get(*name)?.as_i64());
        let exit = given.or_else(|| named(&output)).or(self.has_succeeded.then_some(0));
        Some(Ran { exit, output })
    }
}

fn is_true(value: &Json, field: &str) -> bool {
    value.get(field).and_then(Json::as_bool) == Some(true)
}

/// What a result says was printed: on both channels, where they are apart.
fn output(result: &Json) -> String {
    let channels = ["stdout", "stderr", "output", "llmContent", "returnDisplay"];
    let parts: Vec<&str> = channels.iter().filter_map(|name| result.get(*name)?.as_str()).collect();
    match result {
        Json::String(text) => text.clone(),
        _ if !parts.is_empty() => parts.join("\n"),
        other => text_blocks(other).unwrap_or_default(),
    }
}

/// The exit code that a text names in its first or last lines.
fn named(output: &str) -> Option<i64> {
    const LINES: usize = 3;
    let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
    let ends = lines.iter().take(LINES).chain(lines.iter().rev().take(LINES));
    ends.map(|line| line.to_ascii_lowercase()).find_map(|line| {
        let parts = NAMED.iter().find_map(|name| line.split_once(name));
        parts.filter(|(before, after)| is_all(before, after)).and_then(|(_, after)| number(after))
    })
}

/// Whether a line says nothing but an exit code: a test can have one in its name.
fn is_all(before: &str, after: &str) -> bool {
    const WORDS: usize = 2;
    let is_word = |c: char| c.is_alphabetic();
    before.split(|c| !is_word(c)).filter(|word| !word.is_empty()).count() <= WORDS && !after.contains(is_word)
}

fn number(text: &str) -> Option<i64> {
    let text = text.trim_start_matches([' ', ':', '=']);
    let end = text.find(|sign: char| !sign.is_ascii_digit() && sign != '-').unwrap_or(text.len());
    text[..end].parse().ok()
}

fn first_line(text: &str) -> &str {
    text.trim_start().lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ran(input: Json, result: Option<Json>, error: Option<Json>, has_succeeded: bool) -> Option<Ran> {
        Tool { name: "Bash".into(), input, result, error, has_succeeded }.ran()
    }

    #[test]
    fn the_exit_code_is_taken_from_whoever_says_it() {
        let exit = |result: Json, ok: bool| ran(json!({}), Some(result), None, ok).unwrap().exit;
        assert_eq!(exit(json!({"stdout": "x", "stderr": ""}), true), Some(0));
        assert_eq!(exit(json!({"stdout": "x"}), false), None);
        assert_eq!(exit(json!({"stdout": "x", "exitCode": 2}), false), Some(2));
        assert_eq!(exit(json!({"output": "x", "exit_code": 0}), false), Some(0));
        assert_eq!(exit(json!("boom\nProcess exited with code 1"), false), Some(1));
        assert_eq!(exit(json!("Exit code: 0\nOutput: ok"), false), Some(0));
        assert_eq!(exit(json!({"stdout": "1 failed\nEXIT CODE=1"}), true), Some(1));
        assert_eq!(exit(json!({"stdout": "ok returns exit code 2 on bad input\n1 passed"}), true), Some(0));
        let failed = |text: &str| ran(json!({}), None, Some(json!(text)), false).unwrap();
        assert_eq!(failed("Exit code 101\n1 failed").exit, Some(101));
        assert_eq!(failed("Command timed out").exit, None);
    }

    #[test]
    fn what_has_not_ended_is_no_result() {
        assert_eq!(ran(json!({"run_in_background": true}), Some(json!({"stdout": ""})), None, true), None);
        assert_eq!(ran(json!({}), Some(json!({"stdout": "", "backgroundTaskId": "b1"})), None, true), None);
        assert_eq!(ran(json!({}), Some(json!({"stdout": "", "interrupted": true})), None, true), None);
        assert_eq!(ran(json!({}), None, None, false), None);
        assert_eq!(
            ran(json!({}), Some(json!({"stdout": "a", "stderr": "b"})), None, true).unwrap().output,
            "a\nb"
        );
    }
}
