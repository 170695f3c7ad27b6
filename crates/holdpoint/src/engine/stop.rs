//! What is due when the agent stops: reviews are performed there and then, their outcome routes on, and the agent is
//! held with what comes next or let go with a message to the user.

use std::sync::Arc;
use std::time::Duration;

use holdpoint_core::decision::{Fault, Set};
use holdpoint_core::event::Event;
use holdpoint_core::facts::{FactError, Facts, reason};
use holdpoint_core::phase::{self, Due, Review, TURNS_MAX, Taken, Turn};
use holdpoint_core::workflow::phase::{Manner, Phase};
use serde_json::Value as Json;

use super::run::{Ask, facts};
use super::{ownership, patience};
use crate::env_vars::Env;
use crate::project::Run;
use crate::reviewer::{self, Performed};
use crate::store::journal::Reviewed;
use crate::store::state::{self, StateFile, WriteError};
use crate::store::{files, layout, lock, report};

/// What is said about a phase.
#[derive(Debug)]
pub(super) struct Saying {
    /// How it is meant.
    pub(super) manner: Manner,
    /// The text.
    pub(super) text: String,
    /// The phase.
    pub(super) phase: String,
    /// The phase's line in the workflow file.
    pub(super) line: u32,
}

/// What came of the phases.
#[derive(Debug, Default)]
pub(super) struct Course {
    /// Why the run was not looked at, or what was let be.
    pub(super) note: Option<String>,
    /// Whether the run is none of this session's business: then its rules are not asked either.
    pub(super) is_aside: bool,
    /// What is said about phases.
    pub(super) said: Vec<Saying>,
    /// The state fields that were set.
    pub(super) sets: Vec<Set>,
    /// The reviews that were performed.
    pub(super) reviews: Vec<Reviewed>,
    /// What went wrong.
    pub(super) faults: Vec<Fault>,
    /// Whether what is said tells the user of it already.
    pub(super) tells_faults: bool,
}

impl Course {
    /// Whether rules are still to be asked: a hold or a pause is the last word.
    pub(super) fn is_open(&self) -> bool {
        !self.is_aside
            && !self.said.iter().any(|saying| matches!(saying.manner, Manner::Hold | Manner::Pause))
    }

    /// Whether the agent is sent back.
    pub(super) fn holds(&self) -> bool {
        self.said.iter().any(|saying| saying.manner == Manner::Hold)
    }

    pub(super) fn fault(&mut self, what: String) {
        self.faults.push(Fault { rule: None, what });
    }
}

/// Goes through the phases that are due.
pub(super) fn course(run: &Run, ask: &Ask<'_>) -> Course {
    let mut course = Course::default();
    for turn in 0..TURNS_MAX {
        if turn == 0 && ownership::is_aside(run, ask, &mut course) {
            break;
        }
        match next(run, ask, &mut course) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                course.fault(reason(&error));
                break;
            }
        }
    }
    course
}

/// A phase that is due, and what the state said when it was looked at.
struct Hand<'a> {
    run: &'a Run,
    event: &'a Arc<Event>,
    env: &'a Arc<dyn Env>,
    facts: Arc<Facts>,
    file: Option<StateFile>,
    phase: Phase,
    /// The fields that nobody else may have changed when the outcome is written.
    seen: Option<Vec<Json>>,
}

/// One turn; true if there may be another.
fn next(run: &Run, ask: &Ask<'_>, course: &mut Course) -> Result<bool, FactError> {
    let facts = facts(run, ask);
    let state_path = facts.state_path()?;
    let file = state_path.map(|path| StateFile::new(run.folder.join(path), &run.workflow.run));
    let bytes = file.as_ref().and_then(|file| file.read().ok().flatten());
    let phase = match phase::due(&facts)? {
        Due::Nobody => return Ok(false),
        Due::Unknown(name) => {
            course.fault(format!("the state names a phase `{name}` that the workflow does not have"));
            return Ok(false);
        }
        Due::Phase(phase) => *phase,
    };
    let watched = watched(run, &phase);
    let seen = file.as_ref().and_then(|file| file.fields(bytes.as_deref().unwrap_or_default(), &watched));
    let hand = Hand { run, event: ask.event, env: ask.env, facts, file, phase: phase.clone(), seen };
    match phase::turn(&hand.facts, &hand.phase)? {
        Turn::Rest => Ok(false),
        Turn::Taken(taken) => Ok(hand.settle(taken, Means::Step, course)),
        Turn::Unfinished { limit, text, exhausted } => {
            if patience::times(run, ask, &text) <= limit {
                hand.say(Manner::Hold, text, course);
                return Ok(false);
            }
            Ok(hand.settle(exhausted, Means::Step, course))
        }
        Turn::Review(review) => hand.perform(&review, course),
    }
}

/// The fields that say where a run stands: whose turn it is, and which round.
fn watched<'a>(run: &'a Run, phase: &'a Phase) -> Vec<&'a str> {
    let count = phase.rounds.as_ref().and_then(|rounds| rounds.count.as_deref());
    run.workflow.run.due.as_deref().into_iter().chain(count).collect()
}

