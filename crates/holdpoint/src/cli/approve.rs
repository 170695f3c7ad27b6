//! `holdpoint approve`: a person's yes or no to a run, in the person's own terminal.

use clap::Args;
use holdpoint_core::diagnostic::nearest;
use holdpoint_core::workflow::approval::{Approval, Channel, Of};

use super::confirmation::{self, Users};
use super::{Context, phrase, subject};
use crate::allow::waiting;
use crate::engine::approval::{self, Answer, Outcome, Said, Seen, Waiting};
use crate::engine::session::Session;
use crate::error::{CommandError, Kind};
use crate::ui::Style;
use crate::user;

/// The number of digits shown of a hash.
const DIGITS: usize = 10;
/// The number of files shown.
const FILES_MAX: usize = 20;

/// Approve what a run waits for, or refuse it
///
/// Takes your own terminal. Shows what you approve, and asks you to type a word. The approval is recorded as evidence: your name, the tree, the
/// time. When all approvals of the phase are given, the run continues. Agents cannot approve.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint approve                            what is due; several are listed
  holdpoint approve qa                         approve as qa
  holdpoint approve qa --no \"1.0 has no date\"  refuse, with the reason")]
pub(super) struct Arguments {
    /// The approval to give [default: the only one that is due]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Refuse instead, for this reason
    #[arg(long, value_name = "REASON")]
    no: Option<String>,
    /// Only runs of this workflow
    #[arg(long, value_name = "WORKFLOW")]
    workflow: Option<String>,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let users = Users::command(context, &context.cwd, "holdpoint approve")?;
    user::refuse_without_terminal(context.env.as_ref(), "an approval is typed by a person")?;
    if arguments.no.as_ref().is_some_and(|reason| reason.trim().is_empty()) {
        return Err(CommandError::new(Kind::Usage, "a refusal needs a reason")
            .hinted("say what is wrong: --no \"1.0 has no date\""));
    }
    subject::find(context, arguments.workflow.as_slice())?;
    let found = context.find(arguments.workflow.as_deref());
    if found.runs.is_empty() && !found.waiting.is_empty() {
        return Err(waiting::refusal(&found.waiting));
    }
    context.tell_waiting(&found);
    let event = approval::event(&context.cwd);
    let sessions: Vec<Session<'_>> =
        found.runs.iter().map(|run| Session::new(run, &event, &context.env)).collect();
    let mut waiting = Vec::new();
    for session in &sessions {
        waiting.extend(Waiting::of(session)?);
    }
    if arguments.name.is_none() && waiting.iter().map(|run| run.missing.len()).sum::<usize>() > 1 {
        return list(context, arguments, &waiting);
    }
    let waiting = chosen(arguments, &waiting)?;
    answer(context, arguments, &users, waiting)
}

/// Lists the approvals that are due.
fn list(context: &Context, arguments: &Arguments, waiting: &[Waiting<'_>]) -> Result<(), CommandError> {
    if arguments.no.is_some() {
        return Err(CommandError::new(Kind::Usage, "several approvals are due: which one do you refuse?")
            .hinted("name it: holdpoint approve NAME --no \"…\"; `holdpoint approve` lists them"));
    }
    let ui = &context.ui;
    ui.line("These approvals are due. To see and give one of them:");
    let is_only = waiting.len() == 1;
    for run in waiting {
        let workflow = &run.session.run.workflow.name;
        let option = if is_only { String::new() } else { format!(" --workflow {workflow}") };
        let width = run.missing.iter().map(|due| due.name.len()).max().unwrap_or_default();
        for due in &run.missing {
            let command = ui.paint(Style::Cyan, format!("holdpoint approve {}{option}", due.name));
            let gap = " ".repeat(width - due.name.len() + 2);
            let who = phrase::printable(&due.who);
            ui.line(format!("  {command}{gap}{who}: {workflow}, phase {}", run.phase.name));
        }
    }
    Ok(())
}

/// The run that the approval is for.
fn chosen<'w>(arguments: &Arguments, waiting: &'w [Waiting<'w>]) -> Result<&'w Waiting<'w>, CommandError> {
    let asks = |run: &&Waiting<'_>| match &arguments.name {
        Some(name) => run.approval(name).is_some(),
        // Where nothing is missing, the step of those who have spoken may still have to be taken.
        None => !run.missing.is_empty() || waiting.len() == 1,
    };
    let mut asking = waiting.iter().filter(asks);
    match (asking.next(), asking.next()) {
        (Some(run), None) => Ok(run),
        (Some(run), Some(_)) => {
            let workflow = &run.session.run.workflow.name;
            let name = arguments.name.as_deref().unwrap_or_default();
            Err(CommandError::new(Kind::Usage, "several runs wait for this approval")
                .hinted(format!("name the workflow: holdpoint approve {name} --workflow {workflow}")))
        }
        (None, _) => Err(none_due(arguments, waiting)),
    }
}

