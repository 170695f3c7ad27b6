//! Regular expressions and globs in expressions, written there or as data: those that do not compile.

use minijinja::machinery::ast::{CallArg, Expr};
use serde_json::Value as Json;

use super::super::table::{CLOSE_IT, ESCAPE_IT};
use super::meaning::{Judge, argument, constant_text, span};
use crate::filters::{glob_fault, pattern_fault};

impl Judge<'_> {
    /// The patterns that a filter is given.
    pub(super) fn patterns_of_filter(&mut self, name: &str, args: &[CallArg<'_>]) {
        let at = |at: usize| args.get(at).map(argument);
        match name {
            "match" => {
                if let Some(pattern) = at(0) {
                    self.pattern(pattern);
                }
            }
            "only" | "except" => args.iter().for_each(|glob| self.globs(argument(glob))),
            "select" | "reject" if at(0).and_then(constant_text).as_deref() == Some("like") => {
                if let Some(globs) = at(1) {
                    self.globs(globs);
                }
            }
            _ => {}
        }
    }

    /// The patterns that a test is given.
    pub(super) fn patterns_of_test(&mut self, name: &str, of: &Expr<'_>, arg: Option<&CallArg<'_>>) {
        match name {
            "found_in" => self.pattern(of),
            "like" => {
                if let Some(globs) = arg {
                    self.globs(argument(globs));
                }
            }
            _ => {}
        }
    }

    /// What the functions that read files by patterns are given.
    pub(super) fn readings(&mut self, function: &str, args: &[CallArg<'_>]) {
        let at = |at: usize| args.get(at).map(argument);
        match function {
            "highest" => {
                let named = at(0).and_then(|name| Some((constant_text(name)?, span(name))));
                if let Some((name, place)) = named.filter(|(name, _)| !name.contains("{n}")) {
                    let message = format!("`highest` looks for a number, and `{name}` has no `{{n}}`");
                    self.complain(place, message, "as in \"review-{n}.md\"".into());
                }
            }
            "table" => {
                if let Some(columns @ Expr::Var(var)) = at(1)
                    && let Some(wrong) = self.known.data(var.id).and_then(|value| wrong_column(&value))
                {
                    let hint = "name = [\"Title\", \"Other title\", 1]: titles, and the number of its place";
                    self.complain(span(columns), wrong, hint.into());
                }
            }
            _ => {}
        }
    }

    fn pattern(&mut self, expression: &Expr<'_>) {
        for pattern in self.texts(expression) {
            if let Some(why) = pattern_fault(&pattern) {
                let message = format!("`{pattern}` is not a regular expression: {why}");
                self.complain(span(expression), message, ESCAPE_IT.into());
            }
        }
    }

    fn globs(&mut self, expression: &Expr<'_>) {
        for glob in self.texts(expression) {
            if let Some(why) = glob_fault(glob.strip_prefix('!').unwrap_or(&glob)) {
                let message = format!("`{glob}` is not a glob: {why}");
                self.complain(span(expression), message, CLOSE_IT.into());
            }
        }
    }

    /// The texts that an expression is, if it is written down: here, or as data.
    fn texts(&self, expression: &Expr<'_>) -> Vec<String> {
        if let Some(text) = constant_text(expression) {
            return vec![text];
        }
        let texts = |value: serde_json::Value| match value {
            serde_json::Value::String(text) => vec![text],
            serde_json::Value::Array(items) => {
                items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
            }
            _ => Vec::new(),
        };
        match expression {
            Expr::Var(var) => self.known.data(var.id).map(texts).unwrap_or_default(),
            Expr::List(list) => list.items.iter().filter_map(constant_text).collect(),
            Expr::Const(constant) => {
                let items = constant.value.try_iter().into_iter().flatten();
                items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// What is wrong with the columns that `table` is to look for.
fn wrong_column(columns: &Json) -> Option<String> {
    let Some(columns) = columns.as_object() else {
        return Some("the columns of `table` are a table".to_owned());
    };
    let is_title = |item: &Json| item.is_string() || item.as_u64().is_some_and(|place| place > 0);
    let is_good = |column: &Json| {
        let items = column.as_array().filter(|items| !items.is_empty() && items.iter().all(is_title));
        items.is_some_and(|items| items.iter().filter(|item| item.is_number()).count() <= 1)
    };
    let (name, _) = columns.iter().find(|(_, column)| !is_good(column))?;
    Some(format!("the column `{name}` is neither titles nor a place"))
}
