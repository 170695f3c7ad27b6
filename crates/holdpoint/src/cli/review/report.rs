//! The report of `review`: what was done, what is due next, and the texts for the agent and the user.

use holdpoint_core::phase::{Request, Task, Unperformed};
use holdpoint_core::workflow::phase::Actor;
use holdpoint_core::workflow::step::Delivery;
use serde_json::{Value as Json, json};

use super::{Reviewed, due};
use crate::cli::{Context, phrase};
use crate::engine::report::{Ending, Report};
use crate::store::journal;
use crate::ui::{Style, Ui};

/// Renders a run's review for people.
pub(super) fn in_words(context: &Context, reviewed: &Reviewed) -> String {
    let ui = context.ui;
    let folder = reviewed.run.folder.strip_prefix(&context.cwd).unwrap_or(&reviewed.run.folder);
    let folder = if folder.as_os_str().is_empty() { ".".into() } else { folder.display().to_string() };
    let name = ui.paint(Style::Bold, &reviewed.run.workflow.name);
    let mut lines = vec![format!("{name}  {}", ui.paint(Style::Dim, folder))];
    match (&reviewed.done, &reviewed.before) {
        (Some(done), _) => {
            lines.extend(done_lines(ui, done));
            lines.extend(kept_log(reviewed).map(|log| format!("  log: {}", phrase::printable(&log))));
            lines.extend(next_lines(reviewed));
        }
        (None, Ending::Perform(review)) => lines.extend(request_lines(ui, review)),
        (None, Ending::Unperformed { phase, why, text }) => {
            lines.push(format!("  {} is due, but will not run: {}", phase.name, because(*why)));
            lines.extend(said("message for the user", text));
            lines.push(format!("  next: {}", after(reviewed, *why)));
        }
        (None, _) => {
            lines.push("  no review is due".to_owned());
            lines.extend(next_lines(reviewed));
        }
    }
    lines.join("\n")
}

/// Returns the log of a review that failed. It is kept.
fn kept_log(reviewed: &Reviewed) -> Option<String> {
    let Ending::Perform(review) = &reviewed.before else { return None };
    review.log.clone().filter(|log| reviewed.has_failed() && reviewed.run.folder.join(log).is_file())
}

fn done_lines(ui: Ui, done: &Report) -> Vec<String> {
    let mut lines: Vec<String> = done.reviews.iter().map(|review| review_line(ui, review)).collect();
    for review in &done.reviews {
        lines.extend(review.report.iter().map(|report| format!("  report: {}", phrase::printable(report))));
    }
    let red = ui.paint(Style::Red, "fault");
    lines.extend(faults(done).map(|what| format!("  {red}: {}", phrase::printable(what))));
    lines.extend(to_user(done).flat_map(|text| said("message for the user", text)));
    lines.extend(to_agent(done).flat_map(|text| said("instructions for the agent", text)));
    lines
}

/// Why the agent may not stop.
fn to_agent(done: &Report) -> impl Iterator<Item = &str> {
    done.effects.delivered(Delivery::Hold).map(|message| message.text.as_str())
}

fn to_user(done: &Report) -> impl Iterator<Item = &str> {
    let is_users = |delivery| matches!(delivery, Delivery::Pause | Delivery::Tell);
    let told = done.effects.messages.iter().filter(move |message| is_users(message.delivery));
    told.map(|message| message.text.as_str())
}

fn faults(done: &Report) -> impl Iterator<Item = &str> {
    done.effects.faults.iter().map(|fault| fault.what.as_str())
}

fn review_line(ui: Ui, review: &journal::Reviewed) -> String {
    let verdict = match &review.verdict {
        Some(verdict) => ui.paint(Style::Bold, phrase::printable(verdict.word())),
        None => ui.paint(Style::Yellow, "no verdict that can be read"),
    };
    let cost = review.cost_usd.map(|cost| format!(", {cost:.2} USD")).unwrap_or_default();
    format!("  {}, round {}: {verdict} ({} s{cost})", review.phase, review.round, review.took_ms / 1000)
}

