//! What expressions mean: attributes that nothing has, comparisons that are never true, patterns that do not compile,
//! conditions that are neither true nor false.

use std::collections::HashSet;
use std::ops::Range;

use minijinja::machinery::ast::{BinOpKind, CallArg, CompareOpKind, Expr, UnaryOpKind};
use minijinja::value::ValueKind;

use super::super::table::{Language, Piece, listed};
use super::shape::{Known, Shape};
use crate::diagnostic::{Diagnostic, nearest};
use crate::event::Moment;
use crate::expression::each_expression;
use crate::facts::attributes::{Is, Names};

/// What is wrong with what a piece means.
pub(super) fn check(piece: &Piece, known: &Known<'_>) -> Vec<Diagnostic> {
    let mut wrong = Vec::new();
    each_expression(&piece.source, piece.language == Language::Template, &mut |expression, set| {
        let mut judge = Judge::new(known, &piece.source, set, &piece.moments);
        judge.is_text = piece.language == Language::Template;
        let shape = judge.shape(expression);
        judge.shown(expression, &shape);
        if piece.is_condition {
            judge.condition(expression);
        }
        wrong.append(&mut judge.wrong);
    });
    let told = |wrong: Wrong| {
        Diagnostic::error(&piece.file, super::place(piece, wrong.span), wrong.message).hinted(wrong.hint)
    };
    wrong.into_iter().map(told).collect()
}

/// What an expression comes to.
pub(super) fn shape_of(source: &str, known: &Known<'_>) -> Shape {
    let mut shape = Shape::Any;
    each_expression(source, false, &mut |expression, set| {
        shape = Judge::new(known, source, set, &[]).shape(expression);
    });
    shape
}

struct Wrong {
    span: Range<usize>,
    message: String,
    hint: String,
}

pub(super) struct Judge<'k> {
    pub(super) known: &'k Known<'k>,
    source: &'k str,
    /// The names that the text sets itself.
    set: &'k HashSet<&'k str>,
    moments: &'k [Moment],
    /// Whether it is a part of a text, and not a condition or a value.
    is_text: bool,
    wrong: Vec<Wrong>,
}

