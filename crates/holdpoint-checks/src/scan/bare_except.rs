//! Python's handlers that catch every error and raise none.

use tree_sitter::Node;

use super::Found;
use crate::source::{Code, children, line, walk};

pub(super) fn find(code: &Code<'_>) -> Vec<Found> {
    let handlers = code.nodes().into_iter().filter(|node| node.kind() == "except_clause");
    let silent = handlers.filter(|handler| !raises(*handler));
    silent
        .filter_map(|handler| {
            let caught = everything(code, handler)?;
            let message = format!("`{caught}` swallows every error: name the errors meant, or raise again");
            Some((line(handler), "BARE_EXCEPT", message))
        })
        .collect()
}

/// How a handler that catches everything is spelled; nothing if it names the errors it means.
fn everything(code: &Code<'_>, handler: Node<'_>) -> Option<String> {
    let Some(mut caught) = handler.child_by_field_name("value") else { return Some("except:".to_owned()) };
    while matches!(caught.kind(), "as_pattern" | "parenthesized_expression") {
        caught = caught.named_child(0)?;
    }
    let types = if caught.kind() == "tuple" { children(caught) } else { vec![caught] };
    let name = types.into_iter().find_map(|node| {
        let name = code.text(node).trim_start_matches("builtins.");
        matches!(name, "Exception" | "BaseException").then_some(name)
    })?;
    Some(format!("except {name}:"))
}

/// Whether it raises: not in functions and classes in it, which raise when they are called and not here.
fn raises(handler: Node<'_>) -> bool {
    let is_here = |node: Node<'_>| !matches!(node.kind(), "function_definition" | "class_definition");
    walk(handler, is_here).iter().any(|node| node.kind() == "raise_statement")
}
