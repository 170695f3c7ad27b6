//! Rust's imports: `use`, `extern crate`, `#[path]`, and paths in the midst of code. What is for tests only is left out.

use std::ops::Range;

use holdpoint_core::path;
use tree_sitter::Node;

use super::{Import, folder};
use crate::source::test_item::tests;
use crate::source::{Code, children, is_comment, line, walk};

/// How many names of a path are looked at.
const NAMES_MAX: usize = 64;

pub(super) fn imports(file: &str, code: &Code<'_>) -> Vec<Import> {
    let tests = tests(code);
    let is_test = |node: Node<'_>| {
        tests.iter().any(|range| range.start <= node.start_byte() && node.end_byte() <= range.end)
    };
    let mut reader = Reader { file, code, module: module_of(file), inline: inline(code), found: Vec::new() };
    let is_whole = |node: Node<'_>| {
        matches!(node.kind(), "use_declaration" | "visibility_modifier") || !names(code, node).is_empty()
    };
    for node in walk(code.root(), |node| !is_test(node) && !is_whole(node)) {
        if !is_test(node) {
            reader.take(node);
        }
    }
    reader.found
}

/// Modules with a body, by where that is.
fn inline<'a>(code: &Code<'a>) -> Vec<(Range<usize>, &'a str)> {
    let body = |node: Node<'_>| {
        let name = node.child_by_field_name("name").filter(|_| node.kind() == "mod_item")?;
        Some((node.child_by_field_name("body")?.byte_range(), code.text(name)))
    };
    let in_macro = |parts: &[Node<'_>]| match parts {
        [word, name, body] if code.text(*word) == "mod" && body.kind() == "token_tree" => {
            Some((body.byte_range(), code.text(*name)))
        }
        _ => None,
    };
    let in_macros = |node: Node<'_>| children(node).windows(3).filter_map(in_macro).collect::<Vec<_>>();
    let nodes = code.nodes();
    nodes.into_iter().flat_map(|node| body(node).into_iter().chain(in_macros(node))).collect()
}

/// The names of a path that is nothing else; none of anything else.
fn names<'a>(code: &Code<'a>, node: Node<'_>) -> Vec<&'a str> {
    let is_path = matches!(node.kind(), "scoped_identifier" | "scoped_type_identifier");
    let parts = if is_path { walk(node, |_| true) } else { Vec::new() };
    let leaves = || parts.iter().filter(|part| part.child_count() == 0);
    let is_plain = leaves().all(|leaf| is_name(*leaf) || leaf.kind() == "::");
    leaves().filter(|leaf| is_plain && is_name(**leaf)).map(|leaf| code.text(*leaf)).collect()
}

fn is_name(node: Node<'_>) -> bool {
    matches!(node.kind(), "identifier" | "type_identifier" | "crate" | "self" | "super")
}