/// Renders what is due now, and the next command.
fn next_lines(reviewed: &Reviewed) -> Vec<String> {
    let workflow = &reviewed.run.workflow.name;
    let ahead = match &reviewed.after {
        Ok(ahead) => ahead,
        Err(fault) => {
            return vec![format!("  cannot find out what is due now: {}", phrase::printable(&fault.what))];
        }
    };
    let by_user = by_user(reviewed);
    let (what, next) = match ahead {
        Ending::Nobody => ("nothing".to_owned(), by_user),
        Ending::Unknown(name) => (
            format!("`{}`, which the workflow does not have", phrase::printable(name)),
            format!("see `holdpoint workflow graph {workflow}`"),
        ),
        Ending::Perform(review) => {
            let who = if review.is_review() { "reviewer" } else { "check" };
            (format!("{}, by a {who}", review.phase), "`holdpoint review`".to_owned())
        }
        Ending::Unperformed { phase, why, .. } => {
            let what = format!("{}, by a {}: {}", phase.name, phase.actor().name(), because(*why));
            (what, after(reviewed, *why))
        }
        Ending::Step(phase) => {
            (format!("{}, which is finished", phase.name), "let the agent end its turn once".to_owned())
        }
        Ending::Waits { phase, .. } if phase.actor() == Actor::Approval => {
            (format!("{}, by the approval of people", phase.name), "`holdpoint approve`".to_owned())
        }
        Ending::Waits { phase, .. } if phase.actor().rests() => {
            (format!("{}, by the user", phase.name), by_user)
        }
        Ending::Waits { phase, .. } => (
            format!("{}, by the agent", phase.name),
            "let the agent do it, then `holdpoint review`".to_owned(),
        ),
    };
    let mut lines = vec![format!("  due: {what}")];
    if let (None, Ending::Waits { text, .. }) = (&reviewed.done, ahead) {
        lines.extend(said("instructions for the agent", text));
    }
    lines.push(format!("  next: {next}"));
    lines
}

/// How the user moves a run on. A workflow with commands lists them itself.
fn by_user(reviewed: &Reviewed) -> String {
    let workflow = &reviewed.run.workflow;
    if workflow.commands.is_empty() {
        return format!("see `holdpoint workflow graph {}`", workflow.name);
    }
    format!("`holdpoint {}` lists its commands", workflow.name)
}

/// What to do about a review that is due and will not run.
pub(super) fn after(reviewed: &Reviewed, why: Unperformed) -> String {
    match why {
        Unperformed::Skipped => "let the agent end its turn once".to_owned(),
        Unperformed::AtLimit => by_user(reviewed),
        Unperformed::Lacking => "provide what is missing, then run `holdpoint review` again".to_owned(),
    }
}

fn because(why: Unperformed) -> &'static str {
    match why {
        Unperformed::Skipped => "its `skip` applies, so it counts as passed",
        Unperformed::AtLimit => "its limit of rounds is reached",
        Unperformed::Lacking => "its `needs` are not met",
    }
}

fn said(whom: &str, text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let lines = phrase::indented(text);
    let quoted = lines.lines().map(|line| format!("  {line}").trim_end().to_owned());
    std::iter::once(format!("  {whom}:")).chain(quoted).collect()
}

/// What a review would be, as a command line that a shell would read the same way.
fn request_lines(ui: Ui, review: &Request) -> Vec<String> {
    let words: Vec<String> = review.command().iter().map(|word| quoted(word)).collect();
    let mut lines = vec![format!("  {}, round {}, would run:", review.phase, review.round)];
    lines.push(format!("    {}", ui.paint(Style::Cyan, words.join(" "))));
    if let Some(input) = input(review) {
        lines.extend(said("with this on its standard input", input));
    }
    if let Some(report) = &review.report {
        lines.push(format!("  report: {}", phrase::printable(report)));
    }
    if let Some(log) = &review.log {
        lines.push(format!("  log: {}", phrase::printable(log)));
    }
    lines.push(format!("  time: at most {} s", review.timeout_s));
    lines
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    // Line breaks are kept, so that the command line is exactly the one that would run.
    let shown: String = word.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    format!("'{}'", shown.replace('\'', r"'\''"))
}

fn input(request: &Request) -> Option<&String> {
    match &request.task {
        Task::Review { input, .. } => input.as_ref(),
        _ => None,
    }
}

/// A run's review as JSON.
pub(super) fn as_json(reviewed: &Reviewed) -> Json {
    let would = match (&reviewed.done, &reviewed.before) {
        (None, Ending::Perform(review)) => json!({
            "phase": review.phase,
            "round": review.round,
            "command": review.command(),
            "input": input(review),
            "report": review.report,
            "log": review.log,
            "timeout_s": review.timeout_s,
        }),
        _ => Json::Null,
    };
    let done = reviewed.done.as_ref();
    json!({
        "workflow": reviewed.run.workflow.name,
        "folder": reviewed.run.folder,
        "was_due": due(&reviewed.before),
        "would_run": would,
        "is_failed": reviewed.has_failed(),
        "reviews": done.map(|done| done.reviews.as_slice()).unwrap_or_default(),
        "faults": done.map(|done| faults(done).collect::<Vec<_>>()).unwrap_or_default(),
        "to_agent": done.map(|done| to_agent(done).collect::<Vec<_>>()).unwrap_or_default(),
        "to_user": done.map(|done| to_user(done).collect::<Vec<_>>()).unwrap_or_default(),
        "due": reviewed.after.as_ref().map(due).unwrap_or_default(),
    })
}
