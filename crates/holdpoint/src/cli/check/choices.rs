//! Finds errors in `.holdpoint/holdpoint.toml`.

use holdpoint_core::diagnostic::{Diagnostic, nearest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::store::layout;

/// The known keys.
const KEYS: [&str; 1] = ["workflows"];

/// Returns all errors in the file's text. `workflows` are the names of the existing workflows.
pub(super) fn check(source: &str, workflows: &[&str]) -> Vec<Diagnostic> {
    let document = match DeTable::parse(source) {
        Ok(document) => document,
        Err(error) => return vec![problem(error.span().unwrap_or(0..0), error.message())],
    };
    let mut problems = Vec::new();
    for (key, value) in document.get_ref() {
        match key.get_ref().as_ref() {
            "workflows" => check_workflows(value, workflows, &mut problems),
            name => problems.push(
                problem(key.span(), format!("unknown key `{name}` in {}", layout::CONFIG))
                    .hinted(suggestion(name, &KEYS)),
            ),
        }
    }
    problems
}

fn check_workflows(value: &Spanned<DeValue<'_>>, workflows: &[&str], problems: &mut Vec<Diagnostic>) {
    let Some(names) = value.get_ref().as_array() else {
        problems.push(not_names(value));
        return;
    };
    for item in names {
        match item.get_ref().as_str() {
            None => problems.push(not_names(item)),
            Some(name) if workflows.contains(&name) => {}
            Some(name) => problems.push(
                problem(item.span(), format!("unknown workflow `{name}`"))
                    .hinted(suggestion(name, workflows)),
            ),
        }
    }
}

fn not_names(value: &Spanned<DeValue<'_>>) -> Diagnostic {
    problem(value.span(), "`workflows` must be a list of names").hinted("write workflows = [\"name\"]")
}

fn problem(span: std::ops::Range<usize>, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(layout::CONFIG, span, message)
}

fn suggestion(name: &str, names: &[&str]) -> String {
    match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("available: {}", names.join(", ")),
    }
}
