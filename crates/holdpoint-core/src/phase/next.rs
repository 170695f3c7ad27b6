//! Who acts next in a run, and the one command that takes it on.

use std::sync::Arc;

use super::{Due, approval, due};
use crate::facts::Facts;
use crate::workflow::phase::Actor;

/// Who acts next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    /// Whose turn it is.
    pub actor: Actor,
    /// The command, if there is one.
    pub command: Option<String>,
}

/// Who acts next, where a workflow has phases and its state can be read.
pub fn of(facts: &Arc<Facts>) -> Option<Next> {
    let workflow = &facts.workflow;
    if workflow.phases.is_empty() {
        return None;
    }
    let phase = match due(facts).ok()? {
        Due::Phase(phase) => phase,
        Due::Nobody => return Some(Next { actor: Actor::Nobody, command: None }),
        Due::Unknown(_) => return None,
    };
    let actor = phase.actor();
    let listed = || Some(format!("holdpoint {}", workflow.name)).filter(|_| !workflow.commands.is_empty());
    let command = match actor {
        Actor::Agent => workflow.going_on(),
        Actor::Reviewer | Actor::Check => workflow.going_on().or(Some("holdpoint review".to_owned())),
        Actor::Approval => {
            let missing = approval::missing(facts, &phase).unwrap_or_default();
            missing.first().map(|approval| format!("holdpoint approve {}", approval.name))
        }
        Actor::User => listed(),
        Actor::Nobody => None,
    };
    Some(Next { actor, command })
}
