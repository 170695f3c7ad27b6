//! `holdpoint check`: what is wrong with workflows and a project's choices, where, and what to do about it.

mod choices;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use clap::Args;
use holdpoint_core::diagnostic::{Diagnostic, Severity};
use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::check::worst_case::{WorstCase, of_each, worst_case};
use holdpoint_core::workflow::check::{Surroundings, check};
use serde_json::json;

use super::{Context, subject};
use crate::error::{CommandError, Kind};
use crate::store::layout;
use crate::ui::Style;
use crate::{catalog, project};

/// Check workflows: unknown keys and names, texts that name no command, and whatever else would fail later
///
/// For a workflow with reviewers it also says how many reviews a run can take at the most.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint check                                all workflows that are built in or belong to this project,
                                                 and the project's .holdpoint/holdpoint.toml
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
        errors += check_choices(context, arguments, &mut rows)?;
    }
    let commands = super::names();
    let workflows: Vec<String> = subject::find(context, &[])?.into_iter().map(|found| found.name).collect();
    for found in subject::find(context, &arguments.workflows)? {
        let files = found.files()?;
        let parsed = found.parsed()?;
        let around = Surroundings { files: &files, commands: Some(&commands), workflows: &workflows };
        let problems = check(&parsed, &around);
        errors += problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        for problem in &problems {
            let source = files.iter().find(|(path, _)| *path == problem.file).map_or("", |(_, text)| text);
            if arguments.json {
                rows.push(row(Some(&found.name), &found.shown(&problem.file), problem, source));
            } else {
                context.ui.line(drawn(context, &found.shown(&problem.file), problem, source));
            }
        }
        if !arguments.json && problems.is_empty() {
            context.ui.line(format!("{}: {}", found.name, context.ui.paint(Style::Green, "ok")));
            for line in reviews(&parsed.workflow) {
                context.ui.line(format!("  {line}"));
            }
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

/// How many reviews a run can take, in all and by each of several reviewing phases; nothing where nobody reviews.
fn reviews(workflow: &Workflow) -> Vec<String> {
    let each = of_each(workflow);
    let each = each.iter().filter(|_| each.len() > 1);
    let each = each.filter_map(|(phase, worst)| Some(format!("  {phase}: {}", in_words(worst)?)));
    in_words(&worst_case(workflow)).into_iter().chain(each).collect()
}

fn in_words(worst: &WorstCase) -> Option<String> {
    match worst {
        WorstCase::NoReviews => None,
        WorstCase::Unlimited(phase) => Some(format!("nothing limits how often `{phase}` reviews")),
        WorstCase::Nested(phase) => {
            Some(format!("limited, but not counted here: `{phase}` starts anew within a limited loop"))
        }
        WorstCase::AtMost(bound) => Some(bound.to_string()),
    }
}

/// Checks the project's choices, if it has made any: how many errors there are.
fn check_choices(
    context: &Context,
    arguments: &Arguments,
    rows: &mut Vec<serde_json::Value>,
) -> Result<usize, CommandError> {
    let base = project::base(&context.cwd);
    let Some(path) = base.map(|base| layout::config(&base)).filter(|path| path.symlink_metadata().is_ok())
    else {
        return Ok(0);
    };
    let source = catalog::read_text(&path).map_err(|why| CommandError::new(Kind::Files, why))?;
    let there = subject::find(context, &[])?;
    let names: Vec<&str> = there.iter().map(|found| found.name.as_str()).collect();
    let problems = choices::check(&source, &names);
    let place = path.display().to_string();
    for problem in &problems {
        if arguments.json {
            rows.push(row(None, &place, problem, &source));
        } else {
            context.ui.line(drawn(context, &place, problem, &source));
        }
    }
    if !arguments.json && problems.is_empty() {
        context.ui.line(format!("{}: {}", layout::CONFIG, context.ui.paint(Style::Green, "ok")));
    }
    Ok(problems.len())
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

fn drawn(context: &Context, place: &str, problem: &Diagnostic, source: &str) -> String {
    let level = if problem.severity == Severity::Error { Level::ERROR } else { Level::WARNING };
    let end = problem.span.end.min(source.len());
    let span = problem.span.start.min(end)..end;
    let snippet = Snippet::source(source).path(place).annotation(AnnotationKind::Primary.span(span));
    let mut group = level.primary_title(&problem.message).element(snippet);
    if let Some(hint) = &problem.hint {
        group = group.element(Level::HELP.with_name("hint").message(hint));
    }
    let renderer = if context.ui.has_colour() { Renderer::styled() } else { Renderer::plain() };
    format!("{}\n", renderer.render(&[group]))
}
