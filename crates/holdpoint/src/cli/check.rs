//! `holdpoint check`: finds errors in workflows and in each layer's `holdpoint.toml`, with position and hint.

mod settings;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use clap::Args;
use holdpoint_core::diagnostic::{Diagnostic, Severity};
use holdpoint_core::workflow::check::{Surroundings, check, reviews_at_most};
use serde_json::json;

use super::{Context, subject};
use crate::catalog;
use crate::error::{CommandError, Kind};
use crate::ui::{Style, blanked};

/// Find errors in workflows
///
/// Finds unknown keys and names, commands that do not exist, and anything else that would fail. For a workflow with reviewers, also prints the largest number of reviews that a run can take.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint check                                all workflows and all settings
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
    if arguments.workflows.is_empty() {
        errors += check_settings(context, arguments, &mut rows)?;
    }
    let commands = super::names();
    let workflows: Vec<String> = subject::find(context, &[])?.into_iter().map(|found| found.name).collect();
    for found in subject::find(context, &arguments.workflows)? {
        let files = found.files()?;
        let parsed = found.parsed()?;
        let variables = Some(catalog::VARIABLES);
        let around =
            Surroundings { files: &files, commands: Some(&commands), workflows: &workflows, variables };
        let problems = check(&parsed, &around);
        errors += problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        for problem in &problems {
            let source = files.iter().find(|(path, _)| *path == problem.file).map_or("", |(_, text)| text);
            if arguments.json {
                rows.push(row(Some(&found.name), &found.shown(&problem.file), problem, source));
            } else {
                context.ui.drawing(&draw(context, &found.shown(&problem.file), problem, source));
            }
        }
        if !arguments.json && problems.is_empty() {
            context.ui.line(format!("{}: {}", found.name, context.ui.paint(Style::Green, "ok")));
            for line in reviews_at_most(&parsed.workflow) {
                context.ui.line(format!("  {line}"));
            }
        }
    }
    if arguments.json {
        context.ui.json(serde_json::Value::Array(rows));
    }
    match errors {
        0 => Ok(()),
        1 => Err(CommandError::new(Kind::Failed, "1 error")),
        n => Err(CommandError::new(Kind::Failed, format!("{n} errors"))),
    }
}

/// Checks the `holdpoint.toml` of each layer that has one. Returns the number of errors.
fn check_settings(
    context: &Context,
    arguments: &Arguments,
    rows: &mut Vec<serde_json::Value>,
) -> Result<usize, CommandError> {
    let there = subject::find(context, &[])?;
    let names: Vec<&str> = there.iter().map(|found| found.name.as_str()).collect();
    let mut errors = 0;
    for checked in settings::check(context, &names)? {
        errors += checked.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        for problem in &checked.problems {
            if arguments.json {
                rows.push(row(None, &checked.place, problem, &checked.source));
            } else {
                context.ui.drawing(&draw(context, &checked.place, problem, &checked.source));
            }
        }
        if !arguments.json && checked.problems.is_empty() {
            context.ui.line(format!("{}: {}", checked.shown, context.ui.paint(Style::Green, "ok")));
        }
    }
    Ok(errors)
}

fn row(workflow: Option<&str>, place: &str, problem: &Diagnostic, source: &str) -> serde_json::Value {
    let (line, column) = problem.position(source);
    json!({
        "workflow": workflow,
        "severity": if problem.severity == Severity::Error { "error" } else { "warning" },
        "file": place,
        "line": line,
        "column": column,
        "message": problem.message,
        "hint": problem.hint,
    })
}

fn draw(context: &Context, place: &str, problem: &Diagnostic, source: &str) -> String {
    let level = if problem.severity == Severity::Error { Level::ERROR } else { Level::WARNING };
    let end = problem.span.end.min(source.len());
    let span = problem.span.start.min(end)..end;
    let (source, place) = (blanked(source), blanked(place));
    let snippet = Snippet::source(&source).path(&place).annotation(AnnotationKind::Primary.span(span));
    let (message, hint) = (blanked(&problem.message), problem.hint.as_deref().map(blanked));
    let mut group = level.primary_title(&message).element(snippet);
    if let Some(hint) = &hint {
        group = group.element(Level::HELP.with_name("hint").message(hint));
    }
    let renderer = if context.ui.has_color() { Renderer::styled() } else { Renderer::plain() };
    format!("{}\n", renderer.render(&[group]))
}
