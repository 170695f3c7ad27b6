//! The worst case: how many reviews a run can take at the most.
//!
//! Phases of the agent and of reviewers follow on one another by themselves; only the user starts something again.
//! So a part of the workflow whose phases lead to one another without the user (a circle) is entered at most once
//! for each time the user starts what leads to it, and once in all if nothing leads from it back to the user's phase.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Formatter};

use super::super::Workflow;
use super::super::limit::Most;
use super::super::phase::{Actor, Phase};
use super::super::step::Step;
use super::circle::{self, beyond, may_stay, steps};
use super::turns;

/// How many reviews a run can take at the most.
#[derive(Clone, Debug, PartialEq, Eq)]
enum WorstCase {
    /// Nobody reviews.
    NoReviews,
    /// Nothing limits the reviews of this phase.
    Unlimited(String),
    /// This phase's rounds start again at each turn of a limited loop around it: too deep to be counted here.
    Nested(String),
    /// So many.
    AtMost(Bound),
}

/// A number of reviews as a formula.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Bound {
    /// Those that there are once in a run.
    once: Amount,
    /// Those that there are for each time one of these phases of the user is started.
    each: Vec<(BTreeSet<String>, Amount)>,
}

/// A number, and state fields whose first value is not known, each so many times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Amount {
    /// The number.
    pub number: u64,
    /// The fields.
    pub fields: BTreeMap<String, u64>,
}

/// How many reviews a run can take, in words: in all, and for each of several phases that reviewers perform. Nothing where
/// nobody reviews.
pub fn reviews_at_most(workflow: &Workflow) -> Vec<String> {
    let each = of_each(workflow);
    let each = each.iter().filter(|_| each.len() > 1);
    let each = each.filter_map(|(phase, worst)| Some(format!("  {phase}: {}", worst.in_words()?)));
    worst_case(workflow).in_words().into_iter().chain(each).collect()
}

impl WorstCase {
    fn in_words(&self) -> Option<String> {
        match self {
            WorstCase::NoReviews => None,
            WorstCase::Unlimited(phase) => Some(format!("the number of reviews in `{phase}` has no limit")),
            WorstCase::Nested(phase) => Some(format!(
                "note: `{phase}` has its own limit in each round of an outer loop, so it is not part of this total"
            )),
            WorstCase::AtMost(bound) => Some(bound.to_string()),
        }
    }
}

/// The worst case of a workflow.
fn worst_case(workflow: &Workflow) -> WorstCase {
    let reviews: Vec<&Phase> = reviews(workflow).collect();
    if reviews.is_empty() {
        return WorstCase::NoReviews;
    }
    worst_of(workflow, &reviews)
}

/// The same for each phase that a reviewer performs.
fn of_each(workflow: &Workflow) -> Vec<(String, WorstCase)> {
    reviews(workflow).map(|phase| (phase.name.to_string(), worst_of(workflow, &[phase]))).collect()
}

fn reviews(workflow: &Workflow) -> impl Iterator<Item = &Phase> {
    workflow.phases.iter().filter(|phase| phase.actor() == Actor::Reviewer)
}

fn worst_of(workflow: &Workflow, reviews: &[&Phase]) -> WorstCase {
    let map = Map::of(workflow);
    let mut bound = Bound::default();
    for phase in reviews {
        let Some(amount) = map.reviews_of(phase) else {
            let edges = circle::edges(workflow);
            let is_endless = circle::endless(&edges).iter().any(|edge| edge.from == *phase);
            let name = phase.name.to_string();
            return if is_endless { WorstCase::Unlimited(name) } else { WorstCase::Nested(name) };
        };
        let starts = map.starts(phase);
        if starts.is_empty() || map.entered_from_outside(phase) {
            bound.once.add(&amount);
        }
        if starts.is_empty() {
            continue;
        }
        match bound.each.iter_mut().find(|(others, _)| *others == starts) {
            Some((_, sum)) => sum.add(&amount),
            None => bound.each.push((starts, amount)),
        }
    }
    WorstCase::AtMost(bound)
}

