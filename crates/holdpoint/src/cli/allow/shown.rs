//! What a project would run, hold and steer, for the user to read before allowing it.

use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::parse::Parsed;
use holdpoint_core::workflow::performer::{Check, CheckKind, Reviewer};
use holdpoint_core::workflow::step::Delivery;

use super::{changes, given};
use crate::allow::Allowance;
use crate::allow::part::Part;
use crate::allow::survey::Survey;
use crate::cli::doctor::permits;
use crate::cli::phrase::{counted, indented, printable};
use crate::project::{self, Run};
use crate::store::layout;
use crate::ui::{Style, Ui};

/// Shows what would be allowed, and what has changed since it last was.
pub(super) fn show(ui: &Ui, survey: &Survey, allowance: &Allowance<'_>) {
    ui.whole_line(ui.paint(Style::Bold, printable(&survey.root.to_string_lossy())));
    for (name, parsed) in pending(survey) {
        ui.whole_line(format!("\nWorkflow {}", ui.paint(Style::Bold, &name)));
        match parsed.error() {
            Some(error) => ui.whole_line(format!("  has an error: {}", printable(&error.message))),
            None => show_workflow(ui, &parsed.workflow, survey),
        }
    }
    let settings = survey.content.files.get(layout::CONFIG);
    if let Some(settings) = settings.filter(|_| waits(survey, &Part::Settings)) {
        ui.whole_line(format!("\nSettings {}/{}", layout::FOLDER, layout::CONFIG));
        ui.whole_line(indented(&String::from_utf8_lossy(settings)));
    }
    if !survey.pending.is_empty() {
        changes::show(ui, survey, allowance);
    }
    for path in &survey.content.ignored {
        ui.whole_line(format!("\n{}.", printable(&project::ignored(path))));
    }
    if !survey.runs.is_empty() {
        ui.whole_line("\nRuns that did not begin here");
        survey.runs.iter().for_each(|run| show_run(ui, run, survey));
    }
    if survey.content.is_empty() && survey.runs.is_empty() {
        ui.whole_line(
            "\nIt brings nothing along. Once it is allowed, a run that you or an agent begin\nhere counts.",
        );
    }
    ui.whole_line(format!("\nDigest {}", survey.content.digest()));
    if !survey.runs.is_empty() {
        ui.whole_line(format!("With its runs\n       {}", survey.digest()));
    }
}

/// Shows what a project would run, in short.
pub(in crate::cli) fn brief(ui: &Ui, survey: &Survey) {
    for (name, parsed) in pending(survey) {
        ui.whole_line(format!("  workflow {}", ui.paint(Style::Bold, &name)));
        if !show_programs(ui, &parsed.workflow) {
            row(ui, "runs", vec!["no programs".to_owned()]);
        }
    }
    if waits(survey, &Part::Settings) {
        ui.whole_line(format!("  settings {}/{}", layout::FOLDER, layout::CONFIG));
    }
    survey.runs.iter().for_each(|run| show_run(ui, run, survey));
}

/// Lists the workflows that the user has not allowed as they are.
fn pending(survey: &Survey) -> impl Iterator<Item = (String, Parsed)> {
    let all = survey.content.workflows().into_iter();
    all.filter(|(name, _)| waits(survey, &Part::Workflow(name.clone())))
}

fn waits(survey: &Survey, part: &Part) -> bool {
    survey.pending.iter().any(|pending| pending.part == *part)
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

/// Shows the programs that a workflow starts, with what they are permitted. Returns whether there are any.
fn show_programs(ui: &Ui, workflow: &Workflow) -> bool {
    let checks: Vec<String> = workflow.checks.iter().filter_map(check_words).collect();
    let is_any = !checks.is_empty() || !workflow.reviewers.is_empty();
    for words in checks {
        row(ui, "runs", vec![words]);
    }
    for reviewer in workflow.reviewers.iter() {
        show_reviewer(ui, reviewer);
    }
    is_any
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
        CheckKind::Acceptance { spec, .. } => format!("the commands in the acceptance table of {spec}"),
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
    for given in given::by_state(run) {
        row(ui, "with", vec![given]);
    }
}

fn row(ui: &Ui, name: &str, words: Vec<String>) {
    if !words.is_empty() {
        ui.whole_line(format!("  {name:<8}  {}", printable(&words.join(", "))));
    }
}
