//! The level of what this process proves: who performs, and who keeps the books.

use holdpoint_core::level::Level;
use thiserror::Error;

use crate::agent::Agent;
use crate::env::Env;
use crate::fence::relayed::Relayed;
use crate::install::host::quoted;
use crate::project::Run;
use crate::store::books::Books;
use crate::store::state_folder::StateFolderError;

/// Returns the level of what this process performs and keeps in these books: fenced if a keeper outside of the agent's fence
/// started it for the client itself. None if they lie in the project, where whoever writes the code can write them, too.
pub fn of_this_process(books: &Books, env: &dyn Env) -> Option<Level> {
    // Cases make their own projects, and are about workflows.
    let is_fenced = env.relayed() == Some(Relayed::Client);
    let level = if is_fenced { Level::Fenced } else { Level::Kept };
    (books.are_outside() || env.began_everything()).then_some(level)
}

/// Returns the word for a level, or for none.
pub fn word(level: Option<Level>) -> &'static str {
    level.map_or("none", Level::word)
}

/// Why a proof would not have the level that its workflow asks for.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum TooLow {
    /// The books lie in the project.
    #[error(
        "nothing is performed: the workflow `{workflow}` asks for the level `{}`, and here it would be none, because the \
         books lie in the project. To keep them outside, {}",
        wanted.word(),
        StateFolderError::HINT
    )]
    NoLevel {
        /// The workflow.
        workflow: String,
        /// The level that it asks for.
        wanted: Level,
    },
    /// The client is in no fence.
    #[error(
        "nothing is performed: the workflow `{workflow}` asks for the level `{}`, and here it would be `{}`. To go on, the \
         user starts the agent in a fence, in the project: {}",
        wanted.word(),
        has.word(),
        fence(agent)
    )]
    NoFence {
        /// The workflow.
        workflow: String,
        /// The level that it asks for.
        wanted: Level,
        /// The level that there is.
        has: Level,
        /// The agent.
        agent: String,
    },
    /// No process of ours here can have it.
    #[error(
        "nothing is performed: the workflow `{workflow}` asks for the level `{}`, and here it would be `{}`. Only another \
         user or another machine can have that level: set `level` in the workflow's [run] to \"fenced\" or lower",
        wanted.word(),
        has.word()
    )]
    NotHere {
        /// The workflow.
        workflow: String,
        /// The level that it asks for.
        wanted: Level,
        /// The level that there is.
        has: Level,
    },
}

fn fence(agent: &str) -> String {
    format!("holdpoint run {}", quoted(agent))
}

/// Checks that what is performed for a run at the call of this agent would have the level that its workflow asks for.
pub fn suffices(run: &Run, agent: &str, env: &dyn Env) -> Result<(), TooLow> {
    let Some(wanted) = run.workflow.run.level else { return Ok(()) };
    let workflow = run.workflow.name.to_string();
    match of_this_process(&run.books, env) {
        Some(has) if has >= wanted => Ok(()),
        None => Err(TooLow::NoLevel { workflow, wanted }),
        Some(has) if wanted == Level::Fenced => {
            // What is typed in a shell has no agent of its own.
            let is_agent = Agent::ALL.iter().any(|(name, _)| *name == agent);
            let agent = if is_agent { agent } else { Agent::Claude.name() }.to_owned();
            Err(TooLow::NoFence { workflow, wanted, has, agent })
        }
        Some(has) => Err(TooLow::NotHere { workflow, wanted, has }),
    }
}
