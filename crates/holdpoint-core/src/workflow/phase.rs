//! Phases as data: whose turn it is, what proves it finished, where each verdict leads.

use super::limit::Limit;
use super::performer::{Check, Reviewer};
use super::step::Step;
use super::{List, Named, Say, Text, Workflow};
use crate::verdict::Verdict;

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// The agent that is held.
    Agent,
    /// A program that is given a prompt and knows nothing of the work.
    Reviewer,
    /// A program, or a test of the engine's own.
    Check,
    /// The person.
    User,
    /// People who are asked for their approval.
    Approval,
    /// Nobody: the run is over.
    Nobody,
}

impl Actor {
    /// All actors, as workflow files spell them.
    pub(crate) const ALL: [(&'static str, Actor); 6] = [
        ("agent", Actor::Agent),
        ("reviewer", Actor::Reviewer),
        ("check", Actor::Check),
        ("user", Actor::User),
        ("approval", Actor::Approval),
        ("nobody", Actor::Nobody),
    ];

    /// The word workflow files use.
    pub fn name(self) -> &'static str {
        match self {
            Actor::Agent => "agent",
            Actor::Reviewer => "reviewer",
            Actor::Check => "check",
            Actor::User => "user",
            Actor::Approval => "approval",
            Actor::Nobody => "nobody",
        }
    }

    /// Whether the engine performs the phase.
    pub fn is_performed(self) -> bool {
        matches!(self, Actor::Reviewer | Actor::Check)
    }

    /// Whether the agent may stop in the phase.
    pub fn rests(self) -> bool {
        matches!(self, Actor::User | Actor::Approval | Actor::Nobody)
    }
}

/// `[phases.X]`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct Phase {
    /// Its name.
    pub name: Text,
    /// What happens each time the phase is entered, if its `when` is true; a step that goes nowhere.
    pub enter: Step,
    /// What only phases of its actor have.
    pub kind: PhaseKind,
    /// Its line in the workflow file.
    pub line: u32,
}

/// A phase by its actor.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub enum PhaseKind {
    /// `by = "agent"`.
    Agent(AgentPhase),
    /// `by = "reviewer"`.
    Reviewer(ReviewPhase),
    /// `by = "check"`.
    Check(CheckPhase),
    /// `by = "user"`.
    User(UserPhase),
    /// `by = "approval"`.
    Approval(ApprovalPhase),
    /// `by = "nobody"`.
    Nobody(NobodyPhase),
}

/// A phase in which the agent works.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct AgentPhase {
    /// What the agent is asked to do.
    pub ask: Say,
    /// The condition that proves it finished.
    pub until: Option<Text>,
    /// The file that proves it finished, below the run's folder; a template.
    pub report: Option<Text>,
    /// How often it may be found unfinished.
    pub limit: Option<Text>,
    /// The review that the agent has done itself, for its files.
    pub shown: Option<Shown>,
    /// What follows.
    pub then: Then,
}

/// What follows a finished phase of the agent.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub enum Then {
    /// The first step whose condition is true.
    Steps(List<Step>),
    /// A check, and the route of its verdict.
    Checked(CheckPhase),
}

/// A review that the agent has done in view of the user: files that the phase writes can name its `prompt` and `command`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct Shown {
    /// The reviewer's name.
    pub reviewer: Text,
    /// What it is told.
    pub prompt: Say,
}

/// A phase that a reviewer performs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct ReviewPhase {
    /// The reviewer's name.
    pub reviewer: Text,
    /// What it is told.
    pub prompt: Say,
    /// The file it must leave, below the run's folder; a template.
    pub report: Option<Text>,
    /// The words it may answer; the first counts as passed. None: `pass` and `fail`.
    pub verdicts: List<Text>,
    /// What must be true for the review to make sense.
    pub needs: Option<Needs>,
    /// When the review counts as passed without being done.
    pub skip: Option<Skip>,
    /// How many clean reviews in a row it takes.
    pub clean: Option<Clean>,
    /// How often it may be performed.
    pub limit: Option<Text>,
    /// Where each verdict leads.
    pub routes: Routes,
}

/// A phase that the engine checks.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct CheckPhase {
    /// The check's name.
    pub check: Text,
    /// When it counts as passed without being done.
    pub skip: Option<Skip>,
    /// How often it may be performed.
    pub limit: Option<Text>,
    /// Where each verdict leads.
    pub routes: Routes,
}

/// A phase in which the user acts, and the agent may stop.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct UserPhase {
    /// What the user is asked to do.
    pub ask: Say,
    /// What happens when an agent stops in it.
    pub stop: List<Step>,
    /// What follows when a command finishes it.
    pub then: List<Step>,
}

/// A phase in which people approve, and the agent may stop.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct ApprovalPhase {
    /// The names of the approvals that it takes, all of them.
    pub approvals: List<Text>,
    /// What the people are asked.
    pub ask: Say,
    /// Where each verdict leads.
    pub routes: Routes,
}

