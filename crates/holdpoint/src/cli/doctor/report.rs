//! The report of `doctor`, for print and for JSON.

use std::path::PathBuf;

use serde::Serialize;

use super::agent::Doctor;
use super::around;
use super::finding::Finding;
use super::layers::{self, LayerReport};
use super::registered;
use super::reviewers::{self, ReviewerReport};
use super::worktrees;
use crate::cli::{Context, fired, journals, subject};
use crate::error::CommandError;
use crate::fence::{FenceError, bubblewrap};
use crate::install::host::{self, Runs};
use crate::install::place::Place;
use crate::install::record::Record;
use crate::install::wanted::Wanted;
use crate::layers::Configuration;
use crate::project::Found;
use crate::store::journal::Entry;

/// The whole report.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) version: String,
    pub(super) program: String,
    pub(super) project: String,
    pub(super) agents: Vec<AgentReport>,
    /// The settings that count, the organisation's first.
    pub(super) layers: Vec<LayerReport>,
    pub(super) reviewers: Vec<ReviewerReport>,
    pub(super) fence: FenceReport,
    pub(super) findings: Vec<Finding>,
}

/// Whether an agent can be started in a fence here, or why not and what to do about it.
#[derive(Debug, Serialize)]
pub(super) struct FenceReport {
    pub(super) is_possible: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remedy: Option<String>,
}

impl FenceReport {
    fn of(context: &Context) -> FenceReport {
        let error = bubblewrap::is_possible(context.env.as_ref()).err();
        let remedy = error.as_ref().map(FenceError::hint);
        FenceReport { is_possible: error.is_none(), why: error.map(|error| error.to_string()), remedy }
    }
}

/// The report about one agent.
#[derive(Debug, Serialize)]
pub(super) struct AgentReport {
    pub(super) agent: &'static str,
    pub(super) title: &'static str,
    pub(super) program: Option<String>,
    pub(super) hooks: Vec<HookReport>,
}

/// The report about one hook.
#[derive(Debug, Serialize)]
pub(super) struct HookReport {
    pub(super) file: String,
    pub(super) event: String,
    pub(super) command: String,
    /// Whether it allowed the event that must be allowed.
    pub(super) allows: bool,
    /// Whether it held the event that must be held.
    pub(super) holds: bool,
    /// The time of its last event here, whether or not a run was active.
    pub(super) last_fired: Option<String>,
    /// The agent's trust in it, for agents that ask for trust.
    pub(super) trust: Option<String>,
}

/// Runs all checks.
pub(super) fn gather(context: &Context) -> Result<Report, CommandError> {
    let found = context.find(None);
    let entries = journals::read(&journals::books(&found, context.env.as_ref())).unwrap_or_default();
    let program = std::env::current_exe()?;
    let places = registered::places(context);
    let mut findings = Vec::new();
    let records: Vec<Record> = places.iter().filter_map(|place| record(place, &mut findings)).collect();
    let workflows = enabled(context, &found, &records)?;
    let parsed: Vec<_> = workflows.iter().filter_map(|one| Some(one.parsed().ok()?.workflow)).collect();
    let entries: Vec<Entry> = entries.into_iter().map(|line| line.entry).collect();
    let root = places.first().map_or_else(|| context.cwd.clone(), |place| place.root.clone());
    let mut doctor = Doctor {
        context,
        fired: fired::of(context.env.as_ref(), &root, &entries),
        places,
        entries,
        wanted: Wanted::of(parsed.iter()),
        version: around::version_of(&program, &context.cwd),
        has_plugin: false,
        findings,
    };
    let agents: Vec<AgentReport> = host::ALL.into_iter().filter_map(|host| doctor.agent(host)).collect();
    if agents.is_empty() && !doctor.has_plugin {
        let what = "no agent has Holdpoint's hooks, so nothing is held here";
        doctor.findings.push(Finding::wrong(what, "holdpoint init"));
    }
    let uses_login_shell = agents.iter().any(|agent| {
        host::named(agent.agent).is_some_and(|host| host.runs == Runs::LoginShell) && !agent.hooks.is_empty()
    });
    let Doctor { mut findings, version, entries, .. } = doctor;
    around::git(context, &mut findings);
    around::programs(context, &root, &mut findings);
    around::confinement(&mut findings);
    around::tracing(&mut findings);
    around::folders(&root, &found, &mut findings);
    worktrees::check(&root, &records, &mut findings);
    around::state_folder(context, &mut findings);
    around::workflows(context, &found, &mut findings);
    around::on_path(context, version.as_deref(), uses_login_shell, &mut findings);
    reviewers::last_failed(&entries, &mut findings);
    let reviewers = reviewers::look(context, &workflows, &found, &mut findings);
    Ok(Report {
        version: version.unwrap_or_else(|| "holdpoint".to_owned()),
        program: program.display().to_string(),
        project: root.display().to_string(),
        agents,
        layers: layers::look(context, &found),
        reviewers,
        fence: FenceReport::of(context),
        findings,
    })
}

/// Reads a place's record. Reports one that cannot be used.
fn record(place: &Place, findings: &mut Vec<Finding>) -> Option<Record> {
    let read = Record::read(place).map_err(|error| Finding::wrong(error.what(), error.hints.join("; ")));
    read.map_err(|finding| findings.push(finding)).ok().flatten()
}

/// Returns the workflows enabled here, limited to those that `init` was given.
fn enabled(
    context: &Context,
    found: &Found,
    records: &[Record],
) -> Result<Vec<subject::Found>, CommandError> {
    let mut all = subject::find(context, &[])?;
    let Configuration { effective, own, .. } = &found.configuration;
    let counts = |folder: &PathBuf| own.iter().any(|own| own.folder == *folder);
    all.retain(|one| one.folder.as_ref().is_none_or(counts) && effective.enables(&one.name));
    let chosen: Vec<&String> = records.iter().flat_map(|record| &record.choices.workflows).collect();
    all.retain(|one| chosen.is_empty() || one.folder.is_some() || chosen.contains(&&one.name));
    Ok(all)
}
