//! The names that an expression or a template uses: variables, filters and tests, each with its position. `check`
//! compares them with the names that exist. Nothing here evaluates anything.

use std::collections::HashSet;
use std::ops::Range;

use minijinja::machinery::ast::{BinOp, BinOpKind, CallArg, Expr, Stmt};
use minijinja::machinery::{Span, parse, parse_expr};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;

/// The role of a name in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// A variable that the source does not set itself.
    Variable,
    /// A filter.
    Filter,
    /// A test.
    Test,
}

/// A name in an expression, with its role and position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameUse {
    /// The name.
    pub name: String,
    /// Its role.
    pub used_as: Use,
    /// Where, in bytes of the source.
    pub span: Range<usize>,
}

/// The reason why a source does not parse, and the position if known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes of the source.
    pub span: Range<usize>,
    /// What to write instead, if that can be told.
    pub hint: Option<&'static str>,
}

/// Returns the names that an expression uses.
pub(crate) fn names_in_expression(source: &str) -> Result<Vec<NameUse>, SyntaxError> {
    let expression = parse_expr(source).map_err(|error| {
        let error = syntax_error(source, &error);
        match slip(source) {
            Some((span, hint)) => SyntaxError { span, hint: Some(hint), ..error },
            None => error,
        }
    })?;
    let mut names = Names::default();
    names.expression(&expression);
    names.into_found(source, false)
}

