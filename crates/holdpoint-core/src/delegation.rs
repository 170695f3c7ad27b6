//! The agent and the phase that a sub-agent call is for, found by the agent's name, by an agent or phase named in the
//! text, or by a phase's number.

use serde_json::Value as Json;
use thiserror::Error;

use crate::filters::{has_word, word_at};
use crate::json::{JsonError, scan};
use crate::tool::Tool;
use crate::workflow::Delegation;

/// The target of a sub-agent call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Detected {
    /// The full name of the called agent, even if the call does not delegate a phase.
    pub called: Option<String>,
    /// The agent that owns the phase, if the call names one.
    pub agent: Option<String>,
    /// The phase that the call delegates. None if it delegates no phase.
    pub phase: Option<String>,
}

/// Pairs of agent and phase, in the manifest's order.
pub type Agents = Vec<(String, String)>;

/// Finds the target of a call. Calls `agents` and `phases` only if they are needed.
pub(crate) fn detect<E>(
    rules: &Delegation,
    tool: &Tool,
    agents: impl FnOnce() -> Result<Agents, E>,
    phases: impl FnOnce() -> Result<Vec<String>, E>,
) -> Result<Detected, E> {
    if tool.agent().is_err() {
        return Ok(Detected::default());
    }
    let called = called(rules, tool);
    let no_phase = |called| Ok(Detected { called, agent: None, phase: None });
    let text = tool.text().to_lowercase();
    if is_setup(rules, &text) {
        return no_phase(called);
    }
    let agents = agents()?;
    let aside = |phase: &str| rules.aside.iter().any(|name| name == phase);
    let owned = called.as_ref().and_then(|called| agents.iter().find(|(name, _)| name == called));
    match owned {
        Some((_, phase)) if aside(phase) => return no_phase(called),
        Some((name, phase)) => return Ok(delegated(called.clone(), Some(name), phase)),
        None => {}
    }
    let mut working = agents.iter().filter(|(_, phase)| !aside(phase));
    if let Some((name, phase)) = working.find(|(name, _)| has_word(&text, name)) {
        return Ok(delegated(called, Some(name), phase));
    }
    let known = phases()?;
    let phase = named_phase(&text, &known, &agents).or_else(|| numbered_phase(&text, &known, &agents));
    Ok(phase.map_or(Detected { called: called.clone(), ..Detected::default() }, |phase| {
        delegated(called, None, &phase)
    }))
}

/// The full name of the agent that a call names, if it names one.
pub(crate) fn called(rules: &Delegation, tool: &Tool) -> Option<String> {
    let name = tool.agent().ok().flatten();
    name.map(|name| full_name(rules, name)).filter(|name| !name.is_empty())
}

fn delegated(called: Option<String>, agent: Option<&String>, phase: &str) -> Detected {
    Detected { called, agent: agent.cloned(), phase: Some(phase.to_owned()) }
}

/// Returns the agent's full name: in lower case, without the plugin's prefix, aliases and leading numbers resolved.
fn full_name(rules: &Delegation, name: &str) -> String {
    let plain = name.rsplit(':').next().unwrap_or(name).trim().to_lowercase().replace('_', "-");
    let alias = rules.aliases.iter().find(|alias| alias.name == plain);
    match alias {
        Some(alias) => alias.source.clone().into_owned(),
        None => without_number(&plain).unwrap_or(&plain).to_owned(),
    }
}

