//! JavaScript's `catch` blocks with nothing in them, not even a comment that says why.

use super::Found;
use crate::source::{Code, line};

pub(super) fn find(code: &Code<'_>) -> Vec<Found> {
    let handlers = code.nodes().into_iter().filter(|node| node.kind() == "catch_clause");
    // Comments count: as there is no way to catch one error and not another, many an empty block is meant.
    let empty = handlers
        .filter(|node| node.child_by_field_name("body").is_some_and(|body| body.named_child_count() == 0));
    let message = "an empty `catch` swallows every error: handle it, or say in a comment why not";
    empty.map(|node| (line(node), "EMPTY_CATCH", message.to_owned())).collect()
}
