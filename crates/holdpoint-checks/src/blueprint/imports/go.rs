//! Go's imports, without the module's own name before them.

use super::Import;
use crate::source::brackets::Brackets;
use crate::source::{Kind, Token};

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

pub(super) fn imports(code: &[Token<'_>]) -> Vec<Import> {
    let code: Vec<Token<'_>> = code.iter().filter(|token| token.kind != Kind::Break).copied().collect();
    let brackets = Brackets::of(&code);
    let mut found = Vec::new();
    let mut place = 0;
    while place < code.len() {
        let mut next = place + 1;
        if code[place].is_word("import") {
            let is_group = code.get(place + 1).is_some_and(|next| next.is_mark("("));
            // One import may have a name of its own before it.
            let end = if is_group { brackets.closing(place + 1) } else { code.len().min(place + 3) };
            let names = code[place + 1..end].iter().filter(|token| token.kind == Kind::Text);
            let limit = if is_group { usize::MAX } else { 1 };
            found.extend(names.take(limit).filter_map(|name| import(name.line, name.text)));
            // A group is passed over as a whole, closed or not.
            next = if is_group { end } else { next };
        }
        place = next;
    }
    found
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
