//! Python's imports: statements anywhere in the code, relative ones too, and `import_module` with a name in quotes.

use holdpoint_core::path;
use tree_sitter::Node;

use super::{Import, folder};
use crate::source::{Code, children, line, walk};

/// Modules of the language itself that a domain may share its name with.
const STANDARD: [&str; 35] = [
    "array",
    "asyncio",
    "calendar",
    "code",
    "collections",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "email",
    "enum",
    "html",
    "http",
    "json",
    "locale",
    "logging",
    "numbers",
    "operator",
    "platform",
    "profile",
    "queue",
    "random",
    "resource",
    "secrets",
    "select",
    "signal",
    "site",
    "statistics",
    "string",
    "time",
    "token",
    "types",
    "typing",
];

pub(super) fn imports(file: &str, code: &Code<'_>) -> Vec<Import> {
    let nodes = code.nodes().into_iter();
    let named = nodes.flat_map(|node| match node.kind() {
        "import_statement" => names(code, node).into_iter().map(|name| (line(node), name)).collect(),
        "import_from_statement" => members(code, node),
        "call" => by_call(code, node).into_iter().collect(),
        _ => Vec::new(),
    });
    named.filter_map(|(line, name)| import(file, line, &name)).collect()
}

/// `from a.b import c, d`: each as a module that may be meant.
fn members(code: &Code<'_>, statement: Node<'_>) -> Vec<(usize, String)> {
    let Some(module) = statement.child_by_field_name("module_name").map(|name| dotted(code, name)) else {
        return Vec::new();
    };
    let is_all = children(statement).iter().any(|child| child.kind() == "wildcard_import");
    if is_all {
        return vec![(line(statement), module)];
    }
    let dot = if module.ends_with('.') { "" } else { "." };
    let member = |name: String| (line(statement), format!("{module}{dot}{name}"));
    names(code, statement).into_iter().map(member).collect()
}

/// The names that a statement imports, without those that it gives them.
fn names(code: &Code<'_>, statement: Node<'_>) -> Vec<String> {
    let names: Vec<Node<'_>> = statement.children_by_field_name("name", &mut statement.walk()).collect();
    let own = |name: Node<'_>| dotted(code, name.child_by_field_name("name").unwrap_or(name));
    names.into_iter().map(own).filter(|name| !name.is_empty()).collect()
}

/// The dots and words of a name, without what may stand between them.
fn dotted(code: &Code<'_>, name: Node<'_>) -> String {
    let parts = walk(name, |_| true).into_iter().filter(|node| matches!(node.kind(), "identifier" | "."));
    parts.map(|node| code.text(node)).collect()
}

/// `importlib.import_module("a.b")`, `__import__("a.b")`.
fn by_call(code: &Code<'_>, call: Node<'_>) -> Option<(usize, String)> {
    let function = call.child_by_field_name("function")?;
    let name = function.child_by_field_name("attribute").unwrap_or(function);
    let is_import = matches!(code.text(name), "import_module" | "__import__");
    let module = call.child_by_field_name("arguments").filter(|_| is_import)?.named_child(0)?;
    Some((line(name), code.quoted(module)?.to_owned()))
}

/// A module by its name; dots before it lead up from the file's folder.
fn import(file: &str, line: usize, name: &str) -> Option<Import> {
    let dots = name.len() - name.trim_start_matches('.').len();
    let module = name[dots..].replace('.', "/");
    if dots > 0 {
        let up = "../".repeat(dots - 1);
        return Some(Import::at_path(line, name, path::join(folder(file), &format!("{up}{module}"))));
    }
    let is_standard = STANDARD.contains(&module.split('/').next().unwrap_or_default());
    (!module.is_empty() && !is_standard).then(|| Import::of_module(line, name, &module))
}
