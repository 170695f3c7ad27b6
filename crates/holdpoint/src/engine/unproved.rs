//! The surroundings of a call whose caller nothing tells from the agent: the same, and what is seen in them says so.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::caller::Lineage;
use crate::caller::process::Terminal;
use crate::env::Env;

struct Doubted {
    outer: Arc<dyn Env>,
    why: &'static str,
}

/// Returns these surroundings, with why the caller is not proved.
pub(super) fn doubted(outer: &Arc<dyn Env>, why: &'static str) -> Arc<dyn Env> {
    Arc::new(Doubted { outer: Arc::clone(outer), why })
}

impl Env for Doubted {
    fn var(&self, name: &str) -> Option<String> {
        self.outer.var(name)
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        self.outer.program(name)
    }

    fn now(&self) -> i64 {
        self.outer.now()
    }

    fn random_u64(&self) -> u64 {
        self.outer.random_u64()
    }

    fn pause(&self, time: Duration) {
        self.outer.pause(time);
    }

    fn has_terminal(&self) -> bool {
        self.outer.has_terminal()
    }

    fn terminal(&self) -> Terminal {
        self.outer.terminal()
    }

    fn unproved(&self) -> Option<&'static str> {
        Some(self.why)
    }

    fn began_everything(&self) -> bool {
        self.outer.began_everything()
    }

    fn lineage(&self) -> Lineage {
        self.outer.lineage()
    }

    fn is_below_client(&self) -> bool {
        self.outer.is_below_client()
    }

    fn is_below_agent(&self) -> bool {
        self.outer.is_below_agent()
    }
}
