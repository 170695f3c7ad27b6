//! `holdpoint demo`: a scripted agent in a temporary project, with real hook calls.

mod printer;

use std::path::PathBuf;

use clap::Args;

use self::printer::Printer;
use super::{Context, subject};
use crate::demo::{self, DemoError, FailedDemo, Script, Setting, Stage};
use crate::env_vars;
use crate::error::{CommandError, Kind, in_full};

/// The agent whose client a demo can run in, and its program.
const CLAUDE: &str = "claude";

/// Watch a scripted agent being held and released
///
/// Plays a whole run in a temporary project, with real hook calls. Needs no agent, no account and no network. The folder is
/// removed afterwards.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint demo                   a whole run, from the plan to the end
  holdpoint demo myflow            one workflow
  holdpoint demo --agent claude    inside your Claude Code, with a scripted model
  holdpoint demo --keep            keep the folder, with its files and its journal")]
pub(super) struct Arguments {
    /// The workflow to show [default: the one whose demo comes first]
    workflow: Option<String>,
    /// Run inside this agent's client, which must be installed; its model is scripted, so no account is needed
    #[arg(long, value_name = "AGENT", value_parser = [CLAUDE])]
    agent: Option<String>,
    /// Keep the project's folder and print its path
    #[arg(long)]
    keep: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let (found, script) = script(context, arguments)?;
    let went_wrong = |error: DemoError| CommandError::new(Kind::Failed, FailedDemo::from(error));
    let path = context.env.var(env_vars::PATH).unwrap_or_default();
    let client = arguments.agent.as_deref().map(|_| client(&path)).transpose()?;
    let reviewers = found.reviewers()?;
    let setting = Setting {
        workflow: &found.name,
        folder: found.folder.as_deref(),
        reviewers: &reviewers,
        path: &path,
        keep: arguments.keep,
    };
    let stage = Stage::make(&script, setting).map_err(went_wrong)?;
    let mut printer = Printer::new(context.ui, &stage.root);
    let version = client.as_deref().map(|program| stage.version(program)).transpose().map_err(went_wrong)?;
    printer.open(&found.name, &script, version.as_deref());
    demo::play(&script, &stage, client.as_deref(), &mut |scene| printer.scene(scene)).map_err(went_wrong)?;
    let proved = demo::prove(&script, &stage).map_err(went_wrong)?;
    printer.close(&proved, &stage.books());
    if arguments.keep {
        context.ui.line(format!("Look around: cd {} && holdpoint log", stage.root.display()));
    }
    Ok(())
}

/// Returns the path of the client's program.
fn client(path: &str) -> Result<PathBuf, CommandError> {
    let found =
        std::env::split_paths(path).map(|folder| folder.join(CLAUDE)).find(|program| program.is_file());
    found.ok_or_else(|| {
        CommandError::new(Kind::Failed, format!("Claude Code is not installed: no `{CLAUDE}` on PATH"))
            .hinted("install it with `npm install -g @anthropic-ai/claude-code`")
            .hinted("or run `holdpoint demo` without `--agent`, which needs no agent")
    })
}

/// Returns the script of the named workflow, or the first of all scripts.
fn script(context: &Context, arguments: &Arguments) -> Result<(subject::Found, Script), CommandError> {
    let names: Vec<String> = arguments.workflow.iter().cloned().collect();
    let mut scripts = Vec::new();
    let all = subject::find(context, &names)?;
    subject::refuse_unknown(context, &all)?;
    for found in all {
        let text = found.files()?.into_iter().find(|(path, _)| path == demo::FILE);
        if let Some((_, text)) = text {
            let script = demo::parse(&text).map_err(|error| {
                CommandError::new(Kind::Failed, format!("{}: {}", found.shown(demo::FILE), in_full(&error)))
            })?;
            scripts.push((found, script));
        }
    }
    scripts.into_iter().min_by_key(|(_, script)| script.order).ok_or_else(|| {
        let what = match &arguments.workflow {
            Some(name) => format!("workflow `{name}` has no demo"),
            None => "no workflow has a demo".to_owned(),
        };
        CommandError::new(Kind::Usage, what).hinted("run `holdpoint demo` without a workflow")
    })
}
