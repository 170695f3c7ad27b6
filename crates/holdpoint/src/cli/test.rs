//! `holdpoint test`: runs the cases of workflows.

use clap::Args;
use holdpoint_core::diagnostic::Severity;
use holdpoint_core::workflow::check::{Surroundings, check};

use super::{Context, subject};
use crate::case::{self, Report, Subject};
use crate::error::{CommandError, Kind};
use crate::program;
use crate::ui::Style;

/// Run the cases of workflows
///
/// A case says: given these files and this event, expect this answer. Each case calls the real hook in a temporary folder. Every rule must apply in at least one case.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint test                       all workflows, built in or this project's own
  holdpoint test myflow                one workflow
  holdpoint test myflow --case 4.4.6   the cases whose name or file contains `4.4.6`")]
pub(super) struct Arguments {
    /// The workflows to test [default: all]
    workflows: Vec<String>,
    /// Run only the cases whose name or file contains this
    #[arg(long, value_name = "PART")]
    case: Option<String>,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let all = subject::find(context, &arguments.workflows)?;
    subject::refuse_unknown(context, &all)?;
    all.iter().try_for_each(refuse_broken)?;
    program::listen_for_interruption();
    let mut failed = false;
    let mut without_cases = Vec::new();
    for found in &all {
        let files: Vec<(String, String)> = found
            .files()?
            .into_iter()
            .filter(|(path, _)| path.starts_with("cases/") && path.ends_with(".toml"))
            .collect();
        let subject = Subject {
            name: &found.name,
            rules: &found.rules()?,
            reviewers: &found.reviewers()?,
            aside: &found.aside()?,
            format: found.format()?,
            own_folder: found.folder.as_deref(),
        };
        let report = case::run_all(subject, &files, arguments.case.as_deref(), &|done, all| {
            progress(context, &found.name, done, all);
        });
        clear_progress(context);
        if report.not_run > 0 {
            show(context, &found.name, &report);
            return Err(interrupted());
        }
        if arguments.case.is_none() && report.passed == 0 && report.failed.is_empty() {
            show_without_cases(context, &found.name, &report);
            without_cases.push(format!("`{}`", found.name));
        } else {
            failed |= !show(context, &found.name, &report);
        }
    }
    if failed {
        return Err(CommandError::new(Kind::Failed, "some cases failed"));
    }
    if without_cases.is_empty() {
        return Ok(());
    }
    let what = format!("no cases for {}", without_cases.join(", "));
    Err(CommandError::new(Kind::Failed, what).hinted("docs/reference/cases.md explains how to write them"))
}

/// Shows how far it is, where there is a terminal.
fn progress(context: &Context, name: &str, done: usize, all: usize) {
    if context.ui.shows_progress() {
        context.ui.progress(format!("{name}: {done} of {all} cases"));
    }
}

fn clear_progress(context: &Context) {
    if context.ui.shows_progress() {
        context.ui.progress("");
    }
}

/// Says that the user ended it.
fn interrupted() -> CommandError {
    let signal = program::interrupted_by().unwrap_or_default();
    CommandError::new(Kind::Interrupted(signal), "interrupted: not all cases were run")
        .hinted("run a part of them with `--case PART`")
}

/// Refuses a workflow with errors: the engine does not run it, so its cases would prove nothing.
fn refuse_broken(found: &subject::Found) -> Result<(), CommandError> {
    let problems = check(
        &found.parsed()?,
        &Surroundings { variables: Some(crate::catalog::VARIABLES), ..Surroundings::default() },
    );
    let Some(error) = problems.iter().find(|problem| problem.severity == Severity::Error) else {
        return Ok(());
    };
    let files = found.files()?;
    let source = files.iter().find(|(path, _)| *path == error.file).map_or("", |(_, text)| text);
    let (line, column) = error.position(source);
    let what = format!("{}:{line}:{column}: {}", found.shown(&error.file), error.message);
    Err(CommandError::new(Kind::Failed, what).hinted(format!("`holdpoint check {}` shows all", found.name)))
}

fn show_without_cases(context: &Context, name: &str, report: &Report) {
    let ui = context.ui;
    ui.line(format!("{name}: {}", ui.paint(Style::Red, "no cases")));
    for rule in &report.silent_rules {
        ui.line(format!("     rule {rule} applies in no case"));
    }
}

fn show(context: &Context, name: &str, report: &Report) -> bool {
    let ui = context.ui;
    for failure in &report.failed {
        let title = format!("{} {name}/{} {}", ui.paint(Style::Red, "FAIL"), failure.file, failure.case);
        ui.line(title.trim_end());
        for problem in &failure.problems {
            ui.line(format!("     {}", problem.trim_end().replace('\n', "\n     ")));
        }
    }
    for rule in &report.silent_rules {
        ui.line(format!("{} {name}: rule {rule} applies in no case", ui.paint(Style::Red, "FAIL")));
    }
    let passed = report.failed.is_empty() && report.silent_rules.is_empty();
    if report.not_run > 0 {
        let word = ui.paint(Style::Yellow, "interrupted");
        let (failed, not_run) = (report.failed.len(), report.not_run);
        ui.line(format!("{name}: {word}. {} passed, {failed} failed, {not_run} not run", report.passed));
        return false;
    }
    let word = if passed { ui.paint(Style::Green, "ok") } else { ui.paint(Style::Red, "FAILED") };
    ui.line(format!("{name}: {word}. {} passed, {} failed", report.passed, report.failed.len()));
    passed
}
