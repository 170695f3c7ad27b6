//! `phase`: the one that is due, or the one that a step belongs to.

use std::sync::Arc;

use minijinja::value::{Enumerator, Object, Value};

use super::Facts;
use crate::workflow::phase::Phase;

/// `phase.name`, `.by`, `.tree`, `.changed`, `.breaches`. The tree is looked at only if somebody wants to know.
#[derive(Debug)]
struct PhaseFact {
    facts: Arc<Facts>,
    name: String,
    by: &'static str,
}

/// The fact about a phase.
pub(crate) fn phase_fact(facts: &Arc<Facts>, phase: &Phase) -> Value {
    let (name, by) = (phase.name.to_string(), phase.actor().name());
    Value::from_object(PhaseFact { facts: Arc::clone(facts), name, by })
}

impl Object for PhaseFact {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        Some(match key.as_str()? {
            "name" => Value::from(self.name.as_str()),
            "by" => Value::from(self.by),
            "tree" => self.facts.entered().map_or_else(Value::from, Value::from),
            "changed" => self.facts.changed_in_phase().map_or_else(Value::from, Value::from),
            "breaches" => self.facts.breaches_in_phase(&self.name).map_or_else(Value::from, Value::from),
            _ => return None,
        })
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}
