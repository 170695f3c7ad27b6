//! JavaScript's and TypeScript's imports: `from "x"`, `import "x"`, `import("x")`, `require("x")`.

use holdpoint_core::path;
use tree_sitter::Node;

use super::{Import, folder};
use crate::source::{Code, line};

pub(super) fn imports(file: &str, code: &Code<'_>) -> Vec<Import> {
    let named = code.nodes().into_iter().filter_map(|node| named(code, node));
    named.filter_map(|name| import(file, line(name), code.quoted(name)?)).collect()
}

/// The name in quotes that an import here is of.
fn named<'t>(code: &Code<'_>, node: Node<'t>) -> Option<Node<'t>> {
    match node.kind() {
        "import_statement" | "export_statement" | "import_require_clause" => {
            node.child_by_field_name("source")
        }
        "call_expression" => {
            let function = node.child_by_field_name("function")?;
            let is_import = function.kind() == "import" || code.text(function) == "require";
            node.child_by_field_name("arguments").filter(|_| is_import)?.named_child(0)
        }
        _ => None,
    }
}

fn import(file: &str, line: usize, name: &str) -> Option<Import> {
    let is_relative = matches!(name.split('/').next(), Some("." | ".."));
    if is_relative {
        return Some(Import::at_path(line, name, path::join(folder(file), name)));
    }
    // `@/x`, `~/x` and `#x` are names that projects give to their own folders.
    let alias = ["@/", "~/", "#/", "#", "~"].into_iter().find_map(|alias| name.strip_prefix(alias));
    let is_package = alias.is_none() && !name.contains('/');
    (!is_package && !name.contains(':')).then(|| Import::of_module(line, name, alias.unwrap_or(name)))
}
