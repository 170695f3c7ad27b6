//! `holdpoint demo`: a scripted agent in a temporary project, with real hook calls.

mod printer;

use std::path::{Path, PathBuf};

use clap::Args;

use self::printer::Printer;
use super::{Context, subject};
use crate::demo::{self, DemoError, Dialect, FailedDemo, Script, Setting, Stage};
use crate::env_vars;
use crate::error::{CommandError, Kind, in_full};

/// The agents whose clients a demo can run in.
const AGENTS: [&str; 3] = ["claude", "codex", "gemini"];

/// Watch a scripted agent being held and released
///
/// Plays a whole run in a temporary project, with real hook calls. Needs no agent, no account and no network. The folder is
/// removed afterwards.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint demo                   a whole run, from the plan to the end
  holdpoint demo myflow            one workflow
  holdpoint demo --agent claude    inside its own client (or codex, gemini)
  holdpoint demo --keep            keep the folder, with its files and its journal")]
pub(super) struct Arguments {
    /// The workflow to show [default: the one whose demo comes first]
    workflow: Option<String>,
    /// Run inside this agent's client, which must be installed; its model is scripted, so no account is needed
    #[arg(long, value_name = "AGENT", value_parser = AGENTS)]
    agent: Option<String>,
    /// Keep the project's folder and print its path
    #[arg(long)]
    keep: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let (found, script) = script(context, arguments)?;
    let went_wrong = |error: DemoError| CommandError::new(Kind::Failed, FailedDemo::from(error));
    let path = context.env.var(env_vars::PATH).unwrap_or_default();
    let client = arguments.agent.as_deref().map(|name| client(context, name)).transpose()?;
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
    let client = client.as_ref().map(|(dialect, program)| (*dialect, program.as_path()));
    let version = client.map(|client| version(&stage, client)).transpose().map_err(went_wrong)?;
    printer.open(&found.name, &script, version.as_deref());
    demo::play(&script, &stage, client, &mut |scene| printer.scene(scene)).map_err(went_wrong)?;
    let proved = demo::prove(&script, &stage).map_err(went_wrong)?;
    printer.close(&proved, &stage.books());
    if arguments.keep {
        context.ui.line(format!("Look around: cd {} && holdpoint log", stage.root.display()));
    }
    Ok(())
}

/// Returns the client and the path of its program.
fn client(context: &Context, name: &str) -> Result<(Dialect, PathBuf), CommandError> {
    let known = Dialect::named(name).and_then(|dialect| Some((dialect, dialect.host()?)));
    let (dialect, host) =
        known.ok_or_else(|| CommandError::new(Kind::Usage, format!("no demo runs in `{name}`")))?;
    let program = host.program(context.env.as_ref()).ok_or_else(|| {
        CommandError::new(Kind::Failed, format!("{} is not installed: no `{name}` on PATH", host.title))
            .hinted(format!("install it with `{}`", host.get))
            .hinted("or run `holdpoint demo` without `--agent`, which needs no agent")
    })?;
    Ok((dialect, program))
}

/// Returns the client's name and version, as people know them.
fn version(stage: &Stage, (dialect, program): (Dialect, &Path)) -> Result<String, DemoError> {
    let said = stage.version(program)?;
    let title = dialect.title();
    let has_name =
        title.split(' ').next().is_some_and(|word| said.to_lowercase().contains(&word.to_lowercase()));
    Ok(if has_name { said } else { format!("{title} {said}") })
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
