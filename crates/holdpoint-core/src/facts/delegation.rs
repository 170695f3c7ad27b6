//! `delegation`: whom a sub-agent call is for. Whom it names is known at once; the manifest of agents is read only if somebody
//! asks for the phase.

use std::sync::{Arc, OnceLock};

use minijinja::value::{Enumerator, Object, Value};

use super::{FactError, Facts};
use crate::delegation::{Detected, called, detect};
use crate::tool::Tool;
use crate::workflow::Delegation;
use crate::world::Answer;

/// How often a call's text is looked through for the names of agents and phases.
const AGENTS: usize = 32;

/// `delegation.called`, `.agent`, `.phase`.
struct DelegationFact {
    facts: Arc<Facts>,
    called: Option<String>,
    found: OnceLock<Result<Detected, FactError>>,
}

impl std::fmt::Debug for DelegationFact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("delegation")
    }
}

impl Facts {
    /// The delegation; undefined where the workflow has none, or the event is none.
    pub(super) fn delegation(self: &Arc<Self>) -> Value {
        match (&self.workflow.delegation, &self.event.tool) {
            (Some(rules), Some(tool)) => Value::from_object(DelegationFact {
                facts: Arc::clone(self),
                called: called(rules, tool),
                found: OnceLock::new(),
            }),
            _ => Value::UNDEFINED,
        }
    }

    fn detected(self: &Arc<Self>, rules: &Delegation, tool: &Tool) -> Result<Detected, FactError> {
        let agents = || match rules.manifest.iter().find_map(|path| self.manifest(path)) {
            Some(bytes) => crate::delegation::agents_in(&bytes?, &rules.agents)
                .map_err(|why| FactError::malformed("the agents manifest is not as expected", why)),
            None => Ok(Vec::new()),
        };
        let phases = || match &rules.phases {
            Some(source) => Ok(super::nouns::texts_in(&self.evaluate(source, self.context())?)),
            None => Ok(Vec::new()),
        };
        self.budget.spend(tool.text().len().saturating_mul(AGENTS))?;
        detect(rules, tool, agents, phases)
    }

    fn manifest(&self, path: &str) -> Option<Result<Vec<u8>, FactError>> {
        match self.world.read(path) {
            Answer::None => None,
            Answer::Is(bytes) => Some(Ok(bytes)),
            Answer::Fault(why) => Some(Err(FactError::world(format!("`{path}` cannot be read"), why))),
        }
    }
}

impl DelegationFact {
    fn found(&self) -> Result<&Detected, FactError> {
        let find = || match (&self.facts.workflow.delegation, &self.facts.event.tool) {
            (Some(rules), Some(tool)) => self.facts.detected(rules, tool),
            _ => Ok(Detected::default()),
        };
        self.found.get_or_init(find).as_ref().map_err(Clone::clone)
    }
}

impl Object for DelegationFact {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let of = |part: fn(&Detected) -> &Option<String>| match self.found() {
            Ok(found) => part(found).as_deref().map_or(Value::UNDEFINED, Value::from),
            Err(error) => Value::from(error),
        };
        Some(match key.as_str()? {
            "called" => self.called.as_deref().map_or(Value::UNDEFINED, Value::from),
            "agent" => of(|found| &found.agent),
            "phase" => of(|found| &found.phase),
            _ => return None,
        })
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Str(&["called", "agent", "phase"])
    }
}
