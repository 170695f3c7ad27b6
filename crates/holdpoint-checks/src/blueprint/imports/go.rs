//! Go's imports, without the module's own name before them.

use super::Import;
use crate::source::{Code, line};

/// The first folders of the standard library's packages that have more than one.
const STANDARD: [&str; 22] = [
    "archive",
    "compress",
    "container",
    "crypto",
    "database",
    "debug",
    "encoding",
    "go",
    "hash",
    "html",
    "image",
    "index",
    "io",
    "log",
    "math",
    "mime",
    "net",
    "os",
    "regexp",
    "runtime",
    "text",
    "time",
];
/// Hosts whose modules are named for an owner and a project.
const HOSTS: [&str; 4] = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"];

pub(super) fn imports(code: &Code<'_>) -> Vec<Import> {
    let specs = code.nodes().into_iter().filter(|node| node.kind() == "import_spec");
    let paths = specs.filter_map(|spec| spec.child_by_field_name("path"));
    paths.filter_map(|path| import(line(path), code.quoted(path)?)).collect()
}

fn import(line: usize, name: &str) -> Option<Import> {
    let folders: Vec<&str> = name.split('/').collect();
    let first = *folders.first()?;
    let module = match first {
        _ if folders.len() == 1 || STANDARD.contains(&first) => return None,
        _ if HOSTS.contains(&first) => 3,
        _ if first.contains('.') => 2,
        _ => 1,
    };
    let inside = folders.get(module..)?.join("/");
    (!inside.is_empty()).then(|| Import::of_module(line, name, &inside))
}