/// Which phase leads to which.
struct Map<'a> {
    workflow: &'a Workflow,
    /// By every step.
    to: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// The same without the user's steps: what follows by itself.
    alone: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Map<'a> {
    fn of(workflow: &'a Workflow) -> Map<'a> {
        let to: BTreeMap<_, _> =
            workflow.phases.iter().map(|phase| (phase.name.as_ref(), targets(workflow, phase))).collect();
        let users: BTreeSet<&str> = workflow
            .phases
            .iter()
            .filter(|phase| phase.actor().rests())
            .map(|phase| phase.name.as_ref())
            .collect();
        let alone = to
            .iter()
            .filter(|(name, _)| !users.contains(*name))
            .map(|(name, to)| (*name, to.difference(&users).copied().collect()))
            .collect();
        Map { workflow, to, alone }
    }

    /// The phases that lead to this one and that it leads to; the user's are among them if `edges` has them.
    fn circle(&self, edges: &BTreeMap<&'a str, BTreeSet<&'a str>>, name: &str) -> Vec<&'a Phase> {
        let there = beyond(edges, name);
        let is_in =
            |phase: &&Phase| there.contains(phase.name.as_ref()) && beyond(edges, &phase.name).contains(name);
        self.workflow.phases.iter().filter(is_in).collect()
    }

    /// How many reviews this phase does for each time it is entered; if its count is never reset, in all.
    fn reviews_of(&self, phase: &'a Phase) -> Option<Amount> {
        let circle = self.circle(&self.alone, &phase.name);
        let limit = self.limit(phase, &circle);
        if !circle.is_empty() {
            let visits = || self.visits(phase, &circle, &mut Vec::new());
            return limit.or_else(visits).or_else(|| turns::most(self.workflow, phase));
        }
        // It comes back only through the user: one review each time, unless its rounds are counted over all of them.
        let one = Amount { number: 1, ..Amount::default() };
        let is_counted_over_all = limit.is_some() && !self.is_started_anew(phase);
        let comes_back = !self.circle(&self.to, &phase.name).is_empty();
        match limit {
            Some(limit) if (comes_back && is_counted_over_all) || limit == Amount::default() => Some(limit),
            _ => Some(one),
        }
    }

    /// The limit of a review's rounds, if its count is not reset within the circle.
    fn limit(&self, phase: &Phase, circle: &[&Phase]) -> Option<Amount> {
        if !phase.actor().is_performed() || self.resets(circle, phase.count(self.workflow)?) {
            return None;
        }
        Some(Amount::of(phase.limit(self.workflow)?.most_in(&self.workflow.fields)))
    }

    /// How often a phase whose own rounds are not limited is reached, for each time its circle is entered: as often
    /// as the phases before it go there. None if it can come back without a limited one between.
    fn visits(&self, phase: &'a Phase, circle: &[&'a Phase], way: &mut Vec<&'a str>) -> Option<Amount> {
        if way.contains(&phase.name.as_ref()) {
            return None;
        }
        way.push(&phase.name);
        let enters = |(from, to): (&&str, &BTreeSet<&str>)| {
            to.contains(phase.name.as_ref()) && !circle.iter().any(|inner| inner.name == **from)
        };
        let mut sum = Amount { number: u64::from(self.to.iter().any(enters)), ..Amount::default() };
        for before in circle.iter().filter(|before| self.goes(before, phase)) {
            let limit = self.limit(before, circle);
            // At its limit a review takes the same step again and again.
            let at_limit = before.limit(self.workflow).and_then(|limit| limit.then.go.as_ref());
            let turns = match limit {
                Some(limit) if at_limit != Some(&phase.name) => limit,
                _ => self.visits(before, circle, way)?,
            };
            sum.add(&turns);
        }
        way.pop();
        Some(sum)
    }

    /// Whether a step between these phases resets the count.
    fn resets(&self, among: &[&Phase], count: &str) -> bool {
        let stays = |step: &Step| among.iter().any(|phase| Some(&phase.name) == step.go.as_ref());
        let resets = |step: &Step| stays(step) && step.set.iter().any(|field| field.name == count);
        among.iter().any(|phase| steps(self.workflow, phase).any(resets))
    }

    fn goes(&self, from: &Phase, to: &Phase) -> bool {
        self.to.get(from.name.as_ref()).is_some_and(|targets| targets.contains(to.name.as_ref()))
    }

    /// Whether the phase's count, if it has one, is reset on the way back to it through the user.
    fn is_started_anew(&self, phase: &Phase) -> bool {
        let circle = self.circle(&self.to, &phase.name);
        phase.count(self.workflow).is_none_or(|count| self.resets(&circle, count))
    }

    /// The user's phases that start this one again and again.
    fn starts(&self, phase: &Phase) -> BTreeSet<String> {
        if !self.is_started_anew(phase) {
            return BTreeSet::new();
        }
        self.circle(&self.to, &phase.name)
            .into_iter()
            .filter(|start| start.actor().rests() && self.starts_alone(start, phase))
            .map(|start| start.name.to_string())
            .collect()
    }

    /// Whether a step of `from` leads to the phase with nothing of the user's between.
    fn starts_alone(&self, from: &Phase, phase: &Phase) -> bool {
        let reaches = |to: &&str| **to == phase.name || beyond(&self.alone, to).contains(phase.name.as_ref());
        self.to
            .get(from.name.as_ref())
            .is_some_and(|targets| targets.iter().filter(|to| self.alone.contains_key(**to)).any(reaches))
    }

    /// Whether the phase is also reached from outside of its circle, through the user.
    fn entered_from_outside(&self, phase: &Phase) -> bool {
        let circle = self.circle(&self.to, &phase.name);
        let is_outside = |from: &&Phase| !circle.iter().any(|inner| inner.name == from.name);
        self.workflow.phases.iter().filter(is_outside).any(|from| self.starts_alone(from, phase))
    }
}

