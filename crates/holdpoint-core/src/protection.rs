//! The engine's own protection of a sealed run at work, for every workflow: its files and the agents' settings are
//! nobody else's to write, the user's commands nobody else's to call, and our program is called as it is.

use std::sync::Arc;

use crate::effects::{Message, Source};
use crate::event::Moment;
use crate::facts::{FactError, Facts};
use crate::phase::{Due, due};
use crate::shell;
use crate::tool::{Tool, ToolKind};
use crate::workflow::command::Command;
use crate::workflow::phase::Actor;
use crate::workflow::step::Delivery;

/// What is protected beside the run's state: our files, git's, and the settings that call the hooks.
const FILES: [&str; 7] = [
    ".holdpoint/**",
    ".git/**",
    ".claude/settings*.json",
    ".codex/**",
    ".gemini/settings.json",
    ".cursor/hooks.json",
    ".github/hooks/**",
];
/// The settings and workflows of the layers above the project, and the engine's books, wherever the home is.
const ABOVE: [&str; 3] = ["/**/.config/holdpoint/**", "/**/.local/state/holdpoint/**", "/etc/holdpoint/**"];
/// The same as a shell command may name them. What only shows what was seen, as logs do, is not among them.
const NAMED: &str = r"\.holdpoint(/?([^\w/.-]|$)|/(sealed|evidence|git|owners|locks|door|holds|jobs|unheard|workflows|journal|holdpoint\.toml|\.\.|\*))|\.claude/settings|\.codex/|\.gemini/settings|\.cursor/hooks|\.github/hooks|(\.config|\.local/state|\.git|/etc)/holdpoint\b|XDG_STATE_HOME\b";
/// Commands that only read.
const ONLY_READS: &str =
    r"^\s*(cat|head|tail|less|ls|wc|stat|jq|grep|rg|git (status|diff|log|show))\b[^>;&|`$\n]*$";
/// Options by which even these write, or start a program.
const WRITES_TOO: &str = r"\s(--output|--pre|-o)\b";
/// By PATH the engine finds its programs, and by the session's variables it tells an agent from the user.
const OTHER_ENVIRONMENT: &str =
    r"(\b(PATH|HOME|XDG_\w+|GIT_\w+|HOLDPOINT_\w+|CLAUDE_\w+)=|\bunset\s|\benv\s+-)[^\n]*\bholdpoint\b";
/// The engine's own commands that are not an agent's to call.
const NOT_AN_AGENTS: [&str; 9] = [
    "holdpoint hook",
    "holdpoint accept",
    "holdpoint approve",
    "holdpoint allow",
    "holdpoint init",
    "holdpoint pause",
    "holdpoint release",
    "holdpoint resume",
    "holdpoint uninstall",
];

/// Whether an agent's shell may not call this command of the engine's.
pub(crate) fn is_not_an_agents(name: &str) -> bool {
    NOT_AN_AGENTS.iter().any(|command| command.strip_prefix("holdpoint ") == Some(name))
}

/// What the engine itself has against an event, if anything.
pub(crate) fn message(facts: &Arc<Facts>) -> Result<Option<Message>, FactError> {
    if !facts.workflow.run.is_sealed || facts.event.moment != Moment::Before {
        return Ok(None);
    }
    let Some(tool) = &facts.event.tool else { return Ok(None) };
    let against = match tool.kind() {
        ToolKind::Edit => edited(facts, tool)?,
        ToolKind::Shell => commanded(facts, tool)?,
        ToolKind::Delegation | ToolKind::Other => None,
    };
    Ok(match against {
        Some(against) if is_at_work(facts)? => Some(refusal(facts, &against)),
        _ => None,
    })
}

/// The most files of one edit that are compared with our own.
const PATHS_MAX: usize = 10_000;

/// The files that say whether, and how, the hooks are called, and which workflow is enabled: what a sealed run is held
/// against.
pub fn settings(workflow: &str) -> Vec<String> {
    const SETTINGS: [&str; 8] = [
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".cursor/hooks.json",
        ".github/hooks/holdpoint.json",
        ".holdpoint/holdpoint.toml",
    ];
    let own = format!(".holdpoint/workflows/{workflow}/workflow.toml");
    SETTINGS.iter().map(ToString::to_string).chain([own]).collect()
}

/// What is not the agent's to do.
enum Against {
    /// Writing these files, or what a command names.
    Files(String),
    /// Calling the user's commands.
    Users(String),
    /// Calling a command together with others, or with words that cannot be told: no hook can perform that.
    NotAlone(String),
    /// Calling us in another environment.
    Environment,
    /// A command of this many bytes, which nobody reads to its end.
    TooLong(usize),
}

fn is_at_work(facts: &Arc<Facts>) -> Result<bool, FactError> {
    Ok(matches!(due(facts)?, Due::Phase(phase) if phase.actor() != Actor::Nobody))
}

fn edited(facts: &Arc<Facts>, tool: &Tool) -> Result<Option<Against>, FactError> {
    let state = facts.state_path()?;
    let is_ours = |file: &String| {
        Some(file) == state.as_ref() || FILES.iter().any(|glob| fast_glob::glob_match(glob, file))
    };
    let paths = tool.paths();
    if paths.len() > PATHS_MAX {
        return Ok(Some(Against::Files(format!("{} files at once, too many to be checked", paths.len()))));
    }
    let ours = paths.into_iter().flat_map(|path| facts.places(&crate::path::join(&facts.event.cwd, &path)));
    let is_above = |place: &String| ABOVE.iter().any(|glob| fast_glob::glob_match(glob, place));
    let ours = ours.filter(|place| if place.starts_with('/') { is_above(place) } else { is_ours(place) });
    let ours: Vec<String> = ours.collect();
    Ok((!ours.is_empty()).then(|| Against::Files(ours.join(", "))))
}

