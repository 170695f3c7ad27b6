//! The calls of a case: the one that is compared, and those that prepare it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use holdpoint_core::facts::time;
use serde_json::{Map, Value as Json, json};

use super::error::CaseError;
use super::file::lay_over;
use super::{Subject, approval, folder};
use crate::agent::{Agent, Protocol};
use crate::catalog;
use crate::engine::command::{Typed, words};
use crate::engine::leftovers::Leftovers;
use crate::engine::{self, Call, Reply};
use crate::env::{Env, FixedEnv};
use crate::error::CommandError;
use crate::hook::input::Input;
use crate::hook::options::Options;
use crate::store::unheard::Note;

/// The keys of a step of `first`.
pub(super) const STEP_KEYS: [&str; 7] = ["files", "run", "approve", "no", "event", "env", "now"];
/// The keys of a step that are a call.
const CALLS: [&str; 3] = ["run", "approve", "event"];

/// Runs the steps of `first`: each writes files, then runs a command or gives an approval, which must not fail, or sends
/// an event.
pub(super) fn lead_up(
    subject: Subject<'_>,
    keys: &Map<String, Json>,
    root: &Path,
    tools: &Path,
) -> Result<(), CaseError> {
    for step in keys.get("first").and_then(Json::as_array).into_iter().flatten() {
        let own = step.as_object().ok_or(CaseError::FirstNotTables)?;
        if let Some(key) = own.keys().find(|key| !STEP_KEYS.contains(&key.as_str())) {
            return Err(CaseError::UnknownStepKey { key: key.clone() });
        }
        folder::change(root, own.get("files"))?;
        if !CALLS.iter().any(|call| own.contains_key(*call)) {
            continue;
        }
        let reply = make(subject, &laid_over(keys, step), root, tools)?;
        if reply.exit != 0 {
            let (exit, stderr) = (reply.exit, reply.stderr);
            return Err(CaseError::StepFailed { step: step.to_string(), exit, stderr });
        }
    }
    Ok(())
}

/// Merges a step of `first` over the case's keys, without those of the call that is judged.
fn laid_over(keys: &Map<String, Json>, step: &Json) -> Map<String, Json> {
    let mut all = Json::Object(keys.clone());
    if let Json::Object(fields) = &mut all {
        fields.retain(|key, _| !matches!(key.as_str(), "run" | "approve" | "no" | "stdin"));
    }
    lay_over(&mut all, step);
    all.as_object().cloned().unwrap_or_default()
}

/// Calls the hook with an event, runs one of the workflow's commands, or gives an approval.
pub(super) fn make(
    subject: Subject<'_>,
    keys: &Map<String, Json>,
    root: &Path,
    tools: &Path,
) -> Result<Reply, CaseError> {
    let text = |key: &str| keys.get(key).and_then(Json::as_str);
    let cwd = text("cwd").map_or_else(|| root.to_path_buf(), |below| root.join(below));
    std::fs::create_dir_all(&cwd)?;
    let agent = match text("agent") {
        Some(name) => {
            Some(Agent::ALL.iter().find(|(known, _)| *known == name).ok_or(CaseError::UnknownAgent)?.1)
        }
        None => None,
    };
    let options = Options {
        agent,
        workflow: Some(subject.name.to_owned()),
        only: text("only").map(str::to_owned),
        protocol: if text("protocol") == Some("legacy") { Protocol::Legacy } else { Protocol::Own },
        help: false,
    };
    let env = environment(keys, tools)?;
    if let Some(words) = keys.get("run") {
        return command(subject, words, &cwd, &env);
    }
    if let Some(name) = text("approve") {
        return Ok(reply(approval::give(subject, name, text("no"), &cwd, &env)));
    }
    let input = text("stdin").map_or_else(|| event(keys, &cwd).to_string(), str::to_owned);
    let (input, leftovers) = (Input::Whole(input.into_bytes()), Leftovers::default());
    let reply = engine::answer(&Call { input, options: &options, cwd: &cwd, env, leftovers });
    // Whoever judges the case has heard it.
    reply.unheard.iter().for_each(Note::clear);
    Ok(reply)
}

/// Runs one of the workflow's commands.
fn command(subject: Subject<'_>, words: &Json, cwd: &Path, env: &Arc<dyn Env>) -> Result<Reply, CaseError> {
    let words: Vec<String> = texts(Some(words)).map(str::to_owned).collect();
    let (name, rest) = words.split_first().ok_or(CaseError::NoCommand)?;
    let workflow = match subject.own_folder {
        Some(folder) => catalog::load(subject.name, folder).map_err(|unusable| unusable.why)?,
        None => catalog::named(subject.name).ok_or(CaseError::UnknownWorkflow)?.workflow.clone(),
    };
    let workflow = Arc::new(workflow);
    let command =
        workflow.commands.iter().find(|command| command.name == *name).ok_or(CaseError::UnknownCommand)?;
    let performed = words::read(subject.name, command, rest).and_then(|words| {
        let (origin, session) = (subject.origin(), env.session());
        let (workflow, is_confirmed) = (&workflow, false);
        Typed { workflow, origin, command, words, cwd, env, session, is_confirmed }.perform()
    });
    Ok(reply(performed))
}

/// What a command prints.
fn reply(performed: Result<String, CommandError>) -> Reply {
    match performed {
        Ok(text) => Reply { stdout: text, ..Reply::default() },
        Err(error) => {
            let hints: String = error.hints.iter().map(|hint| format!("\n{hint}")).collect();
            Reply { stderr: format!("{}{hints}", error.what()), exit: error.code(), ..Reply::default() }
        }
    }
}

fn environment(keys: &Map<String, Json>, tools: &Path) -> Result<Arc<dyn Env>, CaseError> {
    let variables = keys.get("env").and_then(Json::as_object).into_iter().flatten();
    let mut variables: HashMap<String, String> =
        variables.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
    if keys.contains_key("reviewer") {
        variables.insert("PATH".into(), format!("{}:/usr/bin:/bin", tools.display()));
    }
    let now = match keys.get("now").and_then(Json::as_str) {
        Some(now) => Some(time::epoch(now).ok_or(CaseError::NotATime)?),
        None => None,
    };
    Ok(Arc::new(FixedEnv { variables, now }))
}

fn event(keys: &Map<String, Json>, cwd: &Path) -> Json {
    let mut event = keys.get("event").cloned().unwrap_or_else(|| json!({}));
    if let Json::Object(fields) = &mut event {
        fields.entry("cwd").or_insert_with(|| json!(cwd.to_string_lossy()));
        fields.entry("session_id").or_insert_with(|| json!("case"));
    }
    event
}

/// Iterates over a text or a list of texts.
pub(super) fn texts(list: Option<&Json>) -> impl Iterator<Item = &str> {
    let many = list.and_then(Json::as_array).into_iter().flatten();
    many.chain(list.filter(|one| one.is_string())).filter_map(Json::as_str)
}
