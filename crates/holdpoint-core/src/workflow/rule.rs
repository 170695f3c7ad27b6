//! What a rule is asked about itself.

use super::{Rule, RuleKind, Text, step};
use crate::event::Event;

impl Rule {
    /// Hold or witness.
    pub(crate) fn kind(&self) -> RuleKind {
        match self.step.delivery {
            step::Delivery::Hold => RuleKind::Hold,
            _ => RuleKind::Witness,
        }
    }

    /// Whether it, or its guard, has this name.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.guard.as_deref() == Some(name)
    }

    /// The name that people know it by: its guard's, or its own.
    pub fn called(&self) -> &Text {
        self.guard.as_ref().unwrap_or(&self.name)
    }

    /// Whether the rule looks at this event at all.
    pub(crate) fn looks_at(&self, event: &Event) -> bool {
        self.on.iter().any(|on| on.moment == event.moment && on.tool.matches(event.tool.as_ref()))
    }
}
