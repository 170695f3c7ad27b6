//! `holdpoint log`: the journal, newest last, and what is added to it.

mod follow;
mod row;

use clap::Args;
use jiff::Timestamp;

use self::row::Rows;
use super::Context;
use super::journals::{self, Line};
use super::selection::{Decisions, Speakers, is_since, parse_since};
use crate::error::{CommandError, Kind};
use crate::store::journal::Entry;

/// Show the journal: what agents asked and what was answered, newest last, times in UTC
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint log                                the last 20 entries
  holdpoint log -n 0 --since 2h                everything of the last two hours
  holdpoint log --holds --rule no-commit       when one rule held, by its name or code
  holdpoint log --faults                       what could not be judged, and why
  holdpoint log --follow                       new entries as they come, until Ctrl-C
  holdpoint log --json | jq -r '.decision'     the journal's own lines")]
pub(super) struct Arguments {
    /// How many entries to show; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    lines: usize,
    /// Only entries of this workflow
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    #[command(flatten)]
    speakers: Speakers,
    #[command(flatten)]
    decisions: Decisions,
    /// Only entries since then: an age (10m, 2h, 3d), a date or a time
    #[arg(long, value_name = "WHEN", value_parser = parse_since)]
    since: Option<Timestamp>,
    /// Keep printing new entries as they come
    #[arg(short, long)]
    follow: bool,
    /// Print the journal's own lines: one JSON object each
    #[arg(long)]
    json: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let homes = journals::homes(&context.find(None));
    let mut rows = Rows::new(context, arguments.decisions.asks_for_faults());
    if arguments.follow && homes.is_empty() {
        let what = format!(
            "there is nothing to follow: no workflow is active in {} or above it, so nothing is journalled here",
            context.cwd.display()
        );
        let hint = "`holdpoint status` shows where a workflow would be active; call this in such a project";
        return Err(CommandError::new(Kind::Failed, what).hinted(hint));
    }
    if !arguments.follow {
        show_last(context, arguments, &mut rows, journals::read(&homes)?);
        return Ok(());
    }
    let (so_far, mut follower) = follow::start(&homes)?;
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
        self.decisions.take(entry)
            && self.workflow.as_ref().is_none_or(|name| entry.workflow.as_ref() == Some(name))
            && self.speakers.take(entry)
            && self.since.is_none_or(|since| is_since(entry, since))
    }
}

fn show_last(context: &Context, arguments: &Arguments, rows: &mut Rows, mut lines: Vec<Line>) {
    let is_empty = lines.is_empty();
    lines.retain(|line| arguments.take(&line.entry));
    let skipped = if arguments.lines == 0 { 0 } else { lines.len().saturating_sub(arguments.lines) };
    lines.iter().skip(skipped).for_each(|line| show(context, arguments, rows, line));
    if is_empty {
        context.ui.note(
            "The journal here is empty. Try `holdpoint status` to see which workflows are active here.",
        );
    } else if lines.is_empty() {
        context.ui.note("No entry fits. Try `holdpoint log` without filters.");
    } else if skipped > 0 && !arguments.json && !arguments.follow {
        context.ui.note(format!("Older entries that fit: {skipped}. `-n 0` shows all."));
    }
}

fn show(context: &Context, arguments: &Arguments, rows: &mut Rows, line: &Line) {
    if arguments.json {
        context.ui.line(&line.raw);
    } else {
        rows.show(&line.entry);
    }
}