/// Hands each whole expression of a source to `look`, with the names that the source sets itself. What does not parse has
/// none: the names of it are asked for as well, and tell.
pub(crate) fn each_expression(
    source: &str,
    is_template: bool,
    look: &mut dyn FnMut(&Expr<'_>, &HashSet<&str>),
) {
    if !is_template {
        if let Ok(expression) = parse_expr(source) {
            look(&expression, &HashSet::new());
        }
        return;
    }
    if let Ok(template) = parse(source, "text", SyntaxConfig::default()) {
        let mut names = Names::default();
        names.statement(&template);
        let assigned = std::mem::take(&mut names.assigned);
        names.whole.iter().for_each(|expression| look(expression, &assigned));
    }
}

/// Whether a source repeats a constant text or list by `*`, so that compiling it would make a large value.
pub(crate) fn repeats_constants(source: &str, is_template: bool) -> bool {
    let mut names = Names::default();
    if is_template {
        let Ok(template) = parse(source, "text", SyntaxConfig::default()) else { return false };
        names.statement(&template);
        names.repeats
    } else {
        let Ok(expression) = parse_expr(source) else { return false };
        names.expression(&expression);
        names.repeats
    }
}

/// Whether an operator is `*` between constants that are more than a short text and a small number.
fn is_repetition(binary: &BinOp<'_>) -> bool {
    /// `'-' * 80` is common.
    const SHORT: usize = 64;
    let short = |text: &Expr<'_>, times: &Expr<'_>| match (text, times) {
        (Expr::Const(text), Expr::Const(times)) => {
            text.value.as_str().is_some_and(|text| text.len() <= SHORT)
                && times.value.as_usize().is_some_and(|times| times <= SHORT * SHORT)
        }
        _ => false,
    };
    let (left, right) = (&binary.left, &binary.right);
    let is_number = |expr: &Expr<'_>| matches!(expr, Expr::Const(of) if of.value.kind() == ValueKind::Number);
    matches!(binary.op, BinOpKind::Mul)
        && is_constant(left)
        && is_constant(right)
        && !(is_number(left) && is_number(right))
        && !short(left, right)
        && !short(right, left)
}

/// Whether an expression is made of constants alone.
fn is_constant(expr: &Expr<'_>) -> bool {
    match expr {
        Expr::Const(_) => true,
        Expr::List(list) => list.items.iter().all(is_constant),
        Expr::Tuple(tuple) => tuple.items.iter().all(is_constant),
        Expr::Map(map) => map.keys.iter().chain(&map.values).all(is_constant),
        Expr::UnaryOp(unary) => is_constant(&unary.expr),
        Expr::BinOp(binary) => is_constant(&binary.left) && is_constant(&binary.right),
        Expr::Compare(compare) => {
            is_constant(&compare.expr) && compare.ops.iter().all(|op| is_constant(&op.expr))
        }
        _ => false,
    }
}

/// Returns the paths that an expression reads below the names in `roots`, such as `state.status`, each once, in order.
pub(crate) fn paths_in_expression(source: &str, roots: &[&str]) -> Vec<String> {
    let mut paths = Vec::new();
    if let Ok(expression) = parse_expr(source) {
        gather_paths(&expression, roots, &mut paths);
    }
    paths
}

fn gather_paths(expr: &Expr<'_>, roots: &[&str], paths: &mut Vec<String>) {
    if let Some(path) =
        dotted(expr).filter(|path| roots.iter().any(|root| path.split('.').next() == Some(root)))
    {
        if path.contains('.') && !paths.contains(&path) {
            paths.push(path);
        }
        return;
    }
    match expr {
        Expr::UnaryOp(unary) => gather_paths(&unary.expr, roots, paths),
        Expr::BinOp(binary) => {
            gather_paths(&binary.left, roots, paths);
            gather_paths(&binary.right, roots, paths);
        }
        Expr::Compare(compare) => {
            gather_paths(&compare.expr, roots, paths);
            compare.ops.iter().for_each(|op| gather_paths(&op.expr, roots, paths));
        }
        Expr::Filter(filter) => filter.expr.iter().for_each(|inner| gather_paths(inner, roots, paths)),
        Expr::Test(test) => gather_paths(&test.expr, roots, paths),
        Expr::IfExpr(choice) => {
            gather_paths(&choice.test_expr, roots, paths);
            gather_paths(&choice.true_expr, roots, paths);
        }
        _ => {}
    }
}

/// Returns `a.b.c` if the expression is nothing else.
fn dotted(expr: &Expr<'_>) -> Option<String> {
    match expr {
        Expr::Var(var) => Some(var.id.to_owned()),
        Expr::GetAttr(attribute) => Some(format!("{}.{}", dotted(&attribute.expr)?, attribute.name)),
        _ => None,
    }
}

/// Returns the names that a template uses.
pub(crate) fn names_in_template(source: &str) -> Result<Vec<NameUse>, SyntaxError> {
    let template =
        parse(source, "text", SyntaxConfig::default()).map_err(|error| syntax_error(source, &error))?;
    let mut names = Names::default();
    names.statement(&template);
    names.into_found(source, true)
}

fn syntax_error(source: &str, error: &minijinja::Error) -> SyntaxError {
    let message = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    let line = error.line().unwrap_or(1).saturating_sub(1);
    let start = source.split_inclusive('\n').take(line).map(str::len).sum::<usize>().min(source.len());
    let length = source[start..].lines().next().map_or(0, str::len);
    let hint = if message.contains("end of input") {
        Some("something is missing at its end")
    } else if message.contains("expected end of variable block") {
        Some("what begins with `{{` ends with `}}`")
    } else if message.contains("end of block") {
        Some("what begins with `{%` ends with `%}`")
    } else {
        None
    };
    SyntaxError { message, span: start..start + length, hint }
}

/// A sign that other languages have and this one spells in another way: where it stands outside of quotes.
fn slip(source: &str) -> Option<(Range<usize>, &'static str)> {
    const SLIPS: [(&str, &str); 4] =
        [("&&", "write `and`"), ("||", "write `or`"), ("!", "write `not`"), ("=", "to compare, write `==`")];
    let plain = without_quotes(source);
    let bytes = plain.as_bytes();
    let is_alone = |at: usize| {
        bytes.get(at + 1) != Some(&b'=') && (at == 0 || !matches!(bytes[at - 1], b'=' | b'!' | b'<' | b'>'))
    };
    SLIPS.iter().find_map(|(sign, hint)| {
        let mut places = plain.match_indices(sign).map(|(at, _)| at);
        let at = places.find(|at| sign.len() > 1 || is_alone(*at))?;
        Some((at..at + sign.len(), *hint))
    })
}

/// The source with what stands in quotes blanked out, byte for byte.
fn without_quotes(source: &str) -> String {
    let mut quote = None;
    let blank = |c: char| match quote {
        Some(open) => {
            quote = Some(open).filter(|open| *open != c);
            " ".repeat(c.len_utf8())
        }
        None => {
            quote = Some(c).filter(|c| matches!(c, '\'' | '"'));
            c.to_string()
        }
    };
    source.chars().map(blank).collect()
}

fn range(span: Span) -> Range<usize> {
    span.start_offset as usize..span.end_offset as usize
}

#[derive(Default)]
struct Names<'a> {
    found: Vec<NameUse>,
    assigned: HashSet<&'a str>,
    /// The expressions that statements have.
    whole: Vec<&'a Expr<'a>>,
    /// Whether a constant is repeated.
    repeats: bool,
    /// Where more than two values are compared at once.
    chained: Option<Range<usize>>,
}

