//! One of a workflow's runs among all of them: what is known of it as a run, and every name of the workflow for it.

use std::sync::Arc;

use minijinja::value::{Enumerator, Object, Value};

use super::{FactError, Facts};
use crate::phase;

/// `.id`, `.age`, `.mine`, `.live`, `.lapsed`, `.here`, and whatever the workflow defines.
#[derive(Debug)]
pub(super) struct OneRun(pub(super) Arc<Facts>);

impl OneRun {
    fn get(&self, name: &str) -> Result<Option<Value>, FactError> {
        let facts = &self.0;
        Ok(match name {
            "id" => facts.world.run_id().map(Value::from),
            "age" => facts.age()?.map(Value::from),
            "mine" => Some(Value::from(facts.is_mine()?)),
            "live" => Some(Value::from(phase::is_live(facts)?)),
            "lapsed" => Some(Value::from(facts.is_stale()? && !facts.is_mine()?)),
            "here" => Some(Value::from(facts.began_elsewhere()?.is_none())),
            other => facts.lookup(other),
        })
    }
}

impl Object for OneRun {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get(key.as_str()?).unwrap_or_else(|error| Some(error.into()))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}
