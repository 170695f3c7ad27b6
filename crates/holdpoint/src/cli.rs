//! The command line for people: one file per command, with its arguments, its help and its body.

mod act;
mod allow;
mod approve;
mod attest;
mod check;
mod completions;
mod condition;
mod demo;
mod doctor;
mod eject;
mod evidence;
mod graph;
mod init;
mod installed;
mod journals;
mod log;
mod man;
mod phrase;
mod plugin;
mod review;
mod selection;
mod status;
pub mod statusline;
mod subject;
mod surface;
mod test;
mod uninstall;
mod verify;
mod why;

use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, Parser, Subcommand};

use crate::env::{Env, ProcessEnv};
use crate::error::CommandError;
use crate::project::{self, Found};
use crate::ui::Ui;

/// The version, the commit and its day, the target and the profile. It has nothing of the build's own time or place, so
/// that the same commit gives the same program.
const LONG_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("HOLDPOINT_BUILD"), ")");

/// Hold coding agents to a process: plan before code, review before commit, proof before done.
#[derive(Debug, Parser)]
#[command(name = "holdpoint", version, long_version = LONG_VERSION, about)]
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
    Status(status::Arguments),
    Why(why::Arguments),
    Log(log::Arguments),
    Evidence(evidence::Arguments),
    Attest(attest::Arguments),
    Verify(verify::Arguments),
    Review(review::Arguments),
    Approve(approve::Arguments),
    Eject(eject::Arguments),
    Check(check::Arguments),
    Graph(graph::Arguments),
    Test(test::Arguments),
    Statusline(statusline::Arguments),
    Plugin(plugin::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
    /// Run a workflow's command: `holdpoint <WORKFLOW> <COMMAND>`
    #[command(external_subcommand)]
    Workflow(Vec<String>),
    /// Answer one hook event of a coding agent (called by the agent)
    #[command(disable_help_flag = true)]
    Hook,
}

/// Returns the names of Holdpoint's own commands, without the workflows' commands.
pub(crate) fn names() -> Vec<String> {
    let commands = Arguments::command();
    let own = commands.get_subcommands().map(|command| command.get_name().to_owned());
    own.chain(["help".to_owned()]).collect()
}

/// The context that every command gets.
pub(crate) struct Context {
    pub(crate) ui: Ui,
    pub(crate) env: Arc<dyn Env>,
    pub(crate) cwd: std::path::PathBuf,
}

impl Context {
    /// Finds the runs that apply to the current folder, for all workflows or one of them.
    pub(crate) fn find(&self, only: Option<&str>) -> Found {
        project::find(&self.cwd, &self.env, self.env.session().as_deref(), only)
    }
}

/// Runs the command that the arguments name.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let env: Arc<dyn Env> = Arc::new(ProcessEnv);
    let cwd = std::env::current_dir().unwrap_or_default();
    let context = Context { ui: Ui::new(env.as_ref()), env, cwd };
    let Some(command) = arguments.command else { return help() };
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
        Command::Approve(arguments) => approve::run(&context, &arguments),
        Command::Eject(arguments) => eject::run(&context, &arguments),
        Command::Check(arguments) => check::run(&context, &arguments),
        Command::Graph(arguments) => graph::run(&context, &arguments),
        Command::Test(arguments) => test::run(&context, &arguments),
        Command::Workflow(words) => act::run(&context, &words),
        Command::Plugin(arguments) => plugin::run(&context, &arguments),
        Command::Completions(arguments) => {
            completions::run(&context, &arguments);
            Ok(())
        }
        Command::Man(arguments) => man::run(&context, &arguments),
        Command::Statusline(_) | Command::Hook => Ok(()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&context.ui, &error),
    }
}

/// Prints the help to standard error if there is no command. An agent that ignores `args` in a hook's entry calls
/// Holdpoint this way, and would take exit code 2 or text on standard output for an answer.
fn help() -> ExitCode {
    let help = Arguments::command().render_help();
    let _ = std::io::Write::write_all(&mut std::io::stderr(), help.to_string().as_bytes());
    ExitCode::SUCCESS
}

fn fail(ui: &Ui, error: &CommandError) -> ExitCode {
    ui.error(error);
    error.exit_code()
}
