//! What an environment is fitted out with: only the filters and tests that a source applies. Most apply a few, and making
//! all of them costs more than evaluating an ordinary condition.

use std::sync::{Arc, Mutex, PoisonError};

use minijinja::functions::Function;
use minijinja::value::{FunctionArgs, FunctionResult};
use minijinja::{Environment, UndefinedBehavior};

use crate::budget::{Budget, STEPS_MAX};

/// An environment while it is fitted out.
pub(super) struct Kit<'w> {
    env: Environment<'static>,
    /// The names that are wanted; none: all.
    wanted: Option<&'w [&'w str]>,
    /// The lengths and first letters of those names: most others are told apart by them.
    marks: u64,
}

/// A bit for a name's length and first letter.
fn mark(name: &str) -> u64 {
    let first = name.as_bytes().first().copied().unwrap_or_default();
    1 << ((name.len() + 7 * usize::from(first)) % 64)
}

impl Kit<'_> {
    pub(super) fn wants(&self, name: &str) -> bool {
        self.marks & mark(name) != 0 && self.wanted.is_none_or(|wanted| wanted.contains(&name))
    }

    /// Adds a filter, if it is wanted.
    pub(super) fn filter<F, Rv, Args>(&mut self, name: &'static str, filter: F)
    where
        F: Function<Rv, Args>,
        Rv: FunctionResult,
        Args: for<'a> FunctionArgs<'a>,
    {
        if self.wants(name) {
            self.env.add_filter(name, filter);
        }
    }

    /// Adds a test, if it is wanted.
    pub(super) fn test<F, Rv, Args>(&mut self, name: &'static str, test: F)
    where
        F: Function<Rv, Args>,
        Rv: FunctionResult,
        Args: for<'a> FunctionArgs<'a>,
    {
        if self.wants(name) {
            self.env.add_test(name, test);
        }
    }
}

/// Where all conditions and texts of one event are evaluated, within one budget: an environment for each set of names
/// that was wanted so far.
#[derive(Default)]
pub struct Environments {
    pub(crate) budget: Arc<Budget>,
    made: Mutex<Vec<Made>>,
}

/// An environment, and the names that it has; none: all.
type Made = (Option<Vec<String>>, Arc<Environment<'static>>);

impl std::fmt::Debug for Environments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environments").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl Environments {
    /// The environment in which a source that applies these filters and tests can be evaluated. One that has more of
    /// them does as well.
    pub(crate) fn having(&self, names: Option<Vec<&str>>) -> Arc<Environment<'static>> {
        let is_it = |made: &&Made| match (&made.0, &names) {
            (Some(known), Some(names)) => names.iter().all(|name| known.iter().any(|known| known == name)),
            (None, _) => true,
            (Some(_), None) => false,
        };
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, env)) = made.iter().find(is_it) {
            return Arc::clone(env);
        }
        let env = Arc::new(environment(&self.budget, names.as_deref()));
        let known = names.map(|names| names.into_iter().map(str::to_owned).collect());
        made.push((known, Arc::clone(&env)));
        env
    }
}

/// Creates an environment with Holdpoint's filters and tests, chaining undefined values. What is evaluated in it uses up
/// the budget.
fn environment(budget: &Arc<Budget>, wanted: Option<&[&str]>) -> Environment<'static> {
    let mut env = Environment::empty();
    env.set_undefined_behavior(UndefinedBehavior::Chainable);
    env.set_fuel(Some(STEPS_MAX));
    let own = Arc::clone(budget);
    env.set_formatter(move |out, _, value| {
        match value.as_str() {
            Some(text) => {
                own.create(text.len())?;
                out.write_str(text)?;
            }
            None => out.write_str(&own.text(value)?)?,
        }
        Ok(())
    });
    if wanted.is_some_and(<[&str]>::is_empty) {
        return env;
    }
    let marks = wanted.map_or(u64::MAX, |wanted| wanted.iter().fold(0, |all, name| all | mark(name)));
    let mut kit = Kit { env, wanted, marks };
    super::operators::add(&mut kit, budget);
    super::standard::add(&mut kit, budget);
    super::record::add(&mut kit, budget);
    super::add_plain(&mut kit);
    super::add_counted(&mut kit, budget);
    kit.env
}
