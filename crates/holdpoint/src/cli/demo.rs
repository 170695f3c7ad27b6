//! `holdpoint demo`: a scripted agent in a temporary project, with real hook calls.

use clap::Args;

use super::{Context, subject};
use crate::demo::{self, Expect, Scene};
use crate::error::{CommandError, Kind};
use crate::store::journal;
use crate::ui::{Style, Ui};

/// Show a whole run: a scripted agent at work in a temporary project, held and released by real hook calls
///
/// Needs no agent, no account and no network; everything happens in a folder that is taken away afterwards.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint demo               the first workflow that has a demonstration
  holdpoint demo myflow        one workflow
  holdpoint demo --keep        keep the folder, to look at its files and its journal")]
pub(super) struct Arguments {
    /// The workflow to show [default: the first that has a demonstration]
    workflow: Option<String>,
    /// Keep the project's folder and say where it is
    #[arg(long)]
    keep: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let (name, script) = script(context, arguments)?;
    let ui = context.ui;
    let temporary =
        tempfile::Builder::new().prefix("holdpoint-demo-").disable_cleanup(arguments.keep).tempdir()?;
    let root = temporary.path().canonicalize()?;
    ui.line(format!("{}: {}", ui.paint(Style::Bold, &name), script.about));
    ui.line(ui.paint(Style::Dim, format!("in {}", root.display())));
    let program = std::env::current_exe()?;
    let mut number = 0;
    let played = demo::play(&script, &program, &root, &mut |scene| {
        number += 1;
        tell(ui, number, scene);
    });
    played.map_err(|why| CommandError::new(Kind::Failed, format!("the demonstration went wrong: {why}")))?;
    close(ui, &root, arguments.keep);
    Ok(())
}

fn script(context: &Context, arguments: &Arguments) -> Result<(String, demo::Script), CommandError> {
    let names: Vec<String> = arguments.workflow.iter().cloned().collect();
    for found in subject::find(context, &names)? {
        let text = found.files()?.into_iter().find(|(path, _)| path == demo::FILE);
        if let Some((_, text)) = text {
            let script = demo::parse(&text).map_err(|why| {
                CommandError::new(Kind::Failed, format!("{}: {why}", found.shown(demo::FILE)))
            })?;
            return Ok((found.name, script));
        }
    }
    Err(CommandError::new(Kind::Usage, "there is no demonstration for that").hinted("try `holdpoint demo`"))
}

fn tell(ui: Ui, number: usize, scene: &Scene) {
    let outcome = match scene.got {
        Expect::Hold => ui.paint(Style::Red, "HELD"),
        Expect::Warn => ui.paint(Style::Yellow, "WARNED"),
        Expect::Pass => ui.paint(Style::Green, "passed"),
    };
    ui.line(format!("\n{number}. {}", scene.does));
    ui.line(format!("   {}  {outcome}", ui.paint(Style::Cyan, &scene.call)));
    for line in scene.said.trim_end().lines() {
        ui.line(format!("   {} {line}", ui.paint(Style::Dim, "|")));
    }
}

/// What was proved: the journal's own count.
fn close(ui: Ui, root: &std::path::Path, keep: bool) {
    let entries = journal::read(root);
    let count = |decision: &str| entries.iter().filter(|entry| entry.decision == decision).count();
    let mut micros: Vec<u64> = entries.iter().map(|entry| entry.took_us).collect();
    micros.sort_unstable();
    let median = micros.get(micros.len() / 2).copied().unwrap_or_default();
    ui.line(format!(
        "\nThe journal: {} hook calls, {} held, {} warned, {} faults; half of them took {median} µs or less.",
        entries.len(),
        count("hold"),
        count("witness"),
        count("fault"),
    ));
    if keep {
        ui.line(format!("Look around: cd {} && holdpoint log", root.display()));
    }
}