impl<'k> Judge<'k> {
    fn new(
        known: &'k Known<'k>,
        source: &'k str,
        set: &'k HashSet<&'k str>,
        moments: &'k [Moment],
    ) -> Judge<'k> {
        Judge { known, source, set, moments, is_text: true, wrong: Vec::new() }
    }

    pub(super) fn complain(&mut self, span: Range<usize>, message: String, hint: String) {
        self.wrong.push(Wrong { span, message, hint });
    }

    fn text(&self, expression: &Expr<'_>) -> &'k str {
        self.source.get(span(expression)).unwrap_or_default()
    }

    fn listed(&mut self, items: &[Expr<'_>]) -> Shape {
        for item in items {
            self.shape(item);
        }
        if items.is_empty() { Shape::Empty } else { Shape::List }
    }

    /// What an expression comes to, after a look at all its parts.
    fn shape(&mut self, expression: &Expr<'_>) -> Shape {
        match expression {
            Expr::Var(var) if self.set.contains(var.id) => Shape::Any,
            Expr::Var(var) => self.name(var.id, span(expression)),
            Expr::Const(constant) => constant_shape(&constant.value),
            Expr::GetAttr(attribute) => {
                let of = self.shape(&attribute.expr);
                let end = span(expression).end;
                let place = end.saturating_sub(attribute.name.len())..end;
                self.attribute(&of, self.text(&attribute.expr), attribute.name, place)
            }
            Expr::GetItem(item) => self.item(&item.expr, &item.subscript_expr),
            Expr::Call(call) => self.called(&call.expr, &call.args),
            Expr::Filter(filter) => {
                let of = filter.expr.as_ref().map_or(Shape::Any, |inner| self.shape(inner));
                self.arguments(&filter.args);
                self.patterns_of_filter(filter.name, &filter.args);
                self.filtered(filter.name, of, &filter.args)
            }
            Expr::Test(test) => {
                self.shape(&test.expr);
                self.arguments(&test.args);
                self.patterns_of_test(test.name, &test.expr, test.args.first());
                Shape::Truth
            }
            Expr::UnaryOp(unary) => {
                self.shape(&unary.expr);
                match unary.op {
                    UnaryOpKind::Not => Shape::Truth,
                    UnaryOpKind::Neg => Shape::Number,
                }
            }
            Expr::BinOp(binary) => self.operation(binary.op, &binary.left, &binary.right),
            Expr::Compare(compare) => {
                let mut left = &compare.expr;
                for op in &compare.ops {
                    self.compared(left, &op.expr, matches!(op.op, CompareOpKind::In | CompareOpKind::NotIn));
                    left = &op.expr;
                }
                Shape::Truth
            }
            Expr::IfExpr(choice) => {
                self.shape(&choice.test_expr);
                let one = self.shape(&choice.true_expr);
                match &choice.false_expr {
                    Some(other) => one.or(&self.shape(other)),
                    None => one,
                }
            }
            Expr::List(list) => self.listed(&list.items),
            Expr::Tuple(tuple) => self.listed(&tuple.items),
            Expr::Map(map) => {
                self.listed(&map.values);
                Shape::Any
            }
            Expr::Slice(slice) => {
                let of = self.shape(&slice.expr);
                if matches!(of, Shape::Text | Shape::OneOf(_)) { Shape::Text } else { Shape::Any }
            }
        }
    }

    /// Complains about a whole noun where a text shows a value: it would be printed as a table.
    fn shown(&mut self, expression: &Expr<'_>, shape: &Shape) {
        let place = span(expression);
        let (before, after) = self.source.split_at_checked(place.start).unwrap_or_default();
        let after = after.get(place.len()..).unwrap_or_default();
        let is_shown = before.trim_end().trim_end_matches('-').ends_with("{{")
            && after.trim_start().trim_start_matches('-').starts_with("}}");
        if is_shown && let (Expr::Var(_), Shape::Table(parts)) = (expression, shape) {
            let text = self.text(expression);
            self.complain(place, format!("`{text}` is not a text"), one_part(text, parts));
        }
    }

    fn name(&mut self, name: &str, place: Range<usize>) -> Shape {
        let is_of_tools = matches!(name, "tool" | "delegation");
        if is_of_tools && !self.moments.is_empty() && !self.moments.iter().any(|moment| moment.has_tool()) {
            let moments: Vec<&str> = self.moments.iter().map(|moment| moment.name()).collect();
            let message = format!("there is no `{name}` at the event {}", listed(&moments));
            self.complain(
                place,
                message,
                "a tool is known before and after it runs: on = \"before shell\"".into(),
            );
            return Shape::Any;
        }
        self.known.name(name)
    }

    /// What something has under a name.
    fn attribute(&mut self, of: &Shape, text: &str, name: &str, place: Range<usize>) -> Shape {
        match of {
            Shape::Table(list) => {
                if text == "event" && name == "prompt" {
                    self.prompt(place.clone());
                }
                if name == "version" && !self.is_text {
                    self.version(place.clone());
                }
                if let Some((_, is)) = list.iter().find(|(known, _)| *known == name) {
                    return Shape::is(is, self.known);
                }
                let names: Vec<&str> = list.iter().map(|(name, _)| *name).collect();
                let hint = match super::super::parse::former::attribute(text, name) {
                    Some(instead) => instead.to_owned(),
                    None => meant(name, &names, |all| format!("it has {all}")),
                };
                self.complain(place, format!("`{text}` has no `{name}`"), hint);
                Shape::Any
            }
            Shape::By(names, is) => self.by_name(*names, is, name, place),
            plain => {
                if let Some(what) = plain.plain() {
                    let message = format!("`{text}` is {what} and has no `{name}`");
                    self.complain(place, message, "leave it out".into());
                }
                Shape::Any
            }
        }
    }

    fn by_name(&mut self, names: Names, is: &'static Is, name: &str, place: Range<usize>) -> Shape {
        let there = self.known.names(names).filter(|there| !there.iter().any(|known| known == name));
        if let Some(there) = there {
            let there: Vec<&str> = there.iter().map(String::as_str).collect();
            if matches!(names, Names::Fields | Names::ItemFields) {
                let (message, hint) = self.known.undeclared(names == Names::ItemFields, name, "\"\"");
                self.complain(place, message, hint);
                return Shape::Any;
            }
            let (what, hint) = match names {
                Names::Limits => ("there is no limit", "the limits are"),
                Names::Reviewers => ("there is no reviewer", "the reviewers are"),
                Names::Arguments => ("no command has an argument", "the arguments are"),
                Names::Flags => ("no command has a flag", "the flags are"),
                Names::Approvals => ("there is no approval", "the approvals are"),
                Names::Variables => ("no workflow can read the variable", "the variables are"),
                _ => ("there is no phase", "the phases are"),
            };
            let hint = if there.is_empty() {
                "this workflow has none".to_owned()
            } else {
                meant(name, &there, |all| format!("{hint} {all}"))
            };
            self.complain(place, format!("{what} `{name}`"), hint);
            return Shape::Any;
        }
        if names == Names::Fields { self.known.field(name) } else { Shape::is(is, self.known) }
    }

    /// What something has under a name that is written or worked out.
    fn item(&mut self, of: &Expr<'_>, subscript: &Expr<'_>) -> Shape {
        let (text, shape) = (self.text(of), self.shape(of));
        if let Some(name) = constant_text(subscript) {
            return self.attribute(&shape, text, &name, span(subscript));
        }
        self.shape(subscript);
        match shape {
            Shape::By(names, is) if names != Names::Fields => Shape::is(is, self.known),
            _ => Shape::Any,
        }
    }

    fn called(&mut self, of: &Expr<'_>, args: &[CallArg<'_>]) -> Shape {
        let shape = self.shape(of);
        self.arguments(args);
        if let Expr::Var(var) = of {
            match var.id {
                "proved" => self.named(Names::Phases, args),
                "approved" => self.named(Names::Approvals, args),
                name => self.readings(name, args),
            }
        }
        match shape {
            Shape::Function(gives) => Shape::is(gives, self.known),
            _ => Shape::Any,
        }
    }

    /// Only a program has a version.
    fn version(&mut self, place: Range<usize>) {
        let message = "a condition cannot ask for a program's version, because that starts the program";
        self.complain(place, message.to_owned(), "ask for `.path`, or let a check run the program".into());
    }

    fn prompt(&mut self, place: Range<usize>) {
        if !self.moments.is_empty() && !self.moments.contains(&Moment::Prompt) {
            let message = "`event.prompt` is known at the event `prompt` alone".to_owned();
            self.complain(place, message, "on = \"prompt\"".into());
        }
    }

    /// Arguments that are names of the workflow.
    fn named(&mut self, names: Names, args: &[CallArg<'_>]) {
        for arg in args {
            if let CallArg::Pos(expression) = arg
                && let Some(name) = constant_text(expression)
            {
                self.by_name(names, &Is::Any, &name, span(expression));
            }
        }
    }

    fn arguments(&mut self, args: &[CallArg<'_>]) {
        for arg in args {
            self.shape(argument(arg));
        }
    }

    fn operation(&mut self, op: BinOpKind, left: &Expr<'_>, right: &Expr<'_>) -> Shape {
        use BinOpKind::{Add, Concat, Eq, Gt, Gte, In, Lt, Lte, Ne, ScAnd, ScOr};
        match op {
            Eq | Ne | Lt | Lte | Gt | Gte | In => {
                self.compared(left, right, matches!(op, In));
                Shape::Truth
            }
            ScAnd => {
                self.shape(left);
                self.shape(right);
                Shape::Any
            }
            ScOr | Add => {
                let one = self.shape(left);
                one.or(&self.shape(right))
            }
            Concat => {
                self.shape(left);
                self.shape(right);
                Shape::Text
            }
            _ => {
                self.shape(left);
                self.shape(right);
                Shape::Number
            }
        }
    }

    /// Two sides that can never be equal.
    fn compared(&mut self, left: &Expr<'_>, right: &Expr<'_>, is_in: bool) {
        let (one, other) = (self.shape(left), self.shape(right));
        match (&one, &other) {
            (Shape::Table(parts), Shape::Text) => return self.whole(left, right, parts),
            (Shape::Table(parts), Shape::List) if is_in => return self.whole(left, right, parts),
            // A text can be one of its keys.
            (Shape::Text, Shape::Table(parts)) if !is_in => return self.whole(right, left, parts),
            _ => {}
        }
        if is_in {
            if let (Shape::OneOf(words), Expr::List(list)) = (&one, right) {
                list.items.iter().for_each(|item| self.one_of(words, left, item));
            } else if let (Shape::OneOf(words), Expr::Const(constant)) = (&one, right)
                && let Ok(items) = constant.value.try_iter()
            {
                let strange = items.filter_map(|item| item.as_str().map(str::to_owned));
                strange.for_each(|word| self.never(words, left, &word, span(right)));
            }
            return;
        }
        match (&one, &other) {
            (Shape::OneOf(words), _) => self.one_of(words, left, right),
            (_, Shape::OneOf(words)) => self.one_of(words, right, left),
            _ => {}
        }
        let is_text = |shape: &Shape| matches!(shape, Shape::Text | Shape::OneOf(_));
        let (number, text) = match (&one, &other) {
            (Shape::Number, text) if is_text(text) => (left, right),
            (text, Shape::Number) if is_text(text) => (right, left),
            _ => return,
        };
        let message = format!("`{}` is a number and `{}` is a text", self.text(number), self.text(text));
        let hint = match constant_text(text).filter(|text| text.trim().parse::<f64>().is_ok()) {
            Some(digits) => format!("write {} without quotes", digits.trim()),
            None => "compare a number with a number, a text with a text".to_owned(),
        };
        self.complain(span(left).start..span(right).end, message, hint);
    }

    /// A whole noun that is compared with a text, or with a list of them.
    fn whole(&mut self, noun: &Expr<'_>, with: &Expr<'_>, parts: &[(&'static str, Is)]) {
        let message = format!("`{}` is never `{}`", self.text(noun), self.text(with));
        self.complain(span(noun), message, one_part(self.text(noun), parts));
    }

    fn one_of(&mut self, words: &[String], one: &Expr<'_>, other: &Expr<'_>) {
        if let Some(word) = constant_text(other) {
            self.never(words, one, &word, span(other));
        }
    }

    fn never(&mut self, words: &[String], one: &Expr<'_>, word: &str, place: Range<usize>) {
        if !word.is_empty() && !words.iter().any(|known| known == word) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let hint = meant(word, &words, |all| format!("it can be {all}"));
            self.complain(place, format!("`{}` is never `{word}`", self.text(one)), hint);
        }
    }

    fn filtered(&mut self, name: &str, of: Shape, args: &[CallArg<'_>]) -> Shape {
        match name {
            "length" | "int" | "float" | "number" | "whole" | "epoch" => Shape::Number,
            "join" | "lower" | "match" | "quoted" | "replace" | "segment" | "span" | "spell" | "string"
            | "text" | "trim" | "unlike" | "upper" => Shape::Text,
            "except" | "only" | "split" | "map" | "items" | "appending" | "dated" => Shape::List,
            "list" | "select" | "reject" | "selectattr" | "rejectattr" | "sort" | "unique" => match of {
                Shape::Elements(_) | Shape::Empty => of,
                _ => Shape::List,
            },
            "default" => match args.first() {
                Some(arg) => of.or(&self.shape(argument(arg))),
                None => of,
            },
            "with_fields" => match (of, args.first().and_then(|arg| self.keys(argument(arg)))) {
                (Shape::Elements(own), Some(more)) => {
                    Shape::Elements(own.iter().cloned().chain(more).collect())
                }
                _ => Shape::List,
            },
            _ => Shape::Any,
        }
    }

    /// The keys of a table that is written down.
    fn keys(&self, table: &Expr<'_>) -> Option<Vec<String>> {
        match table {
            Expr::Var(var) => {
                let data = self.known.data(var.id)?;
                Some(data.as_object()?.keys().cloned().collect())
            }
            Expr::Map(map) => map.keys.iter().map(constant_text).collect(),
            Expr::Const(constant) => {
                let keys = constant.value.try_iter().ok()?;
                Some(keys.map(|key| key.to_string()).collect())
            }
            _ => None,
        }
    }

    /// A condition that is always the same because it is a text or a number.
    fn condition(&mut self, expression: &Expr<'_>) {
        match expression {
            Expr::BinOp(binary) if matches!(binary.op, BinOpKind::ScAnd) => {
                self.condition(&binary.left);
                self.condition(&binary.right);
            }
            Expr::UnaryOp(unary) => self.condition(&unary.expr),
            Expr::Const(constant)
                if matches!(constant.value.kind(), ValueKind::String | ValueKind::Number) =>
            {
                let what = if constant.value.kind() == ValueKind::String { "a text" } else { "a number" };
                let hint = match constant.value.as_str().filter(|text| !text.is_empty()) {
                    Some(inner) => format!("without the inner quotes: {inner}"),
                    None => "write a condition, or true, or false".to_owned(),
                };
                let message = format!("`{}` is {what}, and so always the same", self.text(expression));
                self.complain(span(expression), message, hint);
            }
            _ => {}
        }
    }
}

fn constant_shape(value: &minijinja::Value) -> Shape {
    match value.kind() {
        ValueKind::String => Shape::Text,
        ValueKind::Number => Shape::Number,
        ValueKind::Bool => Shape::Truth,
        ValueKind::Seq if value.len() == Some(0) => Shape::Empty,
        ValueKind::Seq => Shape::List,
        _ => Shape::Any,
    }
}

pub(super) fn span(expression: &Expr<'_>) -> Range<usize> {
    let span = expression.span();
    span.start_offset as usize..span.end_offset as usize
}

pub(super) fn constant_text(expression: &Expr<'_>) -> Option<String> {
    match expression {
        Expr::Const(constant) => constant.value.as_str().map(str::to_owned),
        _ => None,
    }
}

pub(super) fn argument<'a, 'e>(arg: &'a CallArg<'e>) -> &'a Expr<'e> {
    match arg {
        CallArg::Pos(expression)
        | CallArg::Kwarg(_, expression)
        | CallArg::PosSplat(expression)
        | CallArg::KwargSplat(expression) => expression,
    }
}

/// What to write instead of a whole noun.
fn one_part(noun: &str, parts: &[(&'static str, Is)]) -> String {
    let part =
        parts.iter().find(|(name, _)| *name == "name").or(parts.first()).map_or("name", |(name, _)| *name);
    format!("it has parts: write one of them, such as {noun}.{part}")
}

/// The nearest right name, or all there are.
fn meant(name: &str, names: &[&str], all: impl Fn(String) -> String) -> String {
    match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => all(listed(names)),
    }
}
