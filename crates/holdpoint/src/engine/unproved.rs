//! The surroundings of a call whose caller nothing tells from the agent: the same, and what is seen in them says so.

use std::sync::Arc;

use crate::env::{Env, Overlay};

struct Doubted {
    outer: Arc<dyn Env>,
    why: &'static str,
}

/// Returns these surroundings, with why the caller is not proved.
pub(crate) fn doubted(outer: &Arc<dyn Env>, why: &'static str) -> Arc<dyn Env> {
    Arc::new(Doubted { outer: Arc::clone(outer), why })
}

impl Overlay for Doubted {
    fn outer(&self) -> &Arc<dyn Env> {
        &self.outer
    }

    fn unproved(&self) -> Option<&'static str> {
        Some(self.why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fence::relayed::Relayed;

    struct InFence;

    impl Env for InFence {
        fn var(&self, _: &str) -> Option<String> {
            None
        }

        fn relayed(&self) -> Option<Relayed> {
            Some(Relayed::Unproved)
        }
    }

    #[test]
    fn a_call_that_is_doubted_still_came_through_its_keeper() {
        let env: Arc<dyn Env> = Arc::new(InFence);
        let doubted = doubted(&env, "for this reason");
        assert_eq!(doubted.relayed(), Some(Relayed::Unproved));
        assert_eq!(doubted.unproved(), Some("for this reason"));
    }
}
