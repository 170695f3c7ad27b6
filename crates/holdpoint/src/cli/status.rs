//! `holdpoint status`: shows the workflows that are active here, and their runs.

mod report;

use clap::Args;

use self::report::{Inactive, Report, RunReport, StateReport, UnusableReport};
use super::fired::Firing;
use super::{Context, phrase};
use crate::error::{CommandError, Kind};
use crate::install::host;
use crate::ui::{Style, Ui};

/// Show the active workflows and the phase of each run
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint status          the runs that apply to this folder
  holdpoint status --json | jq -r '.runs[].phase'")]
pub(super) struct Arguments {
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let report = report::gather(context);
    if arguments.json {
        let json = serde_json::to_string(&report)
            .map_err(|error| CommandError::new(Kind::Failed, error.to_string()))?;
        context.ui.json(json);
        return Ok(());
    }
    let ui = &context.ui;
    let mut blocks: Vec<String> = report.runs.iter().map(|run| run_block(ui, run)).collect();
    blocks.extend(report.main_tree.iter().cloned());
    blocks.extend(report.waiting.iter().map(|what| ui.paint(Style::Yellow, what)));
    blocks.extend(report.problems.iter().map(|what| ui.paint(Style::Red, phrase::printable(what))));
    blocks.extend(report.unusable.iter().map(|unusable| unusable_block(ui, unusable)));
    if report.runs.is_empty() {
        blocks.extend(inactive_blocks(ui, &report));
    }
    if report.other_faults_last_day > 0 {
        blocks.push(format!("Other faults: {}", faults(ui, report.other_faults_last_day)));
    }
    ui.line(blocks.join("\n\n"));
    Ok(())
}

fn run_block(ui: &Ui, run: &RunReport) -> String {
    let origin = match &run.path {
        Some(path) => format!("the {}'s own, {path}", run.origin),
        None => "built in".to_owned(),
    };
    let mut lines =
        vec![format!("{}  {}", ui.paint(Style::Bold, &run.workflow), ui.paint(Style::Dim, origin))];
    let mut row = |name: &str, value: String| lines.push(format!("  {name:<6}  {value}"));
    row("home", run.home.clone());
    if let Some(state) = &run.state {
        row("state", state_words(ui, state));
    }
    if let Some(phase) = phase_words(ui, run) {
        row("phase", phase);
    }
    if let [first, ..] = run.waits_for.as_slice() {
        row("waits", format!("for the approval of {}: holdpoint approve {first}", run.waits_for.join(", ")));
    }
    if let Some(now) = &run.now {
        let style = match run.condition {
            "held" | "released" | "paused" => Style::Yellow,
            _ => Style::Cyan,
        };
        row("now", ui.paint(style, phrase::printable(now)));
    }
    if let Some(next) = &run.next {
        row("next", next.clone());
    }
    for words in door_words(run) {
        row("door", ui.paint(Style::Yellow, phrase::printable(&words)));
    }
    for unsettled in &run.unsettled {
        let what = ui.paint(Style::Red, phrase::printable(&unsettled.what));
        row("open", what);
        row("", format!("undo it: {}", unsettled.undo));
        row("", "or let it stay: holdpoint accept".to_owned());
    }
    if let Some(text) = &run.unreviewed {
        row("reviews", ui.paint(Style::Yellow, phrase::printable(text)));
    }
    row("fired", fired_words(run));
    row("held", held_words(run));
    row("faults", faults(ui, run.faults_last_day));
    lines.join("\n")
}

/// The most released holds that are shown.
const RELEASED_MAX: usize = 3;

/// Says what the user has opened: what may still pass, and what has passed.
fn door_words(run: &RunReport) -> Vec<String> {
    let granted = run.granted.iter().map(|grant| {
        let until = grant.until.get(11..16).unwrap_or_default();
        format!("{} may pass once, until {until} UTC: {}", grant.held.rule, grant.word.reason)
    });
    let released = run.released.iter().rev().take(RELEASED_MAX).map(|grant| {
        let at = grant.used.as_deref().unwrap_or(&grant.at);
        let ago = phrase::since(at);
        format!("{} released by the user {ago} ago: {}", grant.held.rule, grant.word.reason)
    });
    let more = run.released.len().saturating_sub(RELEASED_MAX);
    let more = (more > 0).then(|| format!("and {more} more: holdpoint evidence"));
    granted.chain(released).chain(more).collect()
}

