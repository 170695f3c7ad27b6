//! `holdpoint test`: run a workflow's cases.

use clap::Args;

use super::{Context, subject};
use crate::case::{self, Report, Subject};
use crate::error::{CommandError, Kind};
use crate::ui::Style;

/// Run the cases of workflows: given these files and this event, expect this answer
///
/// Each case calls the real hook on a real folder of its own. Every rule must speak in at least one case.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint test                       all workflows that are built in or belong to this project
  holdpoint test myflow                one workflow
  holdpoint test myflow --case 4.4.6   the cases whose name or file has `4.4.6`")]
pub(super) struct Arguments {
    /// The workflows to test [default: all]
    workflows: Vec<String>,
    /// Run only cases whose name or file has this in it
    #[arg(long, value_name = "PART")]
    case: Option<String>,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let mut failed = false;
    for found in subject::find(context, &arguments.workflows)? {
        let files: Vec<(String, String)> = found
            .files()?
            .into_iter()
            .filter(|(path, _)| path.starts_with("cases/") && path.ends_with(".toml"))
            .collect();
        let subject =
            Subject { name: &found.name, rules: &found.rules()?, own_folder: found.folder.as_deref() };
        let report = case::run_all(subject, &files, arguments.case.as_deref());
        failed |= !show(context, &found.name, &report);
    }
    if failed { Err(CommandError::new(Kind::Failed, "some cases failed")) } else { Ok(()) }
}

fn show(context: &Context, name: &str, report: &Report) -> bool {
    let ui = context.ui;
    for failure in &report.failed {
        ui.line(format!("{} {name}/{} {}", ui.paint(Style::Red, "FAIL"), failure.file, failure.case));
        for problem in &failure.problems {
            ui.line(format!("     {}", problem.trim_end().replace('\n', "\n     ")));
        }
    }
    for rule in &report.silent_rules {
        ui.line(format!("{} {name}: rule {rule} speaks in no case", ui.paint(Style::Red, "FAIL")));
    }
    let passed = report.failed.is_empty() && report.silent_rules.is_empty();
    let word = if passed { ui.paint(Style::Green, "ok") } else { ui.paint(Style::Red, "FAILED") };
    ui.line(format!("{name}: {word}. {} passed, {} failed", report.passed, report.failed.len()));
    passed
}