/// The end of a run.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct NobodyPhase {
    /// What the user is told when the run comes here.
    pub tell: Say,
    /// Whether the engine's own `abandon` leads here.
    pub is_abandoned: bool,
}

/// What must be true for a review to make sense.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct Needs {
    /// The condition.
    pub that: Text,
    /// What is missing otherwise; a template.
    pub otherwise: Text,
}

/// When a review or a check counts as passed without being done.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct Skip {
    /// The condition.
    pub when: Text,
    /// Fields to set then.
    pub set: List<Named>,
}

/// Clean reviews in a row.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct Clean {
    /// The state field that counts them.
    pub count: Text,
    /// How many it takes.
    pub need: u32,
}

/// Where each verdict leads.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct Routes {
    /// The routes, in the order of the file.
    pub on: List<Route>,
    /// What happens where there is no verdict: nothing could be performed, or nothing readable was answered.
    pub fault: List<Step>,
}

/// The steps for one verdict; the first whose condition is true is taken.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct Route {
    /// The verdict.
    pub verdict: Verdict,
    /// The steps.
    pub steps: List<Step>,
}

impl Routes {
    /// The route that a verdict takes: its own, or that of the verdict it goes with by default.
    pub(crate) fn of(&self, verdict: &Verdict) -> Option<&Route> {
        let exact = |verdict: &Verdict| self.on.iter().find(|route| route.verdict == *verdict);
        exact(verdict).or_else(|| exact(&verdict.default_route()?))
    }

    /// The steps for a verdict; none where nothing takes it.
    pub(crate) fn steps(&self, verdict: &Verdict) -> &[Step] {
        self.of(verdict).map_or(&[], |route| &route.steps)
    }

    /// Every step, those for faults included.
    fn all(&self) -> impl Iterator<Item = &Step> {
        self.on.iter().flat_map(|route| route.steps.iter()).chain(self.fault.iter())
    }
}

/// What the engine performs in a phase.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Performance<'a> {
    /// A review.
    Review(&'a ReviewPhase),
    /// A check: the phase's own, or the one that ends an agent's phase.
    Check(&'a CheckPhase),
}

impl<'a> Performance<'a> {
    /// Where its verdicts lead.
    pub(crate) fn routes(self) -> &'a Routes {
        match self {
            Performance::Review(review) => &review.routes,
            Performance::Check(check) => &check.routes,
        }
    }

    /// When it counts as passed without being done.
    pub(crate) fn skip(self) -> Option<&'a Skip> {
        match self {
            Performance::Review(review) => review.skip.as_ref(),
            Performance::Check(check) => check.skip.as_ref(),
        }
    }

    /// The steps that are taken where it counts as passed without being done.
    pub(crate) fn skipping(self) -> &'a [Step] {
        let routes = self.routes();
        routes.of(&Verdict::Skip).map_or_else(|| routes.steps(&self.passing()), |route| &route.steps)
    }

    /// The verdict that counts as passed.
    pub(crate) fn passing(self) -> Verdict {
        match self {
            Performance::Review(review) => {
                review.verdicts.first().map_or(Verdict::Pass, |word| Verdict::of(word))
            }
            Performance::Check(_) => Verdict::Pass,
        }
    }

    /// The route that a verdict takes: its own; that of the passing verdict, if the check accepts it; or the default.
    pub(crate) fn route(self, verdict: &Verdict, workflow: &Workflow) -> Option<&'a Route> {
        let routes = self.routes();
        let own = routes.on.iter().find(|route| route.verdict == *verdict);
        let accepted = || routes.of(&self.passing()).filter(|_| self.accepts(verdict, workflow));
        own.or_else(accepted).or_else(|| routes.of(verdict))
    }

    /// Whether a verdict counts as passed: it takes the passing route, or has one of its own and is accepted.
    pub(crate) fn passes(self, verdict: &Verdict, workflow: &Workflow) -> bool {
        let takes_it = self.route(verdict, workflow).is_some_and(|route| route.verdict == self.passing());
        takes_it || self.accepts(verdict, workflow)
    }

    fn accepts(self, verdict: &Verdict, workflow: &Workflow) -> bool {
        match self {
            Performance::Review(_) => false,
            Performance::Check(check) => {
                workflow.check(&check.check).is_some_and(|check| check.accepts.contains(verdict))
            }
        }
    }
}

impl Phase {
    /// Whose turn it is.
    pub fn actor(&self) -> Actor {
        match &self.kind {
            PhaseKind::Agent(_) => Actor::Agent,
            PhaseKind::Reviewer(_) => Actor::Reviewer,
            PhaseKind::Check(_) => Actor::Check,
            PhaseKind::User(_) => Actor::User,
            PhaseKind::Approval(_) => Actor::Approval,
            PhaseKind::Nobody(_) => Actor::Nobody,
        }
    }

