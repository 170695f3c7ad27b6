//! What is due when the agent stops: reviews are performed there and then, their outcome routes on, and the agent is
//! held with what comes next or let go with a message to the user.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use holdpoint_core::decision::{Fault, Set};
use holdpoint_core::facts::{FactError, Facts, reason};
use holdpoint_core::phase::{self, Answered, Due, Request, TURNS_MAX, Taken, Turn};
use holdpoint_core::verdict::Verdict;
use holdpoint_core::workflow::STOP_MARGIN_S;
use holdpoint_core::workflow::phase::Phase;
use holdpoint_core::workflow::step::Manner;
use serde_json::Value as Json;

use super::run::{Ask, facts};
use super::settlement::{Changes, Seen};
use super::{ownership, patience, settlement};
use crate::check::{self, Performed};
use crate::program;
use crate::project::Run;
use crate::store::evidence::{self, Evidence};
use crate::store::journal::{self, Reviewed};
use crate::store::layout;
use crate::store::lock::{self, LockError};
use crate::store::state::{self, StateFile, WriteError};

/// How much longer than its longest review or check a Stop may take, in seconds: agents wait a little longer than that.
const SLACK_S: u64 = STOP_MARGIN_S as u64 - 10;

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
    /// When the first of them was looked at.
    pub(super) started: Option<Instant>,
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
    let mut course = Course { started: Some(Instant::now()), ..Course::default() };
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
    ask: &'a Ask<'a>,
    facts: Arc<Facts>,
    file: Option<StateFile>,
    phase: Phase,
    /// What the state said of the fields that nobody else may have changed when the outcome is written.
    seen: Option<Vec<Json>>,
}

/// One turn; true if there may be another.
fn next(run: &Run, ask: &Ask<'_>, course: &mut Course) -> Result<bool, FactError> {
    let facts = facts(run, ask);
    let file = settlement::state_file(run, facts.state_path()?);
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
    let hand = Hand { run, ask, facts, file, phase: phase.clone(), seen };
    if !ask.may_go_through(&phase.name) {
        hand.show(course)?;
        return Ok(false);
    }
    match phase::turn(&hand.facts, &hand.phase)? {
        Turn::Rest => {
            hand.show(course)?;
            Ok(false)
        }
        Turn::Taken(taken) => Ok(hand.settle(taken, Means::Step, course)),
        Turn::Unfinished { limit, text, exhausted } => {
            if ask.through.is_some() || patience::times(run, ask, &text) <= limit {
                hand.say(Manner::Hold, text, course);
                return Ok(false);
            }
            Ok(hand.settle(exhausted, Means::Step, course))
        }
        Turn::Perform(review) => match hand.postponed(&review, course) {
            Some(text) => {
                hand.say(Manner::Hold, text, course);
                Ok(false)
            }
            None => hand.perform(&review, course),
        },
    }
}

/// The fields that say where a run stands: whose turn it is, which round, and which element is at hand.
fn watched<'a>(run: &'a Run, phase: &'a Phase) -> Vec<&'a str> {
    let rules = &run.workflow.run;
    let at = rules.item.as_ref().map(|item| item.at.as_ref());
    rules.due.as_deref().into_iter().chain(phase.count(&run.workflow)).chain(at).collect()
}

