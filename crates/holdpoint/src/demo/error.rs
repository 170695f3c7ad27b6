//! What can be wrong with a demo's script, and what can go wrong while it is played.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use serde_json::Value as Json;
use thiserror::Error;

use super::script::Expect;
use crate::case::CaseError;
use crate::catalog::Defect;

/// A demo that failed.
#[derive(Debug, Error)]
#[error("the demo went wrong")]
pub struct FailedDemo(#[from] DemoError);

/// A script that cannot be used.
#[derive(Debug, PartialEq, Error)]
pub enum ScriptError {
    /// It is not TOML, or has unknown keys.
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    /// A step does nothing or too much.
    #[error(
        "the step \"{step}\" does {count} things; it must have exactly one of tool, runs, writes, stops, asks, starts"
    )]
    NotOneAct {
        /// What the step says that it does.
        step: String,
        /// How many things it does.
        count: usize,
    },
}

/// The reason why a demo failed.
#[derive(Debug, Error)]
pub enum DemoError {
    /// The temporary project cannot be prepared.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A file cannot be read or written.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A program could not be started.
    #[error("{program}")]
    Program {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// A folder cannot be part of a PATH.
    #[error(transparent)]
    Path(#[from] std::env::JoinPathsError),
    /// The script is wrong.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The project that the script starts from cannot be created.
    #[error(transparent)]
    Setup(#[from] CaseError),
    /// The workflow cannot be used.
    #[error(transparent)]
    Workflow(#[from] Defect),
    /// There is no workflow of this name.
    #[error("there is no such workflow")]
    UnknownWorkflow,
    /// The user interrupted it.
    #[error("it was interrupted")]
    Interrupted,
    /// The agent edits a text that the file does not have.
    #[error("{} does not have the text to replace", path.display())]
    NoSuchText {
        /// The file.
        path: PathBuf,
    },
    /// A step had another result than the script says.
    #[error("expected {expected:?} and got {got:?}")]
    Unexpected {
        /// The result in the script.
        expected: Expect,
        /// The real result.
        got: Expect,
    },
    /// A command ended with another exit code than the script says.
    #[error("the command ended with {code}, not with {expected}: {why}")]
    ExitCode {
        /// The real exit code.
        code: i32,
        /// The exit code in the script.
        expected: i32,
        /// The last line that it printed.
        why: String,
    },
    /// A text of the script is in no message.
    #[error("nobody said \"{part}\"")]
    Unsaid {
        /// The text.
        part: String,
    },
    /// A state field was not set.
    #[error("the state's {field} was not set to {value}")]
    NotSet {
        /// The field.
        field: String,
        /// The value in the script.
        value: Json,
    },
    /// The script has reviews that did not take place.
    #[error("{count} of the reviews that the script answers were not asked for")]
    UnusedReviews {
        /// How many.
        count: usize,
    },
    /// A proof at the end failed.
    #[error("it was not proved that {that}: `{run}` printed {printed}")]
    NotProved {
        /// What should be true.
        that: String,
        /// The command.
        run: String,
        /// Its output.
        printed: String,
    },
    /// A real client did not play its part.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// The failure of a demo inside a client.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The client did not show a hold to the model.
    #[error("it was held, but the model was not shown why: {shown:?}")]
    HoldNotShown {
        /// What it showed instead.
        shown: Option<String>,
    },
    /// The client ended during a tool call.
    #[error("{title} ended in the middle: {printed}")]
    EndedDuringCall {
        /// The client.
        title: &'static str,
        /// Its output.
        printed: String,
    },
    /// The client ended before the model's turn.
    #[error("{title} ended: {printed}")]
    Ended {
        /// The client.
        title: &'static str,
        /// Its output.
        printed: String,
    },
    /// The script asks for something while the client is running.
    #[error("the agent is still at work, so nobody can ask it for something")]
    Busy,
    /// The scripted model has stopped.
    #[error("the model is gone")]
    ModelGone,
    /// The client failed.
    #[error("{title} failed ({status}): {printed}")]
    Failed {
        /// The client.
        title: &'static str,
        /// How it ended.
        status: ExitStatus,
        /// Its output.
        printed: String,
    },
    /// The client took too long.
    #[error("{title} did not answer within five minutes: {printed}")]
    Timeout {
        /// The client.
        title: &'static str,
        /// Its output.
        printed: String,
    },
}
