//! `holdpoint stats`: what became of each rule's holds, from the journal.

use clap::Args;
use holdpoint_core::release::Cause;
use holdpoint_core::tally::{Counts, Tally, Told};
use jiff::Timestamp;

use super::journals::{self, Line};
use super::selection::{is_since, parse_since};
use super::{Context, phrase, subject};
use crate::error::{CommandError, Kind};
use crate::store::journal::{Decision, Entry, Speech};
use crate::ui::Style;

/// Show what became of each rule's holds
///
/// For each rule: how many holds there were, and how many percent of them were satisfied, released by the user, or let go for
/// another cause, with the median time from the hold to that. A hold that holds several times in a row counts once. The journal
/// keeps about 38,000 lines.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint stats                     all that the journal has
  holdpoint stats --since 7d          of the last week
  holdpoint stats --json | jq -r '.[] | select(.by_user > 0) | .rule'")]
pub(super) struct Arguments {
    /// Only rules of this workflow
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    /// Only what was written since: an age (10m, 2h, 3d), a date or a time
    #[arg(long, value_name = "WHEN", value_parser = parse_since)]
    since: Option<Timestamp>,
    /// Print the counts as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    subject::find(context, arguments.workflow.as_slice())?;
    let found = context.find(None);
    context.tell_waiting(&found);
    let lines = journals::read(&journals::books(&found, context.env.as_ref()))?;
    let mut tally = Tally::default();
    for Line { entry, .. } in lines.iter().filter(|line| arguments.take(&line.entry)) {
        take_in(&mut tally, entry);
    }
    let all = tally.counts();
    if arguments.json {
        let json = serde_json::to_string(&all)
            .map_err(|error| CommandError::new(Kind::Failed, error.to_string()))?;
        context.ui.json(json);
        return Ok(());
    }
    if all.is_empty() {
        context.ui.note("Nothing was held here, as far as the journal goes. See `holdpoint status`.");
        return Ok(());
    }
    print(context, &all);
    Ok(())
}

impl Arguments {
    fn take(&self, entry: &Entry) -> bool {
        self.workflow.as_ref().is_none_or(|name| entry.workflow.as_ref() == Some(name))
            && self.since.is_none_or(|since| is_since(entry, since))
    }
}

/// Takes in what a line of the journal says of holds.
fn take_in(tally: &mut Tally, entry: &Entry) {
    let workflow = entry.workflow.as_deref().unwrap_or_default();
    if let Some(settled) = &entry.settled {
        let told = Told::Settled(settled.how, settled.after_ms);
        tally.add(workflow, &settled.rule, Some(&settled.hold), told);
    }
    for released in &entry.released {
        // A fault of a rule without a hold is no hold of anybody's.
        let (Some(cause), Some(hold)) = (released.cause, released.hold.as_deref()) else { continue };
        tally.add(workflow, &released.rule, Some(hold), Told::Released(cause));
    }
    let is_let_go = |rule: &str| entry.released.iter().any(|released| released.rule == rule);
    let held = entry.rules.iter().filter(|spoken| spoken.kind == Speech::Hold && !is_let_go(&spoken.rule));
    for spoken in held.filter(|_| entry.decision == Decision::Hold) {
        tally.add(workflow, &spoken.rule, spoken.hold.as_deref(), Told::Held);
    }
}

fn print(context: &Context, all: &[Counts]) {
    let ui = &context.ui;
    let name = |counts: &Counts| phrase::printable(&format!("{} {}", counts.workflow, counts.rule));
    let width = all.iter().map(|counts| name(counts).chars().count()).max().unwrap_or_default().clamp(4, 36);
    let head = format!("{:<width$}  holds  satisfied  by user  let go  median", "rule");
    ui.whole_line(ui.paint(Style::Bold, head));
    for counts in all {
        let share = |count: usize| format!("{} %", counts.percent(count));
        let median = counts.median_ms.map_or_else(|| "-".to_owned(), length);
        let by_user = format!("{:>7}", share(counts.by_user));
        let by_user = if counts.by_user > 0 { ui.paint(Style::Yellow, by_user) } else { by_user };
        ui.whole_line(format!(
            "{:<width$}  {:>5}  {:>9}  {by_user}  {:>6}  {median:>6}",
            name(counts),
            counts.holds,
            share(counts.satisfied),
            share(counts.let_go),
        ));
        let others = counts.causes.iter().filter(|(cause, _)| **cause != Cause::User.name());
        let others: Vec<String> = others.map(|(cause, count)| format!("{cause} {count}")).collect();
        if !others.is_empty() {
            ui.line(format!("  let go: {}", others.join(", ")));
        }
    }
}

/// A length of time in its largest unit.
fn length(milliseconds: u64) -> String {
    match milliseconds / 1000 {
        0 => format!("{milliseconds} ms"),
        seconds @ 1..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::length;

    #[test]
    fn a_time_is_in_its_largest_unit() {
        for (milliseconds, words) in
            [(0, "0 ms"), (999, "999 ms"), (59_999, "59 s"), (60_000, "1 min"), (7_200_000, "2 h")]
        {
            assert_eq!(length(milliseconds), words);
        }
    }
}
