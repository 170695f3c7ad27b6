//! The report of `status`, for print and for JSON. Nothing here fails: the report says what is unknown.

use std::sync::Arc;

use holdpoint_core::door::{Grant, Pause};
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::{FactError, Facts};
use holdpoint_core::holds::OpenHold;
use holdpoint_core::phase::{self, Due};
use holdpoint_core::release::Cause;
use holdpoint_core::settings::Layer;
use holdpoint_core::standing::{Condition, Performing};
use holdpoint_core::workflow::{Text, Workflow};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::catalog::{self, Origin, Unusable};
use crate::cli::fired::Firing;
use crate::cli::selection::{Word, is_since};
use crate::cli::{Context, fired, history, journals, phrase};
use crate::engine::door;
use crate::engine::owed;
use crate::engine::session::Session;
use crate::engine::standing;
use crate::engine::watch;
use crate::error::in_full;
use crate::layers::Configuration;
use crate::project::{self, Found, Run, Unreadable, linked};
use crate::store::journal::{self, Decision, Entry};
use crate::store::layout;

/// The whole report.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) folder: String,
    pub(super) runs: Vec<RunReport>,
    pub(super) unusable: Vec<UnusableReport>,
    /// Problems with the settings.
    pub(super) problems: Vec<String>,
    /// What has no effect because the user has not allowed it, in a sentence with the command.
    pub(super) waiting: Option<String>,
    /// In a linked working tree: what is active in the main one, in a sentence each.
    pub(super) main_tree: Vec<String>,
    /// Workflows that are not active here.
    pub(super) inactive: Vec<Inactive>,
    /// When each hook last fired here, the newest first, whether or not a run was active.
    pub(super) fired: Vec<Firing>,
    /// Faults outside the runs: input that was not an event, a workflow that cannot be used.
    pub(super) other_faults_last_day: usize,
}

/// The report about one run.
#[derive(Debug, Serialize)]
pub(super) struct RunReport {
    pub(super) workflow: String,
    pub(super) about: String,
    /// `built-in`, or the layer: `project`, `user` or `organisation`.
    pub(super) origin: &'static str,
    /// The workflow's folder, if it is not built in.
    pub(super) path: Option<String>,
    pub(super) home: String,
    pub(super) state: Option<StateReport>,
    /// Whether the workflow has an expression for the phase.
    pub(super) has_phase: bool,
    pub(super) phase: Option<String>,
    pub(super) phase_fault: Option<String>,
    /// The round that it is in, where the phase does not show it.
    pub(super) round: Option<i64>,
    /// The approvals that the run waits for.
    pub(super) waits_for: Vec<String>,
    /// How it stands, in a word: `reviewing`, `checking`, `paused`, `released`, `held`, `waits`, `at work`, `over` or `clear`.
    pub(super) condition: &'static str,
    /// The same in a sentence.
    pub(super) now: Option<String>,
    /// Why what is open does not hold.
    pub(super) cause: Option<Cause>,
    /// Who acts next.
    pub(super) turn: Option<&'static str>,
    /// The one next command.
    pub(super) next: Option<String>,
    /// The holds that are open.
    pub(super) holds: Vec<OpenHold>,
    /// The review or check that is being performed.
    pub(super) performing: Option<Performing>,
    /// What the user has paused, and since when.
    pub(super) pause: Option<Pause>,
    /// The holds that the user has released, oldest first.
    pub(super) released: Vec<Grant>,
    /// Those that may still pass.
    pub(super) granted: Vec<Grant>,
    /// What shell calls did although a rule holds it, and nobody has settled; each with the command that undoes it.
    pub(super) unsettled: Vec<Unsettled>,
    /// What is to be said of reviews that Holdpoint has not performed.
    pub(super) unreviewed: Option<String>,
    pub(super) last_event: Option<Entry>,
    pub(super) last_hold: Option<Entry>,
    pub(super) faults_last_day: usize,
}

/// Something that a shell call did although a rule holds it.
#[derive(Debug, Serialize)]
pub(super) struct Unsettled {
    pub(super) what: String,
    pub(super) undo: String,
}

