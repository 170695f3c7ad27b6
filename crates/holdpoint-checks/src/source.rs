//! Source code as syntax trees, for the languages that checks look into.
//!
//! Invariant: any text is read to its end, even code that does not compile: what cannot be parsed becomes an error node,
//! and everything around it is still found.

pub(crate) mod test_item;

use tree_sitter::{Node, Parser, Tree};

/// A language that checks can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// Python.
    Python,
    /// JavaScript and TypeScript.
    JavaScript,
    /// Rust.
    Rust,
    /// Go.
    Go,
}

impl Language {
    /// The language of a file, by its ending.
    pub(crate) fn of(path: &str) -> Option<Language> {
        Some(match ending(path)? {
            "py" | "pyi" => Language::Python,
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => Language::JavaScript,
            "rs" => Language::Rust,
            "go" => Language::Go,
            _ => return None,
        })
    }

    /// The grammar of a file. TypeScript files have no JSX: there `<T>` at the start of an expression is a cast or a
    /// parameter. All others are read as TypeScript with JSX, of which JavaScript is a part.
    fn grammar(self, path: &str) -> tree_sitter::Language {
        match self {
            Language::Python => tree_sitter_python::LANGUAGE,
            Language::JavaScript if matches!(ending(path), Some("ts" | "mts" | "cts")) => {
                tree_sitter_typescript::LANGUAGE_TYPESCRIPT
            }
            Language::JavaScript => tree_sitter_typescript::LANGUAGE_TSX,
            Language::Rust => tree_sitter_rust::LANGUAGE,
            Language::Go => tree_sitter_go::LANGUAGE,
        }
        .into()
    }
}

/// A file's text and its syntax tree.
pub(crate) struct Code<'a> {
    /// The language it is written in.
    pub(crate) language: Language,
    text: &'a str,
    tree: Tree,
}

impl<'a> Code<'a> {
    /// Reads a file; nothing if its language is not known.
    pub(crate) fn read(path: &str, text: &'a str) -> Option<Code<'a>> {
        let language = Language::of(path)?;
        let mut parser = Parser::new();
        parser.set_language(&language.grammar(path)).ok()?;
        Some(Code { language, text, tree: parser.parse(text, None)? })
    }

    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// All nodes, each before what is in it.
    pub(crate) fn nodes(&self) -> Vec<Node<'_>> {
        walk(self.root(), |_| true)
    }

    /// How a node is spelled.
    pub(crate) fn text(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// What stands between the quotes of a string; nothing of what is no string, or has holes.
    pub(crate) fn quoted(&self, node: Node<'_>) -> Option<&'a str> {
        let is_string = node.kind().contains("string");
        let has_holes = walk(node, |_| true)
            .iter()
            .any(|part| matches!(part.kind(), "interpolation" | "template_substitution"));
        let spelled = self.text(node);
        let start = spelled.find(['"', '\'', '`']).filter(|_| is_string && !has_holes)?;
        Some(spelled[start..].trim_matches(['"', '\'', '`']))
    }

    /// The comments.
    pub(crate) fn comments(&self) -> impl Iterator<Item = Node<'_>> {
        self.nodes().into_iter().filter(|node| is_comment(*node))
    }
}

/// A node and what is in it, each before what is in it. Nodes that are not to be entered come without.
pub(crate) fn walk<'t>(node: Node<'t>, enters: impl Fn(Node<'t>) -> bool) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    loop {
        found.push(cursor.node());
        if enters(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// What a node directly has in it, signs and comments too.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}

/// The line that a node starts on, from 1.
pub(crate) fn line(node: Node<'_>) -> usize {
    node.start_position().row + 1
}

pub(crate) fn is_comment(node: Node<'_>) -> bool {
    matches!(node.kind(), "comment" | "line_comment" | "block_comment" | "html_comment" | "hash_bang_line")
}

/// Whether a file holds tests: by whole names of its folders and by the forms of its own name, so that `latest.py`
/// and `contest.py` do not.
pub(crate) fn is_test(path: &str) -> bool {
    let path = holdpoint_core::path::tidy(path);
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let in_tests = folders.split('/').any(|part| matches!(part, "tests" | "test" | "__tests__"));
    let has_ending = |end: &str| stem.len() > end.len() && stem.ends_with(end) && !ending.is_empty();
    in_tests
        || matches!(stem, "tests" | "test")
        || (ending == "py" && stem.starts_with("test_"))
        || ["_test", "_tests", ".test", ".spec"].into_iter().any(has_ending)
}

fn ending(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\']).next()?;
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending)
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod source_tests;
