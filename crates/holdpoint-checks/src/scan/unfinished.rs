//! Rust's macros for code that is still to be written, outside tests.

use tree_sitter::Node;

use super::Found;
use crate::source::test_item::tests;
use crate::source::{Code, children, line};

pub(super) fn find(code: &Code<'_>) -> Vec<Found> {
    let tests = tests(code);
    let nodes = code.nodes().into_iter();
    let calls = nodes.flat_map(|node| calls(node)).filter_map(|name| {
        let word = code.text(name).rsplit("::").next().unwrap_or_default().trim();
        let is_test = tests.iter().any(|range| range.contains(&name.start_byte()));
        (!is_test && matches!(word, "todo" | "unimplemented")).then_some((line(name), word))
    });
    let message = |word| format!("`{word}!` is left in the code: write what belongs there");
    calls.map(|(line, word)| (line, "UNFINISHED", message(word))).collect()
}

/// The names of the macros that are called directly in a node; among a macro's own arguments nothing but signs tells a
/// call.
fn calls(node: Node<'_>) -> Vec<Node<'_>> {
    match node.kind() {
        "macro_invocation" => node.child_by_field_name("macro").into_iter().collect(),
        "token_tree" => {
            let parts = children(node);
            let is_call = |three: &&[Node<'_>]| {
                let kinds = [three[0].kind(), three[1].kind(), three[2].kind()];
                kinds == ["identifier", "!", "token_tree"]
            };
            parts.windows(3).filter(is_call).map(|three| three[0]).collect()
        }
        _ => Vec::new(),
    }
}