/// The report about a run's state file.
#[derive(Debug, Serialize)]
pub(super) struct StateReport {
    /// The path below the run's home. None if it is unknown.
    pub(super) path: Option<String>,
    /// `present`, `missing` or `broken`.
    pub(super) status: &'static str,
    pub(super) why: Option<String>,
}

/// A workflow of the project that cannot be used.
#[derive(Debug, Serialize)]
pub(super) struct UnusableReport {
    pub(super) name: String,
    pub(super) why: String,
}

/// A workflow that is not active here.
#[derive(Debug, Serialize)]
pub(super) struct Inactive {
    pub(super) workflow: String,
    pub(super) about: String,
    /// The file or folder that makes the workflow active.
    pub(super) marker: String,
    /// Whether the settings do not enable it.
    pub(super) left_out: bool,
    /// The file that says so.
    pub(super) left_out_by: Option<String>,
}

/// Gathers the report about the current folder.
pub(super) fn gather(context: &Context) -> Report {
    let found = context.find(None);
    let day_ago = Timestamp::now().checked_sub(SignedDuration::from_hours(24)).unwrap_or(Timestamp::MIN);
    let is_recent_fault = |entry: &Entry| Word::Fault.fits(entry) && is_since(entry, day_ago);
    let lines = journals::read(&journals::books(&found, context.env.as_ref())).unwrap_or_default();
    let of_no_run =
        |entry: &Entry| !found.runs.iter().any(|run| entry.workflow.as_deref() == Some(&*run.workflow.name));
    let others = lines.iter().filter(|line| of_no_run(&line.entry) && is_recent_fault(&line.entry));
    Report {
        folder: context.cwd.display().to_string(),
        fired: fired::of(context.env.as_ref(), &context.cwd, lines.iter().map(|line| &line.entry)),
        other_faults_last_day: others.count(),
        runs: found.runs.iter().map(|run| run_report(context, run, is_recent_fault)).collect(),
        waiting: context.waiting(&found),
        main_tree: main_tree(context, &found),
        inactive: inactive(context, &found),
        problems: found.problems.into_iter().chain(found.unreadable.iter().map(unreadable)).collect(),
        unusable: found
            .unusable
            .into_iter()
            .map(|Unusable { name, why }| UnusableReport { name, why: in_full(&why) })
            .collect(),
    }
}

/// Says which runs of the main working tree hold whom in this linked one.
fn main_tree(context: &Context, found: &Found) -> Vec<String> {
    let Some(main) = linked::in_main(&context.cwd) else { return Vec::new() };
    let there = if found.runs.is_empty() {
        project::find(&main, &context.env, None, None).runs
    } else {
        found.runs.iter().filter(|run| linked::is_of_main(&run.home, &context.cwd)).cloned().collect()
    };
    let sentence = |run: &Run| {
        let (home, name) = (run.home.display(), &run.workflow.name);
        let whom = if run.workflow.phases.is_empty() {
            "Its rules hold here as well."
        } else {
            "It holds the session that works on it, here as well."
        };
        format!("The main working tree, {home}, has a run of {name}. {whom}")
    };
    there.iter().map(sentence).collect()
}

fn run_report(context: &Context, run: &Run, is_recent_fault: impl Fn(&Entry) -> bool) -> RunReport {
    let workflow = &run.workflow;
    door::complete(run, context.env.as_ref());
    let mut entries = journal::read(&run.books);
    entries.retain(|entry| entry.workflow.as_deref() == Some(&*workflow.name));
    let facts = history::facts(context, run);
    let (phase, phase_fault) = match workflow.run.shows.as_ref().map(|phase| facts.shown(phase)) {
        None => (None, None),
        Some(Ok(phase)) => (phase, None),
        Some(Err(why)) => (None, Some(why.to_string())),
    };
    let (origin, path) = match &run.origin {
        Origin::BuiltIn => ("built-in", None),
        Origin::Own { layer, folder } => (layer.word(), Some(folder.display().to_string())),
    };
    let standing = standing::of(run, &facts);
    let condition = standing.condition();
    let cause = match &condition {
        Condition::Released(_, cause) => Some(*cause),
        _ => None,
    };
    let (word, now) = (condition.name(), condition.in_words(phrase::since));
    RunReport {
        condition: word,
        now,
        cause,
        round: standing.round,
        turn: standing.turn(),
        next: standing.next_command().map(str::to_owned),
        holds: standing.holds.clone(),
        performing: standing.performing.clone(),
        pause: standing.pause.clone(),
        released: door::released(run),
        granted: door::waiting(run),
        workflow: workflow.name.to_string(),
        about: workflow.about.to_string(),
        origin,
        path,
        home: run.home.display().to_string(),
        state: state(&facts, run),
        has_phase: workflow.run.shows.is_some(),
        phase,
        phase_fault,
        waits_for: waits_for(&facts).unwrap_or_default(),
        unsettled: unsettled(context, run),
        unreviewed: unreviewed(context, run, &facts),
        faults_last_day: entries.iter().filter(|entry| is_recent_fault(entry)).count(),
        last_hold: entries.iter().rfind(|entry| entry.decision == Decision::Hold).cloned(),
        last_event: entries.into_iter().rfind(|entry| entry.kind.is_event()),
    }
}