impl Hand<'_> {
    /// Performs a review and takes the step it leads to.
    fn perform(&self, review: &Review, course: &mut Course) -> Result<bool, FactError> {
        let name = layout::name(&self.run.home, &self.run.place());
        let path = layout::lock(&self.run.home, &format!("review {name}"));
        let prepared = layout::prepare(&self.run.home, &path).map_err(|error| error.to_string());
        let lock =
            prepared.and_then(|()| lock::take(&path, Duration::ZERO).map_err(|error| error.to_string()));
        let Ok(_lock) = lock else {
            let text = format!("The {} of this run is being done already.", self.phase.name);
            self.say(Manner::Tell, text, course);
            return Ok(false);
        };
        let taken = match reviewer::perform(review, &self.run.home, &self.run.folder, self.env.as_ref()) {
            Ok(performed) => {
                let clean = performed.verdict.as_deref() == Some(review.clean.as_str());
                course.reviews.push(record(review, &performed));
                phase::reviewed(&self.facts, &self.phase, clean, &performed.output)?
            }
            Err(failure) => {
                course.fault(failure.to_string());
                let taken = phase::failed(&self.facts, &self.phase, &failure.to_string())?;
                course.tells_faults = taken.manner != Manner::Silent;
                taken
            }
        };
        Ok(self.settle(taken, Means::Review, course))
    }

    fn say(&self, manner: Manner, text: String, course: &mut Course) {
        course.said.push(Saying { manner, text, phase: self.phase.name.to_string(), line: self.phase.line });
    }

    /// Writes what a step sets and says what it says; true if there may be another turn.
    fn settle(&self, taken: Taken, means: Means, course: &mut Course) -> bool {
        match self.write(&taken) {
            Ok(()) => {}
            // Another hook of this run was faster, with the same in hand: it has said it.
            Err(Unwritten::Overtaken(why)) if means == Means::Step => {
                course.note = Some(why);
                return false;
            }
            Err(Unwritten::Overtaken(why) | Unwritten::Failed(why)) => {
                course.fault(why);
                return false;
            }
        }
        let moved = taken.went.is_some() && taken.manner == Manner::Silent;
        course.sets.extend(taken.sets);
        if taken.manner != Manner::Silent {
            self.say(taken.manner, taken.text, course);
        }
        moved
    }

    /// Whether a step that sets nothing, so that the state does not show it, was taken by another hook meanwhile: it
    /// would change other files now, or none. The lock must be held.
    fn is_over(&self, taken: &Taken) -> bool {
        let now = facts(self.run, &Ask { event: self.event, env: self.env, only: None });
        let files = match phase::turn(&now, &self.phase) {
            Ok(Turn::Taken(now) | Turn::Unfinished { exhausted: now, .. }) => now.files,
            Ok(Turn::Rest) => Vec::new(),
            Ok(Turn::Review(_)) | Err(_) => return false,
        };
        files != taken.files
    }

    /// Changes files and writes fields under the state's lock: files first, so that a state never speaks of a file
    /// that is not there.
    ///
    /// A review takes minutes. If meanwhile somebody moved the run on, the outcome is dropped: the report stays, the
    /// state is theirs. Other fields that were edited meanwhile are kept.
    fn write(&self, taken: &Taken) -> Result<(), Unwritten> {
        if taken.sets.is_empty() && taken.files.is_empty() {
            return Ok(());
        }
        let file = self.file.as_ref().ok_or_else(|| Unwritten::Failed("[run] names no state file".into()))?;
        let name = file.path.strip_prefix(&self.run.folder).unwrap_or(&file.path).display().to_string();
        let failed =
            |why: String| Unwritten::Failed(format!("the state file `{name}` was not written: {why}"));
        let overtaken = || {
            Unwritten::Overtaken(format!(
                "the state file `{name}` was changed by others meanwhile, so the outcome of {} is dropped",
                self.phase.name
            ))
        };
        let _lock = state::lock(&self.run.home, &self.run.place(), lock::PATIENCE).map_err(failed)?;
        let before = file.read().map_err(failed)?;
        if file.fields(before.as_deref().unwrap_or_default(), &watched(self.run, &self.phase)) != self.seen {
            return Err(overtaken());
        }
        if taken.sets.is_empty() && self.is_over(taken) {
            return Err(overtaken());
        }
        files::change(&self.run.home, &taken.files).map_err(Unwritten::Failed)?;
        if let Some(report) = &taken.expects {
            report::note(&self.run.home, &self.run.folder.join(report)).map_err(Unwritten::Failed)?;
        }
        if taken.sets.is_empty() {
            return Ok(());
        }
        file.write(before.as_deref(), &taken.sets, self.env.now()).map_err(|error| match error {
            WriteError::Changed => overtaken(),
            WriteError::Failed(why) => failed(why),
        })
    }
}

/// How a step came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    /// By looking at the state.
    Step,
    /// By a review, which took its time.
    Review,
}

/// Why a step was not written.
enum Unwritten {
    /// Others were faster.
    Overtaken(String),
    /// It could not be.
    Failed(String),
}

fn record(review: &Review, performed: &Performed) -> Reviewed {
    Reviewed {
        phase: review.phase.clone(),
        round: review.round,
        program: review.command.first().cloned().unwrap_or_default(),
        verdict: performed.verdict.clone(),
        report: review.report.clone(),
        took_ms: u64::try_from(performed.took.as_millis()).unwrap_or(u64::MAX),
        cost_usd: performed.cost_usd,
    }
}
