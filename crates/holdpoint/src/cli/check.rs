//! `holdpoint check`: what is wrong with workflows, where, and what to do about it.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use clap::Args;
use holdpoint_core::diagnostic::{Diagnostic, Severity};
use holdpoint_core::workflow::check::check;
use serde_json::json;

use super::{Context, subject};
use crate::error::{CommandError, Kind};
use crate::ui::Style;

/// Check workflows: unknown keys and names, texts that do not render, and whatever else would fail later
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint check                                all workflows that are built in or belong to this project
  holdpoint check myflow                         one workflow
  holdpoint check ./drafts/myflow                a workflow's folder anywhere
  holdpoint check --json | jq '.[].message'")]
pub(super) struct Arguments {
    /// The workflows to check, by name or folder [default: all]
    workflows: Vec<String>,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let mut errors = 0;
    let mut rows = Vec::new();
    for found in subject::find(context, &arguments.workflows)? {
        let files = found.files()?;
        let texts: Vec<String> =
            files.iter().map(|(path, _)| path.clone()).filter(|path| path.starts_with("texts/")).collect();
        let problems = check(&found.parsed()?, &texts);
        errors += problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        for problem in &problems {
            let source = files.iter().find(|(path, _)| *path == problem.file).map_or("", |(_, text)| text);
            if arguments.json {
                rows.push(row(&found, problem, source));
            } else {
                context.ui.line(drawn(context, &found, problem, source));
            }
        }
        if !arguments.json && problems.is_empty() {
            context.ui.line(format!("{}: {}", found.name, context.ui.paint(Style::Green, "ok")));
        }
    }
    if arguments.json {
        context.ui.line(serde_json::Value::Array(rows));
    }
    match errors {
        0 => Ok(()),
        1 => Err(CommandError::new(Kind::Failed, "1 error")),
        n => Err(CommandError::new(Kind::Failed, format!("{n} errors"))),
    }
}

fn row(found: &subject::Found, problem: &Diagnostic, source: &str) -> serde_json::Value {
    let (line, column) = problem.position(source);
    json!({
        "workflow": found.name,
        "severity": if problem.severity == Severity::Error { "error" } else { "warning" },
        "file": found.shown(&problem.file),
        "line": line,
        "column": column,
        "message": problem.message,
        "hint": problem.hint,
    })
}

fn drawn(context: &Context, found: &subject::Found, problem: &Diagnostic, source: &str) -> String {
    let level = if problem.severity == Severity::Error { Level::ERROR } else { Level::WARNING };
    let place = found.shown(&problem.file);
    let end = problem.span.end.min(source.len());
    let span = problem.span.start.min(end)..end;
    let snippet = Snippet::source(source).path(&place).annotation(AnnotationKind::Primary.span(span));
    let mut group = level.primary_title(&problem.message).element(snippet);
    if let Some(hint) = &problem.hint {
        group = group.element(Level::HELP.with_name("hint").message(hint));
    }
    let renderer = if context.ui.has_colour() { Renderer::styled() } else { Renderer::plain() };
    format!("{}\n", renderer.render(&[group]))
}