impl<'a> Names<'a> {
    fn used(&mut self, name: &str, used_as: Use, span: Span) {
        self.found.push(NameUse { name: name.into(), used_as, span: range(span) });
    }

    /// The names, unless the source is one that is never evaluated.
    fn into_found(self, source: &str, is_template: bool) -> Result<Vec<NameUse>, SyntaxError> {
        if let Some(span) = self.chained {
            let message = "more than two values are compared at once".to_owned();
            return Err(SyntaxError { message, span, hint: Some("write `a < b and b < c`") });
        }
        match crate::evaluation::within_limits(source, is_template) {
            Ok(()) => Ok(self.found),
            Err(error) => Err(SyntaxError { message: error.to_string(), span: 0..source.len(), hint: None }),
        }
    }

    fn expressions(&mut self, list: impl IntoIterator<Item = &'a Expr<'a>>) {
        for expr in list {
            self.expression(expr);
        }
    }

    fn expression(&mut self, expr: &'a Expr<'a>) {
        match expr {
            Expr::Var(var) if self.assigned.contains(var.id) => {}
            Expr::Var(var) => self.used(var.id, Use::Variable, var.span()),
            Expr::Const(_) => {}
            Expr::Slice(slice) => {
                self.expression(&slice.expr);
                self.expressions([&slice.start, &slice.stop, &slice.step].into_iter().flatten());
            }
            Expr::UnaryOp(unary) => self.expression(&unary.expr),
            Expr::BinOp(binary) => {
                self.repeats |= is_repetition(binary);
                self.expressions([&binary.left, &binary.right]);
            }
            Expr::Compare(compare) => {
                if compare.ops.len() > 1 {
                    self.chained = Some(range(compare.span()));
                }
                self.expression(&compare.expr);
                self.expressions(compare.ops.iter().map(|op| &op.expr));
            }
            Expr::IfExpr(choice) => {
                self.expressions([&choice.test_expr, &choice.true_expr]);
                self.expressions(&choice.false_expr);
            }
            Expr::Filter(filter) => {
                self.used(filter.name, Use::Filter, filter.span());
                self.expressions(&filter.expr);
                self.arguments(&filter.args);
                self.named_as_argument(filter.name, &filter.args);
            }
            Expr::Test(test) => {
                self.used(test.name, Use::Test, test.span());
                self.expression(&test.expr);
                self.arguments(&test.args);
            }
            Expr::GetAttr(attribute) => self.expression(&attribute.expr),
            Expr::GetItem(item) => self.expressions([&item.expr, &item.subscript_expr]),
            Expr::Call(call) => {
                self.expression(&call.expr);
                self.arguments(&call.args);
            }
            Expr::List(list) => self.expressions(&list.items),
            Expr::Tuple(tuple) => self.expressions(&tuple.items),
            Expr::Map(map) => {
                self.expressions(&map.keys);
                self.expressions(&map.values);
            }
        }
    }

