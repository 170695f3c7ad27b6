//! Go's errors that are dropped without a word: `_ = f()`, and `if err != nil { }`.
//!
//! Types are not known here. But who writes `_ = f()` for `f()` has an error to drop, and a comment on that line or
//! the one above says why; `v, _ := f()` may be about anything and is left alone.

use std::collections::HashSet;

use tree_sitter::Node;

use super::Found;
use crate::source::{Code, children, line};

pub(super) fn find(code: &Code<'_>) -> Vec<Found> {
    let explained = explained(code);
    let mut found = Vec::new();
    for node in code.nodes() {
        // Only as a statement: in the head of an `if` or a loop it may be about anything.
        for dropped in children(node).into_iter().filter(|child| drops_result(code, node, *child)) {
            if !explained.contains(&line(dropped)) {
                let message = "`_ =` drops an error: handle it, or say in a comment why not".to_owned();
                found.push((line(dropped), "IGNORED_ERROR", message));
            }
        }
        if let Some(condition) = passed_over(code, node) {
            let message =
                "an error is looked at and nothing done: handle it, or say in a comment why not".to_owned();
            found.push((line(condition), "IGNORED_ERROR", message));
        }
    }
    found
}

/// Whether a statement of a block is `_ = f(…)`.
fn drops_result(code: &Code<'_>, block: Node<'_>, statement: Node<'_>) -> bool {
    let side = |name: &str| statement.child_by_field_name(name);
    let is_call = || {
        let values = side("right").map(children).unwrap_or_default();
        matches!(values[..], [value] if value.kind() == "call_expression")
    };
    matches!(block.kind(), "statement_list" | "block")
        && statement.kind() == "assignment_statement"
        && side("left").is_some_and(|left| code.text(left) == "_")
        && side("operator").is_some_and(|operator| code.text(operator) == "=")
        && is_call()
}

/// The lines that a comment stands on, or ends above.
fn explained(code: &Code<'_>) -> HashSet<usize> {
    code.comments().flat_map(|comment| [line(comment), comment.end_position().row + 2]).collect()
}

/// The comparison in `if err != nil { }`, which may be the last of several.
fn passed_over<'t>(code: &Code<'_>, node: Node<'t>) -> Option<Node<'t>> {
    let body = node.child_by_field_name("consequence").filter(|_| node.kind() == "if_statement")?;
    let mut condition = node.child_by_field_name("condition").filter(|_| body.named_child_count() == 0)?;
    let operator = |node: Node<'_>| node.child_by_field_name("operator").map(|sign| code.text(sign));
    while matches!(operator(condition), Some("&&" | "||")) {
        condition = condition.child_by_field_name("right")?;
    }
    let name = code.text(condition.child_by_field_name("left")?);
    let is_error = name == "err" || name.ends_with("Err");
    let is_nil = condition.child_by_field_name("right").is_some_and(|right| right.kind() == "nil");
    (is_error && is_nil && operator(condition) == Some("!=")).then_some(condition)
}