fn commanded(facts: &Arc<Facts>, tool: &Tool) -> Result<Option<Against>, FactError> {
    let Some(command) = tool.command() else { return Ok(None) };
    let command = command.as_ref();
    if command.len() > shell::COMMAND_MAX {
        return Ok(Some(Against::TooLong(command.len())));
    }
    if names_ours(facts, command)? && (!finds(ONLY_READS, command) || finds(WRITES_TOO, command)) {
        return Ok(Some(Against::Files("what this command names".to_owned())));
    }
    let called = called(facts, command)?;
    // The last to be said: a call that is the user's, or a path of ours, has `holdpoint` in it as well.
    let environment = || finds(OTHER_ENVIRONMENT, command).then_some(Against::Environment);
    Ok(match called {
        Some(Against::NotAlone(name)) => environment().or(Some(Against::NotAlone(name))),
        called => called.or_else(environment),
    })
}

fn names_ours(facts: &Arc<Facts>, command: &str) -> Result<bool, FactError> {
    let state = facts.state_path()?;
    Ok(state.is_some_and(|state| command.contains(&state)) || finds(NAMED, command))
}

/// What is wrong with the commands of ours that a shell command would call: one is the user's, or for a hook to perform,
/// which needs it alone.
fn called(facts: &Arc<Facts>, command: &str) -> Result<Option<Against>, FactError> {
    // Quotes and escapes aside, our name must be in it somewhere: only then is it worth a parser.
    let plain: String = command.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    let named = |command: &Command| format!("holdpoint {} {}", facts.workflow.name, command.name);
    let (users, others): (Vec<&Command>, Vec<&Command>) =
        facts.workflow.commands.iter().partition(|command| command.is_users);
    let users = users.into_iter().map(named).chain(NOT_AN_AGENTS.map(str::to_owned)).collect::<Vec<_>>();
    let last = |wanted: &str| wanted.rsplit(' ').next().unwrap_or_default().to_owned();
    if !plain.contains("holdpoint") && !users.iter().any(|wanted| plain.contains(&last(wanted))) {
        return Ok(None);
    }
    let ran = shell::programs(command, &facts.event.cwd, facts.world.as_ref()).map_err(FactError::Shell)?;
    let is_called = |wanted: &String| ran.iter().any(|program| shell::is_run(&program.words, wanted));
    if let Some(users) = users.into_iter().find(is_called) {
        return Ok(Some(Against::Users(users)));
    }
    if shell::plain_words(command).is_some() {
        return Ok(None);
    }
    let for_hooks = others.into_iter().filter(|command| facts.workflow.is_for_hooks(command)).map(named);
    Ok(for_hooks.into_iter().find(is_called).map(Against::NotAlone))
}

fn finds(pattern: &str, command: &str) -> bool {
    crate::filters::pattern(pattern).is_ok_and(|pattern| pattern.is_match(command))
}

fn refusal(facts: &Arc<Facts>, against: &Against) -> Message {
    let next = facts.workflow.going_on().unwrap_or_else(|| "holdpoint status".to_owned());
    let (name, text) = match against {
        Against::Files(files) => (
            "protected-files",
            format!(
                "NOT YOURS TO WRITE: {files}. Holdpoint keeps the run's state, .holdpoint/, .git/ and the settings that \
                 call its hooks. A change that anyone else makes there is reverted and counts for nothing. If something \
                 there is wrong, tell the user.\n\nWhat to do now:\n   {next}"
            ),
        ),
        Against::TooLong(length) => (
            "too-long",
            format!(
                "TOO LONG TO BE JUDGED: this command has {length} bytes, and Holdpoint reads commands of at most {}. \
                 Write long texts to a file with the editing tool, then run a short command.\n\nWhat to do now:\n   {next}",
                shell::COMMAND_MAX
            ),
        ),
        Against::Users(command) => (
            "users-only",
            format!(
                "This is the user's to do, not an agent's: `{command}`. Tell the user what is open and end your turn; \
                 the user types the command in a shell of their own."
            ),
        ),
        Against::NotAlone(command) => (
            "alone",
            format!(
                "RUN IT ALONE: `{command}` is performed by Holdpoint's hook, outside of your shell, and the shell shows \
                 what came of it. So it must be the whole command: no `cd`, pipe, redirection, variable or second \
                 command with it, and texts in single quotes.\n\nWhat to do now:\n   {command}"
            ),
        ),
        Against::Environment => (
            "own-environment",
            format!(
                "NOT IN AN ENVIRONMENT OF YOUR OWN: run `holdpoint` without changing PATH or the session's variables.\n\n\
                 What to do now:\n   {next}"
            ),
        ),
    };
    Message {
        delivery: Delivery::Hold,
        text,
        source: Source::Engine,
        name: name.to_owned(),
        line: 0,
        code: None,
        facts: Vec::new(),
        satisfied_by: None,
    }
}
