//! The command line for people: one file per command, with its arguments, its help and its body.

mod accept;
mod act;
mod allow;
mod approve;
mod attest;
mod check;
mod condition;
mod confirmation;
mod demo;
mod doctor;
mod evidence;
mod fired;
mod help;
mod history;
mod init;
mod installed;
mod journals;
mod log;
mod pause;
mod phrase;
mod pre_push;
mod receipt;
mod release;
mod resume;
mod review;
mod run;
mod selection;
mod shell;
mod stats;
mod status;
pub mod statusline;
mod subject;
mod surface;
mod test;
mod uninstall;
mod verify;
mod why;
mod workflow;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::allow::waiting;
use crate::caller;
use crate::engine::unproved;
use crate::env::{Env, ProcessEnv};
use crate::error::{CommandError, Kind};
use crate::fence::inside;
use crate::project::{self, Found};
use crate::store::registry::Registry;
use crate::ui::Ui;

/// The version, the commit and its day, the target and the profile. It has nothing of the build's own time or place, so
/// that the same commit gives the same program.
const LONG_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("HOLDPOINT_BUILD"), ")");

/// Hold coding agents to a process: plan before code, proof before done
#[derive(Debug, Parser)]
#[command(name = "holdpoint", version, long_version = LONG_VERSION, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::Arguments),
    Uninstall(uninstall::Arguments),
    Allow(allow::Arguments),
    Doctor(doctor::Arguments),
    Demo(demo::Arguments),
    Run(run::Arguments),
    Status(status::Arguments),
    Why(why::Arguments),
    Log(log::Arguments),
    Evidence(evidence::Arguments),
    Attest(attest::Arguments),
    Verify(verify::Arguments),
    Review(review::Arguments),
    Release(release::Arguments),
    Pause(pause::Arguments),
    #[command(hide = true)]
    Resume(resume::Arguments),
    Approve(approve::Arguments),
    Accept(accept::Arguments),
    Stats(stats::Arguments),
    Check(check::Arguments),
    Test(test::Arguments),
    #[command(name = "workflow")]
    Workflows(workflow::Arguments),
    #[command(hide = true)]
    Statusline(statusline::Arguments),
    Shell(shell::Arguments),
    #[command(hide = true)]
    Help(help::Arguments),
    #[command(hide = true)]
    Receipt(receipt::Arguments),
    #[command(hide = true)]
    PrePush(pre_push::Arguments),
    /// Run a workflow's command: `holdpoint <WORKFLOW> <COMMAND>`
    #[command(external_subcommand)]
    Workflow(Vec<String>),
    /// Answer one event of a coding agent (called by its hooks)
    #[command(disable_help_flag = true, hide = true)]
    Hook,
}

/// Returns the names of Holdpoint's own commands, without the workflows' commands.
pub(crate) fn names() -> Vec<String> {
    let commands = Arguments::command();
    commands.get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// The context that every command gets.
pub(crate) struct Context {
    pub(crate) ui: Ui,
    pub(crate) env: Arc<dyn Env>,
    pub(crate) cwd: PathBuf,
}

impl Context {
    /// Finds the runs that apply to the current folder, for all workflows or one of them.
    pub(crate) fn find(&self, only: Option<&str>) -> Found {
        project::find(&self.cwd, &self.env, self.env.session().as_deref(), only)
    }

    /// Returns the surroundings in which this command performs: where an agent's client works, nothing tells who gave it
    /// from the agent, and what is performed says so.
    pub(crate) fn performing(&self) -> Arc<dyn Env> {
        let why = caller::doubt(self.env.as_ref(), &self.cwd);
        why.map_or_else(|| Arc::clone(&self.env), |why| unproved::doubted(&self.env, why))
    }

    /// Says what has no effect here because the user has not allowed it.
    pub(crate) fn tell_waiting(&self, found: &Found) {
        if let Some(text) = self.waiting(found) {
            self.ui.note(text);
        }
    }

    /// What has no effect here because the user has not allowed it, in words.
    pub(crate) fn waiting(&self, found: &Found) -> Option<String> {
        waiting::message(&found.waiting, &Registry::of(self.env.as_ref()))
    }
}

/// Runs the command that the arguments name, or has the keeper answer it that is outside of this fence.
pub fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.collect();
    inside::command(&ProcessEnv, &args).unwrap_or_else(|| here(args))
}

