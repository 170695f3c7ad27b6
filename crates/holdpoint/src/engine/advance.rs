//! The one loop over the phases that are due: at a Stop, for a command, for `holdpoint review`, and to see what a Stop
//! would come to.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use holdpoint_core::effects::{Effects, Fault};
use holdpoint_core::facts::{FactError, Facts};
use holdpoint_core::phase::{self, Answered, Due, Request, TURNS_MAX, Turn, Unperformed};
use holdpoint_core::release::{Cause, Released};
use holdpoint_core::transition::Origin;
use holdpoint_core::workflow::phase::{Actor, Phase};
use holdpoint_core::workflow::step::Delivery;
use holdpoint_core::workflow::{STOP_MARGIN_S, Text};

use super::commit::{Guard, Place, commit};
use super::report::{Ending, Report};
use super::review::{self, NextStep};
use super::session::Session;
use super::{approval, ownership, patience, pause, release, unheard};
use crate::level;
use crate::store::journal::{self, Move};
use crate::store::lock::{self, Lock, LockError};
use crate::store::state::{self, WriteError};

/// How much longer than its longest review or check a Stop may take, in seconds: agents wait a little longer than that.
const SLACK_S: u64 = STOP_MARGIN_S as u64 - 10;

/// How far the loop goes, and whether it does anything.
#[derive(Clone, Copy)]
pub enum Scope<'a> {
    /// All that an agent's Stop asks for.
    Stop,
    /// The phases that a command may go through. Then what is due is shown, whoever acts in it, and no hold is
    /// counted.
    Through(&'a [Text]),
    /// As a Stop, but nothing is performed or written.
    Dry,
}

impl Scope<'_> {
    /// Whether this phase may be looked at and performed.
    pub(super) fn has(self, phase: &Phase) -> bool {
        match self {
            Scope::Stop | Scope::Dry => true,
            Scope::Through(names) => names.iter().any(|name| name == "all" || *name == phase.name),
        }
    }

    fn is_command(self) -> bool {
        matches!(self, Scope::Through(_))
    }

    fn is_dry(self) -> bool {
        matches!(self, Scope::Dry)
    }
}

/// Goes through the phases that are due.
pub fn advance(session: &Session<'_>, scope: Scope<'_>) -> Report {
    let report = Report::default();
    let mut walk =
        Walk { session, scope, facts: session.facts(), started: Instant::now(), outcome: None, report };
    if !scope.is_dry() && ownership::is_aside(session, &mut walk.report) {
        if matches!(scope, Scope::Stop) {
            release::aside(session, &mut walk.report);
        }
        return walk.report;
    }
    if matches!(scope, Scope::Stop) && unheard::say_again(session, &mut walk.report) {
        return walk.report;
    }
    for _ in 0..TURNS_MAX {
        match walk.turn() {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                walk.report.effects.fault(error.to_string());
                break;
            }
        }
    }
    walk.report
}

/// The release of a review or check that is due and not performed, if it is one.
fn unperformed(why: Unperformed, phase: &Phase, text: &str) -> Option<Released> {
    let cause = match why {
        Unperformed::Skipped => return None,
        Unperformed::AtLimit => Cause::RoundsUsed,
        Unperformed::Lacking => Cause::Lacking,
    };
    Some(Released::new(cause, &phase.name, text))
}

/// What a Stop would come to; nothing is performed or written.
pub fn ahead(session: &Session<'_>) -> Result<Ending, Fault> {
    let report = advance(session, Scope::Dry);
    match report.effects.faults.into_iter().next() {
        Some(fault) => Err(fault),
        None => Ok(report.ending),
    }
}

/// The loop's state.
struct Walk<'a> {
    session: &'a Session<'a>,
    scope: Scope<'a>,
    /// What is known at this turn.
    facts: Arc<Facts>,
    started: Instant,
    /// What the step that is taken next follows from, for the journal.
    outcome: Option<String>,
    report: Report,
}