struct Reader<'f, 'a> {
    file: &'f str,
    code: &'f Code<'a>,
    /// The crate's folder, and the module that the file is.
    module: (String, Vec<String>),
    /// Modules with a body, by where that is.
    inline: Vec<(Range<usize>, &'a str)>,
    found: Vec<Import>,
}

impl Reader<'_, '_> {
    fn take(&mut self, node: Node<'_>) {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "use_declaration" => {
                if let Some(tree) = field("argument") {
                    self.use_tree(tree);
                }
            }
            "extern_crate_declaration" => {
                if let Some(name) = field("name") {
                    self.add(name, &[self.code.text(name)]);
                }
            }
            "attribute" => self.path_attribute(node),
            "token_tree" => self.token_tree(node),
            _ => {
                let names = names(self.code, node);
                if !names.is_empty() {
                    self.add(node, &names);
                }
            }
        }
    }

    /// `a::{b, c::{d, e as f}}`, each as a path of its own.
    fn use_tree(&mut self, tree: Node<'_>) {
        let code = self.code;
        // Not by recursion: a text may nest deeper than a stack.
        let mut open: Vec<(Node<'_>, Vec<&str>)> = vec![(tree, Vec::new())];
        while let Some((tree, mut names)) = open.pop() {
            let (own, list) = match tree.kind() {
                "scoped_use_list" => (tree.child_by_field_name("path"), tree.child_by_field_name("list")),
                "use_as_clause" => (tree.child_by_field_name("path"), None),
                "use_list" => (None, Some(tree)),
                _ => (Some(tree), None),
            };
            let leaves = own.map(|own| walk(own, |_| true)).unwrap_or_default().into_iter();
            let leaves = leaves.filter(|leaf| leaf.child_count() == 0 && is_name(*leaf));
            names.extend(leaves.map(|leaf| code.text(leaf)).take(NAMES_MAX.saturating_sub(names.len())));
            match list {
                Some(list) => {
                    let parts = children(list).into_iter().rev().filter(Node::is_named);
                    open.extend(parts.filter(|part| !is_comment(*part)).map(|part| (part, names.clone())));
                }
                None => self.add(tree, &names),
            }
        }
    }

    /// `#[path = "../x.rs"] mod x;`
    fn path_attribute(&mut self, attribute: Node<'_>) {
        let is_path = attribute.child(0).is_some_and(|name| self.code.text(name) == "path");
        let value = attribute.child_by_field_name("value").filter(|_| is_path);
        if let Some((value, name)) = value.and_then(|value| Some((value, self.code.quoted(value)?))) {
            let path = path::join(folder(self.file), name);
            self.found.push(Import::at_path(line(value), name, path));
        }
    }

    /// Paths among the arguments of a macro, where nothing but `::` tells them.
    fn token_tree(&mut self, tree: Node<'_>) {
        let parts = children(tree);
        let is = |place: usize, sign: &str| parts.get(place).is_some_and(|part| part.kind() == sign);
        let mut place = 0;
        while place < parts.len() {
            let start = place;
            while is_name(parts[place]) && is(place + 1, "::") && place + 2 < parts.len() {
                place += 2;
            }
            let is_member = start.checked_sub(1).is_some_and(|before| is(before, ".") || is(before, "::"));
            if place > start && !is_member {
                let names = parts[start..=place].iter().filter(|part| is_name(**part));
                let names: Vec<&str> = names.map(|part| self.code.text(*part)).collect();
                self.add(parts[start], &names);
            }
            place += 1;
        }
    }

    /// A path by its names, from the crate, this module, the one above, or another crate.
    fn add(&mut self, place: Node<'_>, names: &[&str]) {
        let line = place.end_position().row + 1;
        let name = names.join("::");
        let (root, file_module) = &self.module;
        let mut at: Vec<&str> = file_module.iter().map(String::as_str).collect();
        at.extend(
            self.inline.iter().filter(|(body, _)| body.contains(&place.start_byte())).map(|(_, name)| *name),
        );
        let mut rest = names;
        match names.first() {
            Some(&"crate") => (at, rest) = (Vec::new(), &names[1..]),
            Some(&("self" | "super")) => {
                while let [first @ ("self" | "super"), after @ ..] = rest {
                    if *first == "super" {
                        at.pop();
                    }
                    rest = after;
                }
            }
            // Types and the language's own crates lead nowhere.
            Some(first)
                if first.starts_with(char::is_lowercase) && !matches!(*first, "std" | "core" | "alloc") =>
            {
                return self.found.push(Import::of_module(line, name, &names.join("/")));
            }
            _ => return,
        }
        at.extend(rest.iter().filter(|name| **name != "self"));
        self.found.push(Import::at_path(line, name, path::join(root, &at.join("/"))));
    }
}

/// The folder of a file's crate, and the module that the file is: what lies below `src`, without `mod.rs` and the like.
fn module_of(file: &str) -> (String, Vec<String>) {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let folders: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let root = folders.iter().rposition(|part| *part == "src").map_or(folders.len(), |src| src + 1);
    let mut module: Vec<String> = folders[root..].iter().map(|part| (*part).to_owned()).collect();
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    let is_root = matches!(stem, "lib" | "main") && module.is_empty();
    if stem != "mod" && !is_root {
        module.push(stem.to_owned());
    }
    (folders[..root].join("/"), module)
}