/// Runs the command in this process.
fn here(args: Vec<OsString>) -> ExitCode {
    let env: Arc<dyn Env> = Arc::new(ProcessEnv);
    let ui = Ui::new(env.as_ref());
    let words = std::iter::once(OsString::from("holdpoint")).chain(args);
    let matches = help::command(ui.width()).get_matches_from(words);
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let Some(command) = arguments.command else { return show_help(&ui) };
    let cwd = match current_folder(&command) {
        Ok(cwd) => cwd,
        Err(error) => return fail(&ui, &error),
    };
    let context = Context { ui, env, cwd };
    if let Command::Run(arguments) = &command {
        return run::run(&context, arguments).unwrap_or_else(|error| fail(&context.ui, &error));
    }
    let done = match command {
        Command::Init(arguments) => init::run(&context, &arguments),
        Command::Uninstall(arguments) => uninstall::run(&context, &arguments),
        Command::Allow(arguments) => allow::run(&context, &arguments),
        Command::Doctor(arguments) => doctor::run(&context, &arguments),
        Command::Demo(arguments) => demo::run(&context, &arguments),
        Command::Status(arguments) => status::run(&context, &arguments),
        Command::Why(arguments) => why::run(&context, &arguments),
        Command::Log(arguments) => log::run(&context, &arguments),
        Command::Evidence(arguments) => evidence::run(&context, &arguments),
        Command::Attest(arguments) => attest::run(&context, &arguments),
        Command::Verify(arguments) => verify::run(&context, &arguments),
        Command::Review(arguments) => review::run(&context, &arguments),
        Command::Release(arguments) => release::run(&context, &arguments),
        Command::Pause(arguments) => pause::run(&context, &arguments),
        Command::Resume(arguments) => resume::run(&context, &arguments),
        Command::Stats(arguments) => stats::run(&context, &arguments),
        Command::Approve(arguments) => approve::run(&context, &arguments),
        Command::Accept(arguments) => accept::run(&context, &arguments),
        Command::Check(arguments) => check::run(&context, &arguments),
        Command::Test(arguments) => test::run(&context, &arguments),
        Command::Receipt(arguments) => receipt::run(&context, &arguments),
        Command::PrePush(arguments) => pre_push::run(&context, &arguments),
        Command::Workflow(words) => act::run(&context, &words),
        Command::Workflows(arguments) => workflow::run(&context, &arguments),
        Command::Shell(arguments) => shell::run(&context, &arguments),
        Command::Help(arguments) => help::run(&context, &arguments),
        Command::Run(_) | Command::Statusline(_) | Command::Hook => Ok(()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&context.ui, &error),
    }
}

/// Returns the current folder. Help needs none; for everything else, one that is gone is an error.
fn current_folder(command: &Command) -> Result<PathBuf, CommandError> {
    std::env::current_dir().or_else(|error| match command {
        Command::Help(_) | Command::Shell(_) => Ok(PathBuf::new()),
        _ if error.kind() == std::io::ErrorKind::NotFound => {
            Err(CommandError::new(Kind::Files, "the current folder no longer exists")
                .hinted("change to another one, for example to your home with `cd`"))
        }
        _ => Err(CommandError::new(Kind::Files, format!("the current folder cannot be read: {error}"))),
    })
}

/// Prints the help to standard error if there is no command. An agent that ignores `args` in a hook's entry calls
/// Holdpoint this way, and would take exit code 2 or text on standard output for an answer.
fn show_help(ui: &Ui) -> ExitCode {
    let help = help::command(ui.width()).render_help();
    let _ = std::io::Write::write_all(&mut std::io::stderr(), help.to_string().as_bytes());
    ExitCode::SUCCESS
}

fn fail(ui: &Ui, error: &CommandError) -> ExitCode {
    ui.error(error);
    error.exit_code()
}