/// Where a phase can go. A review with a verdict that no step is sure to be taken for stays due.
fn targets<'a>(workflow: &'a Workflow, phase: &'a Phase) -> BTreeSet<&'a str> {
    let mut targets: BTreeSet<&str> = steps(workflow, phase).filter_map(|step| step.go.as_deref()).collect();
    let stays = |what: super::super::phase::Performance<'_>| {
        may_stay(what)
            || what.routes().on.iter().any(|route| route.steps.iter().any(|step| step.go.is_none()))
    };
    if phase.actor() == Actor::Reviewer && phase.performance().is_some_and(stays) {
        targets.insert(&phase.name);
    }
    targets
}

impl Amount {
    pub(super) fn of(most: Most) -> Amount {
        match most {
            Most::Number(number) | Most::Field(_, Some(number)) => Amount { number, ..Amount::default() },
            Most::Field(name, None) => Amount { number: 0, fields: BTreeMap::from([(name, 1)]) },
        }
    }

    /// So many times; none where that is no sum of fields any more.
    pub(super) fn times(&self, other: &Amount) -> Option<Amount> {
        let (fields, number) = match (self.fields.is_empty(), other.fields.is_empty()) {
            (true, _) => (&other.fields, self.number),
            (_, true) => (&self.fields, other.number),
            _ => return None,
        };
        let fields = fields.iter().map(|(field, times)| (field.clone(), times.saturating_mul(number)));
        Some(Amount { number: self.number.saturating_mul(other.number), fields: fields.collect() })
    }

    pub(super) fn add(&mut self, other: &Amount) {
        self.number = self.number.saturating_add(other.number);
        for (field, times) in &other.fields {
            *self.fields.entry(field.clone()).or_default() += times;
        }
    }

    fn terms(&self) -> Vec<String> {
        let number = (self.number > 0 || self.fields.is_empty()).then(|| self.number.to_string());
        let fields = self.fields.iter().map(|(field, times)| match times {
            1 => field.clone(),
            times => format!("{times} × {field}"),
        });
        number.into_iter().chain(fields).collect()
    }
}

impl Display for Bound {
    /// `at most 24 + 8 × N reviews (N: how often a, b is started)`.
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let letter = |at: usize| if self.each.len() == 1 { "N".to_owned() } else { format!("N{}", at + 1) };
        let mut terms = Vec::new();
        if self.once != Amount::default() || self.each.is_empty() {
            terms.extend(self.once.terms());
        }
        let mut starts = Vec::new();
        for (at, (names, amount)) in self.each.iter().enumerate() {
            let factor = match amount.terms().as_slice() {
                [one] => one.clone(),
                several => format!("({})", several.join(" + ")),
            };
            terms.push(format!("{factor} × {}", letter(at)));
            let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            starts.push(format!("{}: how often {names} is started", letter(at)));
        }
        let noun = if terms == ["1"] { "review" } else { "reviews" };
        write!(f, "at most {} {noun}", terms.join(" + "))?;
        if starts.is_empty() { Ok(()) } else { write!(f, " ({})", starts.join("; ")) }
    }
}

#[cfg(test)]
#[path = "worst_case_tests.rs"]
mod worst_case_tests;
