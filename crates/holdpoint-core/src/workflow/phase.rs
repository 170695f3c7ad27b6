//! Phases as data: who acts, what proves it finished, where it goes, how often.

use super::step::Step;
use super::{List, Named, Say, Text};

/// Who holds the baton in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub enum Actor {
    /// The agent that is held.
    Agent,
    /// A process with no memory of the work.
    Reviewer,
    /// A program whose exit code is the verdict.
    Check,
    /// The person.
    User,
}

impl Actor {
    /// Whether the engine performs the phase: a program is run, and its outcome decides.
    pub fn is_performed(self) -> bool {
        matches!(self, Actor::Reviewer | Actor::Check)
    }

    /// All actors, as workflow files spell them.
    pub const ALL: [(&'static str, Actor); 4] = [
        ("agent", Actor::Agent),
        ("reviewer", Actor::Reviewer),
        ("check", Actor::Check),
        ("user", Actor::User),
    ];

    /// The word workflow files use.
    pub fn name(self) -> &'static str {
        match self {
            Actor::Agent => "agent",
            Actor::Reviewer => "reviewer",
            Actor::Check => "check",
            Actor::User => "user",
        }
    }
}

/// `[phases.X]`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct Phase {
    /// Its name.
    pub name: Text,
    /// Who acts.
    pub by: Actor,
    /// What the agent or the user is asked to do.
    pub ask: Option<Say>,
    /// What a reviewer is told.
    pub prompt: Option<Say>,
    /// Which reviewer.
    pub reviewer: Option<Text>,
    /// The file that the phase leaves behind, below the run's folder; a template. It proves an agent's phase.
    pub report: Option<Text>,
    /// What proves an agent's phase finished, as an expression.
    pub until: Option<Text>,
    /// What must be true for a review to make sense.
    pub needs: Option<Needs>,
    /// When the review counts as passed without being done.
    pub skip: Option<Skip>,
    /// How often.
    pub rounds: Option<Rounds>,
    /// The models that take turns.
    pub models: Option<Models>,
    /// How many clean reviews in a row it takes.
    pub clean: Option<Clean>,
    /// What happens each time the phase is entered. Its files can name `prompt` and the reviewer's `command`.
    pub enter: Step,
    /// Where it goes, by outcome: `then`, `issues`, `passed`, `failed`; `stop`: when the agent stops in a user's phase;
    /// any other is an answer of its reviewer or check.
    pub routes: List<Route>,
    /// Its line in the workflow file.
    pub line: u32,
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

/// When a review counts as passed without being done.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct Skip {
    /// The condition.
    pub when: Text,
    /// Fields to set then.
    pub set: List<Named>,
}

/// How often a phase may be performed or found unfinished.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct Rounds {
    /// The state field that counts; without one the engine's own patience does.
    pub count: Option<Text>,
    /// The limit, as an expression.
    pub limit: Text,
    /// What happens at the limit.
    pub exhausted: Step,
}

/// `[rounds.X]`: how often steps that name it may be taken.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct NamedRounds {
    /// Its name.
    pub name: Text,
    /// The state field that counts.
    pub count: Text,
    /// The limit, as an expression.
    pub limit: Text,
    /// What happens at the limit.
    pub exhausted: Step,
}

/// Models that take turns.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct Models {
    /// The state field that names the next one.
    pub field: Text,
    /// The models in turn; anything else counts as before the first.
    pub rotate: List<Text>,
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

/// The steps for one outcome; the first whose condition is true is taken.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct Route {
    /// The outcome.
    pub outcome: Text,
    /// The steps.
    pub steps: List<Step>,
}

/// The verdict of a check that ended well.
pub const PASSED: &str = "passed";

/// `[reviewers.X]`: a program that reviews; `[checks.X]`: one whose exit code is the verdict.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::phase))]
pub struct Reviewer {
    /// Its name.
    pub name: Text,
    /// Whether its exit code is the verdict.
    pub is_check: bool,
    /// Which of the engine's own checks it is; empty: just the program.
    pub kind: Text,
    /// What such a check is told: names and expressions.
    pub told: List<Named>,
    /// When there is anything to check, as an expression: otherwise it is skipped.
    pub only_if: Option<Text>,
    /// What makes it pass beside its exit code, as an expression.
    pub pass: Option<Text>,
    /// The program and its arguments; templates, with `prompt` and `schema` as names.
    pub command: List<Text>,
    /// Whether the prompt goes to standard input instead of an argument.
    pub prompt_on_stdin: bool,
    /// The JSON schema of its answer, as the program is told it.
    pub schema: Option<Text>,
    /// Where in its JSON answer the verdict stands: the first place that has one counts.
    pub verdict: List<Text>,
    /// The verdict that means clean.
    pub clean: Text,
    /// Where its standard error goes, below the run's folder; a template. Removed after a review that worked.
    pub log: Option<Text>,
    /// How long it may take, in seconds.
    pub timeout_s: u32,
}

/// How often, as far as the workflow's file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A number.
    Number(u64),
    /// What this state field or expression says, and what it says at first, if the file tells.
    Field(String, Option<u64>),
}

impl Rounds {
    /// The limit, with the first value of its field where it is one.
    pub fn limit_in(&self, fields: &[Named]) -> Limit {
        let number = |text: &str| text.trim().replace('_', "").parse::<u64>().ok();
        let Some(field) = self.limit.strip_prefix("state.") else {
            let expression = || Limit::Field(self.limit.to_string(), None);
            return number(&self.limit).map_or_else(expression, Limit::Number);
        };
        let first = fields.iter().find(|named| named.name == field).and_then(|named| {
            let inner = named.source.trim().strip_prefix("{{")?.strip_suffix("}}")?;
            number(inner)
        });
        Limit::Field(field.to_owned(), first)
    }
}

impl Phase {
    /// The program that performs it: the one it names, or the first of its kind.
    pub fn program<'a>(&self, programs: &'a [Reviewer]) -> Option<&'a Reviewer> {
        let is_check = self.by == Actor::Check;
        let mut of_kind = programs.iter().filter(|program| program.is_check == is_check);
        of_kind.find(|program| self.reviewer.as_ref().is_none_or(|name| program.name == *name))
    }

    /// The steps for an outcome.
    pub fn steps(&self, outcome: &str) -> &[Step] {
        self.routes.iter().find(|route| route.outcome == outcome).map_or(&[], |route| &route.steps)
    }

    /// The outcomes that are answers of its reviewer or check.
    pub fn answers(&self) -> impl Iterator<Item = &str> {
        let known = ["then", "issues", "passed", "failed", "stop"];
        self.routes.iter().map(|route| route.outcome.as_ref()).filter(move |outcome| !known.contains(outcome))
    }

    /// The state field that counts its rounds.
    pub fn count(&self) -> Option<&str> {
        self.rounds.as_ref()?.count.as_deref()
    }
}