impl Walk<'_> {
    /// One turn; true if there may be another.
    fn turn(&mut self) -> Result<bool, FactError> {
        let phase = match phase::due(&self.facts)? {
            Due::Phase(phase) => phase,
            Due::Nobody => return Ok(self.end(Ending::Nobody)),
            Due::Unknown(name) => return Ok(self.unknown(name)),
        };
        if !self.scope.has(&phase) {
            return self.rest(phase);
        }
        let place = Place::of(self.session, &phase)?;
        match phase::turn(&self.facts, &phase)? {
            Turn::Rest => self.rest(phase),
            Turn::Unfinished { limit, text, at_limit } => match self.spent(&text, limit) {
                None => Ok(self.hold(phase, text)),
                Some(cause) => Ok(self.give_up(phase, &place, Released::new(cause, "", &text), at_limit)),
            },
            Turn::Step(effects) => {
                self.report.ending = Ending::Step(phase.clone());
                Ok(self.take(&phase, &place, effects, Basis::State))
            }
            Turn::Unperformed(why, effects) => {
                let text = effects.messages.first().map(|message| message.text.clone()).unwrap_or_default();
                self.report.unperformed = unperformed(why, &phase, &text);
                self.outcome = Some(why.word().to_owned());
                let goes_on = self.take(&phase, &place, effects, Basis::State);
                self.report.ending = Ending::Unperformed { phase, why, text };
                Ok(goes_on && !self.scope.is_dry())
            }
            Turn::Answered(answered) => self.conclude(phase, &place, &answered),
            Turn::Perform(request) if self.scope.is_dry() => Ok(self.end(Ending::Perform(request))),
            Turn::Perform(request) => match self.postponed(&phase, &request) {
                Some(text) => Ok(self.hold(phase, text)),
                None => self.perform(&phase, &place, &request),
            },
        }
    }

    /// The lock under which this run's reviews are performed, one at a time; without it, what follows is in the report.
    fn review_lock(&mut self, phase: &Phase) -> Option<Lock> {
        match review::lock(self.session) {
            Ok(lock) => return Some(lock),
            Err(LockError::Busy(_)) => self.elsewhere(phase),
            Err(error @ LockError::File { .. }) => {
                self.report.effects.fault(format!("{} was not performed: {error}", phase.name));
            }
        }
        None
    }

    /// Performs a review or a check and takes the step it leads to.
    fn perform(&mut self, phase: &Phase, place: &Place, request: &Request) -> Result<bool, FactError> {
        if let Err(why) =
            level::suffices(self.session.run, &self.session.event.agent, self.session.env.as_ref())
        {
            return Ok(self.hold_unperformed(phase, &why.to_string()));
        }
        let Some(_lock) = self.review_lock(phase) else { return Ok(false) };
        let next = review::perform(self.session, phase, request, &mut self.report)?;
        if pause::is_paused(self.session.run) {
            let why = format!(
                "the run was paused by the user meanwhile, so it does not go on after {}",
                phase.name
            );
            self.report.note = Some(why);
            return Ok(false);
        }
        match next {
            NextStep::Take(effects) => {
                self.outcome = Some(self.performed_word(phase));
                Ok(self.take(phase, place, effects, Basis::Review))
            }
            NextStep::NotPinned(why) => Ok(self.hold_unperformed(phase, &why.to_string())),
        }
    }

    /// The verdict that was just given; `fault` if there is none.
    fn performed_word(&self, phase: &Phase) -> String {
        let last = self.report.reviews.last().filter(|reviewed| *reviewed.phase == *phase.name);
        let has_failed =
            self.report.unperformed.as_ref().is_some_and(|released| *released.rule == *phase.name);
        let verdict = last.filter(|_| !has_failed).and_then(|reviewed| reviewed.verdict.as_ref());
        verdict.map_or_else(|| "fault".to_owned(), |verdict| verdict.word().to_owned())
    }

    /// A program is another than it was, or the proof would have too low a level: the run stays where it is, and only the user can change that. The agent is held
    /// as long as there is patience, and both are told.
    fn hold_unperformed(&mut self, phase: &Phase, why: &str) -> bool {
        let is_told = !self.scope.is_command();
        self.report.effects.faults.push(Fault { what: why.to_owned(), is_told, ..Fault::default() });
        if is_told {
            let text = format!("{}: {why}", phase.name);
            let say = |delivery, text: &str| Origin::Phase(phase).message(delivery, text.to_owned());
            match self.spent(&text, phase::HOLDS) {
                None => self.report.effects.messages.push(say(Delivery::Hold, &text)),
                Some(cause) => {
                    let released = Released { is_told: true, ..Released::new(cause, &phase.name, &text) };
                    release::let_go(&mut self.report, released);
                }
            }
            self.report.effects.messages.push(say(Delivery::Tell, &text));
            self.report.ending = Ending::Waits { phase: Box::new(phase.clone()), text };
        }
        false
    }

    /// Takes the step that people's words lead to. Of hooks and commands in parallel, one does.
    fn conclude(&mut self, phase: Box<Phase>, place: &Place, answered: &Answered) -> Result<bool, FactError> {
        if self.scope.is_dry() {
            let effects = phase::approval::answered(&self.facts, &phase, answered)?;
            self.report.ending = Ending::Step(phase.clone());
            return Ok(self.take(&phase, place, effects, Basis::State));
        }
        let Some(_lock) = self.review_lock(&phase) else { return Ok(false) };
        self.facts = self.session.refresh();
        if phase::due(&self.facts)? != Due::Phase(phase.clone()) {
            return Ok(true);
        }
        let Turn::Answered(answered) = phase::turn(&self.facts, &phase)? else { return Ok(true) };
        let verdict = approval::verdict(self.session, &phase, &answered)?;
        // A pass is found again after a crash, so its proof comes first: the step may ask for it. A word that is no pass is
        // over with its verdict, and must not be forgotten while the run is still where it was.
        if verdict.passed {
            approval::keep(self.session, &verdict, &mut self.report);
            self.facts = self.session.refresh_with(verdict.tree.clone());
        }
        let effects = phase::approval::answered(&self.facts, &phase, &answered)?;
        self.outcome = answered.verdict.as_ref().map(|verdict| verdict.word().to_owned());
        let Some(goes_on) = self.taken(&phase, place, effects, Basis::State) else { return Ok(false) };
        if !verdict.passed {
            approval::keep(self.session, &verdict, &mut self.report);
            self.facts = self.session.refresh();
        }
        self.report.ending = Ending::Step(phase);
        Ok(goes_on)
    }

    fn end(&mut self, ending: Ending) -> bool {
        self.report.ending = ending;
        false
    }

    fn unknown(&mut self, name: String) -> bool {
        if !self.scope.is_dry() {
            let what = format!("the state names a phase `{name}` that the workflow does not have");
            self.report.effects.fault(what);
        }
        self.end(Ending::Unknown(name))
    }

    /// It is somebody's turn that nothing is asked of: who typed a command is shown what is due.
    fn rest(&mut self, phase: Box<Phase>) -> Result<bool, FactError> {
        if self.scope.is_command() {
            let text = phase::asked(&self.facts, &phase)?;
            return Ok(self.hold(phase, text));
        }
        if matches!(self.scope, Scope::Stop)
            && phase.actor() == Actor::Approval
            && let Some(text) = approval::news(self.session, &phase)?
        {
            self.report.effects.messages.push(Origin::Phase(&phase).message(Delivery::Tell, text));
        }
        Ok(self.end(Ending::Waits { phase, text: String::new() }))
    }

    /// The agent goes on with its phase, or begins it.
    fn hold(&mut self, phase: Box<Phase>, text: String) -> bool {
        self.report.effects.messages.push(Origin::Phase(&phase).message(Delivery::Hold, text.clone()));
        self.end(Ending::Waits { phase, text })
    }

    /// Why the agent is no longer held with this text, if it is not.
    fn spent(&self, text: &str, limit: u32) -> Option<Cause> {
        match self.scope {
            Scope::Through(_) | Scope::Dry => None,
            Scope::Stop => patience::spent_at(self.session, text, limit),
        }
    }

    /// The agent's phase is not finished and its hold is given up: the step for that is taken. Where that goes on to hold the
    /// agent, nothing was released. What cannot be counted has not reached its limit, so no step is taken.
    fn give_up(&mut self, phase: Box<Phase>, place: &Place, released: Released, at_limit: Effects) -> bool {
        let holds = at_limit.holds();
        let has_moved = at_limit.went.is_some();
        let is_told = at_limit.messages.iter().any(|message| message.delivery.is_for_user());
        let name = phase.name.to_string();
        let goes_on = if released.cause == Cause::Uncounted {
            false
        } else {
            self.report.ending = Ending::Step(phase.clone());
            self.outcome = Some(released.cause.name().to_owned());
            self.take(&phase, place, at_limit, Basis::State)
        };
        if !holds || released.cause == Cause::Uncounted {
            release::let_go(&mut self.report, Released { rule: name, is_told, has_moved, ..released });
        }
        goes_on
    }

    /// The review or check is being done by another process, and its verdict is not known yet.
    fn elsewhere(&mut self, phase: &Phase) {
        let text = format!("The {} of this run is being done already, by another process.", phase.name);
        let say = |delivery, text: String| Origin::Phase(phase).message(delivery, text);
        if self.scope.is_command() {
            self.report.effects.messages.push(say(Delivery::Tell, text));
            return;
        }
        let text =
            format!("{text} Wait until it has ended, with `sleep 60` for example, then end your turn.");
        match self.spent(&text, phase::HOLDS) {
            None => self.report.effects.messages.push(say(Delivery::Hold, text)),
            Some(Cause::NoProgress) => {
                let released = Released::new(Cause::ReviewElsewhere, &phase.name, &text);
                release::let_go(&mut self.report, released);
            }
            Some(cause) => release::let_go(&mut self.report, Released::new(cause, &phase.name, &text)),
        }
    }

    /// What the agent is told to run where this Stop has no time left for it: a hook that takes too long is given up by
    /// the agent, which then stops as it likes. A workflow without a command for it is performed all the same.
    fn postponed(&self, phase: &Phase, request: &Request) -> Option<String> {
        let workflow = &self.session.run.workflow;
        let used = self.started.elapsed().as_secs();
        if self.scope.is_command() || is_in_time(used, request.timeout_s, workflow.longest_review_s()) {
            return None;
        }
        let command = workflow.going_on()?;
        Some(format!("{} is due next, and there was no time left for it. Run: {command}", phase.name))
    }

    /// Writes what a step comes to and says what it says; true if there may be another turn.
    fn take(&mut self, phase: &Phase, place: &Place, effects: Effects, basis: Basis) -> bool {
        self.taken(phase, place, effects, basis).unwrap_or(false)
    }

    /// The same; none if it could not be written.
    fn taken(&mut self, phase: &Phase, place: &Place, effects: Effects, basis: Basis) -> Option<bool> {
        if self.scope.is_dry() {
            self.facts = self.facts.overlaid(&effects.sets);
        } else {
            if matches!(self.scope, Scope::Stop) {
                unheard::expect(self.session, &effects, &mut self.report);
            }
            if !self.write(phase, place, &effects, basis) {
                unheard::forget(&mut self.report);
                return None;
            }
            if !self.session.wait(effects.wait_s) {
                self.report.effects.fault(format!("we were told to end after {}", phase.name));
                return Some(false);
            }
            self.facts = self.session.facts();
        }
        let is_said = effects.messages.iter().any(|message| message.delivery != Delivery::Note);
        let goes_on = effects.went.is_some() && !is_said;
        let outcome = self.outcome.take().unwrap_or_else(|| "done".to_owned());
        self.report.moves.extend(effects.went.clone().map(|to| {
            let (from, at) = (Some(phase.name.to_string()), journal::now());
            Move { from, outcome, to, at }
        }));
        self.report.effects.add(effects);
        Some(goes_on)
    }

    /// Writes under the state's lock. A review takes minutes: if meanwhile somebody moved the run on, the outcome is
    /// dropped, the report stays, the state is theirs.
    fn write(&mut self, phase: &Phase, place: &Place, effects: &Effects, basis: Basis) -> bool {
        let why = match self.try_write(phase, place, effects) {
            Ok(behind) => {
                if let Some(why) = behind {
                    self.report.effects.fault(why);
                }
                return true;
            }
            Err(WriteError::Changed) => format!(
                "the state file `{}` was changed by others meanwhile, so the outcome of {} is dropped",
                self.file_name().display(),
                phase.name
            ),
            Err(why) => {
                let file = self.file_name();
                self.report
                    .effects
                    .fault(format!("the state file `{}` was not written: {why}", file.display()));
                return false;
            }
        };
        match basis {
            // Another hook of this run was faster, with the same in hand: it has said it.
            Basis::State => self.report.note = Some(why),
            Basis::Review => self.report.effects.fault(why),
        }
        false
    }

    fn try_write(
        &self,
        phase: &Phase,
        place: &Place,
        effects: &Effects,
    ) -> Result<Option<String>, WriteError> {
        if effects.writes_nothing() {
            return Ok(None);
        }
        let run = self.session.run;
        let _lock = state::lock(&run.books, run.workflow.run.is_sealed, &run.place(), lock::PATIENCE)?;
        if effects.sets.is_empty() && self.is_over(phase, effects) {
            return Err(WriteError::Changed);
        }
        commit(self.session, &Guard::Place(place), effects)
    }

    /// Whether a step that sets nothing, so that the state does not show it, was taken by another hook meanwhile: it
    /// would change other files now, or none. The lock must be held.
    fn is_over(&self, phase: &Phase, effects: &Effects) -> bool {
        let files = match phase::turn(&self.session.refresh(), phase) {
            Ok(Turn::Step(now) | Turn::Unperformed(_, now) | Turn::Unfinished { at_limit: now, .. }) => {
                now.files
            }
            Ok(Turn::Rest) => Vec::new(),
            Ok(Turn::Perform(_) | Turn::Answered(_)) | Err(_) => return false,
        };
        files != effects.files
    }

    /// The state file, as people call it.
    fn file_name(&self) -> PathBuf {
        let path = self.session.state_file().ok().flatten().map_or_else(|| "state".into(), |file| file.path);
        path.strip_prefix(&self.session.run.folder).map_or_else(|_| path.clone(), ToOwned::to_owned)
    }
}

/// What a step follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Basis {
    /// From the state, just now.
    State,
    /// From a review, which took its time.
    Review,
}

/// Whether something that may take `timeout_s` is surely done before the agent gives up, after `used` seconds.
fn is_in_time(used: u64, timeout_s: u32, longest_s: u32) -> bool {
    used + u64::from(timeout_s) <= u64::from(longest_s) + SLACK_S
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
