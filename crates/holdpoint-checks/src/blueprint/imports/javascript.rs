//! JavaScript's and TypeScript's imports: `from "x"`, `import "x"`, `import("x")`, `require("x")`.

use super::{Import, folder};
use crate::source::{Kind, Token};
use holdpoint_core::path;

pub(super) fn imports(file: &str, code: &[Token<'_>]) -> Vec<Import> {
    let code: Vec<Token<'_>> = code.iter().filter(|token| token.kind != Kind::Break).copied().collect();
    // `x.require`, but not `...require`.
    let is_dot = |place: Option<usize>| place.is_some_and(|place| code[place].is_mark("."));
    let is_member = |place: usize| is_dot(place.checked_sub(1)) && !is_dot(place.checked_sub(2));
    let named = (0..code.len()).filter(|place| !is_member(*place)).filter_map(|place| named(&code[place..]));
    named.filter_map(|(line, name)| import(file, line, name)).collect()
}

/// The name in quotes that an import here is of.
fn named<'a>(tokens: &[Token<'a>]) -> Option<(usize, &'a str)> {
    let [word, rest @ ..] = tokens else { return None };
    let name = match rest {
        [name, ..] if (word.is_word("from") || word.is_word("import")) && name.kind == Kind::Text => name,
        [open, name, close, ..]
            if (word.is_word("import") || word.is_word("require"))
                && open.is_mark("(")
                && name.kind == Kind::Text
                && (close.is_mark(")") || close.is_mark(",")) =>
        {
            name
        }
        _ => return None,
    };
    Some((word.line, name.text))
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
