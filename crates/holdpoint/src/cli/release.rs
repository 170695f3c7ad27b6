//! `holdpoint release`: the user lets one held call pass, once.

use clap::Args;
use holdpoint_core::door::{Word, seconds};
use holdpoint_core::workflow::approval::Channel;

use super::confirmation::{self, Users};
use super::{Context, phrase};
use crate::allow::waiting;
use crate::engine::door::{self, Subject};
use crate::error::{CommandError, Kind, in_full};
use crate::user;

/// The number of digits shown of a tree.
const DIGITS: usize = 10;

/// Let one held call pass once
///
/// Shows what is held and asks. The next try of the same call passes: the same rule, the same call, the same files, within the time. Then it is
/// used up. It is recorded for good, with your reason, as released by the user, and proves nothing. Takes your own terminal, or a prompt that you
/// type: `holdpoint release HOLD --reason WHY`. Agents cannot release.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint release                                the newest hold, shown first
  holdpoint release h3f2a91 --reason \"docs only\"   one hold, by its id
  holdpoint release my-rule --reason \"docs only\"   the newest of a rule
  holdpoint release --for 1h                       the agent tries again later
  holdpoint log --holds --json | jq -r '.rules[].hold'")]
pub(super) struct Arguments {
    /// The hold, by its id, or the newest of a rule [default: the newest]
    #[arg(value_name = "HOLD")]
    hold: Option<String>,
    /// Why; asked for at a terminal
    #[arg(long, value_name = "WHY")]
    reason: Option<String>,
    /// How long it counts: 90s, 10m, 2h, 1d
    #[arg(long = "for", value_name = "TIME", default_value = "10m", value_parser = length)]
    seconds: u32,
}

/// Parses a length of time.
pub(super) fn length(text: &str) -> Result<u32, String> {
    seconds(text)
        .ok_or_else(|| "not a length of time\n\n  tip: 90s, 10m, 2h or 1d, 30 days at most".to_owned())
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let what = match &arguments.hold {
        Some(hold) => format!("holdpoint release {}", phrase::printable(hold)),
        None => "holdpoint release".to_owned(),
    };
    let users = Users::command(context, &context.cwd, &what)?;
    let found = context.find(None);
    if found.runs.is_empty() && !found.waiting.is_empty() {
        return Err(waiting::refusal(&found.waiting));
    }
    context.tell_waiting(&found);
    let subject = chosen(arguments, door::subjects(&found))?;
    let env = context.env.as_ref();
    let tree = door::tree(&subject.run, env).map_err(|why| {
        let what = format!("nothing was released: the files cannot be told: {}", in_full(&why));
        CommandError::new(Kind::Files, what).hinted("see `git status`")
    })?;
    show(context, &subject, tree.as_deref());
    let reason = confirmation::reason(context, arguments.reason.as_deref(), "released")?;
    // Who names a hold has chosen it.
    let question = arguments.hold.is_none().then_some("May it pass once?");
    let otherwise = "nothing was released";
    users.agree(context, question, otherwise).map_err(|error| {
        error.hinted(format!("or name it: holdpoint release {} --reason WHY", subject.held.hold))
    })?;
    let word = Word { by: user::name(), through: Channel::Terminal, reason };
    let grant = door::grant(&subject, tree, word, arguments.seconds, env)?;
    let until = door::clock(&grant.until);
    context.ui.line(format!("Released: {} may pass once, until {until}.", subject.held.rule));
    let next = match subject.held.event.as_str() {
        "stop" => "The agent's next Stop passes. Nothing that is open counts as done.",
        _ => "Tell the agent to try it again, as it was.",
    };
    context.ui.line(next);
    Ok(())
}

fn chosen(arguments: &Arguments, all: Vec<Subject>) -> Result<Subject, CommandError> {
    let Some(hold) = &arguments.hold else {
        let nothing = "nothing was held here in the last day that could be released";
        let newest = all.into_iter().next();
        return newest
            .ok_or_else(|| CommandError::new(Kind::Failed, nothing).hinted("see `holdpoint log --holds`"));
    };
    let newest = all.first().map(|subject| subject.held.hold.clone());
    door::named(all, hold).ok_or_else(|| {
        let what = format!("no hold {:?} can be released here", phrase::printable(hold));
        let error = CommandError::new(Kind::Failed, what);
        match newest {
            Some(newest) => error.hinted(format!("the newest is: holdpoint release {newest}")),
            None => error.hinted("see `holdpoint log --holds`"),
        }
    })
}

/// Shows what would pass.
fn show(context: &Context, subject: &Subject, tree: Option<&str>) {
    let ui = &context.ui;
    let row = |name: &str, value: &str| ui.line(format!("  {name:<8}  {}", phrase::printable(value)));
    row("hold", &format!("{}, {}", subject.held.hold, phrase::time_and_age(&subject.at)));
    row("workflow", &format!("{}, run {}", subject.run.workflow.name, subject.run.name()));
    row("rule", &subject.held.rule);
    row("held", &subject.what);
    row("says", subject.text.lines().next().unwrap_or_default());
    match tree {
        Some(tree) => row("tree", tree.get(..DIGITS).unwrap_or(tree)),
        None => row("tree", "none: without git, other files are not told from these"),
    }
}
