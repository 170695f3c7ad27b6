//! Rust's items that are there for tests only.

use std::ops::Range;

use tree_sitter::Node;

use super::{Code, children, is_comment, walk};

/// The stretches of a file that an attribute says are for tests: an item with its attributes, or all that is around an
/// attribute such as `#![cfg(test)]`.
pub(crate) fn tests(code: &Code<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for node in code.nodes() {
        let mut start = None;
        for child in children(node) {
            match child.kind() {
                "inner_attribute_item" if says_test(code, child) => found.push(node.byte_range()),
                "attribute_item" if says_test(code, child) => {
                    start.get_or_insert(child.start_byte());
                }
                "attribute_item" => {}
                _ if is_comment(child) => {}
                _ => found.extend(start.take().map(|start| start..child.end_byte())),
            }
        }
    }
    found
}

fn says_test(code: &Code<'_>, attribute: Node<'_>) -> bool {
    let words = walk(attribute, |_| true).into_iter().filter(|node| node.kind() == "identifier");
    let words: Vec<&str> = words.map(|node| code.text(node)).collect();
    words.contains(&"test") && !words.contains(&"not") && !words.contains(&"cfg_attr")
}
