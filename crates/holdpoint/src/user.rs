//! Whose word is the user's: the one place that decides what only the user may do, and how that is told from an agent.
//!
//! An agent can give commands in a shell, and can have prompts delivered. So a user's command counts at a terminal that is
//! no agent's. Where no agent's client works, a script of the user's may give it, too. What commands ask at the terminal is in
//! `cli/confirmation.rs`.

use std::path::Path;

use crate::caller::{self, Sign, process::Terminal};
use crate::env::Env;
use crate::error::{CommandError, Kind};

/// How a user's command was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// Where no agent's client works: nothing more is to be asked.
    Plain,
    /// At a terminal of the user's own, while an agent's client works here: the user is asked for a word that is shown.
    ToConfirm,
}

/// Returns whether an agent gives a command, as far as that can be told.
pub fn is_agents(env: &dyn Env) -> bool {
    env.is_agents() || env.is_below_agent()
}

/// Refuses an agent what is the user's to do. A person in a terminal that an agent once started hears by what that is told.
pub fn refuse_agents(env: &dyn Env, what: &str) -> Result<(), CommandError> {
    if !is_agents(env) {
        return Ok(());
    }
    let sign = Sign::find(env).map(|sign| format!(", and this is an agent's shell: {sign}"));
    let what = format!("`{what}` is the user's to call, not an agent's{}", sign.unwrap_or_default());
    Err(CommandError::new(Kind::Failed, what)
        .hinted("tell the user, and end your turn")
        .hinted("if you are the user: type it in a terminal that no agent has started"))
}

/// Tells how a user's command was given that is about the project in this folder, or refuses it.
pub fn word(env: &dyn Env, place: &Path, what: &str) -> Result<Word, CommandError> {
    refuse_agents(env, what)?;
    if !caller::is_client_at(env, place) {
        return Ok(Word::Plain);
    }
    refuse_without_terminal(
        env,
        &format!("`{what}` is the user's to call, and an agent's client works here"),
    )?;
    Ok(Word::ToConfirm)
}

/// Refuses what is not typed at a terminal of the user's own. `why` says why that matters.
pub fn refuse_without_terminal(env: &dyn Env, why: &str) -> Result<(), CommandError> {
    let refused = |what: String, hint: &str| Err(CommandError::new(Kind::Failed, what).hinted(hint));
    match env.terminal() {
        Terminal::Own { device } => match caller::agent_at(env, device) {
            Some(agent) => refused(
                format!("{why}: this is the terminal that a client of {agent} runs in"),
                "type it in another terminal, or end that client first",
            ),
            None => Ok(()),
        },
        Terminal::Elsewhere if env.has_terminal() => refused(
            format!(
                "{why}: standard input is not the terminal of this shell, or the command is not in front"
            ),
            "run it in a terminal of your own, in the foreground",
        ),
        Terminal::Elsewhere | Terminal::None => refused(
            format!("{why}: standard input is not a terminal"),
            "run it in a terminal of your own, without a pipe",
        ),
    }
}

/// Returns whether the user is there and can be asked.
pub fn is_there(env: &dyn Env) -> bool {
    !is_agents(env) && refuse_without_terminal(env, "").is_ok()
}

/// Returns whether the user is there, and nobody else can be: no agent's client works in the project of this folder.
pub fn is_alone(env: &dyn Env, place: &Path) -> bool {
    is_there(env) && !caller::is_client_at(env, place)
}

/// The name of the operating system's user who runs this; the number where it has no name.
#[cfg(unix)]
pub fn name() -> String {
    let id = rustix::process::getuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mut lines = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let line = lines.find(|fields| fields.get(2) == Some(&id.as_str()));
    let name = line.and_then(|fields| fields.first().map(|name| (*name).to_owned()));
    name.unwrap_or_else(|| format!("uid {id}"))
}

/// The name of the operating system's user who runs this.
#[cfg(not(unix))]
pub fn name() -> String {
    "unknown".to_owned()
}
