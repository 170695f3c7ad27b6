//! Regular expressions and globs in expressions, written there or as data: those that do not compile.

use minijinja::machinery::ast::{CallArg, Expr};

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