fn none_due(arguments: &Arguments, waiting: &[Waiting<'_>]) -> CommandError {
    let due: Vec<&str> = waiting.iter().flat_map(|run| run.missing.iter().map(|due| &*due.name)).collect();
    let what = match &arguments.name {
        Some(name) => format!("no run here waits for the approval `{}`", phrase::printable(name)),
        None => "no run here waits for an approval".to_owned(),
    };
    let near = arguments.name.as_deref().and_then(|name| nearest(name, due.iter().copied()));
    let hint = match near {
        Some(near) => format!("did you mean `holdpoint approve {near}`?"),
        None if due.is_empty() => "see `holdpoint status`".to_owned(),
        None => format!("these are due: {}", due.join(", ")),
    };
    CommandError::new(Kind::Failed, what).hinted(hint)
}

fn answer(
    context: &Context,
    arguments: &Arguments,
    users: &Users<'_>,
    run: &Waiting<'_>,
) -> Result<(), CommandError> {
    if let Some((why, outcome)) = run.settle()? {
        context.ui.line(format!("Nothing was asked. {}", phrase::printable(&why)));
        print(context, run, &outcome);
        return Ok(());
    }
    let name = arguments.name.as_deref().or_else(|| run.missing.first().map(|due| &*due.name));
    let Some(approval) = name.and_then(|name| run.approval(name)) else {
        return Err(none_due(arguments, std::slice::from_ref(run)));
    };
    refuse_other_channels(approval)?;
    let by = user::name();
    let said = Said { by: &by, through: Channel::Terminal };
    let hinted = |error: CommandError| error.hinted("to refuse, run it with --no \"the reason\"");
    let outcome = match &arguments.no {
        Some(reason) => {
            users.confirm(context)?;
            run.say(approval, &said, Answer::No(reason.trim()))?
        }
        None => {
            let seen = run.seen(approval)?;
            show(context, run, approval, &seen, &by)?;
            confirmation::confirm(context, "", "approve", "approves nothing").map_err(hinted)?;
            run.say(approval, &said, Answer::Yes(&seen))?
        }
    };
    let word = if arguments.no.is_some() { "refused" } else { "approved" };
    context.ui.line(format!("Recorded: {word} as {} by {by}.", approval.name));
    print(context, run, &outcome);
    Ok(())
}

/// A workflow says through which channels an approval counts.
fn refuse_other_channels(approval: &Approval) -> Result<(), CommandError> {
    if approval.through.contains(&Channel::Terminal) {
        return Ok(());
    }
    let channels: Vec<&str> = approval.through.iter().map(|channel| channel.name()).collect();
    let what =
        format!("`{}` cannot be given in a terminal, only through: {}", approval.name, channels.join(", "));
    Err(CommandError::new(Kind::Failed, what).hinted("see `through` in the workflow's [approvals]"))
}

fn print(context: &Context, run: &Waiting<'_>, outcome: &Outcome) {
    for line in outcome.lines(&run.session.run.workflow) {
        line.lines().for_each(|line| context.ui.line(phrase::printable(line)));
    }
}

/// Shows what is approved.
fn show(
    context: &Context,
    run: &Waiting<'_>,
    approval: &Approval,
    seen: &Seen,
    by: &str,
) -> Result<(), CommandError> {
    let ui = &context.ui;
    let text = run.text()?;
    if !text.is_empty() {
        ui.line(format!("{}\n", phrase::indented(&text)));
    }
    let row = |name: &str, value: &str| ui.line(format!("  {name:<8}  {}", phrase::printable(value)));
    row("workflow", &run.session.run.workflow.name);
    row("run", &run.session.run.place().display().to_string());
    row("phase", &run.phase.name);
    let who = if approval.who == approval.name { String::new() } else { format!(" ({})", approval.who) };
    row("approval", &format!("{}{who}, by {by}", approval.name));
    let digits = |hash: &str| hash.get(..DIGITS).unwrap_or(hash).to_owned();
    match (&approval.of, &seen.commit, &seen.tree) {
        (Of::Commit, Some((id, subject)), _) => row("commit", &format!("{} {subject}", digits(id))),
        (Of::Paths(globs), _, _) => row("paths", &globs.join(", ")),
        (_, _, tree) => row("tree", &tree.as_deref().map(digits).unwrap_or_default()),
    }
    if let Some(seconds) = approval.expires_s {
        row("expires", &format!("in {}", in_words(seconds)));
    }
    if approval.of != Of::Commit {
        let changed = run.changed(approval)?;
        let heading = match changed.len() {
            _ if seen.commit.is_none() => "all are new: there is no commit yet".to_owned(),
            0 => "none differ from the last commit".to_owned(),
            n => format!("{n} differ from the last commit"),
        };
        row("files", &heading);
        changed.iter().take(FILES_MAX).for_each(|file| row("", file));
        if changed.len() > FILES_MAX {
            row("", &format!("and {} more: git status", changed.len() - FILES_MAX));
        }
    }
    Ok(())
}

/// A time as the workflow's file has it: whole days, hours or minutes.
fn in_words(seconds: u32) -> String {
    const UNITS: [(u32, &str); 2] = [(86_400, "day"), (3_600, "hour")];
    let whole = UNITS.into_iter().find(|(length, _)| seconds.is_multiple_of(*length));
    let (length, unit) = whole.unwrap_or((60, "minute"));
    phrase::counted(usize::try_from(seconds / length).unwrap_or_default(), unit)
}
