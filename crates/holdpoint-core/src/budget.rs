//! The limits of an evaluation: how much work the conditions and texts of one event may take, and how large a value may
//! become. A condition that reaches a limit is a fault; it neither hangs nor uses up the machine's memory.

use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use minijinja::value::{ObjectRepr, Value};

use crate::facts::FactError;
use crate::json::lazy;

/// The most steps that one evaluation may take.
pub(crate) const STEPS_MAX: u64 = 1_000_000;
/// The most steps of all evaluations of one event.
const ALL_STEPS_MAX: u64 = 4 * STEPS_MAX;
/// An evaluation that fails does not tell its steps.
const FAILED_STEPS: u64 = 50_000;
/// The most work of all evaluations of one event, in bytes that are read or written.
const WORK_MAX: usize = 128 * 1024 * 1024;
/// The largest value that an expression may make, in bytes.
pub(crate) const VALUE_MAX: usize = 4 * 1024 * 1024;
/// What an element counts for besides its content.
const ELEMENT: usize = 64;
/// The deepest value. Files may be nested this deep as well.
const DEPTH_MAX: usize = 600;

/// What is left of the work that the evaluations of one event may do.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    worked: AtomicUsize,
    steps: AtomicU64,
}

impl Budget {
    /// Uses up work.
    pub(crate) fn spend(&self, bytes: usize) -> Result<(), FactError> {
        let before = self.worked.fetch_add(bytes.min(WORK_MAX + 1), Ordering::Relaxed);
        if before.saturating_add(bytes) > WORK_MAX {
            // What is used up stays so, and the count never overflows.
            self.worked.store(WORK_MAX, Ordering::Relaxed);
            return Err(FactError::TooMuchWork);
        }
        Ok(())
    }

    /// Uses up the work of creating a value of this size.
    pub(crate) fn create(&self, bytes: usize) -> Result<(), FactError> {
        if bytes > VALUE_MAX {
            return Err(FactError::TooLarge(VALUE_MAX));
        }
        self.spend(bytes)
    }

    /// Uses up the work of reading a value to its last element. Returns its size.
    pub(crate) fn read(&self, value: &Value) -> Result<usize, FactError> {
        let size = size(value)?;
        self.spend(size)?;
        Ok(size)
    }

    /// Uses up the steps of an evaluation; `None` if it failed.
    pub(crate) fn step(&self, steps: Option<u64>) {
        self.steps.fetch_add(steps.unwrap_or(FAILED_STEPS), Ordering::Relaxed);
    }

    /// Refuses a further evaluation if the steps are used up.
    pub(crate) fn check(&self) -> Result<(), FactError> {
        let is_left = self.steps.load(Ordering::Relaxed) < ALL_STEPS_MAX;
        if is_left { Ok(()) } else { Err(FactError::TooMuchWork) }
    }

    /// A value as text.
    pub(crate) fn text(&self, value: &Value) -> Result<String, FactError> {
        self.read(value)?;
        let mut text = Bounded { text: String::new() };
        // Only the limit makes writing fail.
        fmt::write(&mut text, format_args!("{value}")).map_err(|_| FactError::TooLarge(VALUE_MAX))?;
        self.spend(text.text.len())?;
        Ok(text.text)
    }

    /// The number of evaluations' steps so far.
    #[cfg(test)]
    pub(crate) fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// The work so far.
    #[cfg(test)]
    pub(crate) fn worked(&self) -> usize {
        self.worked.load(Ordering::Relaxed)
    }
}

/// A text that refuses to become too large.
struct Bounded {
    text: String,
}

impl fmt::Write for Bounded {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.text.len() + more.len() > VALUE_MAX {
            return Err(fmt::Error);
        }
        self.text.push_str(more);
        Ok(())
    }
}

/// The size of a value with all that is in it, as often as it is in it.
pub(crate) fn size(value: &Value) -> Result<usize, FactError> {
    let mut total = 0;
    add(value, 0, &mut total)?;
    Ok(total)
}

fn add(value: &Value, depth: usize, total: &mut usize) -> Result<(), FactError> {
    if let Some(text) = value.as_str() {
        *total += text.len();
    } else if let Some(object) = value.as_object() {
        if let Some(unread) = object.downcast_ref::<lazy::Part>() {
            *total += unread.length();
        } else if object.repr() == ObjectRepr::Map {
            for (key, value) in object.try_iter_pairs().into_iter().flatten() {
                *total += ELEMENT;
                add(&key, depth + 1, total)?;
                add(&value, depth + 1, total)?;
            }
        } else {
            for value in object.try_iter().into_iter().flatten() {
                *total += ELEMENT;
                add(&value, depth + 1, total)?;
            }
        }
    }
    if *total > VALUE_MAX || depth > DEPTH_MAX {
        return Err(FactError::TooLarge(VALUE_MAX));
    }
    Ok(())
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod budget_tests;
