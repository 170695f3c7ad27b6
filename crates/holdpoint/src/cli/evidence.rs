//! `holdpoint evidence`: lists the evidence, most recent last, and whether it still applies to the current files.

use std::path::Path;

use clap::Args;
use holdpoint_core::phase::approval::Given;
use holdpoint_core::verdict::Verdict;
use holdpoint_core::workflow::approval::Channel;

use super::{Context, phrase, subject};
use crate::attestation::collection;
use crate::check;
use crate::engine::owed;
use crate::error::CommandError;
use crate::level;
use crate::project::Run;
use crate::store::evidence::{self, Evidence};
use crate::store::folder::Folder;
use crate::store::layout;
use crate::ui::Style;

/// The number of digits shown of a tree's hash.
const DIGITS: usize = 10;
/// The largest log that is checked against its digest.
const LOG_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Show the evidence: checks, reviews, approvals and commits
///
/// Each piece applies to one tree, and has a level: what can be believed of it, from `kept` to `witnessed`. With `none` the
/// books lie in the project. The log of a check is next to it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint evidence                           the last 20 pieces
  holdpoint evidence --phase tests             of one phase
  holdpoint evidence --json | jq .verdict      all pieces, one JSON object per line")]
pub(super) struct Arguments {
    /// The number of pieces to show; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    lines: usize,
    /// Only pieces of this workflow
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    /// Only pieces of this phase
    #[arg(long, value_name = "NAME")]
    phase: Option<String>,
    /// Print the pieces as they are stored: one JSON object each
    #[arg(long)]
    json: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    subject::find(context, arguments.workflow.as_slice())?;
    let found = context.find(arguments.workflow.as_deref());
    context.tell_waiting(&found);
    let mut is_any = false;
    for run in &found.runs {
        let mut pieces = evidence::read(&run.books, &run.workflow.name);
        let exchanged = if arguments.json { None } else { collection::exchanged(run, &pieces) };
        pieces.retain(|piece| arguments.phase.as_ref().is_none_or(|phase| piece.phase == *phase));
        let skipped = if arguments.lines == 0 || arguments.json {
            0
        } else {
            pieces.len().saturating_sub(arguments.lines)
        };
        is_any |= !pieces.is_empty();
        show(context, arguments, run, &pieces[skipped..]);
        if let Some(text) = owed::text(&owed::of(run, context.env.as_ref())).filter(|_| !arguments.json) {
            is_any = true;
            context.ui.record(context.ui.paint(Style::Yellow, format!("{}: {text}", run.workflow.name)));
        }
        if let Some((proved, head)) = exchanged {
            let what = format!(
                "{}: HEAD, {}, has no proof of its own: nothing here is about its files. The last commit that was proved is {}.",
                run.workflow.name,
                head.id.short(),
                proved.short()
            );
            context.ui.record(context.ui.paint(Style::Yellow, what));
        }
        if skipped > 0 {
            context.ui.note(format!("{skipped} older pieces are not shown. Show all with `-n 0`."));
        }
    }
    if !is_any {
        context.ui.note("No evidence yet: Holdpoint has seen no check, review, approval or commit here.");
    }
    Ok(())
}

fn show(context: &Context, arguments: &Arguments, run: &Run, pieces: &[Evidence]) {
    if arguments.json {
        let lines = pieces.iter().filter_map(|piece| serde_json::to_string(piece).ok());
        lines.for_each(|line| context.ui.json(line));
        return;
    }
    let now = check::tree(run, context.env.as_ref());
    for piece in pieces {
        context.ui.record(row(context, piece, now.as_deref()));
        for lent in &piece.lent {
            context.ui.record(format!("    not proved: {}", phrase::printable(lent)));
        }
        let unconfined = piece.unconfined.as_ref().map(|why| format!("not confined: {why}"));
        for doubt in piece.doubts.iter().chain(&unconfined).map(String::as_str).chain(forged(run, piece)) {
            context.ui.record(format!("    {}", context.ui.paint(Style::Yellow, phrase::printable(doubt))));
        }
    }
}

fn row(context: &Context, piece: &Evidence, now: Option<&str>) -> String {
    let ui = &context.ui;
    let word = format!("{:<8}", phrase::printable(piece.verdict.as_ref().map_or("", Verdict::word)));
    // What one person said decides nothing alone; it is a yes all the same.
    let is_good = piece.passed || piece.approval.is_some() && piece.verdict == Some(Verdict::Pass);
    let word = ui.paint(if is_good { Style::Green } else { Style::Red }, word);
    let item = match &piece.item {
        serde_json::Value::Null => String::new(),
        item => format!(" {item}"),
    };
    let tree = match &piece.tree {
        Some(tree) if Some(tree.as_str()) == now => format!("tree {} (current)", digits(tree)),
        Some(tree) => format!("tree {}", digits(tree)),
        None => "not tied to a tree".to_owned(),
    };
    let at = ui.paint(Style::Dim, phrase::printable(piece.at.get(..19).unwrap_or(&piece.at)));
    let name = piece.approval.as_ref().map(|given| format!(" {}", given.name)).unwrap_or_default();
    let what = phrase::printable(&format!("{}{item} {}{name}", piece.workflow, piece.phase));
    let level = level::word(piece.level);
    if let Some(grant) = &piece.release {
        let word = ui.paint(Style::Yellow, format!("{:<8}", "released"));
        let (by, reason) = (&grant.word.by, &grant.word.reason);
        let said = phrase::printable(&format!(
            "released by the user ({by}, {}): {reason}",
            channel(grant.word.through)
        ));
        return format!("{at}  {word}  {what:<32}  {tree}  {level}  {said}");
    }
    if let Some(given) = &piece.approval {
        return format!("{at}  {word}  {what:<32}  {tree}  {level}  {}", said(given));
    }
    let seconds = std::time::Duration::from_millis(piece.took_ms).as_secs_f64();
    let log = piece.log.as_deref().map(|log| format!("  {}", phrase::printable(log))).unwrap_or_default();
    format!("{at}  {word}  {what:<32}  {tree}  {level}  {seconds:.1} s{log}")
}

/// Who said it, how, until when it counts, and why not.
fn said(given: &Given) -> String {
    let end = given.expires.as_ref().map(|end| format!(", until {end}")).unwrap_or_default();
    let reason = given.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let through = channel(given.through);
    phrase::printable(&format!("by {}, {through}{end}{reason}", given.by))
}

/// How a person's word reached Holdpoint.
fn channel(through: Channel) -> &'static str {
    match through {
        Channel::Terminal => "in a terminal",
        Channel::Prompt => "by a prompt",
    }
}

fn digits(tree: &str) -> String {
    phrase::printable(tree.get(..DIGITS).unwrap_or(tree))
}

/// Returns a doubt if the log of a piece exists but has changed since.
fn forged(run: &Run, piece: &Evidence) -> Option<&'static str> {
    let (log, digest) = piece.log.as_ref().zip(piece.log_digest.as_ref())?;
    let bytes =
        Folder::project(&run.home).and_then(|project| project.read(Path::new(log), LOG_BYTES_MAX)).ok()??;
    (layout::content_digest(&bytes) != *digest).then_some("the log was changed afterwards")
}