impl Hand<'_> {
    /// What the agent is told to run where this Stop has no time left for it: a hook that takes too long is given up by
    /// the agent, which then stops as it likes. A workflow without a command for it is performed all the same.
    fn postponed(&self, review: &Request, course: &Course) -> Option<String> {
        let workflow = &self.run.workflow;
        let longest = workflow.longest_review_s();
        let used = course.started.map_or(0, |started| started.elapsed().as_secs());
        if self.ask.through.is_some() || is_in_time(used, review.timeout_s, longest) {
            return None;
        }
        let command = workflow.going_on()?;
        Some(format!("{} is due next, and there was no time left for it. Run: {command}", self.phase.name))
    }

    /// Performs a review or a check and takes the step it leads to.
    fn perform(&self, review: &Request, course: &mut Course) -> Result<bool, FactError> {
        let home = &self.run.home;
        let name = layout::name(home, &self.run.place());
        let path = layout::lock(home, &format!("review {name}"));
        let prepared = layout::prepare(home, &path).map_err(LockError::Io);
        let _lock = match prepared.and_then(|()| lock::take(&path, Duration::ZERO)) {
            Ok(lock) => lock,
            Err(LockError::Busy(_)) => {
                let text = format!("The {} of this run is being done already.", self.phase.name);
                self.say(Manner::Tell, text, course);
                return Ok(false);
            }
            Err(error @ LockError::Io(_)) => {
                course.fault(format!("{} was not performed: {}: {error}", self.phase.name, path.display()));
                return Ok(false);
            }
        };
        let taken = match check::perform(review, self.run, self.ask.env) {
            Ok(mut performed) => {
                // The world is asked anew: a check may have changed it, and others meanwhile, too.
                let after = facts(self.run, self.ask);
                judge_afterwards(&after, review, &mut performed)?;
                course.reviews.push(record(review, &performed));
                if let Err(error) = self.keep_evidence(&after, review, &performed)? {
                    course.fault(format!("what came of {} is not on record: {error}", review.phase));
                }
                let Performed { verdict, details, output, .. } = performed;
                phase::performed(&after, &self.phase, &Answered { verdict: Some(verdict), details, output })?
            }
            Err(failure) => self.failed(&failure.told(review), course)?,
        };
        Ok(self.settle(taken, Means::Review, course))
    }

    /// The step for what did not work.
    fn failed(&self, why: &str, course: &mut Course) -> Result<Taken, FactError> {
        course.fault(why.to_owned());
        let taken = phase::failed(&self.facts, &self.phase, why)?;
        course.tells_faults = taken.manner != Manner::Silent;
        Ok(taken)
    }

    /// What the engine saw itself. Where it cannot be kept, nothing is proved later.
    fn keep_evidence(
        &self,
        after: &Arc<Facts>,
        review: &Request,
        performed: &Performed,
    ) -> Result<std::io::Result<()>, FactError> {
        let evidence = Evidence {
            at: journal::now(),
            workflow: self.run.workflow.name.to_string(),
            item: self.facts.item_id(),
            phase: review.phase.clone(),
            round: review.round,
            command: review.command().to_vec(),
            verdict: Some(performed.verdict.clone()),
            passed: phase::has_passed(after, &self.phase, &performed.verdict)?,
            exit: performed.exit,
            took_ms: u64::try_from(performed.took.as_millis()).unwrap_or(u64::MAX),
            tree: performed.tree.clone(),
            log: performed.log.clone(),
            log_digest: performed.log_digest.clone(),
            doubts: performed.doubts.clone(),
            details: performed.details.clone(),
            chain: String::new(),
        };
        Ok(evidence::append(&self.run.home, &evidence))
    }

    fn say(&self, manner: Manner, text: String, course: &mut Course) {
        course.said.push(Saying { manner, text, phase: self.phase.name.to_string(), line: self.phase.line });
    }

    /// Shows somebody in a shell what is due now.
    fn show(&self, course: &mut Course) -> Result<(), FactError> {
        if self.ask.through.is_some() {
            self.say(Manner::Hold, phase::asked(&self.facts, &self.phase)?, course);
        }
        Ok(())
    }

    /// Writes what a step sets and says what it says; true if there may be another turn.
    fn settle(&self, taken: Taken, means: Means, course: &mut Course) -> bool {
        match self.write(&taken) {
            Ok(behind) => behind.into_iter().for_each(|why| course.fault(why)),
            // Another hook of this run was faster, with the same in hand: it has said it.
            Err(Unwritten::Overtaken) if means == Means::Step => {
                course.note = Some(self.overtaken());
                return false;
            }
            Err(Unwritten::Overtaken) => {
                course.fault(self.overtaken());
                return false;
            }
            Err(Unwritten::Failed(why)) => {
                course.fault(why);
                return false;
            }
        }
        for _ in 0..taken.wait_s {
            if program::is_interrupted() {
                course.fault(format!("we were told to end after {}", self.phase.name));
                return false;
            }
            self.ask.env.pause(Duration::from_secs(1));
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
        let now = facts(self.run, self.ask);
        let files = match phase::turn(&now, &self.phase) {
            Ok(Turn::Taken(now) | Turn::Unfinished { exhausted: now, .. }) => now.files,
            Ok(Turn::Rest) => Vec::new(),
            Ok(Turn::Perform(_)) | Err(_) => return false,
        };
        files != taken.files
    }

    /// Writes under the state's lock. A review takes minutes: if meanwhile somebody moved the run on, the outcome is
    /// dropped, the report stays, the state is theirs.
    fn write(&self, taken: &Taken) -> Result<Option<String>, Unwritten> {
        let changes = Changes::from(taken);
        if changes.is_empty() {
            return Ok(None);
        }
        let Some(file) = &self.file else {
            return Err(Unwritten::Failed("[run] names no state file".into()));
        };
        let failed =
            |why| Unwritten::Failed(format!("the state file `{}` was not written: {why}", self.file_name()));
        let _lock = state::lock(&self.run.home, &self.run.place(), lock::PATIENCE).map_err(failed)?;
        if taken.sets.is_empty() && self.is_over(taken) {
            return Err(Unwritten::Overtaken);
        }
        let seen = Seen { fields: watched(self.run, &self.phase), values: self.seen.clone() };
        settlement::write(self.run, self.ask, file, Some(&seen), &changes).map_err(|error| match error {
            WriteError::Changed => Unwritten::Overtaken,
            WriteError::Failed(why) => failed(why),
        })
    }

    /// The state file, as people call it.
    fn file_name(&self) -> String {
        let path = self.file.as_ref().map_or(Path::new("state"), |file| file.path.as_path());
        path.strip_prefix(&self.run.folder).unwrap_or(path).display().to_string()
    }

    fn overtaken(&self) -> String {
        format!(
            "the state file `{}` was changed by others meanwhile, so the outcome of {} is dropped",
            self.file_name(),
            self.phase.name
        )
    }
}