/// Removes the number from names such as `05-software-developer` and `d3-data-model-analyzer`.
fn without_number(name: &str) -> Option<&str> {
    let (number, rest) = name.split_once('-')?;
    let digits = number.strip_prefix('d').unwrap_or(number);
    (!rest.is_empty() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(rest)
}

fn is_setup(rules: &Delegation, text: &str) -> bool {
    let mut text = text.to_owned();
    for phrase in rules.not_setup.iter() {
        text = text.replace(phrase.as_ref(), "");
    }
    rules.setup.iter().any(|word| has_word(&text, word))
}

/// Finds the first word like `06-implementation` that is not part of a path, a date, a longer word or a file name.
/// If the run's phases are known, other names count only after the word "phase".
fn named_phase(text: &str, known: &[String], agents: &Agents) -> Option<String> {
    let belongs =
        |name: &str| known.iter().any(|p| p == name) || agents.iter().any(|(_, phase)| phase == name);
    let mut from = 0;
    while let Some((start, end)) = next_phase_token(text, from) {
        let name = &text[start..end];
        let announced =
            text[..start].trim_end_matches([' ', '\t', ':', '\n', '\'', '"', '`']).ends_with("phase");
        if known.is_empty() || announced || belongs(name) {
            return Some(name.to_owned());
        }
        from = end;
    }
    None
}

fn next_phase_token(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let word = |b: u8| b.is_ascii_alphanumeric() || b >= 0x80 || matches!(b, b'_' | b'-');
    (from..bytes.len().saturating_sub(3)).find_map(|at| {
        let head = bytes[at].is_ascii_digit() && bytes[at + 1].is_ascii_digit() && bytes[at + 2] == b'-';
        let starts = at == 0 || !(word(bytes[at - 1]) || matches!(bytes[at - 1], b'.' | b'#' | b'/' | b'\\'));
        if !head || !starts || !bytes[at + 3].is_ascii_lowercase() {
            return None;
        }
        let tail = bytes[at + 3..].iter().take_while(|b| b.is_ascii_lowercase() || **b == b'-').count();
        let end = at + 3 + tail;
        let next = bytes.get(end).copied();
        let file_like = next == Some(b'.') && bytes.get(end + 1).is_some_and(|b| word(*b));
        let goes_on = next.is_some_and(|b| word(b) || matches!(b, b'/' | b'\\'));
        (!goes_on && !file_like).then_some((at, end))
    })
}

/// Finds a phase by its number, as in `phase 06`, among the run's phases and then the manifest's.
fn numbered_phase(text: &str, known: &[String], agents: &Agents) -> Option<String> {
    let mut rest = text;
    while let Some(at) = word_at(rest, "phase") {
        rest = &rest[at + "phase".len()..];
        let number = rest.trim_start_matches([' ', '\t', ':', '\n', '#']);
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let ends =
            !number[digits..].chars().next().is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_');
        if digits == 2 && ends && number.len() < rest.len() {
            let of_number = |phase: &&String| phase.starts_with(&number[..2]) && phase[2..].starts_with('-');
            let owned = || agents.iter().map(|(_, phase)| phase).find(of_number);
            if let Some(phase) = known.iter().find(of_number).or_else(owned) {
                return Some(phase.clone());
            }
        }
    }
    None
}

/// The reason why a manifest gives no agents.
#[derive(Debug, Error)]
pub enum ManifestError {
    /// It is not JSON.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// What should list the agents is something else.
    #[error("`{0}` is not a table of agents")]
    NotATable(String),
}

/// Reads the agents in a manifest: `{ <table>: { <agent>: { "phase": … } } }`. Skips everything else unread.
pub fn agents_in(manifest: &[u8], table: &str) -> Result<Agents, ManifestError> {
    if let Some(agents) = plain_agents(manifest, table) {
        return Ok(agents);
    }
    let repaired: Json = crate::json::whole(manifest)?;
    let owners = match repaired.get(table) {
        Some(Json::Object(owners)) => owners,
        None if repaired.is_object() => return Ok(Agents::new()),
        _ => return Err(ManifestError::NotATable(table.to_owned())),
    };
    // One malformed entry is skipped, so that it does not hide the others.
    let agent = |(name, owner): (&String, &Json)| {
        Some((name.to_lowercase(), owner.get("phase")?.as_str()?.to_owned()))
    };
    Ok(owners.iter().filter_map(agent).collect())
}

/// The agents in a manifest in which nothing is wrong or unusual.
fn plain_agents(manifest: &[u8], table: &str) -> Option<Agents> {
    let mut agents = Agents::new();
    scan::fields(manifest, 0, |name, at| {
        if name != table {
            return scan::value_end(manifest, at);
        }
        agents.clear();
        scan::fields(manifest, at, |name, at| {
            let (phase, end) = phase_of(manifest, at)?;
            agents.extend(phase.map(|phase| (name.to_lowercase(), phase)));
            Some(end)
        })
    })?;
    Some(agents)
}

/// The phase in the agent's entry that begins at `at`, if it has one, and where the entry ends.
fn phase_of(manifest: &[u8], at: usize) -> Option<(Option<String>, usize)> {
    let mut phase = None;
    let end = scan::fields(manifest, at, |name, at| {
        let end = scan::value_end(manifest, at)?;
        if name == "phase" {
            phase = Some(scan::string(manifest, at..end)?.into_owned());
        }
        Some(end)
    })?;
    Some((phase, end))
}

#[cfg(test)]
#[path = "delegation_tests.rs"]
mod delegation_tests;
