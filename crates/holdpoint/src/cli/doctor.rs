//! `holdpoint doctor`: whether the hooks that are registered fire, and what else would keep Holdpoint from working.

mod agent;
mod around;
mod codex_trust;
mod configured;
mod finding;
mod payload;
mod registered;
mod report;
mod reviewers;
mod trial;

use clap::Args;

use self::finding::{Finding, Level};
use self::report::{AgentReport, HookReport, Report};
use super::{Context, phrase};
use crate::error::{CommandError, Kind};
use crate::ui::{Style, Ui};

/// Prove that the hooks fire: run each registered command as its agent would, and look for whatever is in the way
///
/// Each hook is run twice in a project of its own that is taken away afterwards: once with an event that must be let
/// go, once with one that must be held. What is wrong is told with its remedy; the exit code is then 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint doctor                                        this project's and your own settings
  holdpoint doctor --json | jq -r '.findings[].remedy'    what to do")]
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
        context.ui.line(json);
    } else {
        show(&context.ui, &report);
    }
    match report.findings.iter().filter(|finding| finding.level == Level::Wrong).count() {
        0 => Ok(()),
        n => Err(CommandError::new(Kind::Failed, format!("{} wrong", phrase::counted(n, "thing")))),
    }
}

fn show(ui: &Ui, report: &Report) {
    ui.line(format!("{}  {}", ui.paint(Style::Bold, &report.version), report.program));
    ui.line(format!("in {}", report.project));
    for agent in &report.agents {
        show_agent(ui, agent);
    }
    if !report.reviewers.is_empty() {
        ui.line(format!("\n{}", ui.paint(Style::Bold, "Reviewers")));
        for reviewer in &report.reviewers {
            ui.line(format!("  {}: {}", reviewer.workflow, phrase::printable(&reviewer.command)));
            ui.line(format!("    {}", reviewer.permits.join("; ")));
        }
    }
    show_findings(ui, "Wrong", Style::Red, report, Level::Wrong);
    show_findings(ui, "Worth knowing", Style::Yellow, report, Level::Note);
    if report.findings.iter().all(|finding| finding.level != Level::Wrong) {
        ui.line(format!("\n{}", ui.paint(Style::Green, "Everything that was looked at is as it should be.")));
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
            .map_or_else(|| "not yet in earnest here".to_owned(), phrase::time_and_age);
        ui.line(format!("    {:<18}  {}  last fired: {fired}", hook.event, outcome(ui, hook)));
    }
}

fn outcome(ui: &Ui, hook: &HookReport) -> String {
    let trial = match (hook.allows, hook.holds) {
        (true, true) => ui.paint(Style::Green, "lets go and holds"),
        (true, false) => ui.paint(Style::Red, "does not hold"),
        (false, _) => ui.paint(Style::Red, "does not let go"),
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
