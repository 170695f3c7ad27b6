//! The reviewers of the enabled workflows, and what their command lines permit.

use std::sync::Arc;

use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::grants::ANYWHERE;
use holdpoint_core::workflow::performer::Reviewer;
use holdpoint_core::workflow::phase::PhaseKind;
use serde::Serialize;

use super::finding::Finding;
use crate::cli::{Context, subject};
use crate::confinement::sandbox;
use crate::install::host;
use crate::program;
use crate::project::{Found, reviewers};

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
        let Ok(parsed) = workflow.parsed() else { continue };
        let chosen = reviewers::chosen(&context.cwd, context.env.as_ref(), Arc::new(parsed.workflow));
        let is_asked = |reviewer: &&Reviewer| {
            let named = chosen.phases.iter().filter_map(|phase| phase.reviewer(&chosen));
            named.into_iter().any(|named| named.name == reviewer.name)
        };
        for reviewer in chosen.reviewers.iter().filter(is_asked) {
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
            if program::on_path(name, context.env.as_ref()).is_none() {
                let has_run = found.runs.iter().any(|run| run.workflow.name == workflow.name.as_str());
                let what = format!("the reviewer of `{}`, `{name}`, is not installed", workflow.name);
                let make = if has_run { Finding::wrong } else { Finding::note };
                findings.push(make(what, how_to_get(name)));
            }
        }
    }
    all
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

fn how_to_get(program: &str) -> String {
    let host = host::ALL.into_iter().find(|host| host.programs.contains(&program));
    host.map_or_else(|| format!("install `{program}`, or put its folder on PATH"), |host| host.get.to_owned())
}