/// Why a step was not written.
enum Unwritten {
    /// Others were faster.
    Overtaken,
    /// It could not be.
    Failed(String),
}

/// Whether something that may take `timeout_s` is surely done before the agent gives up, after `used` seconds.
fn is_in_time(used: u64, timeout_s: u32, longest_s: u32) -> bool {
    used + u64::from(timeout_s) <= u64::from(longest_s) + SLACK_S
}

/// How a step came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    /// By looking at the state.
    Step,
    /// By a review, which took its time.
    Review,
}

/// What must be true afterwards makes it fail if it is not.
fn judge_afterwards(
    after: &Arc<Facts>,
    review: &Request,
    performed: &mut Performed,
) -> Result<(), FactError> {
    let Some(condition) = &review.condition else { return Ok(()) };
    if !after.evaluate(condition, after.context())?.is_true() {
        performed.verdict = Verdict::Fail;
    }
    Ok(())
}

fn record(review: &Request, performed: &Performed) -> Reviewed {
    Reviewed {
        phase: review.phase.clone(),
        round: review.round,
        program: review.command().first().cloned().unwrap_or_default(),
        verdict: Some(performed.verdict.clone()),
        report: review.report.clone(),
        took_ms: u64::try_from(performed.took.as_millis()).unwrap_or(u64::MAX),
        cost_usd: performed.cost_usd,
    }
}

#[cfg(test)]
mod tests {
    use super::is_in_time;

    #[test]
    fn a_stop_ends_before_the_agent_gives_up() {
        assert!(is_in_time(0, 540, 540), "the first is always in time");
        assert!(is_in_time(240, 300, 540), "a short one after a short one");
        assert!(!is_in_time(21, 540, 540));
        assert!(!is_in_time(540, 300, 540));
    }
}
