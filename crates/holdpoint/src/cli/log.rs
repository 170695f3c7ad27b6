//! `holdpoint log`: prints the journal, most recent entry last, and follows it.

mod follow;
mod row;

use clap::Args;
use jiff::Timestamp;

use self::row::Rows;
use super::Context;
use super::history::History;
use super::journals::{self, Line};
use super::selection::{Decisions, Speakers, is_since, parse_since};
use crate::error::{CommandError, Kind};
use crate::store::journal::Entry;

/// Show the journal: each event and its answer
///
/// The most recent entry is the last. Times are in UTC. With --json the journal also says how each hold was settled, and
/// which sessions began.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint log                                the last 20 entries
  holdpoint log -n 0 --since 2h                everything of the last two hours
  holdpoint log --holds --rule no-commit       the holds of one rule, by its name or code
  holdpoint log --faults                       what Holdpoint could not check
  holdpoint log --follow                       new entries as they arrive, until Ctrl-C
  holdpoint log --json | jq -r '.decision'     the journal's own lines")]
pub(super) struct Arguments {
    /// The number of entries to show; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    lines: usize,
    /// Only entries of this workflow
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    #[command(flatten)]
    speakers: Speakers,
    #[command(flatten)]
    decisions: Decisions,
    /// Only entries since this time: an age (10m, 2h, 3d), a date or a time
    #[arg(long, value_name = "WHEN", value_parser = parse_since)]
    since: Option<Timestamp>,
    /// Keep printing new entries as they arrive
    #[arg(short, long)]
    follow: bool,
    /// Print the journal's own lines: one JSON object each
    #[arg(long)]
    json: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let found = context.find(None);
    context.tell_waiting(&found);
    let books = journals::books(&found, context.env.as_ref());
    let mut rows = Rows::new(context, arguments.decisions.asks_for_faults());
    if arguments.follow && books.is_empty() {
        let what = format!(
            "nothing to follow: no workflow is active in {} or above it, so there is no journal here",
            context.cwd.display()
        );
        let hint = "see `holdpoint status` for where a workflow would be active";
        return Err(CommandError::new(Kind::Failed, what).hinted(hint));
    }
    if !arguments.follow {
        let lines = journals::read(&books)?;
        rows.history = History::of(context, &found, lines.iter().map(|line| &line.entry));
        let is_any = show_last(context, arguments, &mut rows, lines);
        if is_any && !arguments.json {
            rows.history.now().iter().for_each(|sentence| context.ui.note(sentence));
        }
        return Ok(());
    }
    let (so_far, mut follower) = follow::start(&books)?;
    show_last(context, arguments, &mut rows, so_far);
    while follow::wait() {
        for line in follower.news().iter().filter(|line| arguments.take(&line.entry)) {
            show(context, arguments, &mut rows, line);
        }
    }
    Ok(())
}

impl Arguments {
    fn take(&self, entry: &Entry) -> bool {
        (self.json || entry.kind.is_for_people())
            && self.decisions.take(entry)
            && self.workflow.as_ref().is_none_or(|name| entry.workflow.as_ref() == Some(name))
            && self.speakers.take(entry)
            && self.since.is_none_or(|since| is_since(entry, since))
    }
}

/// Shows the last of the lines that are asked for. Returns whether there are any.
fn show_last(context: &Context, arguments: &Arguments, rows: &mut Rows, mut lines: Vec<Line>) -> bool {
    let is_empty = lines.is_empty();
    lines.retain(|line| arguments.take(&line.entry));
    let skipped = if arguments.lines == 0 { 0 } else { lines.len().saturating_sub(arguments.lines) };
    lines.iter().skip(skipped).for_each(|line| show(context, arguments, rows, line));
    if is_empty {
        context.ui.note(
            "The journal here is empty. See `holdpoint status` for the workflows that are active here.",
        );
    } else if lines.is_empty() {
        context.ui.note("No entry matches. Try `holdpoint log` without filters.");
    } else if skipped > 0 && !arguments.json && !arguments.follow {
        context.ui.note(format!("{skipped} older entries are not shown. Show all with `-n 0`."));
    }
    !lines.is_empty()
}

fn show(context: &Context, arguments: &Arguments, rows: &mut Rows, line: &Line) {
    if arguments.json {
        context.ui.json(&line.raw);
    } else {
        rows.show(&line.entry);
    }
}
