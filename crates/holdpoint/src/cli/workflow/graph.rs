//! `holdpoint workflow graph`: draws a workflow's phases.

use clap::{Args, ValueEnum};
use holdpoint_core::diagnostic::Severity;
use holdpoint_core::graph;
use holdpoint_core::workflow::check::{Surroundings, check};

use crate::cli::{Context, subject};
use crate::error::{CommandError, Kind};

/// Draw the phases of a workflow
///
/// Shows who acts, where each verdict leads, the limits, and where you are asked.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint workflow graph myflow                     for the terminal
  holdpoint workflow graph ./drafts/myflow            a folder anywhere
  holdpoint workflow graph myflow --format mermaid    for a Markdown page
  holdpoint workflow graph myflow --format dot | dot -Tsvg")]
pub(super) struct Arguments {
    /// The workflow, by name or folder
    workflow: String,
    /// The form of the drawing [default: plain on a terminal, otherwise mermaid]
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// The form of a drawing.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A Mermaid flowchart
    Mermaid,
    /// A Graphviz graph
    Dot,
    /// Plain text
    Plain,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    for found in subject::find(context, std::slice::from_ref(&arguments.workflow))? {
        let parsed = found.parsed()?;
        // A route to a missing phase cannot be drawn, and a wrong drawing is worse than none.
        if check(
            &parsed,
            &Surroundings { variables: Some(crate::catalog::VARIABLES), ..Surroundings::default() },
        )
        .iter()
        .any(|problem| problem.severity == Severity::Error)
        {
            return Err(CommandError::new(Kind::Failed, format!("workflow `{}` has errors", found.name))
                .hinted(format!("see `holdpoint check {}`", arguments.workflow)));
        }
        let format = format(context, arguments);
        let drawn = graph::graph(&parsed.workflow).drawn(format);
        if format == graph::Format::Plain { context.ui.line(drawn) } else { context.ui.data(drawn) }
    }
    Ok(())
}

fn format(context: &Context, arguments: &Arguments) -> graph::Format {
    match arguments.format {
        Some(Format::Dot) => graph::Format::Dot,
        Some(Format::Plain) => graph::Format::Plain,
        None if context.ui.is_terminal() => graph::Format::Plain,
        Some(Format::Mermaid) | None => graph::Format::Mermaid,
    }
}