    /// What the engine performs in it, if anything.
    pub(crate) fn performance(&self) -> Option<Performance<'_>> {
        match &self.kind {
            PhaseKind::Reviewer(review) => Some(Performance::Review(review)),
            PhaseKind::Check(check) => Some(Performance::Check(check)),
            PhaseKind::Agent(AgentPhase { then: Then::Checked(check), .. }) => {
                Some(Performance::Check(check))
            }
            PhaseKind::Agent(_) | PhaseKind::User(_) | PhaseKind::Approval(_) | PhaseKind::Nobody(_) => None,
        }
    }

    /// Where its verdicts lead, if it has any.
    pub(crate) fn routes(&self) -> Option<&Routes> {
        match &self.kind {
            PhaseKind::Approval(approval) => Some(&approval.routes),
            _ => self.performance().map(Performance::routes),
        }
    }

    /// What is said to whoever acts; reviewers have a prompt instead.
    pub(crate) fn ask(&self) -> Option<&Say> {
        let say = match &self.kind {
            PhaseKind::Agent(agent) => &agent.ask,
            PhaseKind::User(user) => &user.ask,
            PhaseKind::Approval(approval) => &approval.ask,
            PhaseKind::Nobody(nobody) => &nobody.tell,
            PhaseKind::Reviewer(_) | PhaseKind::Check(_) => return None,
        };
        (!say.is_empty()).then_some(say)
    }

    /// The file that it leaves behind.
    pub(crate) fn report(&self) -> Option<&Text> {
        match &self.kind {
            PhaseKind::Agent(agent) => agent.report.as_ref(),
            PhaseKind::Reviewer(review) => review.report.as_ref(),
            PhaseKind::Check(_) | PhaseKind::User(_) | PhaseKind::Approval(_) | PhaseKind::Nobody(_) => None,
        }
    }

    /// The name of its limit.
    fn limit_name(&self) -> Option<&Text> {
        match &self.kind {
            PhaseKind::Agent(agent) => agent.limit.as_ref(),
            PhaseKind::Reviewer(review) => review.limit.as_ref(),
            PhaseKind::Check(check) => check.limit.as_ref(),
            PhaseKind::User(_) | PhaseKind::Approval(_) | PhaseKind::Nobody(_) => None,
        }
    }

    /// How often it may be performed, or found unfinished.
    pub(crate) fn limit<'a>(&self, workflow: &'a Workflow) -> Option<&'a Limit> {
        workflow.limit(self.limit_name()?)
    }

    /// The state field that counts its rounds. Holds of an agent's phase are the engine's to count where its limit names no
    /// field.
    pub fn count<'a>(&self, workflow: &'a Workflow) -> Option<&'a str> {
        let limit = self.limit(workflow)?;
        match self.actor() {
            Actor::Agent => limit.count.as_deref(),
            _ => Some(limit.field()),
        }
    }

    /// The reviewer that it names, to perform it or to be shown.
    pub fn reviewer<'a>(&self, workflow: &'a Workflow) -> Option<&'a Reviewer> {
        let name = match &self.kind {
            PhaseKind::Reviewer(review) => &review.reviewer,
            PhaseKind::Agent(AgentPhase { shown: Some(shown), .. }) => &shown.reviewer,
            _ => return None,
        };
        workflow.reviewers.iter().find(|reviewer| reviewer.name == *name)
    }

    /// Has its review done by another reviewer, where it is done by this one.
    pub fn review_with(&mut self, reviewer: &str, instead: &str) {
        let name = match &mut self.kind {
            PhaseKind::Reviewer(review) => &mut review.reviewer,
            PhaseKind::Agent(AgentPhase { shown: Some(shown), .. }) => &mut shown.reviewer,
            _ => return,
        };
        if *name == *reviewer {
            *name = instead.to_owned().into();
        }
    }

    /// The check that it names.
    pub fn check<'a>(&self, workflow: &'a Workflow) -> Option<&'a Check> {
        match self.performance()? {
            Performance::Check(check) => workflow.check(&check.check),
            Performance::Review(_) => None,
        }
    }

    /// The steps of a phase that a command or its own proof finishes.
    pub(crate) fn then(&self) -> &[Step] {
        match &self.kind {
            PhaseKind::Agent(AgentPhase { then: Then::Steps(steps), .. }) => steps,
            PhaseKind::User(user) => &user.then,
            _ => &[],
        }
    }

    /// The steps taken when the agent stops in the user's phase.
    pub(crate) fn stop(&self) -> &[Step] {
        match &self.kind {
            PhaseKind::User(user) => &user.stop,
            _ => &[],
        }
    }

    /// Every step that leads from it.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &Step> {
        let routed = self.routes().into_iter().flat_map(Routes::all);
        self.then().iter().chain(self.stop()).chain(routed)
    }
}

#[cfg(test)]
#[path = "phase_tests.rs"]
mod phase_tests;