fn state_words(ui: &Ui, state: &StateReport) -> String {
    let Some(path) = &state.path else {
        let why = phrase::printable(state.why.as_deref().unwrap_or_default());
        return format!("{}, its path is unknown: {why}", ui.paint(Style::Red, state.status));
    };
    match (state.status, &state.why) {
        ("present", _) => format!("{path}, {}", ui.paint(Style::Green, "present")),
        (status, None) => format!("{path}, {}", ui.paint(Style::Yellow, status)),
        (status, Some(why)) => {
            // The row already names the file.
            let rest =
                why.strip_prefix(&format!("the state file `{path}` ")).map(|rest| format!("it {rest}"));
            let why = phrase::printable(rest.as_deref().unwrap_or(why));
            format!("{path}, {}: {why}", ui.paint(Style::Red, status))
        }
    }
}

fn phase_words(ui: &Ui, run: &RunReport) -> Option<String> {
    let unknown = || ui.paint(Style::Red, "unknown");
    match (&run.phase, &run.phase_fault) {
        (Some(phase), _) => {
            let round = run.round.map(|round| format!(", round {round}")).unwrap_or_default();
            Some(format!("{}{round}", phrase::printable(phase)))
        }
        (None, Some(why)) if run.state.as_ref().is_some_and(|state| state.why.as_ref() == Some(why)) => {
            Some(format!("{}: the state is broken", unknown()))
        }
        (None, Some(why)) => Some(format!("{}: {}", unknown(), phrase::printable(why))),
        (None, None) => run.has_phase.then(|| "none".to_owned()),
    }
}

fn fired_words(run: &RunReport) -> String {
    match &run.last_event {
        Some(entry) => format!("{}: {}", phrase::time_and_age(&entry.at), phrase::call(entry)),
        None => "never: no agent's hook has called this workflow here".to_owned(),
    }
}

fn held_words(run: &RunReport) -> String {
    match &run.last_hold {
        Some(entry) => {
            format!("last {}: {}", phrase::time_and_age(&entry.at), phrase::spoken(entry))
        }
        None => "never".to_owned(),
    }
}

fn faults(ui: &Ui, count: usize) -> String {
    match count {
        0 => "none in the last day".to_owned(),
        n => format!("{} in the last day, see `holdpoint log --faults`", ui.paint(Style::Red, n)),
    }
}

fn unusable_block(ui: &Ui, unusable: &UnusableReport) -> String {
    let name = ui.paint(Style::Bold, &unusable.name);
    let verdict = ui.paint(Style::Red, "cannot be used");
    let why = phrase::printable(&unusable.why);
    format!("{name}  {verdict}, so it holds nothing\n  {why}\n  see `holdpoint check {}`", unusable.name)
}

/// Says when an agent's hook was here last, although it found no run.
fn fired_block(fired: &[Firing]) -> String {
    match fired.first() {
        Some(Firing { agent, event, at }) => {
            let title = host::named(agent).map_or(agent.as_str(), |host| host.title);
            format!("A hook last fired here {}: {title}, {event}.", phrase::time_and_age(at))
        }
        None => "No agent's hook has fired here yet. See `holdpoint doctor`.".to_owned(),
    }
}

fn inactive_blocks(ui: &Ui, report: &Report) -> Vec<String> {
    let mut blocks = vec![format!("No workflow is active in {}.", report.folder), fired_block(&report.fired)];
    let width = |text: fn(&Inactive) -> &str| {
        report.inactive.iter().map(|row| text(row).chars().count()).max().unwrap_or_default()
    };
    let (names, markers) = (width(|row| &row.workflow), width(|row| &row.marker));
    let row = |row: &Inactive| {
        let name = ui.paint(Style::Bold, format!("{:<names$}", row.workflow));
        let marker = ui.paint(Style::Cyan, format!("{:<markers$}", row.marker));
        let left_out = row.left_out_by.as_ref();
        let note =
            left_out.map(|file| format!(" (not enabled by `workflows` in {file})")).unwrap_or_default();
        format!("\n  {name}  {marker}  {}{note}", row.about)
    };
    if !report.inactive.is_empty() {
        let rows: String = report.inactive.iter().map(row).collect();
        blocks.push(format!("A workflow is active if its marker is in this folder or one above it:{rows}"));
    }
    blocks
}