/// Returns the names of the approvals that are due and missing.
fn waits_for(facts: &Arc<Facts>) -> Result<Vec<String>, FactError> {
    let Due::Phase(phase) = phase::due(facts)? else { return Ok(Vec::new()) };
    let missing = phase::approval::missing(facts, &phase)?;
    Ok(missing.iter().map(|approval| approval.name.to_string()).collect())
}

/// Returns what is to be said of reviews that were due before what is due now, and that Holdpoint has not performed.
fn unreviewed(context: &Context, run: &Run, facts: &Arc<Facts>) -> Option<String> {
    let mut reviews = owed::of(run, context.env.as_ref());
    if let Ok(Due::Phase(phase)) = phase::due(facts) {
        reviews.remove(&*phase.name);
    }
    owed::text(&reviews)
}

fn state(facts: &Arc<Facts>, run: &Run) -> Option<StateReport> {
    let broken = |path, why| StateReport { path, status: "broken", why: Some(why) };
    let path = match facts.state_path() {
        Ok(path) => run.folder.join(path?),
        Err(error) => return Some(broken(None, error.to_string())),
    };
    let missing = path.symlink_metadata().is_err_and(|error| crate::world::is_missing(&error));
    let path = Some(path.strip_prefix(&run.home).unwrap_or(&path).display().to_string());
    if missing {
        return Some(StateReport { path, status: "missing", why: None });
    }
    Some(match facts.shown(&Text::Borrowed("state")) {
        Ok(_) => StateReport { path, status: "present", why: None },
        Err(error) => broken(path, error.to_string()),
    })
}

fn inactive(context: &Context, found: &Found) -> Vec<Inactive> {
    let Configuration { effective, own, .. } = &found.configuration;
    let own_usable = own.iter().filter_map(|own| own.load(context.env.as_ref()).ok());
    let built_in = catalog::built_in().iter().map(|built_in| built_in.workflow.clone());
    let built_in = built_in.filter(|workflow| !own.iter().any(|own| own.name == workflow.name));
    let is_active = |workflow: &Workflow| found.runs.iter().any(|run| run.workflow.name == workflow.name);
    // A project's settings are at hand; those of another layer are not.
    let file = effective.listed_in().map(|(layer, file)| match layer {
        Layer::Project => layout::CONFIG,
        Layer::Organisation | Layer::User => file,
    });
    let row = |workflow: Workflow| Inactive {
        left_out: !effective.enables(&workflow.name),
        left_out_by: file.filter(|_| !effective.enables(&workflow.name)).map(str::to_owned),
        workflow: workflow.name.into_owned(),
        about: workflow.about.into_owned(),
        marker: workflow.run.home.into_owned(),
    };
    own_usable.chain(built_in).filter(|workflow| !is_active(workflow)).map(row).collect()
}

fn unreadable(unreadable: &Unreadable) -> String {
    format!("{} holds nothing: {}", unreadable.workflow, unreadable.in_words())
}

fn unsettled(context: &Context, run: &Run) -> Vec<Unsettled> {
    let event = Arc::new(Event::from_shell(Moment::Stop, &context.cwd.to_string_lossy()));
    let session = Session::new(run, &event, &context.env);
    watch::unsettled(&session).into_iter().map(|(what, undo)| Unsettled { what, undo }).collect()
}
