//! The reviewers of the enabled workflows, and what their command lines permit.

use std::sync::Arc;

use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::grants::ANYWHERE;
use holdpoint_core::workflow::performer::Reviewer;
use holdpoint_core::workflow::phase::PhaseKind;
use serde::Serialize;

use super::finding::Finding;
use crate::check;
use crate::cli::{Context, phrase, subject};
use crate::confinement::sandbox;
use crate::install::host;
use crate::program;
use crate::project::{Found, reviewers};
use crate::store::journal::Entry;

/// The report about one reviewer.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct ReviewerReport {
    pub(super) workflow: String,
    pub(super) command: String,
    /// The permissions, in words.
    pub(super) permits: Vec<String>,
}

/// The known flags and their meaning.
const FLAGS: [(&str, &str); 12] = [
    ("--dangerously-skip-permissions", "it may do everything that you may, without asking"),
    (
        "--dangerously-bypass-approvals-and-sandbox",
        "it may do everything that you may, without asking and outside any sandbox",
    ),
    ("--yolo", "it may do everything that you may, without asking"),
    ("danger-full-access", "it has no sandbox"),
    ("bypassPermissions", "it may do everything that you may, without asking"),
    ("workspace-write", "it may write in the project"),
    ("--full-auto", "it may write in the project without asking"),
    ("acceptEdits", "it may edit files without asking"),
    ("read-only", "it can only read"),
    ("plan", "it can only read and plan"),
    ("--allowedTools", "it may use the tools that its command line names"),
    ("--tools", "it has only the tools that its command line names"),
];

/// Returns the reviewers of these workflows. Reports missing programs, as a problem if the workflow has a run here.
pub(super) fn look(
    context: &Context,
    workflows: &[subject::Found],
    found: &Found,
    findings: &mut Vec<Finding>,
) -> Vec<ReviewerReport> {
    let mut all = Vec::new();
    for workflow in workflows {
        let Some(chosen) = chosen(context, workflow) else { continue };
        for reviewer in asked(&chosen) {
            let Some(name) = reviewer.command.first().filter(|name| !name.contains("{{")) else { continue };
            let command: Vec<&str> = reviewer.command.iter().map(AsRef::as_ref).collect();
            let report = ReviewerReport {
                workflow: workflow.name.clone(),
                command: command.join(" "),
                permits: permits(&command).into_iter().chain(confined(reviewer, &chosen)).collect(),
            };
            // Two reviewers of a workflow may be the same program with different answers.
            if all.contains(&report) {
                continue;
            }
            all.push(report);
            let has_run = found.runs.iter().any(|run| run.workflow.name == workflow.name.as_str());
            let make = if has_run { Finding::wrong } else { Finding::note };
            if program::on_path(name, context.env.as_ref()).is_none() {
                let what = format!("the reviewer of `{}`, `{name}`, is not installed", workflow.name);
                findings.push(make(what, host::get(name)));
            } else if let Some((what, remedy)) = refused_to_root(&workflow.name, &command, context) {
                findings.push(make(what, remedy));
            }
        }
    }
    all
}

/// The flag that Claude Code refuses to root, unless the variable says that it is in a sandbox.
const REFUSED_TO_ROOT: (&str, &str, &str) = ("claude", "--dangerously-skip-permissions", "IS_SANDBOX");

/// Says what keeps root, which a container's user often is, from starting a reviewer, and what to do about it.
#[cfg(unix)]
fn refused_to_root(workflow: &str, command: &[&str], context: &Context) -> Option<(String, String)> {
    let (program, flag, variable) = REFUSED_TO_ROOT;
    let is_refused = command.first() == Some(&program) && command.contains(&flag);
    let is_sandbox = context.env.var(variable).is_some_and(|value| value == "1");
    (is_refused && !is_sandbox && rustix::process::geteuid().is_root()).then(|| {
        let what =
            format!("you are root, and `{program}` refuses {flag} then: no review of `{workflow}` is done");
        (
            what,
            format!("work as another user, or, in a container that is for this alone: export {variable}=1"),
        )
    })
}

#[cfg(not(unix))]
fn refused_to_root(_: &str, _: &[&str], _: &Context) -> Option<(String, String)> {
    None
}

/// Reports the last review of each workflow, if it failed and none has been done since.
pub(super) fn last_failed(entries: &[Entry], findings: &mut Vec<Finding>) {
    let mut seen: Vec<&str> = Vec::new();
    for entry in entries.iter().rev() {
        let Some(workflow) = entry.workflow.as_deref().filter(|name| !seen.contains(name)) else { continue };
        let failed = entry.faults.iter().find(|fault| fault.starts_with(check::REVIEWER));
        if failed.is_none() && entry.reviews.is_empty() {
            continue;
        }
        seen.push(workflow);
        if let Some(why) = failed {
            let why = why.lines().next().unwrap_or_default();
            let what =
                format!("the last review of `{workflow}` failed, {}: {why}", phrase::time_and_age(&entry.at));
            findings.push(Finding::wrong(what, "holdpoint log --faults"));
        }
    }
}

/// Returns a workflow with the reviewers that were chosen for it here.
fn chosen(context: &Context, found: &subject::Found) -> Option<Arc<Workflow>> {
    let parsed = found.parsed().ok()?;
    Some(reviewers::chosen(&context.cwd, context.env.as_ref(), Arc::new(parsed.workflow)))
}

/// Lists the reviewers that a phase asks.
fn asked(workflow: &Workflow) -> impl Iterator<Item = &Reviewer> {
    let is_asked = |reviewer: &&Reviewer| {
        let mut named = workflow.phases.iter().filter_map(|phase| phase.reviewer(workflow));
        named.any(|named| named.name == reviewer.name)
    };
    workflow.reviewers.iter().filter(is_asked)
}

/// Lists the programs that a workflow has its reviews done by.
pub(in crate::cli) fn programs(context: &Context, found: &subject::Found) -> Vec<String> {
    let mut names = Vec::new();
    let Some(workflow) = chosen(context, found) else { return names };
    for name in asked(&workflow).filter_map(|reviewer| reviewer.command.first()) {
        if !name.contains("{{") && !names.iter().any(|there| there == name) {
            names.push(name.to_string());
        }
    }
    names
}

/// Says what a reviewer's command line permits.
pub(in crate::cli) fn permits(command: &[&str]) -> Vec<String> {
    let is_said = |flag: &str| {
        command.iter().any(|word| {
            *word == flag
                || word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='))
                || word.ends_with(&format!("={flag}"))
        })
    };
    let said = FLAGS.into_iter().filter(|(flag, _)| is_said(flag));
    let permits: Vec<String> = said.map(|(flag, means)| format!("{flag}: {means}")).collect();
    if permits.is_empty() { vec!["it may do whatever its own settings allow".to_owned()] } else { permits }
}

/// What its command line permits ends where the sandbox does. One that the agent starts itself has none.
fn confined(reviewer: &Reviewer, workflow: &Workflow) -> Option<String> {
    let is_started = workflow
        .phases
        .iter()
        .any(|phase| matches!(&phase.kind, PhaseKind::Reviewer(review) if review.reviewer == reviewer.name));
    let writes = &reviewer.grants.writes;
    let is_free = !is_started || writes.iter().any(|path| path == ANYWHERE);
    let more: String = writes.iter().map(|path| format!(", `{path}`")).collect();
    (sandbox::can_confine() && !is_free).then(|| {
        format!("in a sandbox: it can write to its report, temporary folders, what its tool keeps{more}")
    })
}
