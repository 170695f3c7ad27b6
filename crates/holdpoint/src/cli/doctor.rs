//! `holdpoint doctor`: tests the registered hooks, and finds anything else that keeps Holdpoint from working.

mod agent;
mod around;
mod codex_trust;
mod configured;
mod finding;
mod layers;
mod payload;
mod registered;
mod report;
mod reviewers;
mod trial;
mod worktrees;

use clap::Args;

pub(super) use self::around::login_path;
pub(super) use self::reviewers::{permits, programs as reviewing_programs};

use self::finding::{Finding, Level};
use self::layers::LayerReport;
use self::report::{AgentReport, FenceReport, HookReport, Report};
use super::{Context, phrase};
use crate::agent::can_hold;
use crate::error::{CommandError, Kind};
use crate::ui::{Style, Ui};

/// Check that your agents' hooks work
///
/// Runs each registered hook twice, as its agent would, in a temporary project: once with an event that must be allowed, once
/// with one that must be held. Reports every problem with its fix, and what is left for you to do. Exits with 1 if there is
/// any of either.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint doctor            this project's and your own settings
  holdpoint doctor --json | jq -r '.findings[].remedy'")]
pub(super) struct Arguments {
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let report = report::gather(context)?;
    if arguments.json {
        let json = serde_json::to_string(&report)
            .map_err(|error| CommandError::new(Kind::Failed, error.to_string()))?;
        context.ui.json(json);
    } else {
        show(&context.ui, &report);
    }
    let count = |level: Level| report.findings.iter().filter(|finding| finding.level == level).count();
    let found = match (count(Level::Wrong), count(Level::Todo)) {
        (0, 0) => return Ok(()),
        (0, steps) => format!("nothing is wrong, but {} left to you", are(steps)),
        (problems, 0) => format!("doctor found {}", phrase::counted(problems, "problem")),
        (problems, steps) => {
            format!("doctor found {}, and {} left to you", phrase::counted(problems, "problem"), are(steps))
        }
    };
    Err(CommandError::new(Kind::Failed, found))
}

fn are(steps: usize) -> String {
    format!("{} {}", phrase::counted(steps, "step"), if steps == 1 { "is" } else { "are" })
}

fn show(ui: &Ui, report: &Report) {
    ui.line(format!("{}  {}", ui.paint(Style::Bold, &report.version), report.program));
    ui.line(format!("in {}", report.project));
    for agent in &report.agents {
        show_agent(ui, agent);
    }
    show_layers(ui, &report.layers);
    if !report.reviewers.is_empty() {
        ui.line(format!("\n{}", ui.paint(Style::Bold, "Reviewers")));
        for reviewer in &report.reviewers {
            ui.line(format!("  {}  {}", reviewer.workflow, phrase::printable(&reviewer.command)));
            ui.line(format!("    {}", reviewer.permits.join("; ")));
        }
    }
    show_fence(ui, &report.fence);
    show_findings(ui, "Problems", Style::Red, report, Level::Wrong);
    show_findings(ui, "To do", Style::Yellow, report, Level::Todo);
    show_findings(ui, "Notes", Style::Yellow, report, Level::Note);
    if report.findings.iter().all(|finding| finding.level != Level::Wrong) {
        ui.line(format!("\n{}", ui.paint(Style::Green, "No problems found.")));
    }
}

/// Shows whether an agent can be started in a fence.
fn show_fence(ui: &Ui, fence: &FenceReport) {
    ui.line(format!("\n{}", ui.paint(Style::Bold, "Fence")));
    match (&fence.why, &fence.remedy) {
        (Some(why), Some(remedy)) => {
            ui.line(format!("  not possible: {}", phrase::printable(why)));
            ui.line(format!("    {}", ui.paint(Style::Cyan, phrase::printable(remedy))));
        }
        _ => ui.line("  possible: start an agent in it with `holdpoint run`"),
    }
}

/// Shows where settings and workflows come from, the layer that decides first at the top.
fn show_layers(ui: &Ui, layers: &[LayerReport]) {
    if layers.is_empty() {
        return;
    }
    ui.line(format!("\n{}", ui.paint(Style::Bold, "Settings")));
    for layer in layers {
        let file = if layer.has_settings { "/holdpoint.toml" } else { "" };
        ui.line(format!("  {:<12}  {}{file}", layer.layer, phrase::printable(&layer.folder)));
        if !layer.workflows.is_empty() {
            ui.line(format!("    its own workflows: {}", phrase::printable(&layer.workflows.join(", "))));
        }
        if !layer.fixed.is_empty() {
            ui.line(format!("    for all below it: {}", phrase::printable(&layer.fixed.join(", "))));
        }
    }
}

fn show_agent(ui: &Ui, agent: &AgentReport) {
    let program = agent.program.as_deref().unwrap_or("not installed");
    ui.line(format!("\n{}  {}", ui.paint(Style::Bold, agent.title), ui.paint(Style::Dim, program)));
    let mut file = "";
    for hook in &agent.hooks {
        if hook.file != file {
            file = &hook.file;
            ui.line(format!("  {}", ui.paint(Style::Cyan, file)));
        }
        let fired = hook
            .last_fired
            .as_deref()
            .map_or_else(|| "never in a real session".to_owned(), phrase::time_and_age);
        ui.line(format!("    {:<18}  {}  last fired: {fired}", hook.event, trial(ui, hook)));
    }
}

fn trial(ui: &Ui, hook: &HookReport) -> String {
    let trial = match (hook.allows, hook.holds) {
        _ if !can_hold(&hook.event) => "holds nothing".to_owned(),
        (true, true) => ui.paint(Style::Green, "allows and holds"),
        (true, false) => ui.paint(Style::Red, "does not hold"),
        (false, _) => ui.paint(Style::Red, "does not allow"),
    };
    match hook.trust.as_deref() {
        None => trial,
        Some("trusted") => format!("{trial}, trusted"),
        Some(trust) => format!("{trial}, {}", ui.paint(Style::Red, trust)),
    }
}

fn show_findings(ui: &Ui, title: &str, style: Style, report: &Report, level: Level) {
    let found: Vec<&Finding> = report.findings.iter().filter(|finding| finding.level == level).collect();
    if found.is_empty() {
        return;
    }
    ui.line(format!("\n{}", ui.paint(style, title)));
    for finding in found {
        ui.line(format!("  {}", phrase::printable(&finding.what)));
        ui.line(format!("    {}", ui.paint(Style::Cyan, phrase::printable(&finding.remedy))));
    }
}