    fn arguments(&mut self, args: &'a [CallArg<'a>]) {
        for arg in args {
            match arg {
                CallArg::Pos(expr)
                | CallArg::Kwarg(_, expr)
                | CallArg::PosSplat(expr)
                | CallArg::KwargSplat(expr) => self.expression(expr),
            }
        }
    }

    /// Records the test that `select('in', …)` and similar filters name in a string.
    fn named_as_argument(&mut self, filter: &str, args: &'a [CallArg<'a>]) {
        let at = match filter {
            "select" | "reject" => 0,
            "selectattr" | "rejectattr" => 1,
            _ => return,
        };
        if let Some(CallArg::Pos(Expr::Const(constant))) = args.get(at)
            && let Some(name) = constant.value.as_str()
        {
            self.used(name, Use::Test, constant.span());
        }
    }

    /// An expression that a statement has.
    fn stated(&mut self, expr: &'a Expr<'a>) {
        self.whole.push(expr);
        self.expression(expr);
    }

    fn all_stated(&mut self, list: impl IntoIterator<Item = &'a Expr<'a>>) {
        for expr in list {
            self.stated(expr);
        }
    }

    fn statements(&mut self, list: &'a [Stmt<'a>]) {
        for stmt in list {
            self.statement(stmt);
        }
    }

    fn statement(&mut self, stmt: &'a Stmt<'a>) {
        match stmt {
            Stmt::Template(template) => self.statements(&template.children),
            Stmt::EmitExpr(emit) => self.stated(&emit.expr),
            Stmt::EmitRaw(_) => {}
            Stmt::ForLoop(looped) => {
                self.stated(&looped.iter);
                self.assign(&looped.target);
                self.assigned.insert("loop");
                self.all_stated(&looped.filter_expr);
                self.statements(&looped.body);
                self.statements(&looped.else_body);
            }
            Stmt::IfCond(branch) => {
                self.stated(&branch.expr);
                self.statements(&branch.true_body);
                self.statements(&branch.false_body);
            }
            Stmt::WithBlock(with) => {
                for (target, value) in &with.assignments {
                    self.stated(value);
                    self.assign(target);
                }
                self.statements(&with.body);
            }
            Stmt::Set(set) => {
                self.stated(&set.expr);
                self.assign(&set.target);
            }
            Stmt::SetBlock(set) => {
                self.all_stated(&set.filter);
                self.statements(&set.body);
                self.assign(&set.target);
            }
            Stmt::AutoEscape(block) => self.statements(&block.body),
            Stmt::FilterBlock(block) => {
                self.stated(&block.filter);
                self.statements(&block.body);
            }
            Stmt::Do(call) => {
                self.stated(&call.call.expr);
                self.arguments(&call.call.args);
            }
        }
    }

    fn assign(&mut self, target: &'a Expr<'a>) {
        match target {
            Expr::Var(var) => {
                self.assigned.insert(var.id);
            }
            Expr::List(list) => list.items.iter().for_each(|item| self.assign(item)),
            Expr::Tuple(tuple) => tuple.items.iter().for_each(|item| self.assign(item)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: &[NameUse], used_as: Use) -> Vec<&str> {
        found.iter().filter(|use_| use_.used_as == used_as).map(|use_| use_.name.as_str()).collect()
    }

    #[test]
    fn an_expression_tells_its_names() {
        let found = names_in_expression("a.b | select('in', trunk) | first and c is defined").unwrap();
        assert_eq!(names(&found, Use::Variable), ["a", "trunk", "c"]);
        assert_eq!(names(&found, Use::Filter), ["first", "select"]);
        assert_eq!(names(&found, Use::Test), ["in", "defined"]);
    }

    #[test]
    fn a_template_tells_its_names_but_not_those_it_sets() {
        let found = names_in_template("{% for x in list %}{{ x ~ y }}{{ loop.index }}{% endfor %}").unwrap();
        assert_eq!(names(&found, Use::Variable), ["list", "y"]);
    }

    #[test]
    fn the_paths_it_looks_at_are_found() {
        let source = "state.a.b == 'x' and 'main' in (tool.commits_to or []) and not state.a.b and other.c";
        assert_eq!(paths_in_expression(source, &["state", "tool"]), ["state.a.b", "tool.commits_to"]);
    }

    #[test]
    fn what_is_never_evaluated_is_refused() {
        assert!(names_in_expression("x and 1 < a < 3").is_err());
        assert!(names_in_template("{{ 1 < a < 3 }}").is_err());
        assert!(names_in_expression("'x' * 99999999").is_err());
        assert!(names_in_template("{{ '-' * 80 }}").is_ok());
    }

    #[test]
    fn a_syntax_error_has_its_line() {
        let error = names_in_expression("a and\n b ==").unwrap_err();
        assert_eq!(error.span, 6..11);
    }
}
