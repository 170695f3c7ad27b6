//! Python's imports: statements anywhere in the code, relative ones too, and `import_module` with a name in quotes.

use super::{Import, folder};
use crate::source::line::lines;
use crate::source::{Kind, Token};
use holdpoint_core::path;

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

pub(super) fn imports(file: &str, text: &str, code: &[Token<'_>]) -> Vec<Import> {
    let mut found = Vec::new();
    for line in lines(text, code) {
        let tokens: Vec<Token<'_>> = line
            .tokens
            .iter()
            .filter(|token| token.kind != Kind::Break && !token.is_mark("\\"))
            .copied()
            .collect();
        for start in starts(&tokens) {
            statement(file, &tokens[start..], &mut found);
        }
        found.extend((0..tokens.len()).filter_map(|place| by_call(file, &tokens[place..])));
    }
    found
}

/// Where statements begin on a logical line: at its start, after a semicolon, after the colon of a block.
fn starts(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut depth = 0usize;
    let mut starts = vec![0];
    for (place, token) in tokens.iter().enumerate() {
        if token.opens() {
            depth += 1;
        } else if token.closes() {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && (token.is_mark(";") || token.is_mark(":")) {
            starts.push(place + 1);
        }
    }
    starts.into_iter().filter(|start| *start < tokens.len()).collect()
}

fn statement(file: &str, tokens: &[Token<'_>], found: &mut Vec<Import>) {
    if !tokens.first().is_some_and(|first| first.is_word("import") || first.is_word("from")) {
        return;
    }
    let end = tokens.iter().position(|token| token.is_mark(";")).unwrap_or(tokens.len());
    let tokens = &tokens[..end];
    match tokens {
        [first, rest @ ..] if first.is_word("import") => {
            for part in rest.split(|token| token.is_mark(",")) {
                let name = dotted(part);
                if !name.is_empty() {
                    found.extend(import(file, first.line, &name));
                }
            }
        }
        [first, rest @ ..] if first.is_word("from") => {
            let Some(import_at) = rest.iter().position(|token| token.is_word("import")) else { return };
            let module = dotted(&rest[..import_at]);
            for part in rest[import_at + 1..].split(|token| token.is_mark(",")) {
                let member =
                    part.iter().find(|token| token.kind == Kind::Word).map_or("", |token| token.text);
                let dot = if member.is_empty() || module.ends_with('.') { "" } else { "." };
                found.extend(import(file, first.line, &format!("{module}{dot}{member}")));
            }
        }
        _ => {}
    }
}

/// The dots and words before `as`, as one name.
fn dotted(tokens: &[Token<'_>]) -> String {
    let named = tokens.iter().take_while(|token| !token.is_word("as"));
    named.filter(|token| token.kind == Kind::Word || token.is_mark(".")).map(|token| token.text).collect()
}

/// `importlib.import_module("a.b")`, `__import__("a.b")`.
fn by_call(file: &str, tokens: &[Token<'_>]) -> Option<Import> {
    let [name, open, module, after, ..] = tokens else { return None };
    let is_named = name.is_word("import_module") || name.is_word("__import__");
    let is_call = is_named && open.is_mark("(") && (after.is_mark(")") || after.is_mark(","));
    (is_call && module.kind == Kind::Text).then(|| import(file, name.line, module.text))?
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
