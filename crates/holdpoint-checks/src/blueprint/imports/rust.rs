//! Rust's imports: `use`, `extern crate`, `#[path]`, and paths in the midst of code. What is for tests only is left out.

use super::{Import, folder};
use crate::source::brackets::Brackets;
use crate::source::test_item::test_until;
use crate::source::{Kind, Token};
use holdpoint_core::path;

pub(super) fn imports(file: &str, code: &[Token<'_>]) -> Vec<Import> {
    let tokens: Vec<Token<'_>> = code.iter().filter(|token| token.kind != Kind::Break).copied().collect();
    let mut reader =
        Reader { file, module: module_of(file), inline: Vec::new(), depth: 0, found: Vec::new() };
    let brackets = Brackets::of(&tokens);
    let mut place = 0;
    while place < tokens.len() {
        place = match test_until(&tokens, &brackets, place) {
            Some(end) => end + 1,
            None => reader.take(&tokens, place),
        };
    }
    reader.found
}

struct Reader<'f> {
    file: &'f str,
    /// The crate's folder, and the module that the file is.
    module: (String, Vec<String>),
    /// Modules with a body that are open here, by the depth of their braces.
    inline: Vec<(usize, String)>,
    depth: usize,
    found: Vec<Import>,
}

impl Reader<'_> {
    /// Reads what begins at `place` and says where to go on.
    fn take(&mut self, tokens: &[Token<'_>], place: usize) -> usize {
        let token = &tokens[place];
        let is_after = |mark: &str| place > 0 && tokens[place - 1].is_mark(mark);
        if token.is_mark("{") {
            self.depth += 1;
        } else if token.is_mark("}") {
            self.depth = self.depth.saturating_sub(1);
            self.inline.retain(|(depth, _)| *depth <= self.depth);
        } else if token.is_mark("#") {
            self.path_attribute(&tokens[place..]);
        } else if token.kind == Kind::Word && !is_after("::") && !is_after(".") {
            return self.word(tokens, place);
        }
        place + 1
    }

    fn word(&mut self, tokens: &[Token<'_>], place: usize) -> usize {
        let token = &tokens[place];
        match (token.text, &tokens[place + 1..]) {
            ("use", rest) => {
                let end = rest.iter().position(|token| token.is_mark(";")).unwrap_or(rest.len());
                self.use_tree(&rest[..end]);
                return place + 1 + end;
            }
            ("mod", [name, open, ..]) if name.kind == Kind::Word && open.is_mark("{") => {
                self.inline.push((self.depth + 1, name.text.to_owned()));
                return place + 2;
            }
            ("crate", [name, ..])
                if name.kind == Kind::Word && place > 0 && tokens[place - 1].is_word("extern") =>
            {
                self.add(token.line, &[name.text]);
                return place + 2;
            }
            // `pub(in crate::x)` says who may see, and imports nothing.
            ("in", [first, ..])
                if place > 1 && tokens[place - 1].is_mark("(") && tokens[place - 2].is_word("pub") =>
            {
                return place + 1 + usize::from(first.kind == Kind::Word);
            }
            (_, [colons, ..]) if colons.is_mark("::") => {
                let names: Vec<&str> = path_at(&tokens[place..]);
                self.add(token.line, &names);
            }
            _ => {}
        }
        place + 1
    }

    /// `a::{b, c::{d, e as f}}`, each as a path of its own.
    fn use_tree(&mut self, tokens: &[Token<'_>]) {
        let mut names: Vec<&str> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let (mut is_new, mut is_alias) = (false, false);
        let mut line = tokens.first().map_or(0, |token| token.line);
        for token in tokens {
            match (token.kind, token.text) {
                (Kind::Word, "as") => is_alias = true,
                (Kind::Word, _) if is_alias => is_alias = false,
                (Kind::Word, word) => {
                    names.push(word);
                    (is_new, line) = (true, token.line);
                }
                (Kind::Mark, "{") => open.push(names.len()),
                (Kind::Mark, "," | "}") => {
                    if std::mem::take(&mut is_new) {
                        self.add(line, &names);
                    }
                    names.truncate(open.last().copied().unwrap_or(0));
                    if token.text == "}" {
                        open.pop();
                    }
                }
                _ => {}
            }
        }
        if is_new {
            self.add(line, &names);
        }
    }

    /// `#[path = "../x.rs"] mod x;`
    fn path_attribute(&mut self, tokens: &[Token<'_>]) {
        if let [_, open, word, equals, name, ..] = tokens
            && open.is_mark("[")
            && word.is_word("path")
            && equals.is_mark("=")
        {
            let path = path::join(folder(self.file), name.text);
            self.found.push(Import::at_path(name.line, name.text, path));
        }
    }

    /// A path by its names, from the crate, this module, the one above, or another crate.
    fn add(&mut self, line: usize, names: &[&str]) {
        let name = names.join("::");
        let (root, file_module) = &self.module;
        let mut at: Vec<&str> = file_module.iter().map(String::as_str).collect();
        at.extend(self.inline.iter().map(|(_, name)| name.as_str()));
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

/// The names of the path at the start.
fn path_at<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let mut names = Vec::new();
    let mut rest = tokens;
    while let [name, after @ ..] = rest
        && name.kind == Kind::Word
    {
        names.push(name.text);
        match after {
            [colons, after @ ..] if colons.is_mark("::") => rest = after,
            _ => break,
        }
    }
    names
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
