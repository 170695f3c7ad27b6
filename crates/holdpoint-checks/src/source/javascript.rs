//! JavaScript's and TypeScript's comments, strings, template strings, regular expressions and JSX.

use super::cursor::{Cursor, in_word};
use super::jsx;
use super::{Kind, Token};

/// What surrounds the code at hand, the innermost last.
#[derive(Clone, Copy)]
pub(super) enum Around<'a> {
    /// The text of a template string.
    Template,
    /// Code between braces in a template string or in JSX, and how many braces are open in it.
    Hole(usize),
    /// A JSX tag that is open, by its name.
    Tag(&'a str),
    /// What stands between a JSX tag and the one that closes it.
    Children,
}

/// A reader of JavaScript.
pub(super) struct Reader<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) around: Vec<Around<'a>>,
    has_jsx: bool,
    /// The names of tags that nothing further on closes.
    pub(super) unclosed: std::collections::HashSet<&'a str>,
    /// For each open parenthesis, whether it belongs to an `if`, `while`, `for` or `with`.
    parentheses: Vec<bool>,
    /// Whether the parenthesis closed last did: after it stands a statement.
    was_condition: bool,
}

/// Words after which an expression begins.
const OPERATORS: [&str; 15] = [
    "return",
    "typeof",
    "instanceof",
    "in",
    "of",
    "new",
    "delete",
    "void",
    "throw",
    "case",
    "do",
    "else",
    "yield",
    "await",
    "default",
];

pub(super) fn read(cursor: Cursor<'_>, has_jsx: bool) -> Vec<Token<'_>> {
    let mut reader = Reader {
        cursor,
        around: Vec::new(),
        has_jsx,
        unclosed: std::collections::HashSet::new(),
        parentheses: Vec::new(),
        was_condition: false,
    };
    while let Some(char) = reader.cursor.peek() {
        match reader.around.last().copied() {
            Some(Around::Template) => reader.template(),
            Some(Around::Tag(name)) => jsx::tag(&mut reader, name, char),
            Some(Around::Children) => jsx::children(&mut reader),
            Some(Around::Hole(_)) | None => reader.code(char),
        }
    }
    reader.cursor.finish()
}

impl Reader<'_> {
    fn code(&mut self, char: char) {
        match char {
            '/' if self.cursor.starts("//") => self.cursor.line_comment(),
            '/' if self.cursor.starts("/*") => self.cursor.block_comment(),
            '#' if self.cursor.starts("#!") && self.cursor.is_at_start() => self.cursor.line_comment(),
            '/' if self.expects_value() && self.regex() => {}
            '"' => self.cursor.quoted(1, "\"", false),
            '\'' => self.cursor.quoted(1, "'", false),
            '`' => {
                self.cursor.skip(1);
                self.around.push(Around::Template);
            }
            '<' if self.has_jsx && self.expects_tag() && jsx::open(self) => {}
            '{' | '}' | '(' | ')' => self.bracket(char),
            _ => self.cursor.plain(),
        }
    }

    fn bracket(&mut self, char: char) {
        let in_hole = matches!(self.around.last(), Some(Around::Hole(0)));
        match (char, self.around.last_mut()) {
            ('(', _) => self.parentheses.push(self.follows_condition()),
            (')', _) => self.was_condition = self.parentheses.pop().unwrap_or(false),
            ('{', Some(Around::Hole(depth))) => *depth += 1,
            ('}', Some(_)) if in_hole => drop(self.around.pop()),
            ('}', Some(Around::Hole(depth))) => *depth -= 1,
            _ => {}
        }
        self.cursor.take(Kind::Mark, 1);
    }

    fn follows_condition(&self) -> bool {
        let mut before = self.cursor.before().filter(|token| !token.is_word("await"));
        let word = before.next().filter(|token| token.kind == Kind::Word).map_or("", |token| token.text);
        matches!(word, "if" | "while" | "for" | "with")
            && !before.next().is_some_and(|token| token.is_mark("."))
    }

    /// Whether a value can stand here, so that a slash begins a regular expression and no division.
    fn expects_value(&self) -> bool {
        let mut before = self.cursor.before();
        let Some(last) = before.next() else { return true };
        let ahead = before.next();
        match (last.kind, last.text) {
            (Kind::Mark, ")") => self.was_condition,
            // `x++ / y`
            (Kind::Mark, "+" | "-") => {
                !ahead.is_some_and(|t| t.is_mark(last.text) && t.start + 1 == last.start)
            }
            (Kind::Mark, mark) => mark != "]",
            (Kind::Word, word) => OPERATORS.contains(&word) && !ahead.is_some_and(|t| t.is_mark(".")),
            (Kind::Number | Kind::Text | Kind::Comment | Kind::Break, _) => false,
        }
    }

    /// A value can follow a closing brace, but a tag there would be a statement of its own.
    fn expects_tag(&self) -> bool {
        self.expects_value() && !self.cursor.before().next().is_some_and(|token| token.is_mark("}"))
    }

    /// A regular expression. False: no slash closes it on this line, so it is a division.
    fn regex(&mut self) -> bool {
        let inside = &self.cursor.rest()[1..];
        let mut in_class = false;
        let mut chars = inside.char_indices();
        while let Some((place, char)) = chars.next() {
            match char {
                '\n' => return false,
                '\\' if !inside[place + 1..].starts_with('\n') => drop(chars.next()),
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => {
                    let after = &inside[place + 1..];
                    let flags = after.find(|c| !in_word(c)).unwrap_or(after.len());
                    self.cursor.take_inside(Kind::Text, 1, place, 1 + flags);
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    /// The text of a template string up to its next hole or its end.
    fn template(&mut self) {
        let rest = self.cursor.rest();
        let mut chars = rest.char_indices();
        while let Some((place, char)) = chars.next() {
            match char {
                '\\' => drop(chars.next()),
                '`' => {
                    self.cursor.take_inside(Kind::Text, 0, place, 1);
                    self.around.pop();
                    return;
                }
                '$' if rest[place + 1..].starts_with('{') => {
                    self.cursor.take_inside(Kind::Text, 0, place, 1);
                    self.cursor.take(Kind::Mark, 1);
                    return self.around.push(Around::Hole(0));
                }
                _ => {}
            }
        }
        self.cursor.take(Kind::Text, rest.len());
        self.around.pop();
    }
}
