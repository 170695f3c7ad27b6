//! What a project would run, hold and steer, for the user to read before allowing it.

use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::performer::{Check, CheckKind, Reviewer};
use holdpoint_core::workflow::step::Delivery;

use super::changes;
use crate::allow::survey::Survey;
use crate::allow::{Allowance, Standing};
use crate::cli::doctor::permits;
use crate::cli::phrase::{counted, indented, printable};
use crate::project::Run;
use crate::store::layout;
use crate::ui::{Style, Ui};

/// Shows what would be allowed, and what has changed since it last was.
pub(super) fn show(ui: &Ui, survey: &Survey, allowance: &Allowance<'_>) {
    ui.whole_line(ui.paint(Style::Bold, printable(&survey.root.to_string_lossy())));
    if allowance.standing(&survey.root) == Standing::Waiting {
        for (name, parsed) in survey.content.workflows() {
            ui.whole_line(format!("\nWorkflow {}", ui.paint(Style::Bold, &name)));
            match parsed.error() {
                Some(error) => ui.whole_line(format!("  has an error: {}", printable(&error.message))),
                None => show_workflow(ui, &parsed.workflow, survey),
            }
        }
        if let Some(settings) = survey.content.files.get(layout::CONFIG) {
            ui.whole_line(format!("\nSettings {}/{}", layout::FOLDER, layout::CONFIG));
            ui.whole_line(indented(&String::from_utf8_lossy(settings)));
        }
        changes::show(ui, survey, allowance);
    }
    if !survey.runs.is_empty() {
        ui.whole_line("\nRuns that did not begin here");
        survey.runs.iter().for_each(|run| show_run(ui, run, survey));
    }
    if survey.content.is_empty() && survey.runs.is_empty() {
        ui.whole_line(
            "\nIt brings nothing along. Once it is allowed, a run that you or an agent begin here counts.",
        );
    }
    ui.whole_line(format!("\nDigest {}", survey.digest()));
}

fn show_workflow(ui: &Ui, workflow: &Workflow, survey: &Survey) {
    if !workflow.about.is_empty() {
        ui.whole_line(format!("  {}", printable(&workflow.about)));
    }
    show_programs(ui, workflow);
    let held = workflow.rules.iter().filter(|rule| rule.step.delivery == Delivery::Hold);
    row(ui, "holds", held.map(|rule| rule.name.to_string()).collect());
    row(ui, "commands", workflow.commands.iter().map(|command| command.name.to_string()).collect());
    let texts = ["commands", "agents", "codex"].map(|folder| {
        let folder = format!("workflows/{}/{folder}/", workflow.name);
        survey.content.files.keys().filter(|path| path.starts_with(&folder)).count()
    });
    let texts: usize = texts.iter().sum();
    if texts > 0 {
        row(ui, "installs", vec![format!("{} for agents, with `holdpoint init`", counted(texts, "prompt"))]);
    }
}

/// Shows the programs that a workflow starts, with what they are permitted.
fn show_programs(ui: &Ui, workflow: &Workflow) {
    let checks = workflow.checks.iter().filter_map(check_words);
    let reviewers = workflow.reviewers.iter();
    for words in checks {
        row(ui, "runs", vec![words]);
    }
    for reviewer in reviewers {
        show_reviewer(ui, reviewer);
    }
}

fn show_reviewer(ui: &Ui, reviewer: &Reviewer) {
    let command: Vec<&str> = reviewer.command.iter().map(AsRef::as_ref).collect();
    row(ui, "runs", vec![format!("{}  (reviewer {})", command.join(" "), reviewer.name)]);
    for permit in permits(&command) {
        let is_dangerous = permit.contains("everything") || permit.contains("no sandbox");
        let style = if is_dangerous { Style::Red } else { Style::Dim };
        let mark = if is_dangerous { "DANGER " } else { "" };
        ui.whole_line(format!("            {}", ui.paint(style, format!("{mark}{}", printable(&permit)))));
    }
}

fn check_words(check: &Check) -> Option<String> {
    let command = check.kind.command();
    let what = match &check.kind {
        CheckKind::Acceptance { .. } => "the commands in a document's acceptance table".to_owned(),
        CheckKind::Commit { .. } => "git commit".to_owned(),
        _ if command.is_empty() => return None,
        _ => command.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(" "),
    };
    Some(format!("{what}  (check {})", check.name))
}

fn show_run(ui: &Ui, run: &Run, survey: &Survey) {
    let place = layout::name(&survey.root, &run.place());
    ui.whole_line(format!("  {}  {}", ui.paint(Style::Bold, &run.workflow.name), printable(&place)));
    show_programs(ui, &run.workflow);
}

fn row(ui: &Ui, name: &str, words: Vec<String>) {
    if !words.is_empty() {
        ui.whole_line(format!("  {name:<8}  {}", printable(&words.join(", "))));
    }
}
